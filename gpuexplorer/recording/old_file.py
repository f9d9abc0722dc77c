"""A file of version 1: all that is in it goes into the tables of a new one. What is damaged is
left out.
"""

import json
import sqlite3
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from gpuexplorer.core.records import UNREADABLE
from gpuexplorer.recording.door import SafeFile
from gpuexplorer.recording.schema import (
    FULL,
    PROCESSES_RHYTHM,
    SUM,
    Floats,
    Record,
    StripFacts,
    Turn,
    from_raw,
    put_chunk,
    put_fact,
    put_line,
    put_sums,
)
from gpuexplorer.telemetry.history import MINUTE, firsts, summed

_TIMES = ""  # the metric of a series that holds its times
_AT_ONCE, _MOST_PIECES = 100, 500_000
_LARGEST = 8 * FULL * (1 + SUM)  # bytes that a piece unfolds to
_FACTS = {"program": '""', "anonymous": "false", "reasons": "[]", "states": "[]"}
_HAPPENING = ("at", "wall", "kind", "card", "about", "lasted")

# What a strand's rows are told as: when, and what of each metric.
_Chunk = tuple[Floats, Mapping[str, Floats]]


def convert(old: SafeFile, new: sqlite3.Connection) -> None:
    """Into tables that are empty."""
    new.execute("BEGIN")
    new.execute("DELETE FROM fact")
    told: dict[str, str] = dict(old.rows("SELECT name, value FROM fact LIMIT 100"))
    facts = {name: told.get(name, otherwise) for name, otherwise in _FACTS.items()}
    put_line(new, 0.0, Record.FILE, _object(**facts))
    conversion = _Conversion(old, new)
    conversion.put_facts()
    conversion.put_strips()
    new.execute("COMMIT")


class _Conversion:
    """Whatever a row holds is put as it is: who reads the new file checks it."""

    def __init__(self, old: SafeFile, new: sqlite3.Connection) -> None:
        self._old, self._new = old, new
        self._processes: dict[int, int] = {}  # by their numbers in the old file
        self._owners: dict[int, tuple[float, str]] = {}  # of a subject: since when, and who
        self._users: dict[str, list[int] | None] = {}
        self._series: dict[tuple[int, str], dict[str, int]] = {}
        self._tails: dict[tuple[int, str], list[_Chunk]] = {}

    def put_facts(self) -> None:
        self._each("run", "began, writer, machine, ended", self._run)
        self._each("subject", "first, kind, name, facts", self._subject)
        self._each("turn", "at, kind, value", self._turn)
        self._each("happening", f"sentence, {', '.join(_HAPPENING)}", self._happening)
        self._each("said", "at, what, text", lambda _, *said: put_line(self._new, *said))

    def put_strips(self) -> None:
        """Of each subject and rhythm: its series, and what the tail has of them."""
        self._each("series", "subject, rhythm, metric", self._one_of_series)
        self._each("layout", "subject, rhythm, metrics", self._layout)
        for of in dict.fromkeys((*self._series, *self._tails)):
            if of[0] in self._owners:
                self._strip(*of)

    def _each(self, table: str, columns: str, put: Callable[..., object]) -> None:
        """A row after the other, its number first, then these."""
        last, found = -2, -1
        while found > last:
            last = found
            which = f"WHERE id > {last} ORDER BY id LIMIT {_AT_ONCE}"
            for row in self._old.rows(f"SELECT id, {columns} FROM {table} {which}"):
                found = row[0]
                self._sure(put, *row)

    def _sure(self, put: Callable[..., object], *row: object) -> None:
        try:
            put(*row)
        except (*UNREADABLE, zlib.error):
            self._old.damaged = True

    def _run(self, _: int, began: float, writer: str, machine: str, ended: object) -> None:
        text = _object(writer=writer, machine=machine)
        number = put_line(self._new, began, Record.RUN, text)
        if isinstance(ended, float):
            put_line(self._new, ended, Record.ENDED, str(number))

    def _subject(self, number: int, first: float, kind: str, name: str, facts: str) -> None:
        if kind == "process":
            self._processes[number] = put_line(self._new, first, Record.PROCESS, facts)
            name = str(self._processes[number])
        self._owners[number] = float(first), name

    def _turn(self, _: int, at: float, kind: str, text: str) -> None:
        if kind != Turn.PROCESSES:
            put_line(self._new, at, kind, text)
            return
        for card, numbers in json.loads(text).items():
            users = None if numbers is None else [self._processes.get(e, 0) for e in numbers]
            if self._users.get(card, ()) != users:
                self._users[card] = users
                put_line(self._new, at, kind, json.dumps(users), card)

    def _happening(self, _: int, sentence: str, *rest: object) -> None:
        texts = dict(zip(_HAPPENING, map(json.dumps, rest), strict=True))
        told = _object(**texts, sentence=sentence)
        put_line(self._new, float(str(rest[0])), Record.HAPPENING, told)

    def _one_of_series(self, number: int, subject: int, rhythm: str, metric: str) -> None:
        self._series.setdefault((subject, rhythm), {})[metric] = number

    def _layout(self, number: int, subject: int, rhythm: str, metrics: str) -> None:
        names = json.loads(metrics)
        rows = self._old.rows(f"SELECT at, data FROM tail WHERE layout = {number} ORDER BY id")
        there = [(float(at), from_raw(data)) for at, data in rows]
        if there:
            times = np.maximum.accumulate([at for at, _ in there])
            figures = np.array([each for _, each in there]).T
            columns = dict(zip(names, figures, strict=True))
            self._tails.setdefault((subject, rhythm), []).append((times, columns))

    def _strip(self, subject: int, rhythm: str) -> None:
        mine = self._series.get((subject, rhythm), {})
        rest = self._tails.get((subject, rhythm), [])
        told = dict.fromkeys([*mine, *(name for _, columns in rest for name in columns)])
        names = [name for name in told if name != _TIMES]
        first, owner = self._owners[subject]
        strip = put_fact(self._new, first, Record.STRIP, StripFacts(owner, rhythm, names))
        chunks = sorted((*self._chunks(mine), *rest), key=lambda chunk: chunk[0][0])
        begins = chunks[0][0][0] if chunks else np.inf
        sums = [self._old_sums([mine.get(name, -1) for name in names], begins)]
        for times, columns in chunks:
            nothing = np.full(times.size, np.nan)
            known = [columns.get(name, nothing) for name in names]
            good = [each if each.size == times.size else nothing for each in known]
            put_chunk(self._new, strip, times, good)
            if names:
                sums.append((times[firsts(times)], summed(times, np.array(good))))
        if rhythm != PROCESSES_RHYTHM:
            starts = np.concatenate([each for each, _ in sums])
            figures = np.concatenate([each for _, each in sums], axis=2)
            for begin in range(0, starts.size, FULL):
                part = slice(begin, begin + FULL)
                put_sums(self._new, strip, starts[part], figures[:, :, part])

    def _chunks(self, series: Mapping[str, int]) -> Iterator[_Chunk]:
        columns = {name: self._pieces(number, 0) for name, number in series.items()}
        for first, times in columns.pop(_TIMES, {}).items():
            if (np.diff(times) >= 0).all():
                there = {name: each[first] for name, each in columns.items() if first in each}
                yield times, there

    def _old_sums(self, series: Sequence[int], until: float) -> tuple[Floats, Floats]:
        """Of the minutes before that; each metric may have others."""
        found = []
        for number in series:
            some = self._pieces(number, round(MINUTE), 1 + SUM).values()
            whole = np.concatenate([np.empty((1 + SUM, 0)), *some], axis=1)
            found.append(whole[:, whole[0] + MINUTE <= until])
        starts = np.unique(np.concatenate([np.empty(0), *(each[0] for each in found)]))
        figures = np.full((len(found), SUM, starts.size), np.nan)
        figures[:, -1] = 0.0
        for place, each in enumerate(found):
            figures[place][:, starts.searchsorted(each[0])] = each[1:]
        return starts, figures

    def _pieces(self, series: int, level: int, wide: int = 1) -> Mapping[float, Floats]:
        """By when each begins, its figures."""
        found: dict[float, Floats] = {}

        def put(first: float, count: int, data: bytes) -> None:
            plain = zlib.decompressobj().decompress(data, _LARGEST)
            figures = from_raw(plain).reshape((wide, count) if wide > 1 else count)
            if count:
                found[first] = figures

        which = f"series = {series} AND level = {level} LIMIT {_MOST_PIECES}"
        for row in self._old.rows(f"SELECT first, count, data FROM piece WHERE {which}"):
            self._sure(put, *row)
        return found


def _object(**texts: str) -> str:
    """Of JSON."""
    return f"{{{','.join(f'{json.dumps(name)}:{text}' for name, text in texts.items())}}}"
