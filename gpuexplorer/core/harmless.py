"""What strangers say, in a file or from another machine, made harmless: texts, and JSON as
values of ours.
"""

import json
import math
from collections.abc import Mapping
from typing import Any, NamedTuple
from unicodedata import category

from gpuexplorer.core.records import UNREADABLE, UnreadableError, reader

LATEST = 32_503_680_000.0  # the year 3000: times beyond are none
_LONGEST = 10_000  # letters of any text
_LONGEST_JSON = 4_000_000
_LARGEST = 1 << 64  # a count beyond is none, and no floating point could hold any
# What people read in a line: more than that is not a name.
_LONGEST_NAME = 200
_NAMES = frozenset({"id", "name", "label", "driver_version", "cuda_version", "user", "bus_id"})


# Controls, formats, halves of letters, ends of lines and paragraphs.
_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})


def is_time(value: object) -> bool:
    return isinstance(value, float | int) and 0 <= value <= LATEST


def clean(text: str, longest: int = _LONGEST) -> str:
    """One line, without what moves a cursor, hides, or turns around what stands beside it."""
    if len(text) > longest:
        text = f"{text[: longest - 1]}…"
    if text.isprintable():
        return text
    return "".join(
        "\N{REPLACEMENT CHARACTER}" if category(each) in _UNSEEN else each for each in text
    )


# Any: the declared type says what comes out; what comes in is anybody's JSON.
def value_of(kind: Any, text: str) -> Any:
    """Raises UnreadableError, and nothing else, whatever the text is."""
    try:
        return reader(kind)(json_of(text))
    except UNREADABLE as error:
        raise UnreadableError from error


def json_of(text: str) -> Any:
    """JSON with clean texts and finite figures. Raises one of UNREADABLE."""
    if len(text) > _LONGEST_JSON:
        raise UnreadableError
    return cleaned(json.loads(text))


class Limits(NamedTuple):
    """Of fields, by their names: the letters of a text, and the largest figure, none of which
    is below zero.
    """

    letters: Mapping[str, int] = dict.fromkeys(_NAMES, _LONGEST_NAME)
    figures: Mapping[str, float] = {}


FEW_LIMITS = Limits()


# Any: JSON.
def cleaned(value: Any, name: str = "", limits: Limits = FEW_LIMITS) -> Any:
    """With clean texts, cut where they are too long, and finite figures. Raises UnreadableError
    where a figure is too much, or another of UNREADABLE.
    """
    if isinstance(value, str):
        return clean(value, limits.letters.get(name, _LONGEST))
    if isinstance(value, dict):
        return {
            clean(key, _LONGEST_NAME): cleaned(each, key, limits) for key, each in value.items()
        }
    if isinstance(value, list):
        return [cleaned(each, name, limits) for each in value]
    if isinstance(value, float) and not math.isfinite(value):
        raise UnreadableError
    if isinstance(value, (int, float)) and name in limits.figures:
        if not 0 <= value <= limits.figures[name]:
            raise UnreadableError
    elif isinstance(value, int) and abs(value) > _LARGEST:
        raise UnreadableError
    return value
