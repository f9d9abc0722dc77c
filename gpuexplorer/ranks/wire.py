"""Orders to a rank and what it tells: lines of JSON, read by the Python over there as well."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, get_args

from gpuexplorer.core.harmless import cleaned
from gpuexplorer.core.records import UNREADABLE, UnreadableError, reader, written
from gpuexplorer.core.words import NOTHING, Message

KNOCKS_EVERY = 2.0


class Way(str, Enum):
    """How bytes are moved; by the word it is asked with."""

    ONE_WAY = "one-way"
    BOTH_WAYS = "both-ways"
    ALL_REDUCE = "all-reduce"
    ALL_GATHER = "all-gather"

    @property
    def together(self) -> bool:
        """All ranks take part."""
        return self in {Way.ALL_REDUCE, Way.ALL_GATHER}


@dataclass(frozen=True)
class Address:
    """One that the computer itself has."""

    text: str
    interface: str = ""
    promised: "float | None" = None  # bytes per second, where the wire has such a thing


@dataclass(frozen=True)
class Other:
    """Another rank: where it may be reached, and the word by which it is known there."""

    rank: int
    address: str
    port: int
    word: str


@dataclass(frozen=True)
class Reach:
    """Try each of these. Answered by Reached."""

    others: "Sequence[Other]"


@dataclass(frozen=True)
class Meet:
    """Be the place where all meet; answered by Meeting."""

    address: str


@dataclass(frozen=True)
class Begin:
    """Join the others; answered by Begun."""

    rank: int
    world: int
    backend: str
    address: str
    port: int
    interface: str
    card: "int | None"
    patience: float  # of PyTorch's own; ours ends it before
    joining: float


@dataclass(frozen=True)
class Take:
    """Move bytes and take the times; answered by Taken from all who take part."""

    number: int
    way: Way
    bytes: int
    source: int = 0
    target: int = 0


@dataclass(frozen=True)
class Knock:
    """Answered by Alive, whatever else is being done."""


@dataclass(frozen=True)
class Here:
    """The first that is told, once PyTorch is there."""

    python: str
    torch: str
    computer: str
    nccl: str  # its version; empty where there is none
    cards: "Sequence[str]"
    addresses: "Sequence[Address]"
    called: "Sequence[str]"  # by ssh: the server's address, and the client's
    port: int
    word: str


@dataclass(frozen=True)
class Elsewhere:
    """This Python has no PyTorch, and that one has it."""

    python: str


@dataclass(frozen=True)
class Found:
    """Whether another rank is reached there, and from which address of ours."""

    rank: int
    address: str
    ours: str = ""  # empty: it is not
    why: str = ""


@dataclass(frozen=True)
class Reached:
    found: "Sequence[Found]"


@dataclass(frozen=True)
class Meeting:
    port: int


@dataclass(frozen=True)
class Begun:
    pass


@dataclass(frozen=True)
class Expects:
    """How long all of it will take, once that is known."""

    number: int
    seconds: float


@dataclass(frozen=True)
class Taken:
    """Times of those who measure; whether all that came here was right."""

    number: int
    bytes: int
    seconds: "Sequence[float]"
    intact: "bool | None" = None  # nothing came here


@dataclass(frozen=True)
class Alive:
    pass


@dataclass(frozen=True)
class Failed:
    why: Message
    hint: Message = NOTHING


Order = Reach | Meet | Begin | Take | Knock
Told = Here | Elsewhere | Reached | Meeting | Begun | Expects | Taken | Alive | Failed
# Any: each is a dataclass, called with what its line of JSON holds.
_KNOWN: "Mapping[str, Any]" = {each.__name__: each for each in get_args(Order | Told)}


def line_of(said: "Order | Told") -> bytes:
    content = {"is": type(said).__name__, **written(said)}
    return json.dumps(content, separators=(",", ":"), default=str).encode() + b"\n"


# Any: which it is stands in the line, and whoever asks looks; each field is checked.
def said_in(line: bytes) -> Any:
    """Its texts are made harmless. Raises UnreadableError, whatever the line is."""
    try:
        content = {name: cleaned(each, name) for name, each in json.loads(line).items()}
        return reader(_KNOWN[content.pop("is")])(content)
    except UNREADABLE as error:
        raise UnreadableError from error
