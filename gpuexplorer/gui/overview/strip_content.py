"""What all cards are compared by, and what the strip shows of very many."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpuexplorer.core import metrics as ids
from gpuexplorer.core.axes import TimeTick, time_ticks
from gpuexplorer.core.cards import CardId, CardState
from gpuexplorer.core.metrics import METRICS, MetricId
from gpuexplorer.core.units import Units, quantity
from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.cards.card_face import CardFace
from gpuexplorer.gui.cards.figure import Figure
from gpuexplorer.gui.cards.reasons import holds_then
from gpuexplorer.gui.cards.throttling import SlowedBook
from gpuexplorer.gui.overview.tiles.heat_strip import StripBoard, StripContent, StripMark
from gpuexplorer.gui.overview.tiles.tile_grid import BOARD
from gpuexplorer.gui.state.time_window import TimeWindow
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.telemetry.trace import Trace, TraceSource

_LEAST_RATE = 1e9
_TURNS = 16  # beats until the past of every card was asked for
_TICK_EVERY = 84.0  # pixels
_STALE = 3.0  # columns, or seconds if that is longer: beyond it a last reading does not hold
GONE = (CardState.LOST, CardState.UNLISTED, CardState.NO_DRIVER)
_SILENT = (CardState.NO_ANSWER, CardState.REFUSED, CardState.NO_CONNECTION)


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

    def trace(
        self, past: TraceSource, card: CardId, start: float, end: float, columns: int
    ) -> Trace:
        """Metrics that are read together have their columns at the same times."""
        first, *rest = (past.trace(card, m, start, end, columns) for m in self.metrics)
        for other in rest:
            if np.array_equal(other.times, first.times):
                first = replace(
                    first,
                    minima=first.minima + other.minima,
                    maxima=first.maxima + other.maxima,
                    means=first.means + other.means,
                )
        return first

    def value(self, face: CardFace) -> float | None:
        values = face.reading.values
        told = [values[metric] for metric in self.metrics if metric in values]
        return sum(told) if len(told) == len(self.metrics) else None

    def limit(self, face: CardFace) -> float | None:
        """The highest figure this card could have."""
        if self.highest is not None:
            return self.highest
        if ids.MEMORY_TOTAL in self.limits:
            return face.memory.total_bytes
        values = face.reading.values
        return next((values[m] for m in self.limits if m in values), None)


PLOTTED = (
    Plotted("utilisation", mark("Utilisation"), (ids.GPU_UTILIZATION,), highest=1.0),
    Plotted("memory", mark("Memory"), (ids.MEMORY_USED,), limits=(ids.MEMORY_TOTAL,)),
    Plotted("power", mark("Power"), (ids.POWER_DRAW,), limits=(ids.POWER_LIMIT,)),
    Plotted(
        *("temperature", mark("Temperature"), (ids.TEMPERATURE,)),
        limits=(ids.TEMPERATURE_MAX, ids.TEMPERATURE_SLOWDOWN),
        marked=True,
        lowest=20.0,
    ),
    Plotted("pcie", mark("PCIe"), (ids.PCIE_RECEIVE, ids.PCIE_TRANSMIT)),
    Plotted("nvlink", mark("NVLink"), (ids.NVLINK_RECEIVE, ids.NVLINK_TRANSMIT)),
)
# What the end of a scale of colours is called.
SCALE_ENDS = {"utilisation": mark("{high} busy"), "memory": mark("{high} used")}


def boards_of(cards: Sequence[CardFace]) -> list[list[CardFace]]:
    """By eights of the driver's order: what is on a board stays on it, however it is sorted."""
    boards: dict[int, list[CardFace]] = {}
    for each in cards:
        boards.setdefault(each.index // BOARD, []).append(each)
    return list(boards.values())


def ranges(numbers: Sequence[int]) -> str:
    """ "0–7, 9": short for many numbers in a row."""
    runs: list[list[int]] = []
    for number in sorted(numbers):
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ", ".join(
        f"{run[0]}–{run[-1]}" if len(run) > 2 else ", ".join(map(str, run)) for run in runs
    )


def ticks_of(window: TimeWindow, start: float, end: float, wide: float) -> tuple[TimeTick, ...]:
    """Clock times, and before all of them that this is now, where it is."""
    now = (TimeTick(end, tr("now")),) if window.following else ()
    return (*now, *time_ticks(start, end, window.wall(0.0), int(wide / _TICK_EVERY)))


class StripHistory(NamedTuple):
    """A row for each card, a column for each moment; NaN where nothing was read."""

    start: float
    end: float
    values: NDArray[np.float64]
    shown: object = None  # as long as it is the same, time only moves on
    turn: int = 0


def strip_history(
    past: TraceSource,
    cards: Sequence[CardFace],
    plotted: Plotted,
    stretch: tuple[float, float],
    columns: int,
    before: StripHistory | None = None,
) -> StripHistory:
    """What held in the middle of each column: a reading holds until the next one. With one from
    `before`, the past of a few cards is asked for, and others go on with what they say now.
    """
    seconds = (stretch[1] - stretch[0]) / columns
    end = float(np.ceil(stretch[1] / seconds - 1e-6)) * seconds
    start, rows, turn = end - columns * seconds, range(len(cards)), 0
    shown = [each.id for each in cards], columns, round(seconds, 9), plotted
    moved = round((end - before.end) / seconds) if before is not None else -1
    if before is not None and before.shown == shown and 0 <= moved < columns:
        told = [plotted.value(e) if e.answers else None for e in cards]
        now = np.array([[np.nan if value is None else value] * moved for value in told])
        values, turn = np.hstack((before.values[:, moved:], now)), before.turn + 1
        rows = rows[turn % _TURNS :: _TURNS]
    else:
        values = np.full((len(cards), columns), np.nan)
    middles = start + (np.arange(columns) + 0.5) * seconds
    for row in rows:
        trace = plotted.trace(past, cards[row].id, start, end, columns)
        at = np.searchsorted(trace.times, middles, side="right") - 1
        times, means = (np.append(e, np.nan) for e in (trace.times, trace.means))
        stale = middles - times[at] > _STALE * max(trace.column_seconds, seconds, 1.0)
        unknown = (at < 0) | (stale & (at == len(trace) - 1))
        values[row] = np.where(unknown, np.nan, means[at])
    return StripHistory(start, end, values, shown, turn)


def strip_content(
    boards: Sequence[Sequence[CardFace]],
    plotted: Plotted,
    history: StripHistory,
    window: TimeWindow,
    slowed: SlowedBook,
    units: Units,
) -> StripContent:
    then, start, end = window.then(), history.start, history.end
    cards = [each for board in boards for each in board]
    reach = np.maximum(strip_tops(cards, plotted, history) - plotted.lowest, 1e-9)
    figures = [_mean(board, plotted, units) for board in boards]
    labels = [ranges([each.index for each in board]) for board in boards]
    return StripContent(
        shares=(history.values - plotted.lowest) / reach[:, np.newaxis],
        start=start,
        end=end,
        cards=tuple(each.id for each in cards),
        boards=tuple(map(StripBoard, labels, map(len, boards), figures)),
        marks=tuple(_marks(cards, history, window, slowed)),
        ticks=ticks_of(window, start, end, history.values.shape[1] * 2.0),
        said=". ".join(
            tr("Cards {numbers}: {figure}", numbers=label, figure=figure.spoken)
            for label, figure in zip(labels, figures, strict=True)
        ),
        began=then.began,
        following=not then.looking_back,
    )


def strip_tops(
    cards: Sequence[CardFace], plotted: Plotted, history: StripHistory
) -> NDArray[np.float64]:
    """Where each card's shades end."""
    limits = [plotted.limit(each) for each in cards]
    told = [limit for limit in limits if limit is not None]
    if not told:
        least, seen = _LEAST_RATE if len(plotted.metrics) > 1 else 1.0, history.values
        told = [float(seen.max(where=np.isfinite(seen), initial=least))]
    return np.array([max(told) if limit is None else limit for limit in limits])


def _mean(board: Sequence[CardFace], plotted: Plotted, units: Units) -> Figure:
    values = [plotted.value(each) for each in board if each.answers]
    told, title = [value for value in values if value is not None], tr(plotted.title)
    if not told:
        return Figure(title, absent=("–",), hint=tr("None of these cards reports it."))
    read = quantity(METRICS[plotted.metrics[0]], sum(told) / len(told), units)
    hint = tr("{metric} now, mean of these cards", metric=title)
    return Figure(title, number=read.number, unit=read.unit, hint=hint)


def _marks(
    cards: Sequence[CardFace], history: StripHistory, window: TimeWindow, slowed: SlowedBook
) -> Iterator[StripMark]:
    then, asleep = window.then(), False
    for row, each in enumerate(cards):
        state, before = each.state, asleep
        went, asleep = state in GONE, state is CardState.ASLEEP
        seen = slowed.gone_at(each.id) if went else None
        # Of a card that was lost before it was ever read nobody knows the moment.
        at, word = then.began if went and seen is None else seen, tr(state.word)
        if not holds_then(state, at, then):
            continue
        if went:
            if seen is not None:
                word = tr("{state} at {moment}", state=word, moment=window.moment(seen))
            yield StripMark(row, at, f"{each.number} {word}", Tone.BAD)
        elif state in _SILENT:
            yield StripMark(row, _ended(history, row), f"{each.number} {word}", Tone.WARN)
        elif asleep:
            # The words once, of those that sleep beside each other.
            word = "" if before else tr("asleep, not read")
            yield StripMark(row, _ended(history, row), word, Tone.FAINT)


def _ended(history: StripHistory, row: int) -> float | None:
    """When its last figure came; None where there is none in this stretch."""
    there = np.flatnonzero(np.isfinite(history.values[row]))
    seconds = (history.end - history.start) / float(history.values.shape[1])
    return history.start + (int(there[-1]) + 1) * seconds if there.size else None
