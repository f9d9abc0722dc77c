"""What a file holds, block by block, as it is asked for: Store, the tables of version 2, and
Strand, all that one owner told in one rhythm. For any thread.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gpuexplorer.core.harmless import LATEST, is_time
from gpuexplorer.core.metrics import METRICS, MetricId, Unit
from gpuexplorer.recording.door import Row, SafeFile
from gpuexplorer.recording.schema import (
    FULL,
    MINUTE,
    STATE,
    SUM,
    DamagedError,
    Record,
    Topic,
    from_raw,
    sum_of,
    summed,
    unpacked,
)

Floats: TypeAlias = NDArray[np.float64]

TIMES = ""  # a block's name for its times
MOST_FACTS, _MOST_SAID, _MOST_TAIL, _MOST_BLOCKS = 200_000, 100, 300_000, 500_000
MOST_HAPPENINGS = 10_000
_KEPT, _KEPT_BLOBS = 8000, 64  # columns of half a thousand readings; what they lie in
GAP = 2.5  # times the usual distance: as in the live past, something was not seen then
_SHORTEST = 1.0  # rounds that somebody asked for in between do not make a second seem long
_ALONE, _NEAR = 5.0, 3
_CONTINUOUS = frozenset(
    {
        *(Unit.RATIO, Unit.BYTES, Unit.CELSIUS, Unit.WATTS, Unit.HERTZ),
        *(Unit.BYTES_PER_SECOND, Unit.TURNS_PER_MINUTE),
    }
)


class Fact(NamedTuple):
    number: int
    at: float
    kind: str
    whose: str
    text: str


class Block(NamedTuple):
    """Readings of a strip that lie together."""

    first: float
    last: float
    strip: int
    row: int  # of its table; below zero: in the tail


class Store:
    """Asks the file. A `name` is a metric's, or TIMES. What is damaged is left out."""

    grain = 0.0  # seconds by which a sum may reach beyond its start, into what is kept singly

    def __init__(self, file: SafeFile) -> None:
        self.file = file
        self.names: dict[int, Sequence[str]] = {}  # of each strip, as the facts told
        self.tail: dict[Block, Mapping[str, Floats]] = {}
        # What is packed from now on was read in the tail already.
        self._newest = {table: self._last_row(table) for table in ("chunk", "sums")}
        self._until: dict[int, float] = {}  # when the tail of a strip begins
        self.column = lru_cache(_KEPT)(self._column)
        self.sums = lru_cache(_KEPT)(self._sums)
        self._blob = lru_cache(_KEPT_BLOBS)(self._read_blob)

    def facts(self) -> Iterator[Fact]:
        """All but happenings and what was said."""
        kinds = ", ".join(f"'{each}'" for each in (*Topic, Record.HAPPENING, Record.ROOM))
        return self._facts(f"kind NOT IN ({kinds}) ORDER BY id DESC", MOST_FACTS)

    def happenings(self) -> Iterator[Fact]:
        """The newest."""
        return self._facts(f"kind = '{Record.HAPPENING}' ORDER BY id DESC", MOST_HAPPENINGS)

    def said(self) -> Iterator[Fact]:
        """A few at a time, for as long as somebody asks."""
        kinds = ", ".join(f"'{each}'" for each in Topic)
        found = [Fact(-1, 0.0, "", "", "")]
        while found:
            which = f"kind IN ({kinds}) AND id > {found[-1].number} ORDER BY id"
            found = list(self._facts(which, _MOST_SAID))
            yield from found

    def _facts(self, which: str, most: int) -> Iterator[Fact]:
        asked = f"SELECT id, at, kind, whose, json, sum FROM fact WHERE {which} LIMIT {most}"
        rows = self.file.rows(asked)
        for row in reversed(rows) if "DESC" in which else rows:
            match row:
                case (int(), float(at), str(), str(), str(), int(check)) if is_time(
                    at
                ) and check == sum_of(*row[1:5]):
                    yield Fact(*row[:5])
                case _:
                    self.file.damaged = True

    def read_tail(self) -> None:
        """Once the strips are known."""
        found: dict[int, list[tuple[float, bytes]]] = {}
        rows = self.file.rows(f"SELECT strip, at, data, sum FROM tail LIMIT {_MOST_TAIL}")
        for row in rows:
            match row:
                case (int(strip), float(at), bytes(data), int(check)) if (
                    is_time(at) and check == sum_of(*row[:3]) and strip in self.names
                ):
                    found.setdefault(strip, []).append((at, data))
                case _:
                    self.file.damaged = True
        for strip, told in found.items():
            self._put_tail(strip, self.names[strip], told)

    def _put_tail(
        self, strip: int, names: Sequence[str], told: Sequence[tuple[float, bytes]]
    ) -> None:
        wide = 8 * len(names)
        good = [each for each in told if len(each[1]) == wide]
        self.file.damaged |= len(good) < len(told)
        if good and names:
            times = np.maximum.accumulate(np.array([at for at, _ in good]))
            values = np.asarray(from_raw(b"".join(data for _, data in good)))
            columns = dict(zip(names, values.reshape(-1, len(names)).T, strict=True))
            block = Block(float(times[0]), float(times[-1]), strip, -1 - len(self.tail))
            self.tail[block] = {**columns, TIMES: times}
            self._until[strip] = min(block.first, self._until.get(strip, LATEST))

    def blocks(self, strip: int) -> Iterable[Block]:
        return self._blocks("chunk", strip)

    def blocks_of_sums(self, strip: int, name: str) -> Iterable[Block]:
        """With those of the tail."""
        found = self._blocks_of_sums(strip, name)
        until = self._until.get(strip, LATEST)
        yield from (
            each._replace(last=min(each.last, until)) for each in found if each.first < until
        )
        yield from self.tail_of(strip)

    def tail_of(self, strip: int) -> Iterable[Block]:
        return (each for each in self.tail if each.strip == strip)

    def _blocks_of_sums(self, strip: int, name: str) -> Iterable[Block]:
        return self._blocks("sums", strip) if name in self.names[strip] else ()

    def _sums(self, block: Block, name: str) -> Floats:
        """When each minute begins, the least, the most, the mean, and of how many readings."""
        if block.row < 0:
            columns, until = self.tail[block], LATEST
            times, some = columns[TIMES].tolist(), columns.get(name)
            told = [] if some is None else summed(times, [from_raw(some.tobytes())])
            read: Sequence[Floats] = [np.asarray(each) for each in told]
        else:
            until = self._until.get(block.strip, LATEST)
            read = self._read_sums(block, name)
        found = np.concatenate([np.empty(0), *read])
        if not read or not len(read[0]) or found.size != SUM * len(read[0]):
            return np.empty((SUM, 0))
        whole = found.reshape(SUM, -1)
        there: Floats = whole[:, (whole[SUM - 1] > 0) & (whole[0] < until)]
        return there

    def _read_sums(self, block: Block, name: str) -> Sequence[Floats]:
        read = [self._read("sums", block, each) for each in (TIMES, name)]
        return [each for each in read if each is not None]

    def memory_bytes(self) -> int:
        """Of what is kept of the file's."""
        return (
            8
            * FULL
            * (self.column.cache_info().currsize + SUM * self.sums.cache_info().currsize)
        )

    def ends(self, before: float) -> tuple[float, float]:
        """When the first reading or sum of all was, and the last reading up to then."""
        [(first,)] = self.file.rows("SELECT min(first) FROM sums") or [(None,)]
        [(last,)] = self.file.rows("SELECT max(last) FROM chunk WHERE last < ?", before) or [
            (None,)
        ]
        return self._with_tail(first, last, before)

    def check(self) -> None:
        """Reads all of it, which takes a while: whoever hands it on does."""
        sound = self.file.rows("PRAGMA quick_check(1)")
        self.file.damaged |= sound != [("ok",)]
        for strip, names in self.names.items():
            for block in self.blocks(strip):
                for name in (TIMES, *names):
                    self._column(block, name)
            for name in names:
                for block in self._blocks_of_sums(strip, name):
                    self._sums(block, name)

    def _with_tail(self, first: object, last: object, before: float) -> tuple[float, float]:
        firsts = [first, *(each.first for each in self.tail)]
        lasts = [last, *(each.last for each in self.tail if each.last < before)]
        return (
            min((each for each in firsts if isinstance(each, float)), default=0.0),
            max((each for each in lasts if isinstance(each, float)), default=0.0),
        )

    def _last_row(self, table: str) -> int:
        rows = self.file.rows(f"SELECT coalesce(max(id), 0) FROM {table}")
        return rows[0][0] if rows else 0

    def _blocks(self, table: str, strip: int) -> list[Block]:
        rows = self.file.rows(
            f"SELECT first, last, id FROM {table} WHERE strip = ? AND id <= ? LIMIT ?",
            *(strip, self._newest[table], _MOST_BLOCKS),
        )
        return self._as_blocks(strip, rows)

    def _as_blocks(self, strip: int, rows: Sequence[Row]) -> list[Block]:
        good = [row for row in rows if is_time(row[0]) and is_time(row[1])]
        self.file.damaged |= len(good) < len(rows)
        return [Block(float(first), float(last), strip, row) for first, last, row in good]

    def _column(self, block: Block, name: str) -> Floats | None:
        """None where it is damaged, or there is none; times are in order."""
        if block.row < 0:
            return self.tail[block].get(name)
        return self._checked(self._read("chunk", block, name), name)

    def _checked(self, column: Floats | None, name: str) -> Floats | None:
        if column is not None and name == TIMES and not _are_times(column):
            self.file.damaged = True
            return None
        return column

    def _read(self, table: str, block: Block, name: str) -> Floats | None:
        names = self.names[block.strip]
        if name and name not in names:
            return None
        data = self._blob(table, block.row)
        try:
            if isinstance(data, bytes):
                place = 1 + names.index(name) if name else 0
                return np.asarray(unpacked(block.strip, block.first, data, place))
        except DamagedError:
            pass
        self.file.damaged |= data is not None  # None: forgotten meanwhile
        return None

    def _read_blob(self, table: str, row: int) -> object:
        rows = self.file.rows(f"SELECT data FROM {table} WHERE id = ?", row)
        return rows[0][0] if rows else None


class Strand:
    """All that a card, the host or a process told in one rhythm, whatever was asked when."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._strips: list[int] = []
        self._blocks_of_sums: dict[str, Sequence[Block]] = {}
        self.metrics: set[MetricId] = set()

    def add(self, strip: int) -> None:
        self._strips.append(strip)
        self.metrics |= {MetricId(each) for each in self._store.names[strip]} - {STATE}

    @cached_property
    def blocks(self) -> Sequence[Block]:
        """One after the other."""
        store = self._store
        return _in_turn(
            each
            for strip in self._strips
            for each in (*store.blocks(strip), *store.tail_of(strip))
        )

    @cached_property
    def _firsts(self) -> Sequence[float]:
        return [each.first for each in self.blocks]

    def within(self, start: float, end: float) -> Sequence[Block]:
        """Those that may reach into that stretch."""
        first = max(0, bisect_left(self._firsts, start) - 1)
        return self.blocks[first : bisect_right(self._firsts, end)]

    def column(self, block: Block, metric: str) -> Floats | None:
        """None where there is none, or not as many as its times."""
        times = self._store.column(block, TIMES)
        column = self._store.column(block, metric)
        return None if times is None or column is None or column.size != times.size else column

    def readings(self, metric: str, start: float, end: float) -> tuple[Floats, Floats]:
        """When, and what: of every reading from start to end."""
        times, values = [np.empty(0)], [np.empty(0)]
        for block in self.within(start, end):
            column = self.column(block, metric)
            its = self._store.column(block, TIMES)
            if column is not None and its is not None:
                some = slice(its.searchsorted(start), its.searchsorted(end, side="right"))
                times.append(its[some])
                values.append(column[some])
        return np.concatenate(times), np.concatenate(values)

    def newest(self, at: float) -> tuple[Block, Floats, int] | None:
        """The newest reading at that time: its block, the times in there, and its place."""
        for block in reversed(self.within(at, at)):
            times = self._store.column(block, TIMES)
            place = 0 if times is None else int(times.searchsorted(at, side="right"))
            if times is not None and place:
                return block, times, place - 1
        return None

    def sums(self, metric: str, start: float, end: float, *, forgotten: bool = False) -> Floats:
        """Those that reach past the start and begin by the end; or only those of a time of
        which the readings are forgotten.
        """
        store = self._store
        if metric not in self._blocks_of_sums:
            self._blocks_of_sums[metric] = _in_turn(
                each for strip in self._strips for each in store.blocks_of_sums(strip, metric)
            )
        if forgotten and self.blocks:
            end = min(end, np.nextafter(self._firsts[0] - store.grain, 0.0))
        some = [
            store.sums(each, metric)
            for each in self._blocks_of_sums[metric]
            if each.last > start - MINUTE and each.first <= end
        ]
        whole = np.concatenate([np.empty((SUM, 0)), *some], axis=1)
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


def is_late(seconds: float, times: Floats, place: int) -> bool:
    """Whether a reading that old is older than those around it let one expect."""
    apart = np.sort(np.diff(times[max(0, place - _NEAR) : place + _NEAR]))
    usual = float(apart[apart.size // 2]) if apart.size else _ALONE
    return seconds > GAP * max(usual, _SHORTEST)


def _in_turn(blocks: Iterable[Block]) -> list[Block]:
    """Without those that begin in another one."""
    found: list[Block] = []
    for each in sorted(blocks):
        if each.last >= each.first and (not found or each.first >= found[-1].last):
            found.append(each)
    return found


def _are_times(times: Floats) -> bool:
    """NaN and all."""
    return bool(
        times.size and times[0] >= 0 and times[-1] <= LATEST and (np.diff(times) >= 0).all()
    )
