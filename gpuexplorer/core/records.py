"""Records as JSON and back: dataclasses and named tuples, each field checked against its
declared type. What reads may be the worker's Python, and what is read may be anybody's.
"""

import functools
import json
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from pathlib import PurePath
from typing import Any, get_args, get_origin, get_type_hints

from gpuexplorer.core.words import Message

# What a value that is no such record may raise while it is read.
UNREADABLE = (ValueError, LookupError, TypeError, AttributeError, RecursionError, OverflowError)


# Of a field that means nothing in another process: neither written nor read.
_KEPT = "kept here"
KEPT_HERE = {_KEPT: True}


class UnreadableError(ValueError):
    """That is no record of this kind."""


# Any: whatever a record holds, here and in `written`.
def text_of(value: Any) -> str:
    """One line of JSON. What JSON has no word for is kept as the text that people see."""
    return json.dumps(written(value), separators=(",", ":"), default=str)


# Any: the declared type says what comes out.
def from_text(kind: Any, text: str) -> Any:
    """Raises UnreadableError, and nothing else, whatever the text is."""
    try:
        return reader(kind)(json.loads(text))
    except UNREADABLE as error:
        raise UnreadableError from error


def written(value: Any, message: Callable[[Message], Any] = Message.as_json) -> Any:
    """As JSON knows it; a message with its template and values, or as `message` makes it."""
    if isinstance(value, Message):
        return message(value)
    if isinstance(value, Enum):
        return value.value
    if is_dataclass(value):
        return {name: written(getattr(value, name), message) for name in _told(value)}
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        named = zip(value._fields, value, strict=True)
        return {name: written(each, message) for name, each in named}
    if isinstance(value, Mapping):
        return {str(written(name)): written(each, message) for name, each in value.items()}
    if isinstance(value, (tuple, list, frozenset)):
        return [written(each, message) for each in value]
    return value


# Any: a declared type, and what JSON has for a value of it; here and below.
@functools.cache
def reader(kind: Any) -> "Callable[[Any], Any]":
    """From what JSON has to a value of that type; raises one of UNREADABLE where it is no such
    thing. A sequence becomes a tuple.
    """
    origin, inside = get_origin(kind), get_args(kind)
    if origin is tuple:
        return _row_reader(inside)
    if origin is frozenset:
        some = _row_reader((*inside, ...))
        return lambda value: frozenset(some(value))
    if origin is list:
        every = _row_reader((*inside, ...))
        return lambda value: list(every(value))
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return _mapping_reader(*inside)
    if isinstance(origin, type) and issubclass(tuple, origin):  # such as Sequence[str]
        return _row_reader((*inside, ...))
    if origin is not None:  # such as "int | None"
        some = reader(next(each for each in inside if each is not type(None)))
        return lambda value: None if value is None else some(value)
    if kind is Any:
        return lambda value: value
    if hasattr(kind, "__supertype__"):
        return reader(kind.__supertype__)
    if is_dataclass(kind) or hasattr(kind, "_fields"):
        return _record_reader(kind)
    if issubclass(kind, Enum):
        member: Callable[[Any], Any] = kind
        return member
    if issubclass(kind, Message):
        return _message
    if issubclass(kind, PurePath):
        return lambda value: kind(_text(value))
    return _text if issubclass(kind, str) else _number_reader(kind)


def _row_reader(inside: "tuple[Any, ...]") -> "Callable[[Any], Any]":
    if inside[-1] is ...:
        one = reader(inside[0])
        return lambda value: tuple([one(each) for each in _sure(value, list)])
    readers = [reader(each) for each in inside]

    def read(value: Any) -> Any:
        together = zip(readers, _sure(value, list), strict=True)
        return tuple([each(one) for each, one in together])

    return read


def _mapping_reader(name_kind: Any, kind: Any) -> "Callable[[Any], Any]":
    # JSON knows no other names than texts.
    name = int if name_kind is int else reader(name_kind)
    one = reader(kind)
    return lambda value: {name(key): one(each) for key, each in _sure(value, dict).items()}


def _record_reader(kind: Any) -> "Callable[[Any], Any]":
    hints = get_type_hints(kind)
    names = _told(kind) if is_dataclass(kind) else hints
    readers = {name: reader(hints[name]) for name in names}

    def read(value: Any) -> Any:
        values = _sure(value, dict).items()
        return kind(**{name: readers[name](each) for name, each in values})

    return read


def _told(kind: Any) -> "list[str]":
    return [each.name for each in fields(kind) if each.init and not each.metadata.get(_KEPT)]


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
        return Message.from_json(value)
    text: str = _sure(value, str)
    return text


def _message(value: Any) -> Message:
    """A text is one whose words stay as they are."""
    said = _text(value)
    return said if isinstance(said, Message) else Message("{text}", text=said)


def _sure(value: Any, kind: type) -> Any:
    if type(value) is not kind:
        raise TypeError(kind)
    return value
