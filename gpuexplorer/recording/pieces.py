"""Pieces: the columns of a file, unfolded as they are asked for; and PastStrand, readings that
share their times, piece by piece, as they lie in the file or in its tail.
"""

import threading
from array import array
from bisect import bisect_left, bisect_right
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from itertools import islice
from operator import le, sub
from typing import TypeAlias

from gpuexplorer.core.metrics import MetricId
from gpuexplorer.recording.columns import DamagedError, unpacked
from gpuexplorer.recording.harmless import LATEST, is_time
from gpuexplorer.recording.safe_file import SafeFile
from gpuexplorer.recording.schema import BUCKET, STATE, TIMES

Column: TypeAlias = "array[float]"

GAP = 2.5  # times the usual distance: as in the live past, something was not seen then
_SHORTEST = 1.0  # rounds that somebody asked for in between do not make a second seem long
_ALONE = 5.0
_NEAR = 3
_MOST_IN_A_PIECE = 1_000_000
_KEPT_BYTES = 48_000_000
_OVERHEAD = 200  # bytes, of what is kept about a column


class Pieces:
    """Keeps the columns that were asked for last. For any thread."""

    def __init__(self, file: SafeFile) -> None:
        self._file = file
        # What is folded from now on was read in the tail already.
        found = file.rows("SELECT max(id) FROM piece")
        self._newest = found[0][0] if found else 0
        self._lock = threading.Lock()
        self._firsts: dict[tuple[int, int], Sequence[float]] = {}
        self._kept: OrderedDict[tuple[int, int, float], array[float] | None] = OrderedDict()
        self._bytes = 0

    def firsts(self, series: int, level: int) -> Sequence[float]:
        """When each piece begins; those alone are in the file's index."""
        firsts = self._firsts.get((series, level))
        if firsts is None:
            found = self._file.rows(
                "SELECT first FROM piece WHERE series = ? AND level = ? AND id <= ?"
                " ORDER BY first",
                *(series, level, self._newest),
            )
            firsts = sorted({at for (at,) in found if isinstance(at, float) and is_time(at)})
            self._firsts[series, level] = firsts
        return firsts

    def within(self, series: int, level: int, start: float, end: float) -> Sequence[float]:
        """The beginnings of the pieces that may reach into that stretch."""
        return within(self.firsts(series, level), start, end)

    def column(
        self, series: int, level: int, first: float, *, times: bool = False
    ) -> "Column | None":
        """None where it is damaged, or there is none; as times where they are in no order. That
        of buckets holds them as the schema says.
        """
        key = (series, level, first)
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
        column = self._unfolded(*key, times or level > 0)
        with self._lock:
            if key not in self._kept:
                self._kept[key] = column
                self._bytes += _size(column)
            while self._bytes > _KEPT_BYTES:
                self._bytes -= _size(self._kept.popitem(last=False)[1])
        return column

    def memory_bytes(self) -> int:
        return self._bytes

    def _unfolded(
        self, series: int, level: int, first: float, ordered: bool
    ) -> "Column | None":
        found = self._file.rows(
            "SELECT count, data FROM piece WHERE series = ? AND level = ? AND first = ?"
            " LIMIT 1",
            *(series, level, first),
        )
        try:
            match found:
                case [(int(count), bytes(data))] if 0 < count <= _MOST_IN_A_PIECE:
                    column = unpacked(data, count * (BUCKET if level else 1))
                    if not ordered or in_order(column[:count]):
                        return column
        except DamagedError:
            pass
        self._file.damaged |= bool(found)
        return None


class PastStrand:
    """Metrics of a subject that are read together."""

    def __init__(self, pieces: Pieces) -> None:
        self.pieces = pieces
        self.series: dict[str, int] = {}
        self.metrics: set[MetricId] = set()
        self._tail: dict[float, tuple[Column, Mapping[str, Column]]] = {}
        self._firsts: Sequence[float] | None = None

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

    @property
    def firsts(self) -> Sequence[float]:
        """When each piece begins, those of the tail among them."""
        if self._firsts is None:
            times = self.series.get(TIMES)
            found = () if times is None else self.pieces.firsts(times, 0)
            self._firsts = sorted({*found, *self._tail})
        return self._firsts

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


def within(firsts: Sequence[float], start: float, end: float) -> Sequence[float]:
    return firsts[max(0, bisect_right(firsts, start) - 1) : bisect_right(firsts, end)]


def is_late(seconds: float, times: Column, place: int) -> bool:
    """Whether a reading that old is older than those around it let one expect."""
    near = times[max(0, place - _NEAR) : place + _NEAR]
    apart = sorted(map(sub, near[1:], near))
    usual = apart[len(apart) // 2] if apart else _ALONE
    return seconds > GAP * max(usual, _SHORTEST)


def in_order(times: Column) -> bool:
    """Whether these can be times, NaN and all."""
    return (
        len(times) > 0
        and times[0] >= 0
        and times[-1] <= LATEST
        and all(map(le, times, islice(times, 1, None)))
    )


def _size(column: "Column | None") -> int:
    return _OVERHEAD + (0 if column is None else len(column) * column.itemsize)
