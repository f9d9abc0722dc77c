"""StripPast: what a card did over the time that all plots show, asked for when it moved."""

from dataclasses import dataclass

import numpy as np

from gpuexplorer.core.axes import TimeTick, time_ticks
from gpuexplorer.core.cards import CardId
from gpuexplorer.core.metrics import GPU_UTILIZATION, MEMORY_USED, MetricId
from gpuexplorer.core.units import GIB, USUAL, Units
from gpuexplorer.gui.plots.curves import COLUMN_PIXELS, columns_for, steady_stretch
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.gui.state.lab.lab_course import CellFlag
from gpuexplorer.gui.state.time_window import TimeWindow
from gpuexplorer.telemetry.trace import Trace

_TICK_EVERY = 96.0  # pixels
_ROOM, _LEAST_REACH = 1.1, 0.25  # above the most that was seen; in GiB


@dataclass(frozen=True, slots=True, eq=False)
class StripPast:
    """Traces from `start` to `end`, in steady seconds."""

    start: float
    end: float
    busy: Trace
    memory: Trace
    reach: float  # bytes at the top of the memory's plot
    ticks: tuple[TimeTick, ...]
    flags: tuple[CellFlag, ...]
    began: float  # nothing is known of the time before

    def x(self, at: float, width: float) -> float:
        return (at - self.start) / (self.end - self.start) * width


def strip_past(
    lab: Lab,
    time_window: TimeWindow,
    card: CardId,
    width: float,
    total: float | None,
    before: StripPast | None,
) -> StripPast:
    """The very same as before where nothing else would be seen."""
    start, end = steady_stretch(*time_window.stretch(), width / COLUMN_PIXELS)
    flags = tuple(lab.flags.of(card, start, end))
    if before is not None and (before.start, before.end) == (start, end):
        same = len(before.flags) == len(flags) and all(
            one is other for one, other in zip(before.flags, flags, strict=True)
        )
        if same:
            return before
    memory = _trace(lab, card, MEMORY_USED, start, end, width)
    most = float(np.nanmax(memory.maxima)) if np.isfinite(memory.maxima).any() else 0.0
    units = lab.machine.settings.choices.units
    return StripPast(
        start,
        end,
        _trace(lab, card, GPU_UTILIZATION, start, end, width),
        memory,
        memory_reach(most, total, units),
        tuple(time_ticks(start, end, time_window.wall(0.0), int(width / _TICK_EVERY))),
        flags,
        time_window.began,
    )


def _trace(
    lab: Lab, card: CardId, metric: MetricId, start: float, end: float, width: float
) -> Trace:
    return lab.machine.past.trace(card, metric, start, end, columns_for(width))


def memory_reach(most: float, total: float | None, units: Units = USUAL) -> float:
    """The next round figure above the most that was seen, and never beyond the card."""
    reach = _LEAST_REACH * (1e9 if units.decimal_memory else GIB)
    while reach < most * _ROOM:
        reach *= 2
    return min(reach, total) if total else reach
