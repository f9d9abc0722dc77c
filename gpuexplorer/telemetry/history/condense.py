"""From the past of one metric to a trace: at most so many columns, gaps left open."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gpuexplorer.telemetry.trace import Trace, empty_trace


@dataclass(frozen=True, slots=True, eq=False)
class Past:
    """Readings, or buckets of them, of one metric: one of them an entry, oldest first.

    Figures are as they are stored: an hour of ten a second is large, and is asked for often.
    """

    times: NDArray[np.float64]
    broken: NDArray[np.bool_]  # whether a gap lies before this entry
    minima: NDArray[np.floating]
    maxima: NDArray[np.floating]
    means: NDArray[np.floating]
    counts: NDArray[np.integer]
    usual: float  # seconds from one entry to the next, as a rule

    @staticmethod
    def nothing(usual: float) -> "Past":
        figures = np.empty(0)
        counts = np.empty(0, np.int64)
        return Past(figures, np.empty(0, np.bool_), figures, figures, figures, counts, usual)

    def followed_by(self, newer: "Past") -> "Past":
        return Past(
            times=np.concatenate((self.times, newer.times)),
            broken=np.concatenate((self.broken, newer.broken)),
            minima=np.concatenate((self.minima, newer.minima)),
            maxima=np.concatenate((self.maxima, newer.maxima)),
            means=np.concatenate((self.means, newer.means)),
            counts=np.concatenate((self.counts, newer.counts)),
            usual=newer.usual,
        )


@dataclass(frozen=True, slots=True, eq=False)
class _Grid:
    """Which entries share a column, and where a gap needs a column of its own."""

    starts: NDArray[np.intp]  # the first entry of each column
    times: NDArray[np.float64]
    gaps: NDArray[np.intp]  # the columns before which a gap is to be seen
    gap_times: NDArray[np.float64]
    column_seconds: float


def condensed(past: Past, start: float, end: float, columns: int) -> Trace:
    """A column for each entry if they are few enough, and else columns of equal width."""
    if past.times.size == 0 or columns < 1:
        return empty_trace(past.usual)
    times = past.times
    if times[0] < start:
        # A bucket may begin before the window does.
        times = np.maximum(times, start)
    later = times[1:] > times[:-1]
    distinct = np.count_nonzero(later) + 1
    if distinct + np.count_nonzero(past.broken[1:]) <= columns:
        if distinct == times.size and past.means is past.minima is past.maxima:
            return _as_they_are(times, past)
        grid = _column_for_each(times, np.append(True, later), past)
    elif columns == 1:
        grid = _one_column(times)
    else:
        grid = _columns_of_equal_width(times, past.broken, end - start, columns)
    return _filled(past, grid)


def _as_they_are(times: NDArray[np.float64], past: Past) -> Trace:
    """Single readings, each at a moment of its own, are columns already."""
    width = _usual_step(times) if times.size > 1 else past.usual
    values = past.means.astype(np.float64)
    counts = past.counts.astype(np.int64)
    first = int(counts.argmax())
    if counts[first] == 0:
        return empty_trace(width)
    gaps = np.flatnonzero(past.broken[first + 1 :]) + 1
    if first:
        times, values, counts = times[first:], values[first:], counts[first:]
    if gaps.size:
        before = times[gaps - 1]
        gap_times = np.minimum(before + width, (before + times[gaps]) / 2)
        times = np.insert(times, gaps, gap_times)
        values = np.insert(values, gaps, np.nan)
        counts = np.insert(counts, gaps, 0)
    return Trace(times, values, values, values, counts, width)


def _usual_step(times: NDArray[np.float64]) -> float:
    """The median, without what NumPy does for medians of everything."""
    steps = np.diff(times)
    middle = steps.size // 2
    if steps.size % 2:
        return float(np.partition(steps, middle)[middle])
    halves = np.partition(steps, (middle - 1, middle))
    return float((halves[middle - 1] + halves[middle]) / 2)


def _column_for_each(times: NDArray[np.float64], fresh: NDArray[np.bool_], past: Past) -> _Grid:
    starts = np.flatnonzero(fresh)
    at = times[starts]
    width = _usual_step(at) if at.size > 1 else past.usual
    gaps = np.flatnonzero(past.broken[starts[1:]]) + 1
    before = at[gaps - 1]
    gap_times = np.minimum(before + width, (before + at[gaps]) / 2)
    return _Grid(starts, at, gaps, gap_times, width)


def _one_column(times: NDArray[np.float64]) -> _Grid:
    none = np.empty(0, np.intp)
    return _Grid(np.zeros(1, np.intp), times[:1], none, np.empty(0), times[-1] - times[0])


def _columns_of_equal_width(
    times: NDArray[np.float64], broken: NDArray[np.bool_], seconds: float, columns: int
) -> _Grid:
    """Columns begin at multiples of their width, so that those of a moving window stand still.

    Their width is the window's over 1, 2, 4, 8 …: the smallest that the entries allow.
    """
    filled = times[-1] - times[0]
    seconds = min(seconds, 2.0**20 * filled)  # it may be endless
    halvings = max(0.0, np.floor(np.log2(seconds / filled)))
    # One column is kept back for windows that begin inside one; the rest is for rounding.
    width = float(seconds / 2.0**halvings / (columns - 1) * (1 + 1e-9))
    cells = np.arange(np.floor(times[0] / width), np.floor(times[-1] / width) + 1)
    starts = times.searchsorted(cells * width)
    starts[0] = 0  # dividing may have rounded up
    inhabited = np.diff(starts, append=times.size) > 0
    starts, cells = starts[inhabited], cells[inhabited]
    gaps = np.flatnonzero(broken[starts[1:]] & (np.diff(cells) > 1)) + 1
    return _Grid(starts, cells * width, gaps, (cells[gaps - 1] + 1) * width, width)


def _filled(past: Past, grid: _Grid) -> Trace:
    starts, gaps = grid.starts, grid.gaps
    counts = np.add.reduceat(past.counts, starts, dtype=np.int64)
    minima = np.fmin.reduceat(past.minima, starts).astype(np.float64)
    maxima = np.fmax.reduceat(past.maxima, starts).astype(np.float64)
    there = np.flatnonzero(counts)
    if there.size == 0:
        return empty_trace(grid.column_seconds)
    weighted = past.means
    if past.counts.max() > 1:
        weighted = np.multiply(past.means, past.counts, dtype=np.float64)
    if past.counts.min() == 0:
        weighted = np.where(past.counts > 0, weighted, 0.0)
    with np.errstate(invalid="ignore"):
        means = np.add.reduceat(weighted, starts, dtype=np.float64) / counts
    # Rounding may carry a mean past what it is the mean of.
    means = np.clip(means, minima, maxima)
    # Columns before the first value say nothing; `gaps` before it go with them.
    first = there[0]
    gap_times, gaps = grid.gap_times[gaps > first], gaps[gaps > first] - first
    if gaps.size == 0:
        return Trace(
            grid.times[first:],
            minima[first:],
            maxima[first:],
            means[first:],
            counts[first:],
            grid.column_seconds,
        )
    return Trace(
        times=np.insert(grid.times[first:], gaps, gap_times),
        minima=np.insert(minima[first:], gaps, np.nan),
        maxima=np.insert(maxima[first:], gaps, np.nan),
        means=np.insert(means[first:], gaps, np.nan),
        counts=np.insert(counts[first:], gaps, 0),
        column_seconds=grid.column_seconds,
    )
