"""Tables: the file of a recording from the side that writes, and what goes where in it."""

import sqlite3
import time
from array import array
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TypeAlias, TypeVar

import numpy as np

import gpuexplorer
from gpuexplorer.core.cards import HOST_ID, NAMELESS, Card, CardId, Sample
from gpuexplorer.core.metrics import METRICS, MetricId
from gpuexplorer.core.records import text_of
from gpuexplorer.core.words import Message
from gpuexplorer.recording.schema import (
    APPLICATION,
    FULL,
    HOST_RHYTHM,
    NANS,
    PROCESS_METRICS,
    PROCESSES_RHYTHM,
    REASONS,
    STATE,
    STATES,
    SUM,
    TABLES,
    VERSION,
    Began,
    DamagedError,
    FileFacts,
    Floats,
    Machine,
    ProgramFacts,
    Record,
    Said,
    StripFacts,
    Turn,
    packed,
    raw,
    sum_of,
    this_program,
    unpacked,
)
from gpuexplorer.telemetry.facts import Cards, Users
from gpuexplorer.telemetry.happenings import Happening, Kind
from gpuexplorer.telemetry.history import firsts, summed
from gpuexplorer.telemetry.processes import NamedProcess, ProcessFigure
from gpuexplorer.telemetry.topology import Topology

T = TypeVar("T")
# What a recording is told beside what is true of itself.
Told: TypeAlias = Sample | Users | Happening | Cards | Topology | Said

_STATE_NUMBERS = {state: float(number) for number, state in enumerate(STATES, 1)}
_NO_REASON = float("nan")
# Made into chunks in one batch, so that none takes long.
_AT_ONCE = 4
_LAST_FOLDING = 1.0  # seconds
_ROOM = "0" * 32_000  # given back by who finds the disk full


def lay_out(database: sqlite3.Connection, *, anonymous: bool = False) -> None:
    """The tables of a new file."""
    database.execute("PRAGMA page_size = 8192")
    database.execute("PRAGMA auto_vacuum = INCREMENTAL")
    database.executescript(
        "BEGIN;"
        f" PRAGMA application_id = {APPLICATION}; PRAGMA user_version = {VERSION}; {TABLES}"
    )
    program = f"GPU Explorer {gpuexplorer.__version__}"
    put_fact(database, 0.0, Record.FILE, FileFacts(program, anonymous, REASONS, STATES))
    database.commit()


def put_fact(
    database: sqlite3.Connection, at: float, kind: str, value: object, whose: str = ""
) -> int:
    """Its number; `value` is one of ours."""
    return put_line(database, at, kind, text_of(value), whose)


def put_line(
    database: sqlite3.Connection, at: float, kind: str, text: str, whose: str = ""
) -> int:
    row = float(at), str(kind), whose, text
    asked = "INSERT INTO fact (at, kind, whose, json, sum) VALUES (?, ?, ?, ?, ?)"
    return database.execute(asked, (*row, sum_of(*row))).lastrowid or 0


def put_chunk(
    database: sqlite3.Connection, strip: int, times: Floats, columns: Sequence[Floats] | Floats
) -> None:
    first, last = float(times[0]), float(times[-1])
    database.execute(
        "INSERT INTO chunk (strip, first, last, data) VALUES (?, ?, ?, ?)",
        (strip, first, last, packed(strip, first, (times, *columns))),
    )


def put_sums(
    database: sqlite3.Connection,
    strip: int,
    starts: Floats,
    figures: Floats,
    row: int | None = None,
) -> int | None:
    """`figures`: of each column those of each minute. After those of that row. The row to go on
    with; None once it is full.
    """
    asked = "SELECT first, data FROM sums WHERE id = ?"
    for first, data in database.execute(asked, (row,)).fetchall():
        with suppress(DamagedError):  # what stands there stays
            before, *told = (
                unpacked(strip, first, data, each) for each in range(1 + len(figures))
            )
            old = np.reshape(told, (len(told), SUM, -1))
            figures = np.concatenate((old, figures), axis=2)
            starts = np.concatenate((before, starts))
    first, last = float(starts[0]), float(starts[-1])
    data = packed(strip, first, (starts, *figures.reshape(len(figures), -1)))
    done = database.execute(
        "INSERT OR REPLACE INTO sums (id, strip, first, last, data) VALUES (?, ?, ?, ?, ?)",
        (row, strip, first, last, data),
    )
    return done.lastrowid if len(starts) < FULL else None


class _Strip:
    """Its readings that are in no chunk yet."""

    def __init__(self, number: int, names: Sequence[str]) -> None:
        self.number, self.names = number, names
        self.rows: list[int] = []  # of the tail
        self.times = array("d")
        self.values = array("d")  # row after row
        self.sums: int | None = None  # the row that is not full yet


class Tables:
    """One run that is written. Every time is of the axis. For one thread, which commits."""

    def __init__(
        self, database: sqlite3.Connection, began: float, machine: Machine, *, anonymous: bool
    ) -> None:
        self._database = database
        self._nameless = Nameless() if anonymous else None
        self._strips: dict[tuple[str, str], _Strip] = {}
        self._programs: dict[CardId, dict[int, tuple[int, ProgramFacts]]] = {}
        self._users: dict[CardId, list[int] | None] = {}
        self._listed: Sequence[Card] | None = None
        self._tail: list[tuple[int, int, float, bytes, int]] = []
        (newest,) = database.execute("SELECT coalesce(max(id), 0) FROM tail").fetchone()
        self._row: int = newest
        if anonymous:
            machine = replace(machine, name="", notes=())
        self.run = self.fact(began, Record.RUN, Began(this_program(), machine))
        database.execute("DELETE FROM fact WHERE kind = ?", (Record.ROOM,))
        self._room = put_line(database, began, Record.ROOM, _ROOM)

    def put(self, at: float, told: Told) -> None:
        match told if self._nameless is None else self._nameless(told):
            case Sample() as sample:
                self._sample(at, sample)
            case Users(card=card, processes=named):
                self._processes(at, card, named)
            case Happening() as happening:
                self.fact(at, Record.HAPPENING, happening._replace(at=at))
            case Cards(cards=cards) if cards != self._listed:
                self._listed = cards
                self.fact(at, Turn.CARDS, cards)
            case Topology() as topology:
                self.fact(at, Turn.TOPOLOGY, topology)
            case Said(what=what, text=text):
                put_line(self._database, at, what, text)

    def fact(self, at: float, kind: str, value: object, whose: str = "") -> int:
        return put_fact(self._database, at, kind, value, whose)

    def commit(self) -> None:
        """What was told since the last time stands in the file for good."""
        full = [strip for strip in self._strips.values() if len(strip.times) >= FULL]
        # Those of many cards are full at the same time.
        for strip in full[: _AT_ONCE + len(full) // 4]:
            self._fold(strip)
        self._write_tail()
        self._database.commit()

    def end(self, at: float) -> None:
        """Packs what can be packed in a second. The rest is no worse where it stands."""
        until = time.monotonic() + _LAST_FOLDING
        for strip in self._strips.values():
            if time.monotonic() < until:
                self._fold(strip)
        self.say_ended(at)

    def say_ended(self, at: float, failure: Message | None = None) -> None:
        """Also where there is no room: what was set aside for that is given back."""
        self._database.execute("DELETE FROM fact WHERE id = ?", (self._room,))
        if failure is not None:
            self._tail.clear()  # what could not be written is not written later either
            self.fact(at, Turn.FAILED, failure)
        self.fact(at, Record.ENDED, self.run)
        self._write_tail()
        self._database.commit()

    def _sample(self, at: float, sample: Sample) -> None:
        values, missing = sample.values, sample.missing
        some = next(iter(values), None) or next(iter(missing), None)
        if some is None:
            return
        rhythm = HOST_RHYTHM if sample.card == HOST_ID else METRICS[some].cadence.value
        strip = self._strips.get((sample.card, rhythm))
        names = () if strip is None else strip.names[:-1]
        if len(values) + len(missing) != len(names) or not all(
            name in values or name in missing for name in names
        ):
            names = [metric for metric in METRICS if metric in values or metric in missing]
            strip = None
        strip = strip or self._new_strip(at, sample.card, rhythm, (*names, STATE))
        row = [
            values[metric] if metric in values else NANS[missing[metric]]
            for metric in map(MetricId, names)
        ]
        self._add(strip, at, (*row, _STATE_NUMBERS[sample.state]))

    def _processes(self, at: float, card: CardId, named: Sequence[NamedProcess] | None) -> None:
        known = self._programs.setdefault(card, {})
        users: list[int] | None = None
        if named is not None:
            users = [self._program(at, known, each) for each in named]
            for pid in known.keys() - {each.process.pid for each in named}:
                gone, _ = known.pop(pid)
                self._fold(self._strips.pop((str(gone), PROCESSES_RHYTHM)))
        if self._users.get(card, ()) != users:
            self._users[card] = users
            self.fact(at, Turn.PROCESSES, users, card)

    def _program(
        self, at: float, known: dict[int, tuple[int, ProgramFacts]], named: NamedProcess
    ) -> int:
        facts, pid = facts_of(named), named.process.pid
        number, before = known.get(pid, (0, facts))
        # The same number may be somebody else by now.
        another = (
            None not in (starts := {before.started_at, facts.started_at}) and len(starts) > 1
        )
        if not number or another:
            number = self.fact(at, Record.PROCESS, facts)
            self._new_strip(at, str(number), PROCESSES_RHYTHM, PROCESS_METRICS)
            known[pid] = number, facts
        elif facts != before and (facts.resolved or not before.resolved):
            self.fact(at, Record.PROCESS, facts, str(number))
            known[pid] = number, facts
        told, missing = named.process.values, named.process.missing
        row = [
            told[each] if each in told else NANS[missing[each]] if each in missing else None
            for each in ProcessFigure
        ]
        row += (named.cpu, named.memory_bytes)
        values = [_NO_REASON if value is None else value for value in row]
        self._add(self._strips[str(number), PROCESSES_RHYTHM], at, values)
        return number

    def _new_strip(self, at: float, owner: str, rhythm: str, names: Sequence[str]) -> _Strip:
        before = self._strips.get((owner, rhythm))
        if before is not None:
            self._fold(before)
        number = self.fact(at, Record.STRIP, StripFacts(owner, rhythm, names))
        strip = self._strips[owner, rhythm] = _Strip(number, names)
        return strip

    def _add(self, strip: _Strip, at: float, row: Sequence[float]) -> None:
        # An answer that came late is no older than the one before.
        at = max(at, strip.times[-1]) if strip.times else at
        self._row += 1
        strip.rows.append(self._row)
        strip.times.append(at)
        strip.values.extend(row)
        data = raw(row)
        self._tail.append((self._row, strip.number, at, data, sum_of(strip.number, at, data)))

    def _write_tail(self) -> None:
        self._database.executemany("INSERT INTO tail VALUES (?, ?, ?, ?, ?)", self._tail)
        self._tail.clear()

    def _fold(self, strip: _Strip) -> None:
        if not strip.rows:
            return
        self._write_tail()
        times = np.array(strip.times)
        columns = np.array(strip.values).reshape(times.size, -1).T
        put_chunk(self._database, strip.number, times, columns)
        if strip.names is not PROCESS_METRICS:  # nobody plots a process over the hours
            figures, starts = summed(times, columns), times[firsts(times)]
            strip.sums = put_sums(self._database, strip.number, starts, figures, strip.sums)
        self._database.executemany(
            "DELETE FROM tail WHERE id = ?", [(row,) for row in strip.rows]
        )
        strip.rows, strip.times, strip.values = [], array("d"), array("d")


_FACTS = ("user", "command", "started_at", "container", "ours", "of_this_user", "elsewhere")


def facts_of(named: NamedProcess) -> ProgramFacts:
    who = named.process
    return ProgramFacts(
        *(who.card, who.pid, who.use, named.resolved, named.reason),
        **{each: getattr(named, each) for each in _FACTS},
        simulated=named.simulated,
        ancestors=tuple((each.pid, each.command) for each in named.ancestors),
    )


# In place of the sentences that name a program.
_PROGRAMS = {
    Kind.PROCESS_APPEARED: "Process {pid} uses the card",
    Kind.PROCESS_ENDED: "Process {pid} no longer uses the card",
}


class Nameless:
    """What is told, without names: cards get other ids, always the same in one file. Users,
    commands, containers and what started a program are left out, and all that the lab said.
    """

    def __init__(self) -> None:
        self._ids = {HOST_ID: HOST_ID}

    def __call__(self, told: Told) -> Told | None:
        match told:
            case Sample(card=card):
                return told._replace(card=self._id(card))
            case Users(card=card, processes=named):
                other = self._id(card)
                return Users(other, named and [_nameless(each, other) for each in named])
            case Happening(card=card):
                if told.kind in _PROGRAMS:
                    words = Message(_PROGRAMS[told.kind], pid=told.about)
                    told = told._replace(sentence=words)
                return told._replace(card=card and self._id(card))
            case Cards(cards=cards):
                others = [
                    replace(
                        each, id=self._id(each.id), parent=each.parent and self._id(each.parent)
                    )
                    for each in cards
                ]
                return replace(told, cards=others)
            case Topology():
                return replace(
                    told,
                    cards=[self._id(each) for each in told.cards],
                    links=[e._replace(a=self._id(e.a), b=self._id(e.b)) for e in told.links],
                    numa_nodes=self._by_id(told.numa_nodes),
                    cpu_affinity=self._by_id(told.cpu_affinity),
                )
        return None  # code, and what came of it

    def _by_id(self, known: Mapping[CardId, T]) -> dict[CardId, T]:
        return {self._id(card): value for card, value in known.items()}

    def _id(self, card: CardId) -> CardId:
        if card not in self._ids:
            nameless = NAMELESS if card.startswith(NAMELESS) else ""
            kind = "MIG" if card.startswith("MIG-") else "GPU"
            self._ids[card] = CardId(f"{nameless}{kind}-anonymous-{len(self._ids) - 1}")
        return self._ids[card]


def _nameless(named: NamedProcess, card: CardId) -> NamedProcess:
    process = named.process._replace(
        card=card, simulated_command="" if named.simulated else None, simulated_user=None
    )
    return replace(
        named, process=process, user=None, command=None, container=None, ancestors=()
    )
