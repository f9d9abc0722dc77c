"""Tables: the file of a recording from the side that writes, and what goes where in it."""

import sqlite3
import time
from array import array
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TypeVar

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
    Column,
    DamagedError,
    FileFacts,
    Machine,
    ProgramFacts,
    Record,
    StripFacts,
    Topic,
    Turn,
    Writer,
    packed,
    raw,
    sum_of,
    summed,
    unpacked,
)
from gpuexplorer.telemetry.happenings import Happening, Kind
from gpuexplorer.telemetry.processes import NamedProcess, ProcessFigure
from gpuexplorer.telemetry.topology import Topology

T = TypeVar("T")
_STATE_NUMBERS = {state: float(number) for number, state in enumerate(STATES, 1)}
_NO_REASON = float("nan")
# Made into chunks in one batch, so that none takes long.
_AT_ONCE = 4
_LAST_FOLDING = 1.0  # seconds
_ROOM = "0" * 32_000  # given back by who finds the disk full


def lay_out(database: sqlite3.Connection, *, anonymous: bool) -> None:
    """The tables of a new file."""
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
    done = database.execute(
        "INSERT INTO fact (at, kind, whose, json, sum) VALUES (?, ?, ?, ?, ?)",
        (*row, sum_of(*row)),
    )
    assert done.lastrowid is not None
    return done.lastrowid


def put_chunk(database: sqlite3.Connection, strip: int, columns: Sequence[Column]) -> None:
    """The times and the metrics."""
    times = columns[0]
    database.execute(
        "INSERT INTO chunk (strip, first, last, data) VALUES (?, ?, ?, ?)",
        (strip, times[0], times[-1], packed(strip, times[0], columns)),
    )


def put_sums(
    database: sqlite3.Connection, strip: int, sums: Sequence[Column], row: int | None = None
) -> int | None:
    """After those of that row. The row to go on with; None once it is full."""
    asked = "SELECT first, data FROM sums WHERE id = ?"
    for first, data in database.execute(asked, (row,)).fetchall():
        with suppress(DamagedError):  # what stands there stays
            before = [unpacked(strip, first, data, each) for each in range(len(sums))]
            counts = 1, *[SUM - 1] * (len(sums) - 1)
            sums = [*map(_longer, before, sums, counts)]
    first, last = sums[0][0], sums[0][-1]
    done = database.execute(
        "INSERT OR REPLACE INTO sums (id, strip, first, last, data) VALUES (?, ?, ?, ?, ?)",
        (row, strip, first, last, packed(strip, first, sums)),
    )
    return done.lastrowid if len(sums[0]) < FULL else None


def _longer(before: Column, more: Column, count: int) -> Column:
    """Of one figure of each minute after the other, `count` figures."""
    found = array("d")
    old, new = len(before) // count, len(more) // count
    for each in range(count):
        found += before[each * old : (each + 1) * old] + more[each * new : (each + 1) * new]
    return found


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
        self, database: sqlite3.Connection, began: float, writer: Writer, machine: Machine
    ) -> None:
        self._database = database
        self._strips: dict[tuple[str, str], _Strip] = {}
        self._programs: dict[CardId, dict[int, tuple[int, ProgramFacts]]] = {}
        self._users: dict[CardId, list[int] | None] = {}
        self._listed: list[Card] | None = None
        self._tail: list[tuple[int, int, float, bytes, int]] = []
        (newest,) = database.execute("SELECT coalesce(max(id), 0) FROM tail").fetchone()
        self._row: int = newest
        self.run = self._fact(began, Record.RUN, Began(writer, machine))
        database.execute("DELETE FROM fact WHERE kind = ?", (Record.ROOM,))
        self._room = put_line(database, began, Record.ROOM, _ROOM)

    def sample(self, at: float, sample: Sample) -> None:
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

    def processes(self, at: float, card: CardId, named: Sequence[NamedProcess] | None) -> None:
        known = self._programs.setdefault(card, {})
        users: list[int] | None = None
        if named is not None:
            users = [self._program(at, known, each) for each in named]
            for pid in known.keys() - {each.process.pid for each in named}:
                gone, _ = known.pop(pid)
                self._fold(self._strips.pop((str(gone), PROCESSES_RHYTHM)))
        if self._users.get(card, ()) != users:
            self._users[card] = users
            self._fact(at, Turn.PROCESSES, users, card)

    def happening(self, at: float, happening: Happening) -> None:
        self._fact(at, Record.HAPPENING, happening._replace(at=at))

    def cards(self, at: float, cards: Sequence[Card]) -> None:
        if list(cards) != self._listed:
            self._listed = list(cards)
            self._fact(at, Turn.CARDS, self._listed)

    def topology(self, at: float, topology: Topology) -> None:
        self._fact(at, Turn.TOPOLOGY, topology)

    def turn(self, at: float, kind: Turn, value: object) -> None:
        self._fact(at, kind, value)

    def said(self, at: float, what: Topic, text: str) -> None:
        put_line(self._database, at, what, text)

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
            self._fact(at, Turn.FAILED, failure)
        self._fact(at, Record.ENDED, self.run)
        self._write_tail()
        self._database.commit()

    def forget_waiting(self) -> None:
        """What could not be written is not written later either."""
        self._tail.clear()

    def _write_tail(self) -> None:
        self._database.executemany("INSERT INTO tail VALUES (?, ?, ?, ?, ?)", self._tail)
        self._tail.clear()

    def _fold(self, strip: _Strip) -> None:
        if not strip.rows:
            return
        self._write_tail()
        wide = len(strip.names)
        columns = [strip.times, *(strip.values[each::wide] for each in range(wide))]
        put_chunk(self._database, strip.number, columns)
        if strip.names is not PROCESS_METRICS:  # nobody plots a process over the hours
            sums = summed(columns[0], columns[1:])
            strip.sums = put_sums(self._database, strip.number, sums, strip.sums)
        self._database.executemany(
            "DELETE FROM tail WHERE id = ?", [(row,) for row in strip.rows]
        )
        strip.rows, strip.times, strip.values = [], array("d"), array("d")

    def _program(
        self, at: float, known: dict[int, tuple[int, ProgramFacts]], named: NamedProcess
    ) -> int:
        facts, pid = facts_of(named), named.process.pid
        number, before = known.get(pid, (0, facts))
        if not number or _another(before, facts):
            number = self._fact(at, Record.PROCESS, facts)
            self._new_strip(at, str(number), PROCESSES_RHYTHM, PROCESS_METRICS)
            known[pid] = number, facts
        elif facts != before and (facts.resolved or not before.resolved):
            self._fact(at, Record.PROCESS, facts, str(number))
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
        number = self._fact(at, Record.STRIP, StripFacts(owner, rhythm, names))
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

    def _fact(self, at: float, kind: str, value: object, whose: str = "") -> int:
        return put_fact(self._database, at, kind, value, whose)


def facts_of(named: NamedProcess) -> ProgramFacts:
    return ProgramFacts(
        card=named.process.card,
        pid=named.process.pid,
        use=named.process.use,
        resolved=named.resolved,
        reason=named.reason,
        user=named.user,
        command=named.command,
        started_at=named.started_at,
        container=named.container,
        ours=named.ours,
        of_this_user=named.of_this_user,
        elsewhere=named.elsewhere,
        simulated=named.simulated,
        ancestors=tuple((each.pid, each.command) for each in named.ancestors),
    )


def _another(before: ProgramFacts, now: ProgramFacts) -> bool:
    """Whether the same number is somebody else by now."""
    known = before.started_at is not None and now.started_at is not None
    return known and before.started_at != now.started_at


# In place of the sentences that name a program.
_PROGRAMS = {
    Kind.PROCESS_APPEARED: "Process {pid} uses the card",
    Kind.PROCESS_ENDED: "Process {pid} no longer uses the card",
}


class AnonymousTables(Tables):
    """Cards get other ids, always the same in one file. Neither the computer's name nor users,
    commands, containers and what started a program are kept, and nothing that the lab said.
    """

    def __init__(
        self, database: sqlite3.Connection, began: float, writer: Writer, machine: Machine
    ) -> None:
        self._ids = {HOST_ID: HOST_ID}
        super().__init__(database, began, writer, replace(machine, name="", notes=()))

    def sample(self, at: float, sample: Sample) -> None:
        super().sample(at, sample._replace(card=self._id(sample.card)))

    def processes(self, at: float, card: CardId, named: Sequence[NamedProcess] | None) -> None:
        other = self._id(card)
        nameless = named and [_nameless(each, other) for each in named]
        super().processes(at, other, nameless)

    def happening(self, at: float, happening: Happening) -> None:
        card, template = happening.card, _PROGRAMS.get(happening.kind)
        sentence = happening.sentence
        if template is not None:
            sentence = Message(template, pid=happening.about)
        other = None if card is None else self._id(card)
        super().happening(at, happening._replace(card=other, sentence=sentence))

    def cards(self, at: float, cards: Sequence[Card]) -> None:
        super().cards(at, [self._card(each) for each in cards])

    def topology(self, at: float, topology: Topology) -> None:
        links = [
            each._replace(a=self._id(each.a), b=self._id(each.b)) for each in topology.links
        ]
        other = Topology(
            [self._id(each) for each in topology.cards],
            links,
            self._by_id(topology.numa_nodes),
            self._by_id(topology.cpu_affinity),
            topology.node_memory,
        )
        super().topology(at, other)

    def said(self, at: float, what: Topic, text: str) -> None:
        """Code, and what came of it."""

    def _card(self, card: Card) -> Card:
        parent = None if card.parent is None else self._id(card.parent)
        return replace(card, id=self._id(card.id), parent=parent)

    def _by_id(self, known: Mapping[CardId, T]) -> dict[CardId, T]:
        return {self._id(card): value for card, value in known.items()}

    def _id(self, card: CardId) -> CardId:
        other = self._ids.get(card)
        if other is None:
            nameless = NAMELESS if card.startswith(NAMELESS) else ""
            kind = "MIG" if card.startswith("MIG-") else "GPU"
            other = CardId(f"{nameless}{kind}-anonymous-{len(self._ids) - 1}")
            self._ids[card] = other
        return other


def _nameless(named: NamedProcess, card: CardId) -> NamedProcess:
    process = named.process._replace(
        card=card, simulated_command="" if named.simulated else None, simulated_user=None
    )
    return replace(
        named, process=process, user=None, command=None, container=None, ancestors=()
    )
