"""OldStore: a file of version 1, read as it is: what its tables hold, as facts and blocks of
today's. `convert` writes all that into a new file.
"""

import json
import sqlite3
import zlib
from array import array
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from operator import attrgetter

import numpy as np

from gpuexplorer.core.harmless import clean, is_time
from gpuexplorer.core.records import text_of
from gpuexplorer.recording.door import Row, SafeFile
from gpuexplorer.recording.schema import (
    FULL,
    MINUTE,
    MOST_READINGS,
    PROCESSES_RHYTHM,
    SUM,
    Column,
    Record,
    StripFacts,
    Turn,
)
from gpuexplorer.recording.strands import (
    MOST_FACTS,
    MOST_HAPPENINGS,
    TIMES,
    Block,
    Fact,
    Floats,
    Store,
)
from gpuexplorer.recording.tables import put_chunk, put_line, put_sums

_KINDS = {"i": int, "f": float, "s": str, "b": bytes}
_SAID_AT_ONCE = 100


class OldStore(Store):
    """A strip is a subject and a rhythm; each of its metrics is a series of pieces."""

    grain = MINUTE

    def __init__(self, file: SafeFile) -> None:
        self._series: dict[int, dict[str, int]] = {}
        self._strips: dict[tuple[int, str], int] = {}
        super().__init__(file)

    def facts(self) -> Iterator[Fact]:
        found = [self._file_facts(), *self._runs(), *self._turns(), *self._subjects()]
        return iter(sorted(found, key=attrgetter("at")))

    def _file_facts(self) -> Fact:
        told = {"program": '""', "anonymous": "false", "reasons": "[]", "states": "[]"}
        told |= {
            name: value
            for name, value in self.file.rows("SELECT name, value FROM fact LIMIT 100")
            if isinstance(value, str) and name in told
        }
        return Fact(0, 0.0, Record.FILE, "", _object(**told))

    def _runs(self) -> Iterator[Fact]:
        for number, began, writer, machine, ended in self._rows(
            "ifss", "id, began, writer, machine, ended FROM run ORDER BY id DESC"
        ):
            text = _object(writer=writer, machine=machine)
            yield Fact(number, began, Record.RUN, "", text)
            if is_time(ended):
                yield Fact(number, ended, Record.ENDED, "", str(number))

    def _turns(self) -> Iterator[Fact]:
        said: dict[str, str] = {}
        for number, at, kind, text in self._rows(
            "ifss", "id, at, kind, value FROM turn ORDER BY id DESC"
        ):
            if kind != Turn.PROCESSES:
                yield Fact(number, at, kind, "", text)
                continue
            try:
                users = dict(json.loads(text))
            except (ValueError, TypeError, RecursionError):
                self.file.damaged = True
                continue
            for card, numbers in users.items():
                told = json.dumps(numbers)
                if said.get(card) != told:
                    said[card] = told
                    yield Fact(number, at, kind, clean(card), told)

    def _subjects(self) -> Iterator[Fact]:
        owners: dict[int, tuple[float, str]] = {}
        for number, first, kind, name, facts in self._rows(
            "ifsss", "id, first, kind, name, facts FROM subject ORDER BY id DESC"
        ):
            process = kind == "process"
            owners[number] = first, str(number) if process else name
            if process:
                yield Fact(number, first, Record.PROCESS, "", facts)
        for number, _, subject, rhythm, metric in self._rows(
            "ifiss", "id, 0.0, subject, rhythm, metric FROM series ORDER BY id DESC"
        ):
            self._series.setdefault(self._strip(subject, rhythm), {})[metric] = number
        layouts = self._layouts()
        for (_, subject, rhythm), names in layouts.items():
            known = self._series.setdefault(self._strip(subject, rhythm), {})
            known.update({name: -1 for name in names if name not in known})
        for (subject, rhythm), strip in self._strips.items():
            if subject in owners:
                first, owner = owners[subject]
                names = [name for name in self._series[strip] if name != TIMES]
                facts = text_of(StripFacts(owner, rhythm, names))
                yield Fact(strip, first, Record.STRIP, "", facts)

    def _strip(self, subject: int, rhythm: str) -> int:
        return self._strips.setdefault((subject, rhythm), len(self._strips) + 1)

    def _layouts(self) -> dict[tuple[int, int, str], Sequence[str]]:
        found: dict[tuple[int, int, str], Sequence[str]] = {}
        for number, _, subject, rhythm, metrics in self._rows(
            "ifiss",
            "id, 0.0, subject, rhythm, metrics FROM layout"
            " WHERE id IN (SELECT layout FROM tail) ORDER BY id DESC",
        ):
            try:
                names = json.loads(metrics)
            except (ValueError, RecursionError):
                names = None
            if isinstance(names, list) and all(isinstance(name, str) for name in names):
                found[number, subject, rhythm] = names
            else:
                self.file.damaged = True
        return found

    def happenings(self) -> Iterator[Fact]:
        for number, at, kind, sentence, about, wall, card, lasted in self._rows(
            "ifsss",
            "id, at, kind, sentence, about, wall, card, lasted FROM happening ORDER BY id DESC",
            MOST_HAPPENINGS,
        ):
            rest = {"at": at, "wall": wall, "kind": kind, "card": card, "about": about}
            text = {name: json.dumps(value, default=repr) for name, value in rest.items()}
            text |= {"sentence": sentence, "lasted": json.dumps(lasted, default=repr)}
            yield Fact(number, at, Record.HAPPENING, "", _object(**text))

    def said(self) -> Iterator[Fact]:
        number = -1
        while rows := self._rows(
            "ifss",
            f"id, at, what, text FROM said WHERE id > {number} ORDER BY id",
            _SAID_AT_ONCE,
        ):
            yield from (Fact(row[0], row[1], row[2], "", row[3]) for row in rows)
            number = rows[-1][0]

    def read_tail(self) -> None:
        layouts = {
            number: (strip, names)
            for (number, subject, rhythm), names in self._layouts().items()
            if (strip := self._strips.get((subject, rhythm), 0)) in self.names
        }
        told: dict[int, list[tuple[float, bytes]]] = {}
        for _, at, layout, data in self._rows("ifib", "id, at, layout, data FROM tail"):
            told.setdefault(layout, []).append((at, data))
        for layout, rows in told.items():
            if layout in layouts:
                strip, names = layouts[layout]
                self._put_tail(strip, names, rows)

    def blocks(self, strip: int) -> Iterable[Block]:
        return self._pieces(strip, TIMES, 0)

    def _blocks_of_sums(self, strip: int, name: str) -> Iterable[Block]:
        return self._pieces(strip, name, round(MINUTE))

    def ends(self, before: float) -> tuple[float, float]:
        asked = "FROM piece WHERE level"
        [(first,)] = self.file.rows(f"SELECT min(first) {asked} IN (0, 60)") or [(None,)]
        lasts = self.file.rows(f"SELECT max(last) {asked} = 0 AND last < ?", before)
        return self._with_tail(first, lasts[0][0] if lasts else None, before)

    def _last_row(self, table: str) -> int:
        return super()._last_row("piece")

    def _pieces(self, strip: int, name: str, level: int) -> list[Block]:
        rows = self.file.rows(
            "SELECT first, last, id FROM piece WHERE series = ? AND level = ? AND id <= ?",
            *(self._series[strip].get(name, -1), level, self._newest["chunk"]),
        )
        return self._as_blocks(strip, rows)

    def _read_sums(self, block: Block, name: str) -> Sequence[Floats]:
        return self._unfolded("id = ?", block.row, SUM)

    def _read(self, table: str, block: Block, name: str) -> Floats | None:
        series = self._series[block.strip].get(name, -1)
        found = self._unfolded(f"series = {series} AND level = 0 AND first = ?", block.first, 1)
        return found[0] if found else None

    def _unfolded(self, which: str, value: float, wide: int) -> Sequence[Floats]:
        rows = self.file.rows(f"SELECT count, data FROM piece WHERE {which} LIMIT 1", value)
        match rows:
            case [(int(count), bytes(data))] if 0 < count <= MOST_READINGS:
                size = 8 * count * wide
                try:
                    plain = zlib.decompressobj().decompress(data, size + 1)
                except zlib.error:
                    plain = b""
                if len(plain) == size:
                    found = np.frombuffer(plain, "<f8").astype(np.float64)
                    return [found[:count], found[count:]] if wide > 1 else [found]
        self.file.damaged |= bool(rows)
        return []

    def _rows(self, kinds: str, question: str, most: int = MOST_FACTS) -> list[Row]:
        """Oldest first, where they were asked for the newest first. The second is a time."""
        rows = self.file.rows(f"SELECT {question} LIMIT {most}")
        expected = [_KINDS[each] for each in kinds]
        good = [row for row in rows if all(map(isinstance, row, expected)) and is_time(row[1])]
        self.file.damaged |= len(good) < len(rows)
        return good[::-1] if "DESC" in question else good


def _object(**texts: str) -> str:
    """Of JSON."""
    return f"{{{','.join(f'{json.dumps(name)}:{text}' for name, text in texts.items())}}}"


def convert(store: Store, database: sqlite3.Connection) -> None:
    """All that is in it, into the tables of a new file."""
    numbers: dict[tuple[str, int], int] = {}

    def put(fact: Fact) -> int:
        return put_line(database, fact.at, fact.kind, fact.text, fact.whose)

    facts = list(store.facts())
    for each in (fact for fact in facts if fact.kind in (Record.RUN, Record.PROCESS)):
        numbers[each.kind, each.number] = put(each)
    for each in facts:
        if each.kind == Record.ENDED:
            put(each._replace(text=str(numbers.get((Record.RUN, each.number), 0))))
        elif each.kind == Turn.PROCESSES and each.text != "null":
            users = [numbers.get((Record.PROCESS, old), 0) for old in json.loads(each.text)]
            put(each._replace(text=json.dumps(users)))
        elif each.kind in tuple(Turn):
            put(each)
        elif each.kind == Record.STRIP:
            told = json.loads(each.text)
            if told["rhythm"] == PROCESSES_RHYTHM:
                told["owner"] = str(numbers.get((Record.PROCESS, int(told["owner"])), 0))
            numbers[each.kind, each.number] = put(each._replace(text=json.dumps(told)))
    for each in chain(store.happenings(), store.said()):
        put(each)
    for strip, names in store.names.items():
        number, first = numbers[Record.STRIP, strip], None
        for block in sorted(chain(store.blocks(strip), store.tail_of(strip))):
            times = store.column(block, TIMES)
            if times is not None:
                first = float(times[0]) if first is None else first
                columns = [store.column(block, name) for name in names]
                nothing = np.full(times.size, np.nan)
                good = [
                    c if c is not None and c.size == times.size else nothing for c in columns
                ]
                put_chunk(database, number, [_column(each) for each in (times, *good)])
        _put_sums(database, number, [_all_sums(store, strip, name) for name in names], first)
    database.commit()


def _all_sums(store: Store, strip: int, name: str) -> Floats:
    some = [store.sums(each, name) for each in sorted(store.blocks_of_sums(strip, name))]
    return np.concatenate([np.empty((SUM, 0)), *some], axis=1)


def _put_sums(
    database: sqlite3.Connection, strip: int, sums: Sequence[Floats], first: float | None
) -> None:
    """`first`: from when on there are readings; the sum that holds some of them begins then."""
    starts = np.unique(np.concatenate([np.empty(0), *(each[0] for each in sums)]))
    figures = np.full((len(sums), SUM - 1, starts.size), np.nan)
    figures[:, -1] = 0.0
    for number, each in enumerate(sums):
        figures[number][:, starts.searchsorted(each[0])] = each[1:]
    if first is not None:
        starts[(starts < first) & (first < starts + MINUTE)] = first
    for begin in range(0, starts.size, FULL):
        some = slice(begin, begin + FULL)
        columns = [_column(starts[some]), *(_column(each[:, some].ravel()) for each in figures)]
        put_sums(database, strip, columns)


def _column(values: Floats) -> Column:
    return array("d", values.tobytes())
