"""Records as JSON and back: dataclasses and named tuples, each field checked against its
declared type. What reads may be the worker's Python, and what is read may be anybody's.
"""

import functools
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from enum import Enum
from pathlib import PurePath
from typing import Any, get_args, get_origin, get_type_hints

from gpuexplorer.core.words import Message

# What a value that is no such record may raise while it is read.
UNREADABLE = (ValueError, LookupError, TypeError, AttributeError, RecursionError, OverflowError)

# Of a field that means nothing in another process: neither written nor read.
KEPT_HERE = {"kept here": True}


class UnreadableError(ValueError):
    """That is no record of this kind."""


# Any: whatever a record holds, here and in `written`.
def text_of(value: Any) -> str:
    """One line of JSON. What JSON has no word for is kept as the text that people see."""
    return json.dumps(written(value), separators=(",", ":"), default=str)


# Any: the declared type says what comes out.
def from_text(kind: Any, text: str, load: Callable[[str], Any] = json.loads) -> Any:
    """Raises UnreadableError, and nothing else, whatever the text is."""
    try:
        return reader(kind)(load(text))
    except UNREADABLE as error:
        raise UnreadableError from error


def written(value: Any, message: Callable[[Message], Any] = Message.as_json) -> Any:
    """As JSON knows it; a message with its template and values, or as `message` makes it."""
    if isinstance(value, Message):
        return message(value)
    if isinstance(value, Enum):
        return value.value
    if is_dataclass(value) or hasattr(value, "_fields"):
        return {name: written(getattr(value, name), message) for name in _told(value)}
    if isinstance(value, Mapping):
        return {str(written(name)): written(each, message) for name, each in value.items()}
    if isinstance(value, (tuple, list, frozenset)):
        return [written(each, message) for each in value]
    return value


# Any: a declared type, and what JSON has for a value of it; here and below.
@functools.cache
def reader(kind: Any) -> "Callable[[Any], Any]":
    """From JSON to a value of that type; raises one of UNREADABLE. Sequences become tuples."""
    origin, inside = get_origin(kind), get_args(kind)
    if origin is tuple and inside[-1] is not ...:
        each_of = [*map(reader, inside)]
        return lambda value: tuple(
            [one(each) for one, each in zip(each_of, _sure(value, list), strict=True)]
        )
    if isinstance(origin, type) and issubclass(origin, Mapping):
        # JSON knows no other names than texts.
        name, of = int if inside[0] is int else reader(inside[0]), reader(inside[1])
        return lambda value: {name(key): of(each) for key, each in _sure(value, dict).items()}
    if isinstance(origin, type) and issubclass(origin, Iterable):
        every, make = reader(inside[0]), origin if origin in (list, frozenset) else tuple
        return lambda value: make([every(each) for each in _sure(value, list)])
    if origin is not None:  # such as "int | None"
        some = reader(next(each for each in inside if each is not type(None)))
        return lambda value: None if value is None else some(value)
    if kind is Any:
        return lambda value: value
    if hasattr(kind, "__supertype__"):
        return reader(kind.__supertype__)
    if is_dataclass(kind) or hasattr(kind, "_fields"):
        hints = get_type_hints(kind)
        fields_of = {each: reader(hints[each]) for each in _told(kind)}
        return lambda value: kind(
            **{field: fields_of[field](each) for field, each in _sure(value, dict).items()}
        )
    if issubclass(kind, Enum):
        member: Callable[[Any], Any] = kind
        return member
    if issubclass(kind, Message):
        return _message
    if issubclass(kind, PurePath):
        return lambda value: kind(_text(value))
    # A whole number is as good as one with a point; True is none.
    kinds = (int, float) if kind is float else (kind,)
    return _text if issubclass(kind, str) else lambda value: _sure(value, *kinds)


def _told(kind: Any) -> Sequence[str]:
    if not is_dataclass(kind):
        names: Sequence[str] = kind._fields
        return names
    return [each.name for each in fields(kind) if each.init and each.metadata != KEPT_HERE]


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


def _sure(value: Any, *kinds: type) -> Any:
    if type(value) not in kinds:
        raise TypeError(kinds)
    return value
