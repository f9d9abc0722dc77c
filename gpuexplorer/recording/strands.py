"""What a file holds, block by block, as it is asked for: Store, its tables, and Strand, all
that one owner told in one rhythm. For any thread.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from operator import itemgetter
from typing import NamedTuple

import numpy as np

from gpuexplorer.core.harmless import LATEST, is_time
from gpuexplorer.core.metrics import METRICS, MetricId, Unit
from gpuexplorer.recording.door import SafeFile
from gpuexplorer.recording.schema import (
    FULL,
    STATE,
    SUM,
    DamagedError,
    Floats,
    Record,
    Topic,
    from_raw,
    sum_of,
    unpacked,
)
from gpuexplorer.telemetry.history import GAP, MINUTE, firsts, summed

TIMES = ""  # a block's name for its times
_MOST_FACTS, _MOST_SAID, _MOST_TAIL, _MOST_BLOCKS = 200_000, 100, 300_000, 500_000
MOST_HAPPENINGS = 10_000
_KEPT, _KEPT_BLOBS = 8000, 64  # columns of half a thousand readings; what they lie in
_SHORTEST = 1.0  # rounds that somebody asked for in between do not make a second seem long
_ALONE, _NEAR = 5.0, 3
_CONTINUOUS = frozenset(
    {
        *(Unit.RATIO, Unit.BYTES, Unit.CELSIUS, Unit.WATTS, Unit.HERTZ),
        *(Unit.BYTES_PER_SECOND, Unit.TURNS_PER_MINUTE),
    }
)
_SAID = ", ".join(f"'{each}'" for each in Topic)


Fact = tuple[int, float, str, str, str]  # its number, when, its kind, whose it is, JSON


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
        self.sums = lru_cache(_KEPT)(self._sums)
        self._blob = lru_cache(_KEPT_BLOBS)(self._read_blob)

    def facts(self) -> Iterator[Fact]:
        """All but happenings and what was said."""
        left = f"{_SAID}, '{Record.HAPPENING}', '{Record.ROOM}'"
        return self._facts(f"kind NOT IN ({left}) ORDER BY id DESC LIMIT {_MOST_FACTS}")

    def happenings(self) -> Iterator[Fact]:
        """The newest."""
        which = f"kind = '{Record.HAPPENING}' ORDER BY id DESC LIMIT {MOST_HAPPENINGS}"
        return self._facts(which)

    def said(self) -> Iterator[Fact]:
        """A few at a time, for as long as somebody asks."""
        number, last = -1, -2
        while number > last:
            last = number
            which = f"kind IN ({_SAID}) AND id > {last} ORDER BY id LIMIT {_MOST_SAID}"
            for fact in self._facts(which):
                number = fact[0]
                yield fact

    def _facts(self, which: str) -> Iterator[Fact]:
        rows = self.file.rows(f"SELECT id, at, kind, whose, json, sum FROM fact WHERE {which}")
        for row in reversed(rows) if "DESC" in which else rows:
            match row:
                case (int(), float(at), str(), str(), str(), int(check)) if is_time(
                    at
                ) and check == sum_of(*row[1:5]):
                    yield row[:5]
                case _:
                    self.file.damaged = True

    def find_blocks(self) -> None:
        """Once the strips are known. What is packed from then on was read in the tail."""
        for table in ("chunk", "sums"):
            for row in self.file.rows(
                f"SELECT first, last, strip, '{table}', id FROM {table} LIMIT {_MOST_BLOCKS}"
            ):
                if is_time(row[0]) and is_time(row[1]):
                    self.blocks.setdefault((table, row[2]), []).append(Block(*row))
                else:
                    self.file.damaged = True
        found: dict[int, list[tuple[float, bytes]]] = {}
        rows = self.file.rows(f"SELECT strip, at, data, sum FROM tail LIMIT {_MOST_TAIL}")
        for row in rows:
            match row:
                case (int(strip), float(at), bytes(data), int(check)) if (
                    is_time(at)
                    and check == sum_of(*row[:3])
                    and 0 < len(data) == 8 * len(self.names.get(strip, ()))
                ):
                    found.setdefault(strip, []).append((at, data))
                case _:
                    self.file.damaged = True
        for strip, told in found.items():
            times = np.maximum.accumulate([at for at, _ in told])
            values = from_raw(b"".join(data for _, data in told)).reshape(len(told), -1).T
            self._hold("chunk", strip, times, values)
            self._hold("sums", strip, times[firsts(times)], summed(times, values))

    def _hold(self, table: str, strip: int, times: Floats, figures: Floats) -> None:
        columns = figures.reshape(len(figures), -1)
        row = -1 - len(self._tail)
        block = Block(float(times[0]), float(times[-1]), strip, table, row)
        named = dict(zip(self.names[strip], columns, strict=True))
        self._tail[block] = {**named, TIMES: times}
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
        columns, sums = self.column.cache_info().currsize, self.sums.cache_info().currsize
        return 8 * FULL * (columns + (1 + SUM) * sums)

    def _column(self, block: Block, name: str) -> Floats | None:
        """None where it is damaged, or there is none; times are in order."""
        if block in self._tail:
            return self._tail[block].get(name)
        names = self.names[block.strip]
        if name != TIMES and name not in names:
            return None
        data = self._blob(block.table, block.row)
        place = 1 + names.index(name) if name else 0
        try:
            if isinstance(data, bytes):
                column = unpacked(block.strip, block.first, data, place)
                if name or _are_times(column):
                    return column
        except DamagedError:
            pass
        self.file.damaged |= data is not None  # None: forgotten meanwhile
        return None

    def _sums(self, block: Block, name: str) -> Floats:
        """When each minute begins, the least, the most, the mean, and of how many readings."""
        times, figures = self.column(block, TIMES), self.column(block, name)
        if times is None or figures is None or figures.size != SUM * times.size:
            return np.empty((1 + SUM, 0))
        whole = np.concatenate((times, figures)).reshape(1 + SUM, -1)
        # What was added since it was found is in the tail too.
        there: Floats = whole[:, (whole[SUM] > 0) & (times <= block.last)]
        return there

    def _read_blob(self, table: str, row: int) -> object:
        rows = self.file.rows(f"SELECT data FROM {table} WHERE id = ?", row)
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
        blocks = self._store.blocks
        found: list[Block] = []
        for each in sorted(b for strip in self._strips for b in blocks.get((table, strip), ())):
            if each.last >= each.first and (not found or each.first >= found[-1].last):
                found.append(each)
        return found

    def within(self, start: float, end: float) -> Sequence[Block]:
        """Those that may reach into that stretch."""
        blocks = self._blocks("chunk")
        first = max(0, bisect_left(blocks, start, key=itemgetter(0)) - 1)
        return blocks[first : bisect_right(blocks, end, key=itemgetter(0))]

    def columns(self, block: Block, metric: str) -> tuple[Floats, Floats] | None:
        """Its times, and as many figures; None where there are none."""
        times, column = self._store.column(block, TIMES), self._store.column(block, metric)
        if times is None or column is None or column.size != times.size:
            return None
        return times, column

    def readings(self, metric: str, start: float, end: float) -> tuple[Floats, Floats]:
        """When, and what: of every reading from start to end."""
        some = (self.columns(block, metric) for block in self.within(start, end))
        found = [each for each in some if each is not None] or [(np.empty(0), np.empty(0))]
        times, values = map(np.concatenate, zip(*found, strict=True))
        there = slice(times.searchsorted(start), times.searchsorted(end, side="right"))
        return times[there], values[there]

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
                columns = ((name, self.columns(block, name)) for name in names)
                figures = {
                    name: float(each[1][place]) for name, each in columns if each is not None
                }
                apart = np.sort(np.diff(times[max(0, place - _NEAR) : place + _NEAR]))
                usual = apart[apart.size // 2] if apart.size else _ALONE
                late = at - times[place] > GAP * max(usual, _SHORTEST)
                return float(times[place]), bool(late), figures
        return None

    def sums(self, metric: str, start: float, end: float, *, forgotten: bool = False) -> Floats:
        """Those that reach past the start and begin by the end; or only those of a time of
        which the readings are forgotten.
        """
        if forgotten and (blocks := self._blocks("chunk")):
            end = min(end, np.nextafter(blocks[0].first, 0.0))
        some = [
            self._store.sums(each, metric)
            for each in self._blocks("sums")
            if each.last > start - MINUTE and each.first <= end
        ]
        whole = np.concatenate([np.empty((1 + SUM, 0)), *some], axis=1)
        begin, stop = whole[0].searchsorted((start - MINUTE, end), side="right")
        found: Floats = whole[:, begin:stop]
        return found

    def outline(self, metrics: Collection[MetricId], at: float) -> Mapping[MetricId, float]:
        """What sums tell where readings are kept no more: what stayed as it was, and the mean
        of what can have one.
        """
        found = {}
        for metric in metrics:
            for _, low, high, mean, _ in self.sums(metric, at, at, forgotten=True).T[-1:]:
                unit = METRICS[metric].unit if metric in METRICS else None
                if unit in _CONTINUOUS or low == high:
                    found[metric] = float(mean)
        return found


def _are_times(times: Floats) -> bool:
    """NaN and all."""
    return bool(
        times.size and times[0] >= 0 and times[-1] <= LATEST and (np.diff(times) >= 0).all()
    )
