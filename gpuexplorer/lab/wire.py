"""Commands and events as lines of JSON: all that window and worker have in common."""

import json
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, Union

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import Message
from gpuexplorer.lab import events
from gpuexplorer.lab.copy_job import CopyJob
from gpuexplorer.lab.events import Event
from gpuexplorer.lab.product_job import ProductJob


@dataclass(frozen=True)
class Run:
    """Carry out one line of the lab."""

    id: int
    line: str
    others: "tuple[tuple[str, int], ...]" = ()  # bytes of other programs, on simulated cards
    lost: "tuple[str, ...]" = ()  # simulated cards that do not answer any more


@dataclass(frozen=True)
class Peek:
    """Look into what a line such as `X` or `net[0].weight` stands for; it stays where it is."""

    id: int
    what: str
    at: "tuple[int, ...]" = ()  # the leading indices, then row and column to begin with
    rows: int = 16
    columns: int = 16
    lost: "tuple[str, ...]" = ()


@dataclass(frozen=True)
class Train:
    """Train a model for so many steps with an optimiser; all by the names on the shelf."""

    id: int
    model: str
    inputs: str
    targets: str
    optimiser: str
    loss: str  # a word of torch.nn.functional, such as "mse_loss"
    steps: int
    batch: int
    others: "tuple[tuple[str, int], ...]" = ()
    lost: "tuple[str, ...]" = ()


@dataclass(frozen=True)
class Measure:
    """Measure one copy; the answer is a Measured, or Failed."""

    id: int
    source: str
    target: str
    bytes: int
    mode: str = "copy"
    pinned: "bool | None" = None
    both_ways: bool = False
    pieces: int = 1
    beside: "tuple[tuple[str, str], ...]" = ()
    samples: int = 7
    most_share: float = 0.125  # of the free memory of each side
    fit: bool = False
    # Cards, and which processors are close to each, as Linux lists them.
    near: "tuple[tuple[str, str], ...]" = ()

    @property
    def job(self) -> CopyJob:
        return CopyJob(
            self.source,
            self.target,
            self.bytes,
            self.mode,
            self.pinned,
            self.both_ways,
            self.pieces,
            self.beside,
            self.fit,
        )


@dataclass(frozen=True)
class Multiply:
    """Measure products of matrices; the answer is a Multiplied, or Failed."""

    id: int
    device: str
    kind: str
    size: int
    samples: int = 7
    most_share: float = 0.125  # of the free memory of the device
    seconds: float = 4.0  # at work without a pause before the samples, so that power is read

    @property
    def job(self) -> ProductJob:
        return ProductJob(self.device, self.kind, self.size)


@dataclass(frozen=True)
class Cancel:
    """Give up that command, whether it runs or waits."""

    id: int


@dataclass(frozen=True)
class Forget:
    """Take names from the shelf; no names: all of it."""

    id: int
    names: "tuple[str, ...]" = ()


Command = Union[Run, Peek, Train, Measure, Multiply, Cancel, Forget]  # noqa: UP007 - the worker may be Python 3.10

# Any: each is a dataclass, called with what its line of JSON holds.
_EVENTS: "dict[str, type[Any]]" = {
    each.__name__.lower(): each
    for each in (
        events.Hello,
        events.Began,
        events.Transferred,
        events.Spans,
        events.Placed,
        events.Freed,
        events.Printed,
        events.Peeked,
        events.Opened,
        events.Progressed,
        events.Sampled,
        events.Measured,
        events.Multiplied,
        events.Finished,
        events.Failed,
    )
}
_COMMANDS: "dict[str, type[Any]]" = {
    each.__name__.lower(): each
    for each in (Run, Peek, Train, Measure, Multiply, Cancel, Forget)
}
# Fields that hold other records.
_RECORDS: "dict[str, type[Any]]" = {
    "devices": events.Device,
    "memory": events.Memory,
    "holds": events.Held,
    "layers": events.Layer,
    "parts": events.Part,
    "wrong": events.Wrong,
    "spans": events.Span,
}


def line_of(message: "Event | Command") -> str:
    """One line with its newline."""
    what = type(message).__name__.lower()
    return json.dumps({"is": what, **_written(message)}, separators=(",", ":")) + "\n"


def event_of(line: str) -> Event:
    """Raises Trouble for anything a worker of ours would not say."""
    event: Event = _read(line, _EVENTS, Message("worker"))
    return event


def command_of(line: str) -> Command:
    command: Command = _read(line, _COMMANDS, Message("window"))
    return command


# Any: which record it is stands in the line itself, and is checked field by field.
def _read(line: str, known: "dict[str, type[Any]]", whose: str) -> Any:
    try:
        content = json.loads(line)
        made = known[content.pop("is")]
        names = {field.name for field in fields(made)}
        if not set(content) <= names or not isinstance(content.get("id", 0), int):
            raise ValueError
        return made(**{name: _field(name, value) for name, value in content.items()})
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        raise Trouble(
            "The {whose} said something that is no message: {said!r}.",
            "Another program may be writing into its pipe.",
            whose=whose,
            said=line.strip()[:80],
        ) from None


# Any: whatever a record holds.
def _written(value: Any) -> Any:
    """As JSON knows it; a message with its template and values."""
    if isinstance(value, Message):
        return value.as_json()
    if is_dataclass(value):
        return {each.name: _written(getattr(value, each.name)) for each in fields(value)}
    if isinstance(value, (tuple, list)):
        return [_written(each) for each in value]
    return value


def _field(name: str, value: Any) -> Any:
    record = _RECORDS.get(name)
    if record is not None:
        return tuple(record(**{k: _field(k, v) for k, v in each.items()}) for each in value)
    if isinstance(value, list):
        return tuple(_field("", each) for each in value)
    return Message.from_json(value) if isinstance(value, dict) else value
