"""Records of several kinds as lines of JSON, each with its kind's name; read from anybody."""

import json
from collections.abc import Collection, Mapping
from typing import Any, get_args

from gpuexplorer.core.harmless import FEW_LIMITS, Limits, cleaned
from gpuexplorer.core.records import UNREADABLE, UnreadableError, reader, written

# Four thousand processes of a card have fewer; reading more would keep all else here waiting.
_MOST_PARTS = 200_000


# Any: each is a dataclass, called with what its line holds; here and below.
def kinds(union: Any) -> "Mapping[str, Any]":
    """All of a union, by their names."""
    return {each.__name__: each for each in get_args(union)}


def line_of(record: Any) -> bytes:
    """One line with its newline."""
    content = {"is": type(record).__name__, **written(record)}
    return json.dumps(content, separators=(",", ":"), default=str).encode() + b"\n"


def record_in(
    line: bytes,
    known: "Mapping[str, Any]",
    limits: Limits = FEW_LIMITS,
    as_they_are: "Collection[str]" = (),
) -> Any:
    """One of the kinds that are known; its texts are harmless, and its figures finite. Raises
    UnreadableError, whatever the line is. Fields `as_they_are` are made harmless by who reads
    them.
    """
    if sum(map(line.count, (b",", b"[", b"{"))) > _MOST_PARTS:
        raise UnreadableError
    try:
        content = {
            name: each if name in as_they_are else cleaned(each, name, limits)
            for name, each in json.loads(line).items()
        }
        return reader(known[content.pop("is")])(content)
    except UNREADABLE as error:
        raise UnreadableError from error
