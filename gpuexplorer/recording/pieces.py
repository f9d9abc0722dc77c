"""Pieces: the columns of a file, unfolded as they are asked for; found without the file's index
where that is damaged.
"""

import sqlite3
import sys
import threading
from array import array
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from itertools import islice
from operator import le
from typing import TypeAlias

from gpuexplorer.core.harmless import LATEST, is_time
from gpuexplorer.recording.columns import DamagedError, unpacked
from gpuexplorer.recording.safe_file import Row, SafeFile
from gpuexplorer.recording.schema import BUCKET

Column: TypeAlias = "array[float]"

_MOST_IN_A_PIECE = 1_000_000
_MOST_PIECES = 500_000
_KEPT_BYTES = 48_000_000
_OVERHEAD = 200  # bytes, of what is kept about a column


class Pieces:
    """Keeps the columns that were asked for last. For any thread."""

    def __init__(self, file: SafeFile) -> None:
        self._file = file
        # What is folded from now on was read in the tail already.
        found = file.rows("SELECT coalesce(max(id), 0) FROM piece")
        self._newest = found[0][0] if found else sys.maxsize
        self._lock, self._scanning = threading.Lock(), threading.Lock()
        self._numbers: Mapping[tuple[int, int], Mapping[float, int]] | None = None
        self._firsts: dict[tuple[int, int], Sequence[float]] = {}
        self._kept: OrderedDict[tuple[int, int, float], array[float] | None] = OrderedDict()
        self._bytes = 0

    def firsts(self, series: int, level: int) -> Sequence[float]:
        """When each piece begins; those alone are in the file's index."""
        firsts = self._firsts.get((series, level))
        if firsts is None:
            firsts = sorted(
                at for at in self._found(series, level) if isinstance(at, float) and is_time(at)
            )
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

    def _found(self, series: int, level: int) -> set[object]:
        if self._numbers is None:
            try:
                question = "SELECT first FROM piece WHERE series = ? AND level = ? AND id <= ?"
                return {at for (at,) in self._file.ask(question, series, level, self._newest)}
            except sqlite3.Error:
                self._scan()
        return set((self._numbers or {}).get((series, level), ()))

    def _scan(self) -> None:
        """Once, and as far as two questions get."""
        with self._scanning:
            if self._numbers is None:
                numbers: dict[tuple[int, int], dict[float, int]] = {}
                rows = self._file.whole("id, series, level, first", "piece", _MOST_PIECES)
                for number, series, level, first in rows:
                    numbers.setdefault((series, level), {})[first] = number
                self._numbers = numbers
                self._file.damaged = True

    def _piece(self, series: int, level: int, first: float) -> Sequence[Row]:
        if self._numbers is None:
            try:
                return self._file.ask(
                    "SELECT count, data FROM piece WHERE series = ? AND level = ? AND first = ?"
                    " LIMIT 1",
                    *(series, level, first),
                )
            except sqlite3.Error:
                self._scan()
        number = (self._numbers or {}).get((series, level), {}).get(first)
        return self._file.rows("SELECT count, data FROM piece WHERE id = ?", number)

    def _unfolded(
        self, series: int, level: int, first: float, ordered: bool
    ) -> "Column | None":
        found = self._piece(series, level, first)
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


def within(firsts: Sequence[float], start: float, end: float) -> Sequence[float]:
    return firsts[max(0, bisect_right(firsts, start) - 1) : bisect_right(firsts, end)]


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
