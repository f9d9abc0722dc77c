"""Commands and events as lines of JSON: all that window and worker have in common."""

import functools
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, is_dataclass
from enum import Enum
from typing import Any, Union, get_args, get_origin, get_type_hints

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import Message
from gpuexplorer.lab.copy_job import CopyJob
from gpuexplorer.lab.events import Event
from gpuexplorer.lab.product_job import ProductJob


@dataclass(frozen=True)
class Run:
    """Run one cell: any Python."""

    id: int
    code: str
    number: int = 0  # as it stands before the cell; its code is known as "<cell 3>"
    watched: bool = True
    placement: bool = False  # each operation prints where it ran
    random: str = ""  # the state that all generators take before it; empty: as they are
    others: "tuple[tuple[str, int], ...]" = ()  # bytes of other programs, on simulated cards
    lost: "tuple[str, ...]" = ()  # simulated cards that do not answer any more


@dataclass(frozen=True)
class Peek:
    """Look into what an expression such as `X` or `net[0].weight` gives; it stays there."""

    id: int
    what: str
    at: "tuple[int, ...]" = ()  # the leading indices, then row and column to begin with
    rows: int = 16
    columns: int = 16
    lost: "tuple[str, ...]" = ()


@dataclass(frozen=True)
class Evaluate:
    """What do these expressions give beside the session's names? Answered by an Evaluated."""

    id: int
    sources: "tuple[str, ...]"
    values: str = "{}"  # what they may name as well, as JSON; see worker/evaluating.py
    seconds: float = 10.0  # each may take so long
    lost: "tuple[str, ...]" = ()


@dataclass(frozen=True)
class Complete:
    """How may this go on? Answered by a Completed, also while a cell runs."""

    id: int
    code: str
    at: int  # the place of the cursor, in letters


@dataclass(frozen=True)
class Answer:
    """What the cell of that number asked for. None: it is refused, or there is no answer."""

    id: int
    text: "str | None" = None


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
        return CopyJob(**{each.name: getattr(self, each.name) for each in fields(CopyJob)})


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


Command = Union[  # noqa: UP007 - the worker may be Python 3.10
    Run, Peek, Evaluate, Complete, Answer, Measure, Multiply, Cancel
]

# Any: each is a dataclass, called with what its line of JSON holds.
_EVENTS: "Mapping[str, Any]" = {each.__name__.lower(): each for each in get_args(Event)}
_COMMANDS: "Mapping[str, Any]" = {each.__name__.lower(): each for each in get_args(Command)}
_UNREADABLE = (ValueError, LookupError, TypeError, AttributeError, RecursionError)


class Garbled(Trouble):
    """One of our own messages, which lacks a field or holds what that field cannot."""


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
def _read(line: str, known: "Mapping[str, Any]", whose: str) -> Any:
    said = line.strip()[:80]
    hint = "Another program may be writing into its pipe."
    try:
        content = json.loads(line)
        read = _reader(known[content.pop("is")])
    except _UNREADABLE:
        raise Trouble(
            "The {whose} said something that is no message: {said!r}.",
            hint,
            whose=whose,
            said=said,
        ) from None
    try:
        return read(content)
    except _UNREADABLE:
        raise Garbled(
            "A message of the {whose} lacks something, or holds what it cannot: {said!r}.",
            hint,
            whose=whose,
            said=said,
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


# Any: a declared type, and what JSON has for a value of it.
@functools.cache
def _reader(kind: Any) -> "Callable[[Any], Any]":
    """From what JSON has to a value of that type; raises where it is no such thing."""
    origin, inside = get_origin(kind), get_args(kind)
    if origin is tuple:
        return _row_reader(inside)
    if origin is not None:  # such as "int | None"
        some = _reader(next(each for each in inside if each is not type(None)))
        return lambda value: None if value is None else some(value)
    if is_dataclass(kind):
        return _record_reader(kind)
    if issubclass(kind, Enum):
        member: Callable[[Any], Any] = kind
        return member
    return _text if issubclass(kind, str) else _number_reader(kind)


def _row_reader(inside: "tuple[Any, ...]") -> "Callable[[Any], Any]":
    if inside[-1] is ...:
        one = _reader(inside[0])
        return lambda value: tuple([one(each) for each in _sure(value, list)])
    readers = [_reader(each) for each in inside]

    def read(value: Any) -> Any:
        together = zip(readers, _sure(value, list), strict=True)
        return tuple([each(one) for each, one in together])

    return read


def _record_reader(kind: Any) -> "Callable[[Any], Any]":
    readers = {name: _reader(each) for name, each in get_type_hints(kind).items()}

    def read(value: Any) -> Any:
        values = _sure(value, dict).items()
        return kind(**{name: readers[name](each) for name, each in values})

    return read


def _number_reader(kind: Any) -> "Callable[[Any], Any]":
    """A whole number is as good as one with a point; True is none."""
    kinds = (int, float) if kind is float else (kind,)

    def read(value: Any) -> Any:
        if type(value) not in kinds:
            raise TypeError(kind)
        return value

    return read


def _text(value: Any) -> str:
    """Or a message, which is a text too."""
    if type(value) is dict:
        _sure(value["template"], str), _sure(value["many"], str)
        return Message.from_json(value)
    text: str = _sure(value, str)
    return text


def _sure(value: Any, kind: type) -> Any:
    if type(value) is not kind:
        raise TypeError(kind)
    return value
