"""Summary: what one line says in figures about the stretch that is seen."""

import math
from dataclasses import dataclass

import numpy as np

from gpuexplorer.gui.plots.content import Line
from gpuexplorer.telemetry.trace import Trace

# A reading speaks for its moment and a little around it, and not for a gap.
_REACH = 1.5


@dataclass(frozen=True, slots=True)
class Summary:
    """None where nothing was read."""

    least: float | None = None
    mean: float | None = None
    most: float | None = None
    last: float | None = None  # the newest within the stretch
    now: float | None = None  # the same where the line goes on to the end of the stretch


def summarise(line: Line, start: float, end: float, following: bool) -> Summary:
    trace = line.trace
    first = int(trace.times.searchsorted(start - trace.column_seconds))
    after = int(trace.times.searchsorted(end, side="right"))
    view = slice(first, after)
    counts = trace.counts[view]
    readings = int(counts.sum())
    if readings == 0:
        return Summary(now=line.now if following and not line.reason else None)
    there = counts > 0
    means, minima, maxima = trace.means[view], trace.minima[view], trace.maxima[view]
    if not there.all():
        means, minima, maxima = means[there], minima[there], maxima[there]
    last = float(means[-1])
    now: float | None = last
    if following:
        ended = bool(line.reason) or not there[-1]
        now = None if ended else last if line.now is None else line.now
    elif trace.times[view][there][-1] < end - _reach(trace):
        now = None
    return Summary(
        least=float(minima.min()),
        mean=float((means * counts[there]).sum() / readings),
        most=float(maxima.max()),
        last=last,
        now=now,
    )


def value_at(trace: Trace, at: float) -> float | None:
    """What was read at that moment, or around it; None in a gap."""
    if len(trace) == 0:
        return None
    several = bool((trace.counts > 1).any())
    if several:
        column = int(trace.times.searchsorted(at, side="right")) - 1
    else:
        column = _nearest(trace, at)
    if column < 0 or not math.isfinite(trace.means[column]):
        return None
    if abs(at - trace.times[column]) > _reach(trace):
        return None
    return float(trace.means[column])


def gaps(trace: Trace, start: float, end: float) -> list[tuple[float, float]]:
    """Stretches between two readings in which none was taken."""
    missing = np.flatnonzero(trace.counts == 0)
    found = []
    for column in missing:
        if 0 < column < len(trace) - 1:
            before, after = float(trace.times[column]), float(trace.times[column + 1])
            if after > start and before < end:
                found.append((max(before, start), min(after, end)))
    return found


def _nearest(trace: Trace, at: float) -> int:
    right = int(trace.times.searchsorted(at))
    if right == 0:
        return 0
    if right == len(trace):
        return right - 1
    left = right - 1
    return left if at - trace.times[left] <= trace.times[right] - at else right


def _reach(trace: Trace) -> float:
    return max(trace.column_seconds * _REACH, 1e-3)
