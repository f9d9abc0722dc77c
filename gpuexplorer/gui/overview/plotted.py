"""Plotted: the metrics of which all cards can be seen on one plot, and what that plot shows."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from gpuexplorer.core import metrics as ids
from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import CardId, CardState
from gpuexplorer.core.metrics import METRICS, MetricId
from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.cards.card_face import CardFace, Shown
from gpuexplorer.gui.cards.facts import short_label
from gpuexplorer.gui.cards.reasons import Then, reason_then, short_reasons, sign
from gpuexplorer.gui.cards.throttling import SlowedBook
from gpuexplorer.gui.plots.content import Band, Flag, Limit, PlotContent, PlotLine
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.telemetry.happenings import Happening, Kind
from gpuexplorer.telemetry.trace import Trace, TraceSource

# What changes a picture for all who look at it; programs come and go too often.
_NOTABLE = frozenset(
    {
        *(Kind.CARD_UNLISTED, Kind.CARD_LISTED, Kind.NO_ACCESS, Kind.ACCESS),
        *(Kind.CARD_LOST, Kind.CARD_BACK, Kind.NO_ANSWER, Kind.ANSWERS_AGAIN),
        *(Kind.DRIVER_GONE, Kind.DRIVER_BACK, Kind.XID, Kind.MEMORY_ERROR, Kind.SLOW_LINK),
        *(Kind.CONNECTION_LOST, Kind.CONNECTION_BACK),
        *(Kind.ASLEEP, Kind.AWAKE, Kind.NO_FIGURES, Kind.FIGURES_AGAIN, Kind.RESTLESS),
    }
)
# Bands of more cards than this would hide each other, unless something is wrong.
_MOST_WITH_ORDINARY_BANDS = 2


@dataclass(frozen=True, slots=True)
class Plotted:
    """One choice above the plot. Of several metrics the sum is shown."""

    name: str
    title: str
    metrics: tuple[MetricId, ...]
    highest: float | None = None  # where the scale ends; None: it depends on the cards
    limits: tuple[MetricId, ...] = ()  # the highest there can be, in the order they are tried
    marked: bool = False  # whether that limit is drawn as a line
    lowest: float = 0.0  # where a scale of colours begins


PLOTTED = (
    Plotted("utilisation", mark("Utilisation"), (ids.GPU_UTILIZATION,), highest=1.0),
    Plotted("memory", mark("Memory"), (ids.MEMORY_USED,), limits=(ids.MEMORY_TOTAL,)),
    Plotted("power", mark("Power"), (ids.POWER_DRAW,), limits=(ids.POWER_LIMIT,)),
    Plotted(
        "temperature",
        mark("Temperature"),
        (ids.TEMPERATURE,),
        limits=(ids.TEMPERATURE_MAX, ids.TEMPERATURE_SLOWDOWN),
        marked=True,
        lowest=20.0,
    ),
    Plotted("pcie", mark("PCIe"), (ids.PCIE_RECEIVE, ids.PCIE_TRANSMIT)),
    Plotted("nvlink", mark("NVLink"), (ids.NVLINK_RECEIVE, ids.NVLINK_TRANSMIT)),
)


def offered(cards: Sequence[Shown]) -> Sequence[Plotted]:
    """Without NVLink where no card has one."""
    wired = any(each.card.nvlinks for each in cards)
    return [each for each in PLOTTED if wired or each.name != "nvlink"]


def summed_trace(
    past: TraceSource, card: CardId, plotted: Plotted, start: float, end: float, columns: int
) -> Trace:
    """Metrics that are read together have their columns at the same times."""
    first, *rest = (past.trace(card, m, start, end, columns) for m in plotted.metrics)
    for other in rest:
        if len(other) != len(first) or not np.array_equal(other.times, first.times):
            continue
        first = replace(
            first,
            minima=first.minima + other.minima,
            maxima=first.maxima + other.maxima,
            means=first.means + other.means,
        )
    return first


def value_of(face: CardFace, plotted: Plotted) -> float | None:
    values = face.reading.values
    told = [values[metric] for metric in plotted.metrics if metric in values]
    return sum(told) if len(told) == len(plotted.metrics) else None


def limit_of(face: CardFace, plotted: Plotted) -> float | None:
    """The highest figure this card could have."""
    if plotted.highest is not None:
        return plotted.highest
    values = face.reading.values
    found = next((values[m] for m in plotted.limits if m in values), None)
    return face.memory.total_bytes if ids.MEMORY_TOTAL in plotted.limits else found


def plot_content(
    cards: Sequence[CardFace],
    plotted: Plotted,
    past: TraceSource,
    stretch: tuple[float, float],
    columns: int,
    slowed: SlowedBook,
    log: Sequence[Happening],
    then: Then,
    beside: TraceSource | None = None,
) -> PlotContent:
    """`log` and `then` say why there is nothing, where there is nothing. The line of a card
    that is alone is called by what it shows, since the heading says which card it is.
    `beside` is what all is compared with.
    """
    start, end = stretch
    alone = len(cards) == 1
    called = short_label(METRICS[plotted.metrics[0]]) if alone else ""
    limits = {limit_of(each, plotted) for each in cards} - {None}
    highest = plotted.highest
    if highest is None and not plotted.marked:
        highest = max((limit for limit in limits if limit is not None), default=None)
    return PlotContent(
        name=f"all_{plotted.name}",
        title=tr(plotted.title),
        unit=METRICS[plotted.metrics[0]].unit,
        lines=tuple(
            PlotLine(
                label=called,
                metric=METRICS[plotted.metrics[0]],
                trace=summed_trace(past, each.id, plotted, start, end, columns),
                reason=reason_then(_reason(each, plotted), each.id, each.state, log, then),
                chip="" if alone else each.number,
                colour=each.colour,
                dash=at,
                now=value_of(each, plotted),
                beside=None
                if beside is None
                else summed_trace(beside, each.id, plotted, start, end, columns),
            )
            for at, each in enumerate(cards)
        ),
        limits=_marked_limits(limits, plotted),
        bands=tuple(_bands(cards, slowed, start, end)),
        lowest=0.0,
        highest=highest,
    )


def notable_flags(
    happenings: Sequence[Happening], cards: Sequence[CardFace], stretch: tuple[float, float]
) -> Sequence[Flag]:
    """The newest of those within the stretch: going back from now, until before it."""
    by_id = {each.id: each for each in cards}
    start, end = stretch
    found = []
    for each in reversed(happenings):
        if each.at < start:
            break
        if each.kind not in _NOTABLE or each.at > end:
            continue
        shown = None if each.card is None else by_id.get(each.card)
        if each.card is not None and shown is None:
            continue
        said = tr(each.sentence)
        if shown is not None:
            said = tr("{card}: {sentence}", card=shown.number, sentence=said)
        colour = None if shown is None else shown.colour
        found.append(Flag(each.at, said, sign(each)[1], colour))
    return found[::-1]


def _bands(
    cards: Sequence[CardFace], slowed: SlowedBook, start: float, end: float
) -> Sequence[Band]:
    few = len(cards) <= _MOST_WITH_ORDINARY_BANDS
    return [
        Band(
            max(one.start, start),
            one.end,
            f"{each.number} {one.word}" if len(cards) > 1 else one.word,
            one.tone,
        )
        for each in cards
        for one in slowed.stretches(each.id, start, end)
        if few or one.tone is Tone.WARN
    ]


def _marked_limits(limits: set[float | None], plotted: Plotted) -> tuple[Limit, ...]:
    """Only where all cards have the same one."""
    if not plotted.marked or len(limits) != 1:
        return ()
    return tuple(Limit(tr("limit"), limit) for limit in limits if limit is not None)


def _reason(face: CardFace, plotted: Plotted) -> str:
    if face.state is not CardState.WORKING:
        return tr(face.state.word)
    missing = [m for m in plotted.metrics if m not in face.reading.values]
    if not missing:
        return ""
    return short_reasons(face.reading.missing.get(missing[0], Absence.NOT_YET))[0]
