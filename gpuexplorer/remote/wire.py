"""Orders and answers: what this side and the agent over there say to each other beside facts,
as lines of JSON. Times are the steady seconds of the machine that is read. Both sides are of
one program, since one sends the other.
"""

from collections.abc import Mapping, MutableMapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Union, get_args

from gpuexplorer.core.cards import Card, Sample
from gpuexplorer.core.harmless import record_in
from gpuexplorer.core.records import from_text, text_of
from gpuexplorer.core.words import NOTHING, Message
from gpuexplorer.simulation.course import Occupation
from gpuexplorer.telemetry.backend import HardwareFault
from gpuexplorer.telemetry.facts import Cards, Notes, Users, Watch
from gpuexplorer.telemetry.processes import Way


@dataclass(frozen=True)
class Question:
    """Answered by an Answer of the same number."""

    id: int = field(default=0, kw_only=True)


@dataclass(frozen=True)
class AskWiring(Question):
    """A Topology."""


@dataclass(frozen=True)
class AskProcess(Question):
    """Whether that very process, which began just then, runs still; one of which only the entry
    is left does not. `way`: it is asked to end, or killed.
    """

    pid: int
    started_at: float
    way: "Way | None" = None


@dataclass(frozen=True)
class AskPythons(Question):
    """A sequence of LabPython."""

    named: str = ""  # one that a person named; else those that are found


@dataclass(frozen=True)
class CheckUp(Question):
    """What the doctor says over there, as `doctor --json` prints it."""

    deep: bool = False


@dataclass(frozen=True)
class Knock:
    """A sign of life at least every KNOCKS_EVERY seconds; answered at once by Knocked."""

    sent_at: float  # by the clock of who knocks, and told back


@dataclass(frozen=True)
class Added:
    """What the lab does to a simulated card; its times are seconds from now on."""

    card: int
    held_bytes: int = 0
    occupation: "Occupation | None" = None


Order = Union[Watch, Added, Knock, Question]  # noqa: UP007 - Python 3.10

KNOCKS_EVERY = 2.0
# An agent that heard no order for so long ends itself, and all that it started.
ALONE = 20.0


@dataclass(frozen=True)
class Hello:
    """Told once the agent is ready, after its cards."""

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
class Knocked:
    sent_at: float
    now: float
    wall: float


@dataclass(frozen=True)
class Answer:
    """JSON of what was asked for, or why there is none; of number 0, why there is no agent."""

    id: int
    text: str = ""
    trouble: Message = NOTHING
    hint: Message = NOTHING


# Facts are told as they are.
Told = Union[Hello, Knocked, Answer, Cards, Notes, Sample, Users, HardwareFault]  # noqa: UP007 - as above
_KINDS = {
    each.__name__: each
    for each in (Watch, Added, Knock, *Question.__subclasses__(), *get_args(Told))
}


# Any: an Order, or what is Told.
def told_of(line: bytes) -> Any:
    """Raises UnreadableError, whatever the line is. The text of an answer is made harmless by
    who asked.
    """
    return record_in(line, _KINDS, as_they_are={"text"})


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
        return {_NAME: text_of(self)}


def settings_of(environment: "MutableMapping[str, str]") -> Settings:
    """What it starts itself shall not find them."""
    settings: Settings = from_text(Settings, environment.pop(_NAME, "{}"))
    return settings
