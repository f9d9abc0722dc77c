"""What the plots of a card show: its chosen metrics by unit, limits, when it was slowed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gpuexplorer.core import metrics as m
from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import Card
from gpuexplorer.core.metrics import METRICS, MetricId
from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.cards.card_face import Shown
from gpuexplorer.gui.cards.facts import Family, grouped, short_label
from gpuexplorer.gui.cards.figure import NEAR_HEAT_LIMIT
from gpuexplorer.gui.cards.links import link_now
from gpuexplorer.gui.cards.reasons import Then, reason_then, sign
from gpuexplorer.gui.cards.throttling import SlowedSpan
from gpuexplorer.gui.plots.content import Band, Flag, Limit, PlotContent, PlotLine
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.telemetry.facts import Reading
from gpuexplorer.telemetry.happenings import Happening, Kind
from gpuexplorer.telemetry.trace import TraceSource

# Bands show these already.
_ON_BANDS = frozenset({Kind.THROTTLING_BEGAN, Kind.THROTTLING_ENDED, Kind.THROTTLING_UNKNOWN})
_TEMPERATURE_LIMITS: Mapping[MetricId, Sequence[tuple[MetricId, str]]] = {
    m.TEMPERATURE: (
        (m.TEMPERATURE_MAX, mark("target")),
        (m.TEMPERATURE_SLOWDOWN, mark("slows down at")),
        (m.TEMPERATURE_SHUTDOWN, mark("switches off at")),
    ),
    m.MEMORY_TEMPERATURE: ((m.MEMORY_TEMPERATURE_MAX, mark("memory limit")),),
}
_MEMORY_LIMIT_FROM = 20.0  # degrees below it
_NEAR: Mapping[MetricId, Sequence[MetricId]] = {
    m.TEMPERATURE: (m.TEMPERATURE_MAX, m.TEMPERATURE_SLOWDOWN),
    m.MEMORY_TEMPERATURE: (m.MEMORY_TEMPERATURE_MAX,),
}


@dataclass(frozen=True, slots=True)
class VisibleStretch:
    """The visible stretch of time, in steady seconds, and in how many columns it is drawn."""

    start: float
    end: float
    columns: int


def plot_contents(
    shown: Shown,
    reading: Reading,
    chosen: Sequence[MetricId],
    past: TraceSource,
    stretch: VisibleStretch,
    slowed: Sequence[SlowedSpan],
    log: Sequence[Happening],
    then: Then,
    beside: TraceSource | None = None,
) -> Sequence[PlotContent]:
    """`log` and `then` say why there is nothing, where there is nothing; `beside` is what all
    is compared with.
    """
    bands = tuple(Band(each.start, each.end, each.word, each.tone) for each in slowed)
    return [
        PlotContent(
            family.name,
            tr(family.title),
            family.unit,
            _lines(shown, reading, metrics, past, stretch, log, then, beside),
            _limits(reading, metrics),
            bands,
            family.lowest,
            _highest(shown.card, reading, family, metrics),
        )
        for family, metrics in grouped(chosen)
    ]


def flags(
    happenings: Sequence[Happening], shown: Shown, stretch: VisibleStretch
) -> Sequence[Flag]:
    """What took place on this card, or to the whole driver, within the stretch."""
    return [
        Flag(each.at, tr(each.sentence), sign(each)[1], shown.colour)
        for each in happenings
        if each.card in {None, shown.card.id}
        and each.kind not in _ON_BANDS
        and stretch.start <= each.at <= stretch.end
    ]


def _lines(
    shown: Shown,
    reading: Reading,
    metrics: Sequence[MetricId],
    past: TraceSource,
    stretch: VisibleStretch,
    log: Sequence[Happening],
    then: Then,
    beside: TraceSource | None,
) -> tuple[PlotLine, ...]:
    lines, card = [], shown.card.id
    visible = (stretch.start, stretch.end, stretch.columns)
    for at, metric in enumerate(metrics):
        colour, dash = _style(shown.colour, at)
        lines.append(
            PlotLine(
                short_label(METRICS[metric]),
                METRICS[metric],
                past.trace(card, metric, *visible),
                reason=reason_then(_reason(reading, metric), card, reading.state, log, then),
                colour=colour,
                dash=dash,
                card=card,
                now=reading.values.get(metric),
                tone=_tone(reading, metric),
                beside=None if beside is None else beside.trace(card, metric, *visible),
            )
        )
    return tuple(lines)


def _style(colour: int | None, at: int) -> tuple[int | None, int]:
    """The card's colour and the quiet one in turn, then both again with a dash."""
    if colour is None:
        return None, at
    return (colour if at % 2 == 0 else None), at // 2


def _tone(reading: Reading, metric: MetricId) -> Tone:
    """Near the temperature from which the card slows down; at its power limit is usual."""
    celsius = reading.values.get(metric)
    limits = _NEAR.get(metric, ())
    limit = next((reading.values[each] for each in limits if each in reading.values), None)
    near = celsius is not None and limit is not None and celsius >= limit - NEAR_HEAT_LIMIT
    return Tone.WARN if near else Tone.TEXT


def _reason(reading: Reading, metric: MetricId) -> str:
    if metric in reading.values:
        return ""
    return tr(reading.missing.get(metric, Absence.NOT_YET).sentence)


def _limits(reading: Reading, metrics: Sequence[MetricId]) -> tuple[Limit, ...]:
    limits = []
    value = reading.values.get
    power = value(m.POWER_LIMIT)
    if power is not None and m.POWER_DRAW in metrics and m.POWER_LIMIT not in metrics:
        limits.append(Limit(tr("limit"), power))
    for metric, known in _TEMPERATURE_LIMITS.items():
        if metric in metrics:
            limits += [
                Limit(tr(label), reading.values[limit])
                for limit, label in known
                if limit in reading.values and _matters(reading, metric, limit)
            ]
    if m.PCIE_RECEIVE in metrics or m.PCIE_TRANSMIT in metrics:
        link = link_now(reading)
        if link.rate is not None:
            limits.append(Limit(tr("link {speed}", speed=link.text), link.rate))
    return tuple(limits)


def _matters(reading: Reading, metric: MetricId, limit: MetricId) -> bool:
    """Lines for the core's limits are many already; the memory's comes when it comes near."""
    if limit != m.MEMORY_TEMPERATURE_MAX:
        return True
    celsius = reading.values.get(metric)
    return celsius is not None and celsius >= reading.values[limit] - _MEMORY_LIMIT_FROM


def _highest(
    card: Card, reading: Reading, family: Family, metrics: Sequence[MetricId]
) -> float | None:
    if m.MEMORY_USED in metrics or m.MEMORY_FREE in metrics:
        return reading.values.get(m.MEMORY_TOTAL) or card.memory_bytes
    if m.SWAP_USED in metrics:
        return reading.values.get(m.SWAP_TOTAL)
    return family.highest
