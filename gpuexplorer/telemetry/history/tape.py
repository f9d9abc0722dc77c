"""Tape: the past of those metrics of one card that are read together and stored alike."""

import math
from collections import deque
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from gpuexplorer.core.metrics import MetricId
from gpuexplorer.telemetry.history.condense import Past
from gpuexplorer.telemetry.history.tables import SHARES, Buckets, Folded, Plan, Rows

GAP = 2.5  # times the usual distance: beyond it something was not seen


class Tape:
    """Single readings first; when their room is used up, the oldest are folded into buckets.

    A reading is in one of the two at any time. Not for several threads: its owner has a lock.
    """

    def __init__(self, plan: Plan, metrics: frozenset[MetricId], *, exact: bool) -> None:
        self._plan = plan
        self._metrics = metrics
        self._kind = np.dtype(np.float64 if exact else np.float32)
        self._columns: dict[MetricId, int] = {}
        self._met: set[MetricId] = set()
        self._rhythm = Rhythm(plan.period)
        self._rows = Rows(plan.rows, self._kind)
        self._buckets: Buckets | None = None
        self._newest = -math.inf

    def append(self, at: float, values: Mapping[MetricId, float]) -> None:
        """Keep one sample. One that comes too late counts for the time of the newest."""
        if not values.keys() <= self._met:
            self._meet(values)
        if self._rows.length == self._rows.capacity:
            self._make_room()
        at = max(at, self._newest)
        broken = self._newest > -math.inf and self._rhythm.is_gap(at - self._newest)
        self._newest = at
        get, nothing = values.get, math.nan
        self._rows.append(at, broken, [get(metric, nothing) for metric in self._columns])

    def past(self, metric: MetricId, start: float, end: float) -> Past:
        """A copy of what is known of a metric in a window; buckets on its edges are whole."""
        column = self._columns.get(metric)
        if column is None:
            return Past.nothing(self._plan.period)
        rows = self._rows
        times = rows.times[: rows.length]
        window = slice(times.searchsorted(start), times.searchsorted(end, side="right"))
        values = rows.values[window, column].copy()
        single = Past(
            times=times[window].copy(),
            broken=rows.broken[window].copy(),
            minima=values,
            maxima=values,
            means=values,
            counts=(~np.isnan(values)).astype(np.uint8),
            usual=self._rhythm.usual,
        )
        buckets = self._past_in_buckets(column, start, end)
        return single if buckets is None else buckets.followed_by(single)

    @property
    def newest(self) -> float:
        return self._newest

    def memory_bytes(self) -> int:
        buckets = 0 if self._buckets is None else self._buckets.memory_bytes()
        return self._rows.memory_bytes() + buckets

    def _meet(self, values: Mapping[MetricId, float]) -> None:
        new = [metric for metric in values if metric not in self._met]
        self._met.update(new)
        known = len(self._columns)
        for metric in new:
            if metric in self._metrics:
                self._columns[metric] = len(self._columns)
        if len(self._columns) == known:
            return
        self._rows.widen(len(self._columns))
        if self._buckets is not None:
            self._buckets.widen(len(self._columns))

    def _make_room(self) -> None:
        rows, lengths = self._rows, self._plan.lengths
        oldest = self._rows_to_give_up()
        kept = self._newest - rows.times[min(oldest, rows.length - 1)]
        if kept < lengths.full_seconds and rows.capacity < self._plan.most_rows:
            rows.grow(min(2 * rows.capacity, self._plan.most_rows))
            return
        if self._newest - rows.times[oldest - 1] > lengths.day_seconds:
            self._buckets = None  # whatever is in there is older still
        else:
            self._fold(oldest)
        rows.discard(oldest)

    def _rows_to_give_up(self) -> int:
        """A small share of them, up to the end of a bucket."""
        rows, seconds = self._rows, self._plan.lengths.bucket_seconds
        share = max(1, rows.capacity // SHARES)
        end_of_bucket = (math.floor(rows.times[share - 1] / seconds) + 1) * seconds
        whole = int(rows.times[: rows.length].searchsorted(end_of_bucket))
        return min(share if whole >= rows.length else whole, Buckets.MOST_COUNTED)

    def _fold(self, oldest: int) -> None:
        if self._buckets is None:
            self._buckets = Buckets(self._plan.buckets, len(self._columns), self._kind)
        rows = self._rows
        self._buckets.extend(
            _folded(
                rows.times[:oldest],
                rows.broken[:oldest],
                rows.values[:oldest],
                self._plan.lengths.bucket_seconds,
            )
        )

    def _past_in_buckets(self, column: int, start: float, end: float) -> Past | None:
        if self._buckets is None:
            return None
        rows, length = self._buckets.rows, self._buckets.length
        first = int(rows.lasts[:length].searchsorted(start))
        after = int(rows.firsts[:length].searchsorted(end, side="right"))
        if first >= after:
            return None
        window = slice(first, after)
        return Past(
            times=rows.firsts[window].copy(),
            broken=rows.broken[window].copy(),
            minima=rows.minima[window, column].copy(),
            maxima=rows.maxima[window, column].copy(),
            means=rows.means[window, column].copy(),
            counts=rows.counts[window, column].copy(),
            usual=self._plan.lengths.bucket_seconds,
        )


def _folded(
    times: NDArray[np.float64],
    broken: NDArray[np.bool_],
    values: NDArray[np.floating],
    bucket_seconds: float,
) -> Folded:
    bucket = np.floor(times / bucket_seconds)
    starts = np.flatnonzero(np.diff(bucket, prepend=-math.inf))
    there = ~np.isnan(values)
    counts = np.add.reduceat(there, starts, axis=0, dtype=np.uint16)
    sums = np.add.reduceat(np.where(there, values, 0.0), starts, axis=0, dtype=np.float64)
    with np.errstate(invalid="ignore"):
        means = sums / counts
    return Folded(
        firsts=times[starts],
        lasts=times[np.append(starts[1:], times.size) - 1],
        broken=broken[starts],
        minima=np.fmin.reduceat(values, starts, axis=0),
        maxima=np.fmax.reduceat(values, starts, axis=0),
        means=means,
        counts=counts,
    )


class Rhythm:
    """Learns a new beat after three samples; a single gap does not change it."""

    def __init__(self, period: float) -> None:
        self._distances = deque([period] * 5, maxlen=5)
        # Rounds that somebody asked for in between do not make a second seem long.
        self._shortest = min(period, 1.0)

    @property
    def usual(self) -> float:
        return max(sorted(self._distances)[2], self._shortest)

    def is_gap(self, distance: float) -> bool:
        usual = self.usual
        self._distances.append(distance)
        return distance > GAP * usual
