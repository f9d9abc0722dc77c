"""What a recording holds, version 2: the tables of its SQLite file, how columns lie in them,
what it tells beside figures, and Tables, which puts it there. docs/recordings.md says more.

Times are seconds of the recording's own axis: those since 1970 when its first run began, and
counted on by a clock that never jumps and that goes on while the computer sleeps. A later run
begins at its time of day, or right after the one before where the clock was set back.
"""

import json
import re
import sqlite3
import struct
import time
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import NamedTuple, TypeAlias, TypeVar

import numpy as np
import psutil
from numpy.typing import ArrayLike, NDArray

import gpuexplorer
from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import HOST_ID, NAMELESS, Card, CardId, CardState, Sample
from gpuexplorer.core.metrics import METRICS, MetricId
from gpuexplorer.core.records import UnreadableError, text_of
from gpuexplorer.core.words import NOTHING, Message
from gpuexplorer.telemetry.backend import Source
from gpuexplorer.telemetry.facts import Cards, Users
from gpuexplorer.telemetry.happenings import Happening, Kind
from gpuexplorer.telemetry.history import firsts, summed
from gpuexplorer.telemetry.processes import NamedProcess, ProcessFigure, ProcessUse
from gpuexplorer.telemetry.topology import Topology

APPLICATION = 0x47505845  # "GPXE", in the header of the file
VERSION = 2
TABLES = """
CREATE TABLE fact (id INTEGER PRIMARY KEY, at REAL NOT NULL, kind TEXT NOT NULL,
    whose TEXT NOT NULL, json TEXT NOT NULL, sum INTEGER NOT NULL);
CREATE INDEX fact_of ON fact (kind, at);
CREATE TABLE tail (id INTEGER PRIMARY KEY, strip INTEGER NOT NULL, at REAL NOT NULL,
    data BLOB NOT NULL, sum INTEGER NOT NULL);
CREATE TABLE chunk (id INTEGER PRIMARY KEY, strip INTEGER NOT NULL, first REAL NOT NULL,
    last REAL NOT NULL, data BLOB NOT NULL);
CREATE INDEX chunk_of ON chunk (strip, first, last);
CREATE TABLE sums (id INTEGER PRIMARY KEY, strip INTEGER NOT NULL, first REAL NOT NULL,
    last REAL NOT NULL, data BLOB NOT NULL);
CREATE INDEX sums_of ON sums (strip, first, last);
"""
# So many readings are a chunk, and so many minutes a row of sums.
FULL = 512
# Of a minute: the least, the most, the mean, and how many readings.
SUM = 4
# The metric under which a strip keeps the state of its card: its number in the file's own list.
STATE = ":state"
# A rhythm is the cadence of a card's metrics, or one of these.
HOST_RHYTHM = "host"
PROCESSES_RHYTHM = "processes"
# The metrics of a process are its ProcessFigures, and what the computer says of it.
CPU = "cpu"
HOST_MEMORY = "host_memory"
PROCESS_METRICS = (*(figure.value for figure in ProcessFigure), CPU, HOST_MEMORY)
# Clocks round differently.
_SAME_START = 2.0

T = TypeVar("T")
Floats: TypeAlias = NDArray[np.float64]


class Turn(StrEnum):
    """What is true of the machine from one moment on, until it is told anew."""

    CARDS = "cards"  # a list of Card: the ones that are listed
    CLOCK = "clock"  # seconds to add to the axis for the time of day
    TOPOLOGY = "topology"  # a Topology
    PROCESSES = "processes"  # numbers of processes or null: who uses the card, or nobody tells
    SUSPENDED = "suspended"  # the computer slept for so many seconds before this
    LOST = "lost"  # a Lost
    FAILED = "failed"  # a Message: why the run that ended at this moment could not go on


class Topic(StrEnum):
    """What lab and copies say, each a JSON object."""

    CELL = "cell"  # what a person did: a Run with what made it a cell, and the like
    EVENT = "event"  # what the worker said, as `lab.wire` writes it
    COPY = "copy"  # a measured copy, as `copies.result_json` writes it, and the whole of it
    PROGRAM = "program"  # a program that is watched: which, what its worker said, its end


class Record(StrEnum):
    """The other kinds of facts."""

    FILE = "file"  # a FileFacts: the first of all
    RUN = "run"  # a Began: somebody wrote from here on
    ENDED = "ended"  # a number: the run that ended
    STRIP = "strip"  # a StripFacts, whose number is the fact's
    PROCESS = "process"  # a ProgramFacts, likewise
    HAPPENING = "happening"  # a Happening


@dataclass(frozen=True, slots=True)
class FileFacts:
    """`reasons` and `states` are what the numbers in columns mean, from 1 on."""

    program: str
    anonymous: bool
    reasons: Sequence[str]
    states: Sequence[str]


@dataclass(frozen=True, slots=True)
class StripFacts:
    """Metrics that are read together, of a card, the host, or a process by its number."""

    owner: str
    rhythm: str
    names: Sequence[str]


@dataclass(frozen=True, slots=True)
class Writer:
    """Who writes; so that another can tell whether it still does."""

    program: str  # "GPU Explorer 0.1.0"
    pid: int
    started_at: float  # of that process, seconds since 1970

    @property
    def is_there(self) -> bool:
        """That very process, and not another with its number."""
        try:
            began = psutil.Process(self.pid).create_time()
        except (psutil.Error, ValueError, OverflowError):
            return False
        return abs(began - self.started_at) < _SAME_START


@dataclass(frozen=True, slots=True)
class Machine:
    """Where a run was recorded."""

    name: str  # of the computer; empty where names are left out
    source: Source
    interval: float
    host: Card
    notes: Sequence[Message] = ()


@dataclass(frozen=True, slots=True)
class Began:
    writer: Writer
    machine: Machine


@dataclass(frozen=True, slots=True)
class Lost:
    """What came while the file could not be written was not kept."""

    samples: int
    since: float  # axis: when the first of them came


@dataclass(frozen=True, slots=True)
class ProgramFacts:
    """Who a process is, as far as it does not change while it uses a card."""

    card: CardId
    pid: int
    use: ProcessUse
    resolved: bool
    reason: Message = NOTHING
    user: str | None = None
    command: str | None = None
    started_at: float | None = None
    container: str | None = None
    ours: bool = False
    of_this_user: bool = False
    elsewhere: bool = False
    simulated: bool = False
    ancestors: Sequence[tuple[int, str]] = ()


class ProgramSeen(NamedTuple):
    """One process on one card, as it was at one look."""

    subject: int
    facts: ProgramFacts
    since: float  # axis: when it was first seen there
    named: NamedProcess


@dataclass(frozen=True, slots=True)
class Said:
    at: float
    what: Topic
    text: str


# By number, from 1 on; 0 is a NaN of another origin. A file holds these lists itself.
REASONS = tuple(Absence)
STATES = tuple(CardState)
# A quiet NaN has 51 bits to spare.
NANS = {
    reason: struct.unpack("<d", struct.pack("<Q", 0x7FF8_0000_0000_0000 | number))[0]
    for number, reason in enumerate(REASONS, 1)
}
_STATE_NUMBERS = {state: float(number) for number, state in enumerate(STATES, 1)}
_NO_REASON = float("nan")
_LAST_FOLDING = 1.0  # seconds
PROGRAM = f"GPU Explorer {gpuexplorer.__version__}"
# What a recording is told beside what is true of itself.
Told: TypeAlias = Sample | Users | Happening | Cards | Topology | Said
MOST_READINGS = 1_000_000  # in a chunk, whatever its bytes would unfold to


def reason_number(value: float) -> int:
    """Of a NaN: the number of its reason, 0 where it has none."""
    bits: int = struct.unpack("<Q", struct.pack("<d", value))[0]
    return bits & 0xFFFF


def raw(values: ArrayLike) -> bytes:
    return np.asarray(values, "<f8").tobytes()


def from_raw(data: bytes) -> Floats:
    """Raises ValueError where it cannot be that."""
    return np.frombuffer(data, "<f8").astype(np.float64, copy=False)


def from_tail(rows: Iterable[tuple[float, bytes]]) -> tuple[Floats, Floats]:
    """Of rows of one strip: the times, and a column of each metric."""
    times, data = zip(*rows, strict=True)
    # An answer that came late is no older than the one before.
    columns = from_raw(b"".join(data)).reshape(len(times), -1).T
    return np.maximum.accumulate(times), columns


def sum_of(*row: object) -> int:
    """The checksum of a fact or of a row of the tail."""
    return zlib.crc32(repr(row).encode(errors="replace"))


def packed(strip: int, first: float, columns: Iterable[ArrayLike]) -> bytes:
    """How many columns, how long each is, and each by itself: the times and the metrics. What
    would stand in the place of another does not unpack.
    """
    streams = []
    for number, column in enumerate(columns):
        # Percents as doubles repeat in whole: the fastest level finds that too.
        maker = zlib.compressobj(1, zdict=_key(strip, first, number))
        streams.append(maker.compress(raw(column)) + maker.flush())
    sizes = len(streams), *map(len, streams)
    return struct.pack(f"<{len(sizes)}I", *sizes) + b"".join(streams)


def unpacked(strip: int, first: float, data: bytes, number: int) -> Floats:
    """One of the columns. Raises UnreadableError where it is not what was written."""
    try:
        (count,) = struct.unpack_from("<I", data)
        size, *before = struct.unpack_from(f"<{number + 1}I", data, 4)[::-1]
        begin = 4 + 4 * count + sum(before)
        unpacker = zlib.decompressobj(zdict=_key(strip, first, number))
        plain = unpacker.decompress(data[begin : begin + size], 8 * MOST_READINGS)
    except (zlib.error, struct.error) as error:
        raise UnreadableError from error
    if number >= count or not unpacker.eof:
        raise UnreadableError
    return from_raw(plain)


def _key(strip: int, first: float, number: int) -> bytes:
    return f"{strip} {float(first)!r} {number}".encode()


def lay_out(database: sqlite3.Connection, *, anonymous: bool = False) -> None:
    """The tables of a new file."""
    database.execute("PRAGMA page_size = 8192")
    database.execute("PRAGMA auto_vacuum = INCREMENTAL")
    database.executescript(
        "BEGIN;"
        f" PRAGMA application_id = {APPLICATION}; PRAGMA user_version = {VERSION}; {TABLES}"
    )
    put_fact(database, 0.0, Record.FILE, FileFacts(PROGRAM, anonymous, REASONS, STATES))
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
    """`figures`: of each column those of each minute. In place of that row. Which it is."""
    first, last = float(starts[0]), float(starts[-1])
    data = packed(strip, first, (starts, *figures.reshape(len(figures), -1)))
    return database.execute(
        "INSERT OR REPLACE INTO sums (id, strip, first, last, data) VALUES (?, ?, ?, ?, ?)",
        (row, strip, first, last, data),
    ).lastrowid


@dataclass(slots=True)
class _Strip:
    number: int
    names: Sequence[str]
    # In no chunk yet: their numbers in the tail, when, and what.
    rows: list[tuple[int, float, bytes]] = field(default_factory=list)
    # The row that is not full yet: its number, and what is in it.
    sums: tuple[int | None, Floats, Floats] | None = None


class Tables:
    """One run that is written. Every time is of the axis. For one thread, which commits.

    `anonymous`: cards get other ids, always the same in one file. Users, commands, containers
    and what started a program are left out, and all that the lab said.
    """

    def __init__(
        self, database: sqlite3.Connection, began: float, machine: Machine, *, anonymous: bool
    ) -> None:
        self._database, self._anonymous = database, anonymous
        self._ids = {HOST_ID: HOST_ID}  # other ones, where it is anonymous
        self._strips: dict[tuple[str, str], _Strip] = {}
        self._programs: dict[CardId, dict[int, tuple[int, ProgramFacts]]] = {}
        self._users: dict[CardId, list[int] | None] = {}
        self._listed: Sequence[Card] | None = None
        if anonymous:
            machine = replace(machine, name="", notes=())
        this = psutil.Process()
        writer = Writer(PROGRAM, this.pid, this.create_time())
        self.run = self.fact(began, Record.RUN, Began(writer, machine))

    def put(self, at: float, told: Told) -> None:
        if self._anonymous:
            for card in _cards_of(told):
                self._meet(card)
        match told:
            case Sample() as sample:
                self._sample(at, sample)
            case Users(card=card, processes=named):
                self._processes(at, card, named)
            case Happening() as happening:
                if self._anonymous and happening.kind in _PROGRAMS:
                    words = Message(_PROGRAMS[happening.kind], pid=happening.about)
                    happening = happening._replace(sentence=words)
                self.fact(at, Record.HAPPENING, happening._replace(at=at))
            case Cards(cards=cards) if cards != self._listed:
                self._listed = cards
                self.fact(at, Turn.CARDS, cards)
            case Topology() as topology:
                self.fact(at, Turn.TOPOLOGY, topology)
            case Said(what=what, text=text) if not self._anonymous:
                put_line(self._database, at, what, text)

    def fact(self, at: float, kind: str, value: object, whose: str = "") -> int:
        text = text_of(value)
        if self._anonymous:
            text = _TEXTS.sub(lambda found: json.dumps(self._other(json.loads(found[0]))), text)
        return put_line(self._database, at, kind, text, self._other(whose))

    def commit(self) -> None:
        """What was told since the last time stands in the file for good."""
        for strip in self._strips.values():
            if len(strip.rows) >= FULL:
                self._fold(strip)
        self._database.commit()

    def end(self, at: float) -> None:
        """Packs what can be packed in a second. The rest is no worse where it stands."""
        until = time.monotonic() + _LAST_FOLDING
        for strip in self._strips.values():
            if time.monotonic() < until:
                self._fold(strip)
        self.say_ended(at)

    def say_ended(self, at: float, failure: Message | None = None) -> None:
        if failure is not None:
            self.fact(at, Turn.FAILED, failure)
        self.fact(at, Record.ENDED, self.run)
        self._database.commit()

    def _sample(self, at: float, sample: Sample) -> None:
        figures = _figures(sample.values, sample.missing)
        some = next(iter(figures), None)
        if some is None:
            return
        rhythm = HOST_RHYTHM if sample.card == HOST_ID else METRICS[some].cadence.value
        strip = self._strips.get((sample.card, rhythm))
        if strip is None or figures.keys() ^ strip.names != {STATE}:
            names = [metric for metric in METRICS if metric in figures]
            strip = self._new_strip(at, sample.card, rhythm, (*names, STATE))
        row = [figures[name] for name in map(MetricId, strip.names[:-1])]
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
        who = named.process
        facts = ProgramFacts(
            *(who.card, who.pid, who.use),
            **{each: getattr(named, each) for each in KNOWN},
            simulated=named.simulated,
            ancestors=tuple((each.pid, each.command) for each in named.ancestors),
        )
        if self._anonymous:
            facts = replace(facts, user=None, command=None, container=None, ancestors=())
        number, before = known.get(who.pid, (0, facts))
        starts = {before.started_at, facts.started_at}
        # The same number may be somebody else by now.
        if not number or (None not in starts and len(starts) > 1):
            number = self.fact(at, Record.PROCESS, facts)
            self._new_strip(at, str(number), PROCESSES_RHYTHM, PROCESS_METRICS)
            known[who.pid] = number, facts
        elif facts != before and (facts.resolved or not before.resolved):
            self.fact(at, Record.PROCESS, facts, str(number))
            known[who.pid] = number, facts
        figures = _figures(who.values, who.missing)
        row = *map(figures.get, ProcessFigure), named.cpu, named.memory_bytes
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
        data = raw(row)
        asked = "INSERT INTO tail (strip, at, data, sum) VALUES (?, ?, ?, ?)"
        told = strip.number, at, data, sum_of(strip.number, at, data)
        number = self._database.execute(asked, told).lastrowid or 0
        strip.rows.append((number, at, data))

    def _fold(self, strip: _Strip) -> None:
        if not strip.rows:
            return
        times, columns = from_tail(row[1:] for row in strip.rows)
        put_chunk(self._database, strip.number, times, columns)
        if strip.names is not PROCESS_METRICS:  # nobody plots a process over the hours
            starts, figures, row = times[firsts(times)], summed(times, columns), None
            if strip.sums is not None:
                row, before, told = strip.sums
                starts = np.concatenate((before, starts))
                figures = np.concatenate((told, figures), axis=2)
            row = put_sums(self._database, strip.number, starts, figures, row)
            strip.sums = (row, starts, figures) if len(starts) < FULL else None
        numbers = [(number,) for number, *_ in strip.rows]
        self._database.executemany("DELETE FROM tail WHERE id = ?", numbers)
        strip.rows.clear()

    def _other(self, text: str) -> str:
        """A card's other id in place of its own."""
        return self._ids.get(CardId(text), text)

    def _meet(self, card: CardId) -> None:
        if card not in self._ids:
            nameless = NAMELESS if card.startswith(NAMELESS) else ""
            kind = "MIG" if card.startswith("MIG-") else "GPU"
            self._ids[card] = CardId(f"{nameless}{kind}-anonymous-{len(self._ids) - 1}")


# In place of the sentences that name a program.
_PROGRAMS = {
    Kind.PROCESS_APPEARED: "Process {pid} uses the card",
    Kind.PROCESS_ENDED: "Process {pid} no longer uses the card",
}
_TEXTS = re.compile(r'"(?:[^"\\]|\\.)*"')  # of JSON
# What is the same of a NamedProcess and its ProgramFacts.
KNOWN = (
    *("resolved", "reason", "user", "command", "started_at", "container", "ours"),
    *("of_this_user", "elsewhere"),
)


def _cards_of(told: Told) -> Iterator[CardId]:
    match told:
        case Sample(card=card) | Users(card=card) | Happening(card=card) if card is not None:
            yield card
        case Topology(cards=ids):
            yield from ids
        case Cards(cards=cards):
            for each in cards:
                yield from filter(None, (each.parent, each.id))


def _figures(values: Mapping[T, float], missing: Mapping[T, Absence]) -> dict[T, float]:
    return {**{each: NANS[why] for each, why in missing.items()}, **values}
