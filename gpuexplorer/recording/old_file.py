"""A file of version 1: all that is in it goes into the tables of a new one. What is damaged is
left out.
"""

import json
import sqlite3
import zlib
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np

from gpuexplorer.core.harmless import is_time
from gpuexplorer.core.records import text_of
from gpuexplorer.recording.door import Row, SafeFile
from gpuexplorer.recording.schema import (
    FULL,
    PROCESSES_RHYTHM,
    SUM,
    DamagedError,
    Floats,
    Record,
    StripFacts,
    Turn,
    from_raw,
)
from gpuexplorer.recording.tables import put_chunk, put_line, put_sums
from gpuexplorer.telemetry.history import MINUTE, firsts, summed

_KINDS = {"i": int, "f": float, "s": str, "b": bytes}
_TIMES = ""  # the metric of a series that holds its times
_MOST_ROWS, _AT_ONCE = 500_000, 100
_LARGEST = 8 * FULL * (1 + SUM)  # bytes that a piece unfolds to

# What a strand's rows are told as: when, and what of each metric.
_Chunk = tuple[Floats, Mapping[str, Floats]]


def convert(old: SafeFile, new: sqlite3.Connection) -> None:
    """Into tables that are empty."""
    _Conversion(old, new)


class _Conversion:
    def __init__(self, old: SafeFile, new: sqlite3.Connection) -> None:
        self._old, self._new = old, new
        told = {"program": '""', "anonymous": "false", "reasons": "[]", "states": "[]"}
        for name, value in old.rows("SELECT name, value FROM fact LIMIT 100"):
            if name in told and isinstance(value, str):
                told[name] = value
        new.execute("BEGIN")
        new.execute("DELETE FROM fact")
        put_line(new, 0.0, Record.FILE, _object(**told))
        self._put_runs()
        self._processes: dict[int, int] = {}  # by their numbers in the old file
        self._owners: dict[int, tuple[float, str]] = {}
        self._put_subjects()
        self._put_turns()
        self._put_happenings()
        number = -1
        while rows := self._rows(
            "ifss", f"id, at, what, text FROM said WHERE id > {number} ORDER BY id", _AT_ONCE
        ):
            for _, at, what, text in rows:
                put_line(new, at, what, text)
            number = rows[-1][0]
        self._put_strips()
        new.execute("COMMIT")

    def _put_runs(self) -> None:
        for began, writer, machine, ended in self._rows(
            "fss", "began, writer, machine, ended FROM run"
        ):
            text = _object(writer=writer, machine=machine)
            number = put_line(self._new, began, Record.RUN, text)
            if is_time(ended):
                put_line(self._new, ended, Record.ENDED, str(number))

    def _put_subjects(self) -> None:
        for number, first, kind, name, facts in self._rows(
            "ifsss", "id, first, kind, name, facts FROM subject"
        ):
            self._owners[number] = first, name
            if kind == "process":
                new = put_line(self._new, first, Record.PROCESS, facts)
                self._processes[number], self._owners[number] = new, (first, str(new))

    def _put_turns(self) -> None:
        said: dict[str, list[int] | None] = {}
        for at, kind, text in self._rows("fss", "at, kind, value FROM turn"):
            if kind != Turn.PROCESSES:
                put_line(self._new, at, kind, text)
                continue
            for card, numbers in (self._json(text, dict) or {}).items():
                users = None
                if isinstance(numbers, list):
                    users = [self._processes.get(each, 0) for each in numbers]
                if said.get(card, ()) != users:
                    said[card] = users
                    put_line(self._new, at, kind, json.dumps(users), card)

    def _put_happenings(self) -> None:
        for at, kind, sentence, about, wall, card, lasted in self._rows(
            "fsss", "at, kind, sentence, about, wall, card, lasted FROM happening"
        ):
            rest = {"at": at, "wall": wall, "kind": kind, "card": card, "about": about}
            rest["lasted"] = lasted
            texts = {name: json.dumps(value, default=repr) for name, value in rest.items()}
            put_line(self._new, at, Record.HAPPENING, _object(**texts, sentence=sentence))

    def _put_strips(self) -> None:
        """Of each subject and rhythm: its series, and what its tail has of them."""
        series: dict[tuple[int, str], dict[str, int]] = {}
        for number, subject, rhythm, metric in self._rows(
            "iiss", "id, subject, rhythm, metric FROM series"
        ):
            series.setdefault((subject, rhythm), {})[metric] = number
        tails = self._tails()
        for subject, rhythm in series.keys() | tails.keys():
            if subject not in self._owners:
                continue
            mine, rest = series.get((subject, rhythm), {}), tails.get((subject, rhythm), [])
            told_there = chain(mine, *(columns for _, columns in rest))
            names = [name for name in dict.fromkeys(told_there) if name != _TIMES]
            first, owner = self._owners[subject]
            facts = text_of(StripFacts(owner, rhythm, names))
            strip = put_line(self._new, first, Record.STRIP, facts)
            chunks = sorted(chain(self._chunks(mine), rest), key=lambda chunk: chunk[0][0])
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
        columns = {name: dict(self._pieces(number, 0)) for name, number in series.items()}
        for first, times in columns.pop(_TIMES, {}).items():
            if times.size and is_time(times[0]) and (np.diff(times) >= 0).all():
                there = {name: each[first] for name, each in columns.items() if first in each}
                yield times, there

    def _old_sums(self, series: Sequence[int], until: float) -> tuple[Floats, Floats]:
        """Of the minutes before that; each metric may have others."""
        found = []
        for number in series:
            some = [e.reshape(1 + SUM, -1) for _, e in self._pieces(number, round(MINUTE))]
            whole = np.concatenate([np.empty((1 + SUM, 0)), *some], axis=1)
            found.append(whole[:, whole[0] + MINUTE <= until])
        starts = np.unique(np.concatenate([np.empty(0), *(each[0] for each in found)]))
        figures = np.full((len(found), SUM, starts.size), np.nan)
        figures[:, -1] = 0.0
        for place, each in enumerate(found):
            figures[place][:, starts.searchsorted(each[0])] = each[1:]
        return starts, figures

    def _pieces(self, series: int, level: int) -> Iterator[tuple[float, Floats]]:
        """When each begins, and its figures."""
        wide = 1 + SUM if level else 1
        which = f"series = {series} AND level = {level}"
        for first, count, data in self._rows(
            "fib", f"first, count, data FROM piece WHERE {which}"
        ):
            try:
                plain = zlib.decompressobj().decompress(data, _LARGEST)
                figures = from_raw(plain)
            except (zlib.error, DamagedError):
                figures = np.empty(0)
            if figures.size and figures.size == count * wide:
                yield first, figures
            else:
                self._old.damaged = True

    def _tails(self) -> dict[tuple[int, str], list[_Chunk]]:
        found: dict[tuple[int, str], list[_Chunk]] = {}
        rows: dict[int, list[tuple[float, bytes]]] = {}
        for at, layout, data in self._rows("fib", "at, layout, data FROM tail"):
            rows.setdefault(layout, []).append((at, data))
        for number, subject, rhythm, text in self._rows(
            "iiss", "id, subject, rhythm, metrics FROM layout"
        ):
            names = self._json(text, list)
            told = (
                rows.get(number, []) if names and all(isinstance(e, str) for e in names) else []
            )
            good = [each for each in told if len(each[1]) == 8 * len(names)]
            self._old.damaged |= len(good) < len(told)
            for begin in range(0, len(good), FULL):
                part = good[begin : begin + FULL]
                times = np.maximum.accumulate([at for at, _ in part])
                values = from_raw(b"".join(data for _, data in part)).reshape(len(part), -1)
                columns = dict(zip(names, values.T, strict=True))
                found.setdefault((subject, rhythm), []).append((times, columns))
        return found

    # Any: what JSON has, of that type.
    def _json(self, text: str, kind: type) -> Any:
        """None where it is another."""
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            value = None
        self._old.damaged |= not isinstance(value, kind)
        return value if isinstance(value, kind) else None

    def _rows(self, kinds: str, question: str, most: int = _MOST_ROWS) -> list[Row]:
        """Those whose first values are of these kinds; a figure with a point is a time."""
        rows = self._old.rows(f"SELECT {question} LIMIT {most}")
        good = [
            row
            for row in rows
            if all(
                isinstance(value, _KINDS[kind]) and (kind != "f" or is_time(value))
                for kind, value in zip(kinds, row, strict=False)
            )
        ]
        self._old.damaged |= len(good) < len(rows)
        return good


def _object(**texts: str) -> str:
    """Of JSON."""
    return f"{{{','.join(f'{json.dumps(name)}:{text}' for name, text in texts.items())}}}"
