"""Orders and answers: what this side and the agent over there say to each other beside facts,
as lines of JSON. Times are the steady seconds of the machine that is read.
"""

import json
from collections.abc import Mapping, MutableMapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Union

from gpuexplorer.core.cards import Card, Sample
from gpuexplorer.core.harmless import LETTERS, kinds, record_in
from gpuexplorer.core.words import NOTHING, Message
from gpuexplorer.lab.pythons import LabPython
from gpuexplorer.simulation.course import Occupation
from gpuexplorer.telemetry.backend import HardwareFault
from gpuexplorer.telemetry.facts import Cards, Notes, Users, Watch
from gpuexplorer.telemetry.processes import Way
from gpuexplorer.telemetry.topology import Topology

# Both sides are of one program, since one sends the other; only a cache could mix them up.
VERSION = 1


@dataclass(frozen=True)
class AskWiring:
    """Answered by Wired."""

    id: int


@dataclass(frozen=True)
class End:
    """Ask this process to end, or kill it; only if it began at just that time. Then Done."""

    id: int
    pid: int
    started_at: float
    way: Way


@dataclass(frozen=True)
class AskRunning:
    """Answered by Running: whether that very process runs still."""

    id: int
    pid: int
    started_at: float


@dataclass(frozen=True)
class AskPythons:
    """Answered by Pythons."""

    id: int
    named: str = ""  # one that a person named; else those that are found


@dataclass(frozen=True)
class CheckUp:
    """What the doctor says over there; answered by CheckedUp."""

    id: int
    deep: bool = False


@dataclass(frozen=True)
class Knock:
    """A sign of life at least every KNOCKS_EVERY seconds; answered at once by Knocked."""

    id: int


@dataclass(frozen=True)
class Added:
    """What the lab does to a simulated card; its times are seconds from now on."""

    card: int
    held_bytes: int = 0
    occupation: "Occupation | None" = None


Question = Union[AskWiring, End, AskRunning, AskPythons, CheckUp, Knock]  # noqa: UP007
Order = Union[Watch, Added, Question]  # noqa: UP007

KNOCKS_EVERY = 2.0
# An agent that heard no order for so long ends itself, and all that it started.
ALONE = 20.0


@dataclass(frozen=True)
class Hello:
    """The first line of an agent that is ready."""

    version: int
    python: str
    system: str  # "Linux 6.1.0"
    computer: str  # its own name
    user: str  # who we are over there
    host: Card
    now: float
    wall: float
    attempts: "Sequence[Message]" = ()  # why no card answers, each with its way out
    elsewhere: bool = False  # pids are those of another namespace


@dataclass(frozen=True)
class Wired:
    id: int
    topology: Topology


@dataclass(frozen=True)
class Pythons:
    id: int
    found: "Sequence[LabPython]"


@dataclass(frozen=True)
class Running:
    """A process of which only the entry is left does not run."""

    id: int
    running: bool


@dataclass(frozen=True)
class CheckedUp:
    id: int
    report: str  # JSON, as `doctor --json` prints it


@dataclass(frozen=True)
class Knocked:
    id: int
    now: float
    wall: float


@dataclass(frozen=True)
class Done:
    """That order was carried out, or why not."""

    id: int
    trouble: Message = NOTHING
    hint: Message = NOTHING


Told = Union[  # noqa: UP007 - the agent may be Python 3.10
    Hello,
    Wired,
    Running,
    Pythons,
    CheckedUp,
    Knocked,
    Done,
]

_ORDERS = kinds(Order)


def order_of(line: bytes) -> Order:
    """Raises UnreadableError, whatever the line is."""
    order: Order = record_in(line, _ORDERS)
    return order


# What is told besides, as it is.
FACTS = (Cards, Notes, Sample, Users, HardwareFault)
_TOLD = {**kinds(Told), **{each.__name__: each for each in FACTS}}
_LONG = dict.fromkeys(("command", "simulated_command", "path", "prefix"), 8192)
_LETTERS = {**LETTERS, **_LONG}


# Any: one of what is told, or a fact.
def told_of(line: bytes) -> Any:
    """Raises UnreadableError, whatever the line is. A report is JSON of its own, for whoever
    reads that.
    """
    return record_in(line, _TOLD, _LETTERS, as_they_are={"report"})


_NAME = "GPUEXPLORER_AGENT"


@dataclass(frozen=True)
class Settings:
    """Which cards it reads: the real ones, or simulated ones; and how long it waits, alone."""

    simulate: "str | None" = None
    faults: str = ""
    seed: int = 0
    alone: float = ALONE

    @property
    def environment(self) -> "Mapping[str, str]":
        return {_NAME: json.dumps(asdict(self))}


def settings_of(environment: "MutableMapping[str, str]") -> Settings:
    """What it starts itself shall not find them."""
    return Settings(**json.loads(environment.pop(_NAME, "{}")))
