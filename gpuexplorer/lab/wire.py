"""Commands, and how they and events are lines of JSON: all that window and worker share."""

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from gpuexplorer.core.records import UNREADABLE, reader, written
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import Message
from gpuexplorer.lab.events import Event

LATENCY_BYTES = 16
_FEWEST_BYTES = 1 << 20  # of fewer, the time tells little of the wire
# How the bytes get there.
MODES = frozenset(
    {
        "copy",  # as PyTorch takes them, from one buffer into another, again and again
        "staged",  # from card to card through pinned memory of the host
        "latency",  # so few that only the beginning costs
        "blocking",  # beside a computation, where each copy keeps the host waiting
        "overlap",  # beside a computation, where none does
    }
)


@dataclass(frozen=True)
class CopyJob:
    """Bytes from one device to another; `cpu` to `cpu` and a card to itself are copies too."""

    source: str  # "cpu", "cuda:0"
    target: str
    bytes: int
    mode: str = "copy"
    pinned: "bool | None" = None  # the host's memory; None where none takes part
    both_ways: bool = False  # the same the other way round, at the same time
    pieces: int = 1  # of which the bytes are the sum
    beside: "tuple[tuple[str, str], ...]" = ()  # other copies at the same time: source, target
    fit: bool = False  # fewer bytes will do where so many do not fit

    @property
    def ways(self) -> "list[tuple[str, str]]":
        """All copies at the same time: source and target."""
        back = [(self.target, self.source)] if self.both_ways else []
        return [(self.source, self.target), *back, *self.beside]

    @property
    def touches_host(self) -> bool:
        return "cpu" in (self.source, self.target)

    @property
    def is_timed_by_host(self) -> bool:
        """No card takes part, or the call keeps the host waiting until it is done."""
        return self.touches_host and (self.local or not self.pinned)

    @property
    def local(self) -> bool:
        return self.source == self.target


def fitted(job: CopyJob, fits: "Callable[[CopyJob], bool]") -> CopyJob:
    """With half as many bytes, and half again, until they fit; unchanged if none would do."""
    smaller = job
    while job.fit and smaller.bytes >= 2 * _FEWEST_BYTES and not fits(smaller):
        smaller = replace(smaller, bytes=smaller.bytes // 2)
    return smaller if fits(smaller) else job


# How numbers are held, and computed with: their bytes.
BYTES_OF = {"fp32": 4, "tf32": 4, "fp16": 2, "bf16": 2}
NOT_OF_HOST = ("tf32", "fp16")
# Compute capability from which tensor cores multiply them.
TENSOR_SINCE = {"tf32": (8, 0), "fp16": (7, 0), "bf16": (8, 0)}


def no_tensor_cores_for(kind: str, had: "tuple[int, int] | None") -> "tuple[Message, ...]":
    """That such a card multiplies these otherwise; nothing where it is not so, or not known."""
    other = "This card's tensor cores do not support {kind}: its other cores multiply."
    lacking = had is not None and had < TENSOR_SINCE.get(kind, (0, 0))
    return (Message(other, kind=kind.upper()),) if lacking else ()


@dataclass(frozen=True)
class ProductJob:
    """One square matrix times another, again and again, on one device."""

    device: str  # "cpu", "cuda:0"
    kind: str  # of BYTES_OF
    size: int = 8192  # rows, and columns: every card is at full work

    @property
    def operations(self) -> float:
        """Multiplications and additions, each counted for itself, as datasheets do."""
        return 2.0 * self.size**3

    @property
    def matrix_bytes(self) -> int:
        return self.size * self.size * BYTES_OF.get(self.kind, 4)


@dataclass(frozen=True)
class Command:
    """Whatever a worker is told, by its number."""

    id: int


@dataclass(frozen=True)
class Run(Command):
    """Run one cell: any Python."""

    code: str
    number: int = 0  # as it stands before the cell; its code is known as "<cell 3>"
    watched: bool = True
    placement: bool = False  # each operation prints where it ran
    others: "tuple[tuple[str, int], ...]" = ()  # bytes of other programs, on simulated cards
    lost: "tuple[str, ...]" = ()  # simulated cards that do not answer any more


@dataclass(frozen=True)
class Peek(Command):
    """Look into what an expression such as `X` or `net[0].weight` gives; it stays there."""

    what: str
    at: "tuple[int, ...]" = ()  # the leading indices, then row and column to begin with
    rows: int = 16
    columns: int = 16
    lost: "tuple[str, ...]" = ()


@dataclass(frozen=True)
class Evaluate(Command):
    """What do these expressions give beside the session's names? Answered by an Evaluated."""

    sources: "tuple[str, ...]"
    values: str = "{}"  # what they may name as well, as JSON; see worker/cells.py
    seconds: float = 10.0  # each may take so long
    lost: "tuple[str, ...]" = ()


@dataclass(frozen=True)
class Complete(Command):
    """How may this go on? Answered by a Completed, also while a cell runs."""

    code: str
    at: int  # the place of the cursor, in letters


@dataclass(frozen=True)
class Answer(Command):
    """What the cell of that number asked for. None: it is refused, or there is no answer."""

    text: "str | None" = None


@dataclass(frozen=True)
class Measure(CopyJob, Command):
    """Measure one copy; the answer is a Measured, or Failed."""

    samples: int = 7
    most_share: float = 0.125  # of the free memory of each side
    # Cards, and which processors are close to each, as Linux lists them.
    near: "tuple[tuple[str, str], ...]" = ()


@dataclass(frozen=True)
class Multiply(ProductJob, Command):
    """Measure products of matrices; the answer is a Multiplied, or Failed."""

    samples: int = 7
    most_share: float = 0.125  # of the free memory of the device
    seconds: float = 4.0  # at work without a pause before the samples, so that power is read


@dataclass(frozen=True)
class Cancel(Command):
    """Give up that command, whether it runs or waits."""


# Any: each is a dataclass, called with what its line of JSON holds.
_EVENTS: "dict[str, Any]" = {each.__name__.lower(): each for each in Event.__subclasses__()}
_COMMANDS: "dict[str, Any]" = {each.__name__.lower(): each for each in Command.__subclasses__()}


def line_of(message: "Event | Command") -> str:
    """One line with its newline."""
    what = type(message).__name__.lower()
    return json.dumps({"is": what, **written(message)}, separators=(",", ":")) + "\n"


def event_of(line: str) -> Event:
    """Raises Trouble for what is no event."""
    event: Event = _read(line, _EVENTS, Message("worker"))
    return event


def command_of(line: str) -> Command:
    command: Command = _read(line, _COMMANDS, Message("window"))
    return command


# Any: which record it is stands in the line itself.
def _read(line: str, known: "dict[str, Any]", whose: str) -> Any:
    try:
        content = json.loads(line)
        return reader(known[content.pop("is")])(content)
    except UNREADABLE:
        raise Trouble(
            "The {whose} said something that is no message: {said!r}.",
            "Another program may be writing into its pipe.",
            whose=whose,
            said=line.strip()[:80],
        ) from None
