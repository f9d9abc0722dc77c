"""What a recording tells beside figures: plain values, written as JSON and read again."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import Card, CardId
from gpuexplorer.core.words import NOTHING, Message
from gpuexplorer.telemetry.backend import Source
from gpuexplorer.telemetry.processes import ProcessFigure, ProcessUse


class SubjectKind(StrEnum):
    """Whose figures a series holds."""

    CARD = "card"
    HOST = "host"
    PROCESS = "process"


class Turn(StrEnum):
    """What is true of the machine from one moment on, until it is told anew."""

    CARDS = "cards"  # a list of Card: the ones that are listed
    CLOCK = "clock"  # seconds to add to the axis for the time of day
    TOPOLOGY = "topology"  # a Topology
    PROCESSES = "processes"  # {card id: [subject ids] or null}: who uses it, or nobody can tell
    SUSPENDED = "suspended"  # the computer slept for so many seconds before this
    LOST = "lost"  # a Lost
    FAILED = "failed"  # a Message: why the run that ended at this moment could not go on


class Topic(StrEnum):
    """What lab and copies say, each a JSON object."""

    CELL = "cell"  # what a person did: a Run with what made it a cell, and the like
    EVENT = "event"  # what the worker said, as `lab.wire` writes it
    COPY = "copy"  # a measured copy, as `copies.result_json` writes it, and the whole of it
    PROGRAM = "program"  # a program that is watched: which, what its worker said, its end


@dataclass(frozen=True, slots=True)
class Lost:
    """What came while the file could not be written was not kept."""

    samples: int
    since: float  # axis: when the first of them came


@dataclass(frozen=True, slots=True)
class Writer:
    """Who writes; so that another can tell whether it still does."""

    program: str  # "GPU Explorer 0.1.0"
    pid: int
    started_at: float  # of that process, seconds since 1970


@dataclass(frozen=True, slots=True)
class Machine:
    """Where a run was recorded."""

    name: str  # of the computer; empty where names are left out
    source: Source
    interval: float
    host: Card
    notes: Sequence[Message] = ()


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
