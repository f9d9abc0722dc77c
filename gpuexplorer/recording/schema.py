"""What a recording holds, version 2: the tables of its SQLite file, how columns lie in them,
and what it tells beside figures. docs/recordings.md says more.

Times are seconds of the recording's own axis: those since 1970 when its first run began, and
counted on by a clock that never jumps and that goes on while the computer sleeps. A later run
begins at its time of day, or right after the one before where the clock was set back.
"""

import struct
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

import numpy as np
import psutil
from numpy.typing import NDArray

import gpuexplorer
from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import Card, CardId, CardState
from gpuexplorer.core.words import NOTHING, Message
from gpuexplorer.telemetry.backend import Source
from gpuexplorer.telemetry.processes import ProcessFigure, ProcessUse

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

Floats: TypeAlias = NDArray[np.float64]
Numbers: TypeAlias = Sequence[float] | NDArray[np.floating]


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
    ROOM = "room"  # given back where the disk is full, so that its end can be written


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


@dataclass(frozen=True, slots=True)
class ProgramSeen:
    """One process on a card, as it was at one look."""

    subject: int
    facts: ProgramFacts
    since: float  # axis: when it was first seen there
    values: Mapping[ProcessFigure, float]
    missing: Mapping[ProcessFigure, Absence]
    cpu: float | None  # cores' worth
    memory_bytes: int | None  # of the computer's memory


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
MOST_READINGS = 1_000_000  # in a chunk, whatever its bytes would unfold to


class DamagedError(ValueError):
    """These bytes are not what was written."""


def this_program() -> Writer:
    process = psutil.Process()
    return Writer(f"GPU Explorer {gpuexplorer.__version__}", process.pid, process.create_time())


def reason_number(value: float) -> int:
    """Of a NaN: the number of its reason, 0 where it has none."""
    bits: int = struct.unpack("<Q", struct.pack("<d", value))[0]
    return bits & 0xFFFF


def raw(values: Numbers) -> bytes:
    return np.asarray(values, "<f8").tobytes()


def from_raw(data: bytes) -> Floats:
    try:
        return np.frombuffer(data, "<f8").astype(np.float64, copy=False)
    except ValueError as error:
        raise DamagedError from error


def sum_of(*row: object) -> int:
    """The checksum of a fact or of a row of the tail."""
    return zlib.crc32(repr(row).encode(errors="replace"))


def packed(strip: int, first: float, columns: Iterable[Numbers]) -> bytes:
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
    """One of the columns. Raises DamagedError where it is not what was written."""
    try:
        (count,) = struct.unpack_from("<I", data)
        size, *before = struct.unpack_from(f"<{number + 1}I", data, 4)[::-1]
        begin = 4 + 4 * count + sum(before)
        unpacker = zlib.decompressobj(zdict=_key(strip, first, number))
        plain = unpacker.decompress(data[begin : begin + size], 8 * MOST_READINGS)
    except (zlib.error, struct.error) as error:
        raise DamagedError from error
    if number >= count or not unpacker.eof:
        raise DamagedError
    return from_raw(plain)


def _key(strip: int, first: float, number: int) -> bytes:
    return f"{strip} {float(first)!r} {number}".encode()
