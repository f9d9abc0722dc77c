"""Orders to a rank and what it tells, as tagged lines; the Python over there reads it too."""

from collections.abc import Sequence
from enum import Enum
from typing import NamedTuple

from gpuexplorer.core.harmless import kinds
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
    address: str
    port: int
    interface: str
    card: "int | None"  # for NCCL; without one it is gloo
    joining: float
    patience: float  # of PyTorch's own; ours ends it before


class Take(NamedTuple):
    """Move bytes and take the times; answered by Taken from all who take part."""

    way: Way
    bytes: int
    source: int = 0  # who leads
    target: int = 0


class Here(NamedTuple):
    """The first that is told, once PyTorch is there."""

    torch: str
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
ORDERS, TOLD = kinds(Order), kinds(Told)
