"""What window and worker say to each other survives the way, and nothing else passes."""

import json
from dataclasses import MISSING, fields, is_dataclass
from enum import Enum
from typing import Any, get_args, get_origin, get_type_hints

import pytest

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import Message
from gpuexplorer.lab.events import Event
from gpuexplorer.lab.wire import Command, command_of, event_of, line_of

NOTE = Message("{card} took {way}.", card="cuda:1", way=Message("{count} detours", count=2))
NO_MESSAGE = "said something that is no message"
_VALUES = {int: 3, float: 0.5, bool: True, str: 'ä\n"quoted"\u2028', Message: NOTE}


# Any: a declared type, and a value of it.
def made(kind: Any) -> Any:
    """With a value in every field."""
    origin, inside = get_origin(kind), get_args(kind)
    if origin is tuple:
        return tuple(made(each) for each in (inside[:1] * 2 if inside[-1] is ... else inside))
    if origin is not None:  # such as "int | None"
        return made(inside[0])
    if is_dataclass(kind):
        hints = get_type_hints(kind)
        build: Any = kind
        return build(**{each.name: made(hints[each.name]) for each in fields(kind)})
    return next(iter(kind)) if issubclass(kind, Enum) else _VALUES[kind]


SAID = [made(each) for each in Event.__subclasses__()]
ASKED = [made(each) for each in Command.__subclasses__()]


@pytest.mark.parametrize("message", [*SAID, *ASKED], ids=lambda each: type(each).__name__)
def test_a_message_comes_out_as_it_went_in_and_takes_nothing_else(message: Any) -> None:
    read = event_of if isinstance(message, Event) else command_of
    line = line_of(message)
    assert line.endswith("\n")
    assert line.count("\n") == 1
    assert read(line) == message
    whole = json.loads(line)
    for each in fields(message):
        with pytest.raises(Trouble, match=NO_MESSAGE):
            read(json.dumps({**whole, each.name: {"no": "such thing"}}))
        if each.default is MISSING and each.default_factory is MISSING:
            left = {name: value for name, value in whole.items() if name != each.name}
            with pytest.raises(Trouble, match=NO_MESSAGE):
                read(json.dumps(left))


@pytest.mark.parametrize(
    "line",
    [
        "",
        "[]",
        "[" * 100_000,
        '{"is":"run"}',
        '{"is":"run","id":1,"code":"x","more":1}',
        '{"is":"run","id":1,"code":{"template":"{x}","many":"","values":{"y":1}}}',
        '{"is":"measure","id":1,"source":"cpu","target":"cpu","bytes":1.5}',
    ],
    ids=range(7),
)
def test_anything_else_is_refused_in_a_sentence(line: str) -> None:
    for read in (event_of, command_of):
        with pytest.raises(Trouble, match=NO_MESSAGE):
            read(line)
