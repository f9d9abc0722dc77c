"""PastStrand: readings and buckets that share their times, piece by piece, as they lie in the
file or in its tail.
"""

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Mapping, Sequence
from functools import cached_property
from operator import sub

from gpuexplorer.core.harmless import LATEST
from gpuexplorer.core.metrics import METRICS, MetricId, Unit
from gpuexplorer.recording.pieces import Column, Pieces, within
from gpuexplorer.recording.schema import BUCKET, LEVELS, STATE, TIMES

GAP = 2.5  # times the usual distance: as in the live past, something was not seen then
_SHORTEST = 1.0  # rounds that somebody asked for in between do not make a second seem long
_ALONE = 5.0
_NEAR = 3
_CONTINUOUS = frozenset(
    {
        *(Unit.RATIO, Unit.BYTES, Unit.CELSIUS, Unit.WATTS, Unit.HERTZ),
        *(Unit.BYTES_PER_SECOND, Unit.TURNS_PER_MINUTE),
    }
)


class PastStrand:
    """Metrics of a subject that are read together."""

    def __init__(self, pieces: Pieces) -> None:
        self.pieces = pieces
        self.series: dict[str, int] = {}
        self.metrics: set[MetricId] = set()
        self._tail: dict[float, tuple[Column, Mapping[str, Column]]] = {}

    def add_series(self, metric: str, series: int) -> None:
        self.series[metric] = series
        self._know(metric)

    def add_tail(self, times: Column, columns: Mapping[str, Column]) -> None:
        self._tail[times[0]] = (times, columns)
        self._know(*columns)

    def _know(self, *metrics: str) -> None:
        self.metrics |= {MetricId(each) for each in metrics} - {TIMES, STATE}

    @property
    def tail_began(self) -> float:
        """Where there are no buckets any more."""
        return min(self._tail, default=LATEST)

    @cached_property
    def firsts(self) -> Sequence[float]:
        """When each piece begins, those of the tail among them."""
        times = self.series.get(TIMES)
        found = () if times is None else self.pieces.firsts(times, 0)
        return sorted({*found, *self._tail})

    @property
    def began(self) -> float:
        return self.firsts[0] if self.firsts else LATEST

    def within(self, start: float, end: float) -> Sequence[float]:
        """The beginnings of the pieces that may reach into that stretch."""
        return within(self.firsts, start, end)

    def times(self, first: float) -> Column:
        """In order; empty where they are damaged."""
        if first in self._tail:
            return self._tail[first][0]
        series = self.series.get(TIMES)
        times = None if series is None else self.pieces.column(series, 0, first, times=True)
        return array("d") if times is None else times

    def column(self, first: float, metric: str, count: int) -> "Column | None":
        """None where there is none, or not as many as its times."""
        if first in self._tail:
            return self._tail[first][1].get(metric)
        series = self.series.get(metric)
        column = None if series is None else self.pieces.column(series, 0, first)
        return None if column is None or len(column) != count else column

    def newest(self, at: float) -> tuple[float, Column, int] | None:
        """The newest reading at that time: its piece, the times in there, and its place."""
        for first in reversed(self.within(at, at)):
            times = self.times(first)
            place = bisect_right(times, at) - 1
            if place >= 0:
                return first, times, place
        return None

    @property
    def first_sign(self) -> float:
        """When the first of its readings or buckets was."""
        series = self.series.get(STATE, -1)
        firsts = [self.pieces.firsts(series, level)[:1] for level in LEVELS]
        return min((self.began, *(first for some in firsts for first in some)))

    def last_sign(self, before: float) -> float:
        """When the last reading or bucket up to then was; 0 where there is none."""
        newest = self.newest(before)
        if newest is not None:
            return newest[1][newest[2]]
        bucket = self._bucket(STATE, before, LEVELS[0])
        return 0.0 if bucket is None else min(before, bucket[0] + LEVELS[0])

    def outline(self, metrics: Collection[MetricId], at: float) -> Mapping[MetricId, float]:
        """What buckets tell where readings are kept no more: what stayed as it was, and the
        mean of what can have one.
        """
        found = {}
        for metric in metrics:
            continuous = metric in METRICS and METRICS[metric].unit in _CONTINUOUS
            for level in LEVELS:
                bucket = self._bucket(metric, at, level)
                if bucket is not None and at < bucket[0] + level:
                    _, low, high, mean, _ = bucket
                    if continuous or low == high:
                        found[metric] = mean
                    break
        return found

    def _bucket(self, metric: str, at: float, level: int) -> "Column | None":
        """The newest that begins by then."""
        series = self.series.get(metric, -1)
        for first in reversed(self.pieces.within(series, level, at, at)):
            column = self.pieces.column(series, level, first)
            if column is not None:
                count = len(column) // BUCKET
                place = bisect_right(column, at, 0, count) - 1
                if place >= 0:
                    return column[place::count]
        return None


def readings_of(
    strands: Sequence[PastStrand], metric: str, start: float, end: float
) -> tuple[Column, Column]:
    """When, and what: of every reading from start to end."""
    times, values = array("d"), array("d")
    for strand in strands:
        if metric not in strand.metrics:
            continue
        for first in strand.within(start, end):
            its = strand.times(first)
            column = strand.column(first, metric, len(its))
            some = slice(bisect_left(its, start), bisect_right(its, end))
            if column is not None and (not times or (its[some] and its[some][0] >= times[-1])):
                times.extend(its[some])
                values.extend(column[some])
    return times, values


def is_late(seconds: float, times: Column, place: int) -> bool:
    """Whether a reading that old is older than those around it let one expect."""
    near = times[max(0, place - _NEAR) : place + _NEAR]
    apart = sorted(map(sub, near[1:], near))
    usual = apart[len(apart) // 2] if apart else _ALONE
    return seconds > GAP * max(usual, _SHORTEST)
