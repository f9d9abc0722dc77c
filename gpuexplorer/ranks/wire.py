"""Orders to a rank and what it tells: lines of JSON, read by the Python over there as well."""

import json
from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Any, NamedTuple, get_args

from gpuexplorer.core.harmless import cleaned
from gpuexplorer.core.records import UNREADABLE, UnreadableError, reader, text_of
from gpuexplorer.core.words import NOTHING, Message

BEAT = 2.0  # seconds: so often each end lets the other hear that it is there


class Way(str, Enum):
    """How bytes are moved; by the word it is asked with."""

    ONE_WAY = "one-way"
    ALL_REDUCE = "all-reduce"  # all ranks take part


class Address(NamedTuple):
    """One that the computer itself has."""

    text: str
    interface: str = ""
    promised: "float | None" = None  # bytes per second, where the wire has such a thing


class Other(NamedTuple):
    """Another rank: where it may be reached, and the word by which it is known there."""

    rank: int
    address: str
    port: int
    word: str


class Reach(NamedTuple):
    """Try each of these. Answered by Reached."""

    others: "Sequence[Other]"


class Begin(NamedTuple):
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


class Take(NamedTuple):
    """Move bytes and take the times; answered by Taken from all who take part."""

    way: Way
    bytes: int
    source: int = 0
    target: int = 0


class Here(NamedTuple):
    """The first that is told, once PyTorch is there."""

    torch: str
    computer: str
    nccl: str  # its version; empty where there is none
    cards: "Sequence[str]"
    addresses: "Sequence[Address]"
    called: "Sequence[str]"  # by ssh: the server's address, and the client's
    port: int
    word: str


class Elsewhere(NamedTuple):
    """This Python has no PyTorch, and that one has it."""

    python: str


class Found(NamedTuple):
    """Whether another rank is reached there, and from which address of ours."""

    rank: int
    address: str
    ours: str = ""  # empty: it is not
    why: str = ""


class Reached(NamedTuple):
    found: "Sequence[Found]"


class Begun(NamedTuple):
    pass


class Expects(NamedTuple):
    """How long all of it will take, once that is known."""

    seconds: float


class Taken(NamedTuple):
    """Times of those who measure; whether all that came here was right."""

    seconds: "Sequence[float]"
    intact: bool


class Alive(NamedTuple):
    """Told every BEAT, whatever else is being done."""


class Failed(NamedTuple):
    why: Message
    hint: Message = NOTHING


Order = Reach | Begin | Take
Told = Here | Elsewhere | Reached | Begun | Expects | Taken | Alive | Failed
# Any: each is a named tuple, called with what its line of JSON holds.
_KNOWN: "Mapping[str, Any]" = {each.__name__: each for each in get_args(Order | Told)}


def line_of(said: "Order | Told") -> bytes:
    return text_of({"is": type(said).__name__, **said._asdict()}).encode() + b"\n"


# Any: which it is stands in the line, and whoever asks looks; each field is checked.
def said_in(line: bytes) -> Any:
    """Its texts are made harmless. Raises UnreadableError, whatever the line is."""
    try:
        content = {name: cleaned(each, name) for name, each in json.loads(line).items()}
        return reader(_KNOWN[content.pop("is")])(content)
    except UNREADABLE as error:
        raise UnreadableError from error
