"""Summary: what one line says in figures about the stretch that is seen."""

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from operator import itemgetter

import numpy as np

from gpuexplorer.gui.plots.content import Line, Stretch
from gpuexplorer.gui.plots.curves import runs
from gpuexplorer.telemetry.trace import Trace

# A reading speaks for its moment and a little around it, and not for a gap.
_REACH = 1.5
# A column that is wider holds its last reading anywhere, and the next one comes later still.
_REACH_AT_THE_END = 2.5


@dataclass(frozen=True, slots=True)
class Summary:
    """None where nothing was read."""

    least: float | None = None
    mean: float | None = None
    most: float | None = None
    last: float | None = None  # the newest within the stretch
    now: float | None = None  # the same where the line goes on to the end of the stretch


def summarise(line: Line, stretch: Stretch) -> Summary:
    start, end, following = stretch.start, stretch.end, stretch.following
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
    elif trace.times[view][there][-1] < end - _REACH_AT_THE_END * trace.column_seconds:
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


def unread(lines: Sequence[Line], stretch: Stretch) -> Sequence[tuple[float, float]]:
    """Stretches of time in which none of the lines was read, as far as they are in view.

    What was before the program began is one by itself.
    """
    reads = []
    for line in lines:
        reads.append(_read(line.trace, stretch))
        if len(reads[-1]) == 1:
            start, end = reads[-1][0]
            if start <= stretch.start and (stretch.following or stretch.end <= end):
                return []
    if not any(reads) and (not lines or any(line.reason for line in lines)):
        return []  # it is said already
    edges = np.array(sorted(itertools.chain(*reads), key=itemgetter(0))).reshape(-1, 2)
    ends = np.maximum.accumulate(np.append(stretch.start, edges[:, 1]))
    starts = np.append(edges[:, 0], stretch.end)
    if stretch.following and any(reads):
        starts[-1] = ends[-1]  # a line that ends before now says why
    found = []
    for start, end in zip(ends, starts, strict=True):
        parts = [start, stretch.began, end] if start < stretch.began < end else [start, end]
        found += [(float(a), float(b)) for a, b in itertools.pairwise(parts) if b > a]
    return found


def _read(trace: Trace, stretch: Stretch) -> Sequence[tuple[float, float]]:
    """From when to when there were readings, one after another."""
    there = trace.counts > 0
    first, last = trace.times.searchsorted((stretch.start - 1e-9, stretch.end))
    first = max(0, int(first) - 1)
    reach = _reach(trace)
    return [
        (float(trace.times[first + begin]) - reach, float(trace.times[first + end - 1]) + reach)
        for begin, end in runs(there[first:last])
    ]


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
