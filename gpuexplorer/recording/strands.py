"""The figures in a file, block by block, as they are asked for: Store, where blocks lie, and
Strand, all that one owner told in one rhythm. For any thread.
"""

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from functools import cache, lru_cache
from operator import itemgetter
from typing import NamedTuple

import numpy as np

from gpuexplorer.core.harmless import LATEST, is_time
from gpuexplorer.core.metrics import METRICS, MetricId, Unit
from gpuexplorer.recording.door import SafeFile
from gpuexplorer.recording.schema import FULL, STATE, SUM, Floats, from_tail, sum_of, unpacked
from gpuexplorer.telemetry.history import GAP, MINUTE, firsts, summed

TIMES = ""  # a block's name for its times
_MOST_TAIL, _MOST_BLOCKS = 300_000, 500_000
_KEPT, _KEPT_BLOBS = 8000, 64  # columns of half a thousand readings; what they lie in
_SHORTEST = 1.0  # rounds that somebody asked for in between do not make a second seem long
_ALONE, _NEAR = 5.0, 3
_WHOLE = frozenset({Unit.COUNT, Unit.LANES, Unit.GENERATION, Unit.FLAG, Unit.STATE})


class Block(NamedTuple):
    """Readings of a strip, or their sums, that lie together."""

    first: float
    last: float
    strip: int
    table: str
    row: int  # below zero: it was made of the tail


class Store:
    """Asks the file. A `name` is a metric's, or TIMES. What is damaged is left out."""

    def __init__(self, file: SafeFile) -> None:
        self.file = file
        self.names: dict[int, Sequence[str]] = {}  # of each strip, as the facts told
        self.blocks: dict[tuple[str, int], list[Block]] = {}  # by table and strip
        self._tail: dict[Block, Mapping[str, Floats]] = {}
        self.column = lru_cache(_KEPT)(self._column)
        self._blob = lru_cache(_KEPT_BLOBS)(self._read_blob)

    def find_blocks(self) -> None:
        """Once the strips are known. What is packed from then on was read in the tail."""
        for table in ("chunk", "sums"):
            asked = f"SELECT first, last, strip, '{table}', id FROM {table}"
            for row in self.file.rows(f"{asked} LIMIT {_MOST_BLOCKS}"):
                if is_time(row[0]) and is_time(row[1]):
                    self.blocks.setdefault((table, row[2]), []).append(Block(*row))
                else:
                    self.file.damaged = True
        found: defaultdict[int, list[tuple[float, bytes]]] = defaultdict(list)
        asked = f"SELECT strip, at, data, sum FROM tail ORDER BY id LIMIT {_MOST_TAIL}"
        for row in self.file.rows(asked):
            match row:
                case (int(strip), float(at), bytes(data), int(check)) if (
                    is_time(at)
                    and check == sum_of(*row[:3])
                    and 0 < len(data) == 8 * len(self.names.get(strip, ()))
                ):
                    found[strip].append((at, data))
                case _:
                    self.file.damaged = True
        for strip, told in found.items():
            times, values = from_tail(told)
            sums = times[firsts(times)], summed(times, values).reshape(len(values), -1)
            for table, its, columns in (("chunk", times, values), ("sums", *sums)):
                row_made = -1 - len(self._tail)
                block = Block(float(its[0]), float(its[-1]), strip, table, row_made)
                named = dict(zip(self.names[strip], columns, strict=True))
                self._tail[block] = {**named, TIMES: its}
                self.blocks.setdefault((table, strip), []).append(block)

    def check(self) -> None:
        """Reads all of it, which takes a while: whoever hands it on does."""
        self.file.damaged |= self.file.rows("PRAGMA quick_check(1)") != [("ok",)]
        for (_, strip), blocks in self.blocks.items():
            for block in blocks:
                for name in (TIMES, *self.names.get(strip, ())):
                    self._column(block, name)

    def memory_bytes(self) -> int:
        """Of what is kept of the file's."""
        return 8 * FULL * self.column.cache_info().currsize

    def _column(self, block: Block, name: str) -> Floats | None:
        """None where it is damaged, or there is none; times are in order."""
        if block in self._tail:
            return self._tail[block].get(name)
        names = (TIMES, *self.names.get(block.strip, ()))
        data = self._blob(block.table, block.row) if name in names else None
        if data is None:  # or forgotten meanwhile
            return None
        try:
            column = unpacked(block.strip, block.first, data, names.index(name))
            if name or _are_times(column):
                return column
        except ValueError:
            pass
        self.file.damaged = True
        return None

    def _read_blob(self, table: str, row: int) -> bytes | None:
        rows = self.file.rows(f"SELECT CAST(data AS BLOB) FROM {table} WHERE id = ?", row)
        return rows[0][0] if rows else None


class Strand:
    """All that a card, the host or a process told in one rhythm, whatever was asked when."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._strips: list[int] = []
        self._blocks = cache(self._in_turn)
        self.metrics: set[MetricId] = set()

    def add(self, strip: int) -> None:
        self._strips.append(strip)
        self.metrics |= {MetricId(each) for each in self._store.names[strip]} - {STATE}

    def _in_turn(self, table: str) -> Sequence[Block]:
        """One after the other, without those that begin in another one."""
        found: list[Block] = []
        blocks = self._store.blocks
        for each in sorted(b for strip in self._strips for b in blocks.get((table, strip), ())):
            if each.last >= each.first and (not found or each.first >= found[-1].last):
                found.append(each)
        return found

    def within(self, start: float, end: float, table: str = "chunk") -> Sequence[Block]:
        """Those that may reach into that stretch."""
        blocks = self._blocks(table)
        first = max(0, bisect_left(blocks, start, key=itemgetter(0)) - 1)
        return blocks[first : bisect_right(blocks, end, key=itemgetter(0))]

    @property
    def forgotten(self) -> float:
        """Until then only sums are kept."""
        blocks = self._blocks("chunk")
        return float(np.nextafter(blocks[0].first, 0.0)) if blocks else LATEST

    def columns(
        self, block: Block, metric: str, start: float = 0.0, end: float = LATEST
    ) -> Floats | None:
        """From start to end its times, and as many figures below, or SUM times as many; None
        where there are none.
        """
        times, column = self._store.column(block, TIMES), self._store.column(block, metric)
        rows = SUM if block.table == "sums" else 1
        if times is None or column is None or column.size != rows * times.size:
            return None
        # What was added since it was found is in the tail too.
        some = slice(
            times.searchsorted(start), times.searchsorted(min(end, block.last), side="right")
        )
        return np.vstack((times, column.reshape(rows, -1)))[:, some]

    def readings(self, metric: str, start: float, end: float) -> tuple[Floats, Floats]:
        """When, and what: of every reading from start to end."""
        blocks = self.within(start, end)
        found = [self.columns(block, metric, start, end) for block in blocks]
        some = [each for each in found if each is not None]
        times, values = np.concatenate([np.empty((2, 0)), *some], axis=1)
        return times, values

    def newest(
        self, at: float, names: Collection[str]
    ) -> tuple[float, bool, dict[str, float]] | None:
        """Of the newest reading at that time: when it was, whether it is older than those
        around it let one expect, and its figures; without those that cannot be read.
        """
        for block in reversed(self.within(at, at)):
            times = self._store.column(block, TIMES)
            place = -1 if times is None else int(times.searchsorted(at, side="right")) - 1
            if times is not None and place >= 0:
                columns = ((name, self._store.column(block, name)) for name in names)
                figures = {
                    name: float(each[place])
                    for name, each in columns
                    if each is not None and each.size == times.size
                }
                apart = np.sort(np.diff(times[max(0, place - _NEAR) : place + _NEAR]))
                usual = apart[apart.size // 2] if apart.size else _ALONE
                late = at - times[place] > GAP * max(usual, _SHORTEST)
                return float(times[place]), bool(late), figures
        return None

    def sums(self, metric: str, start: float, end: float, *, forgotten: bool = False) -> Floats:
        """When each minute begins, the least, the most, the mean, and of how many readings:
        of those that reach past the start and begin by the end; or only those of a time of
        which the readings are forgotten.
        """
        start, end = start - MINUTE, min(end, self.forgotten if forgotten else end)
        blocks = self.within(start, end, "sums")
        found = [
            self.columns(each, metric, np.nextafter(start, LATEST), end) for each in blocks
        ]
        some = [each for each in found if each is not None]
        whole = np.concatenate([np.empty((1 + SUM, 0)), *some], axis=1)
        there: Floats = whole[:, whole[SUM] > 0]
        return there

    def outline(self, metrics: Collection[MetricId], at: float) -> Mapping[MetricId, float]:
        """What sums tell where readings are kept no more: what stayed as it was, and the mean
        of what can have one.
        """
        found = {}
        for metric in metrics:
            for _, low, high, mean, _ in self.sums(metric, at, at, forgotten=True).T[-1:]:
                if low == high or (metric in METRICS and METRICS[metric].unit not in _WHOLE):
                    found[metric] = float(mean)
        return found


def _are_times(times: Floats) -> bool:
    """NaN and all."""
    return bool(
        times.size and times[0] >= 0 and times[-1] <= LATEST and (np.diff(times) >= 0).all()
    )
