"""What strangers say, made harmless: texts, tables and JSON; and records as lines of JSON."""

import csv
import io
import json
import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, get_args
from unicodedata import category

from gpuexplorer.core.records import UNREADABLE, UnreadableError, from_text, reader, written

LATEST = 32_503_680_000.0  # the year 3000: times beyond are none
_LONGEST = 10_000  # letters of any text
_LONGEST_JSON = 4_000_000
_LARGEST = 1 << 64  # a count beyond is none, and no floating point could hold any
_LONGEST_NAME = 200
# Of fields, by their names, the most letters: what people read in a line is no longer.
_LETTERS = dict.fromkeys(
    ("id", "name", "label", "driver_version", "cuda_version", "user", "bus_id"), _LONGEST_NAME
)
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


def harmless(text: str) -> str:
    """A spreadsheet takes a text that begins so for a formula."""
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "\t", "\r")) else text


def csv_of(columns: Sequence[str], rows: Iterable[Mapping[str, object]]) -> str:
    """A header and a line each. What there is not is empty; what is no column is left out."""
    out = io.StringIO()
    writer = csv.DictWriter(out, columns, extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    for row in rows:
        yes = {name: "yes" if e else "no" for name, e in row.items() if isinstance(e, bool)}
        writer.writerow({**row, **yes})
    return out.getvalue()


def tabbed(captions: Sequence[str], rows: Sequence[Sequence[str]], note: str) -> str:
    """What stands on the screen, with tabs between; the note above it, where there is one."""
    lines = ["\t".join(harmless(" ".join(each.split())) for each in row) for row in rows]
    return "\n".join([*filter(None, [note]), "\t".join(captions), *lines, ""])


# Any: the declared type says what comes out; what comes in is anybody's JSON. Here and below.
def value_of(kind: Any, text: str) -> Any:
    """Raises UnreadableError, and nothing else, whatever the text is."""
    return from_text(kind, text, json_of)


def json_of(text: str) -> Any:
    """JSON with clean texts and finite figures. Raises one of UNREADABLE."""
    if len(text) > _LONGEST_JSON:
        raise UnreadableError
    return _cleaned(json.loads(text))


def kinds(union: Any) -> "Mapping[str, Any]":
    """All of a union, by their names."""
    return {each.__name__: each for each in get_args(union)}


def line_of(record: Any) -> bytes:
    """One line with its newline."""
    content = {"is": type(record).__name__, **written(record)}
    return json.dumps(content, separators=(",", ":"), default=str).encode() + b"\n"


def record_in(
    line: bytes, known: "Mapping[str, Any]", as_they_are: "Collection[str]" = ()
) -> Any:
    """One of the kinds that are known, harmless but for the fields `as_they_are`, with finite
    figures. Raises UnreadableError, whatever the line is.
    """
    try:
        content = {
            name: each if name in as_they_are else _cleaned(each, name)
            for name, each in json.loads(line).items()
        }
        return reader(known[content.pop("is")])(content)
    except UNREADABLE as error:
        raise UnreadableError from error


def _cleaned(value: Any, name: str = "") -> Any:
    """Raises UnreadableError where a figure is too much."""
    if isinstance(value, str):
        return clean(value, _LETTERS.get(name, _LONGEST))
    if isinstance(value, dict):
        return {clean(key, _LONGEST_NAME): _cleaned(each, key) for key, each in value.items()}
    if isinstance(value, list):
        return [_cleaned(each, name) for each in value]
    endless = isinstance(value, float) and not math.isfinite(value)
    if endless or (isinstance(value, int) and abs(value) > _LARGEST):
        raise UnreadableError
    return value
