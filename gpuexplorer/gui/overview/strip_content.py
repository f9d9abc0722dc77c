"""What all cards are compared by; and of very many, which are a strip and no lines: what the
strip shows of them, and the files of it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from gpuexplorer.core import metrics as ids
from gpuexplorer.core.axes import TimeTick, time_ticks
from gpuexplorer.core.cards import CardId, CardState
from gpuexplorer.core.metrics import METRICS, MetricId
from gpuexplorer.core.units import Units, quantity
from gpuexplorer.core.words import mark, tr, trn
from gpuexplorer.gui.cards.card_face import CardFace
from gpuexplorer.gui.cards.figure import Figure
from gpuexplorer.gui.cards.moments import Then, holds_then
from gpuexplorer.gui.overview.tiles.heat_strip import StripBoard, StripContent, StripMark
from gpuexplorer.gui.overview.tiles.tile_layout import BOARD
from gpuexplorer.gui.state.machine import MachineState
from gpuexplorer.gui.state.time_window import TimeWindow
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.saving import CSV, PlotNote, Saving, Write, suggested_name
from gpuexplorer.telemetry.trace import (
    Heading,
    Trace,
    TraceColumn,
    TraceSource,
    write_traces,
)

_LEAST_RATE = 1e9
_TICK_EVERY = 84.0  # pixels
_EVERY_READING = 10_000_000
# To ask for the past of 64 cards takes longer than to draw it: of so many it is asked for anew
# at each beat, and the others are led on by what they say now.
_ASKED_EACH_TIME = 3
_STALE = 3.0  # columns, or seconds if that is longer: beyond it nothing is known
_GONE = (CardState.LOST, CardState.UNLISTED, CardState.NO_DRIVER)
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
    end: str = "{high}"  # what the end of that scale is called

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
    Plotted(
        *("utilisation", mark("Utilisation"), (ids.GPU_UTILIZATION,)),
        highest=1.0,
        end=mark("{high} busy"),
    ),
    Plotted(
        *("memory", mark("Memory"), (ids.MEMORY_USED,)),
        limits=(ids.MEMORY_TOTAL,),
        end=mark("{high} used"),
    ),
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


def ticks_of(
    window: TimeWindow, start: float, end: float, width: float
) -> tuple[TimeTick, ...]:
    """Clock times, and before all of them that this is now, where it is."""
    now = (TimeTick(end, tr("now")),) if window.following else ()
    return (*now, *time_ticks(start, end, window.wall(0.0), int(width / _TICK_EVERY)))


class StripHistory:
    """A row for each card, a column for each moment; NaN where nothing was read."""

    def __init__(self, past: TraceSource) -> None:
        self._past = past
        self._shown: object = None  # as long as it is the same, time only moves on
        self._last = 0  # the number of the last column, counted from when time began
        self._turn = 0
        self.start = self.end = 0.0  # in steady seconds
        self.values: NDArray[np.float64] = np.empty((0, 0))

    def bring_up(
        self,
        cards: Sequence[CardFace],
        plotted: Plotted,
        stretch: tuple[float, float],
        columns: int,
        *,
        following: bool = True,
    ) -> None:
        """To the end of this stretch."""
        seconds = (stretch[1] - stretch[0]) / columns
        last = int(np.ceil(stretch[1] / seconds - 1e-6)) - 1
        moved, self._last = last - self._last, last
        self.start, self.end = (last - columns + 1) * seconds, (last + 1) * seconds
        shown = ([each.id for each in cards], plotted, columns, round(seconds, 9))
        asked = range(len(cards))
        if following and shown == self._shown and 0 <= moved < columns:
            stale = self.end - max(_STALE, _STALE * seconds)
            told = (
                plotted.value(each) if each.answers and each.reading.at >= stale else None
                for each in cards
            )
            now = np.array([np.nan if value is None else value for value in told])
            led_on = np.repeat(now[:, np.newaxis], moved, axis=1)
            self.values = np.hstack((self.values[:, moved:], led_on))
            asked = range(self._turn, self._turn + min(len(cards), _ASKED_EACH_TIME))
            self._turn = asked.stop % len(cards)
        else:
            self.values = np.full((len(cards), columns), np.nan)
        self._shown = shown
        for at in asked:
            row = at % len(cards)
            trace = plotted.trace(self._past, cards[row].id, self.start, self.end, columns)
            self.values[row] = self._sampled(trace, columns)

    def _sampled(self, trace: Trace, columns: int) -> NDArray[np.float64]:
        """What held in the middle of each column: a reading holds until the next one."""
        if len(trace) == 0:
            return np.full(columns, np.nan)
        seconds = (self.end - self.start) / columns
        middles = self.start + (np.arange(columns) + 0.5) * seconds
        at = np.searchsorted(trace.times, middles, side="right") - 1
        since = middles - trace.times[np.maximum(at, 0)]
        stale = since > _STALE * max(trace.column_seconds, seconds, 1.0)
        unknown = (at < 0) | (stale & (at == len(trace) - 1))
        return np.where(unknown, np.nan, trace.means[np.maximum(at, 0)])


def strip_content(
    boards: Sequence[Sequence[CardFace]],
    plotted: Plotted,
    history: StripHistory,
    ticks: tuple[TimeTick, ...],
    units: Units,
    gone: Mapping[CardId, tuple[float, str]],
    then: Then,
) -> StripContent:
    """`gone` is when cards were lost, and that moment in words."""
    cards = [each for board in boards for each in board]
    reach = np.maximum(strip_tops(cards, plotted, history) - plotted.lowest, 1e-9)
    figures = [_mean(board, plotted, units) for board in boards]
    labels = [ranges([each.index for each in board]) for board in boards]
    return StripContent(
        shares=(history.values - plotted.lowest) / reach[:, np.newaxis],
        start=history.start,
        end=history.end,
        cards=tuple(each.id for each in cards),
        boards=tuple(map(StripBoard, labels, map(len, boards), figures)),
        marks=tuple(_marks(cards, history, gone, then)),
        ticks=ticks,
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
        seen = history.values[np.isfinite(history.values)]
        told = [max([*seen, _LEAST_RATE if len(plotted.metrics) > 1 else 1.0])]
    return np.array([max(told) if limit is None else limit for limit in limits])


def _mean(board: Sequence[CardFace], plotted: Plotted, units: Units) -> Figure:
    told = [
        value for each in board if each.answers and (value := plotted.value(each)) is not None
    ]
    title = tr(plotted.title)
    if not told:
        return Figure(title, absent=("–",), hint=tr("None of these cards reports it."))
    read = quantity(METRICS[plotted.metrics[0]], sum(told) / len(told), units)
    one, several = (
        mark("{metric} now, mean of {count} card"),
        mark("{metric} now, mean of {count} cards"),
    )
    hint = trn(one, several, len(told), metric=title)
    return Figure(title, number=read.number, unit=read.unit, hint=hint)


def _marks(
    cards: Sequence[CardFace],
    history: StripHistory,
    gone: Mapping[CardId, tuple[float, str]],
    then: Then,
) -> list[StripMark]:
    marks, asleep = [], list[list[int]]()  # rows beside each other
    for row, each in enumerate(cards):
        state, went = each.state, each.state in _GONE
        # Of a card that was lost before it was ever read nobody knows the moment.
        at, moment = gone.get(each.id, (then.began, "")) if went else (None, "")
        if not holds_then(state, at, then):
            continue
        word = tr(state.word)
        if went:
            word = tr("{state} at {moment}", state=word, moment=moment) if moment else word
            marks.append(StripMark(row, at, f"{each.number} {word}", Tone.BAD))
        elif state in _SILENT:
            ended = _ended(history, row)
            marks.append(StripMark(row, ended, f"{each.number} {word}", Tone.WARN))
        elif state is CardState.ASLEEP:
            if asleep and asleep[-1][-1] == row - 1:
                asleep[-1].append(row)
            else:
                asleep.append([row])
    for run in asleep:
        numbers = ranges([cards[row].index for row in run])
        for row in run:
            # The words once, in the middle.
            first = row == run[len(run) // 2]
            words = tr("{numbers} asleep, not read", numbers=numbers) if first else ""
            marks.append(StripMark(row, _ended(history, row), words, Tone.FAINT))
    return marks


def _ended(history: StripHistory, row: int) -> float | None:
    """When its last figure came; None where there is none in this stretch."""
    there = np.flatnonzero(np.isfinite(history.values[row]))
    if there.size == 0:
        return None
    seconds = (history.end - history.start) / float(history.values.shape[1])
    return history.start + (int(there[-1]) + 1) * seconds


class StripFiles:
    """What can be taken along of very many cards. A sentence over the strip says what came of
    it.
    """

    def __init__(self, machine: MachineState, time_window: TimeWindow, strip: QWidget) -> None:
        self._machine, self._time_window = machine, time_window
        self._note, self._saving = PlotNote(strip), Saving(machine.settings, strip)
        self._saving.done.connect(self._note.show_done)
        self._saving.refused.connect(self._note.show_refused)

    def copy_figures(self, faces: Sequence[CardFace]) -> None:
        """What each card says now, a line for each."""
        simulated = self._machine.session.simulated
        lines = [tr("SIMULATED: every figure is made up.")] if simulated else []
        lines += [tr("{card}: {figures}", card=e.title, figures=e.spoken) for e in faces]
        QGuiApplication.clipboard().setText("\n".join(lines))
        self._note.show_done(trn("{count} card copied.", "{count} cards copied.", len(faces)))

    def ask_csv(self, cards: Sequence[CardId], plotted: Plotted) -> None:
        """Every reading of the metric in the stretch that is seen, of all cards."""
        session, (start, end) = self._machine.session, self._time_window.stretch()
        offset = self._time_window.wall(0.0)
        heading = Heading(tr(session.source.label), session.simulated, start, end, offset)
        name = suggested_name("cards", end + offset, simulated=session.simulated)

        def write(path: Path) -> Write:
            return partial(_write, path, self._machine.past, cards, plotted, heading)

        self._saving.ask(tr("Save readings of all cards"), name, [CSV], write)


def _write(
    path: Path, past: TraceSource, cards: Sequence[CardId], plotted: Plotted, heading: Heading
) -> None:
    """Called from the thread that writes."""
    stretch = heading.start, heading.end
    columns = [
        TraceColumn(each, METRICS[m], past.trace(each, m, *stretch, _EVERY_READING))
        for each in cards
        for m in plotted.metrics
    ]
    write_traces(path, columns, heading)
