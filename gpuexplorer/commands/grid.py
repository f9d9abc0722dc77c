"""Rows and columns as text that fits the width: columns of least weight go first."""

import textwrap
from collections.abc import Sequence
from typing import NamedTuple

_GAP = "  "
# To so many letters an elastic column shrinks before another is left out.
_SHORTEST, _SHORTEST_OF_ALL = 14, 9
_ROOMY = 60


class Column(NamedTuple):
    """A column. The one with the smallest weight is left out first; `elastic` ones shrink."""

    title: str  # as it is shown
    weight: int = 10
    right: bool = False
    elastic: bool = False


def grid(columns: Sequence[Column], rows: Sequence[Sequence[str]], width: int) -> list[str]:
    """The header and the rows, each at most `width` wide."""
    if not columns:
        return []
    kept = list(range(len(columns)))
    # What is nice to have makes room before anything is cut short.
    while _natural(kept, columns, rows) > width and any(_nice(columns[p]) for p in kept):
        kept.remove(min(kept, key=lambda place: (columns[place].weight, -place)))
    while len(kept) > 1 and _needed(kept, columns, rows, width) > width:
        kept.remove(min(kept, key=lambda place: (columns[place].weight, -place)))
    widths = {place: _widest(place, columns, rows) for place in kept}
    surplus = sum(widths.values()) + len(_GAP) * (len(kept) - 1) - width
    elastic = [place for place in kept if columns[place].elastic]
    for _ in range(surplus if elastic else 0):
        widths[
            max(elastic, key=lambda place: widths[place] - _least(place, columns, width))
        ] -= 1
    lines = [[column.title for column in columns], *rows]
    return [
        _GAP.join(_cell(line[place], widths[place], columns[place]) for place in kept).rstrip()[
            :width
        ]
        for line in lines
    ]


def cut(text: str, width: int) -> str:
    """The text, or its beginning and a sign that there is more."""
    if len(text) <= width:
        return text
    return text[: max(0, width - 1)] + "…" if width > 0 else ""


def wrap(text: str, width: int) -> list[str]:
    """The text in lines that can be read, with the later ones set in."""
    lines = textwrap.wrap(
        text,
        min(width, 100),
        subsequent_indent="  ",
        # A path or an option with a hyphen could not be copied from two lines.
        break_on_hyphens=False,
        break_long_words=False,
    )
    return lines or [""]


def _cell(text: str, width: int, column: Column) -> str:
    text = cut(text, width)
    return text.rjust(width) if column.right else text.ljust(width)


def _widest(place: int, columns: Sequence[Column], rows: Sequence[Sequence[str]]) -> int:
    return max(len(columns[place].title), *(len(row[place]) for row in rows), 0)


def _least(place: int, columns: Sequence[Column], width: int) -> int:
    return max(len(columns[place].title), _SHORTEST if width >= _ROOMY else _SHORTEST_OF_ALL)


def _nice(column: Column) -> bool:
    return column.weight <= 50


def _natural(
    kept: Sequence[int], columns: Sequence[Column], rows: Sequence[Sequence[str]]
) -> int:
    widths = sum(_widest(place, columns, rows) for place in kept)
    return widths + len(_GAP) * (len(kept) - 1)


def _needed(
    kept: Sequence[int], columns: Sequence[Column], rows: Sequence[Sequence[str]], width: int
) -> int:
    sizes = [
        min(_least(place, columns, width), _widest(place, columns, rows))
        if columns[place].elastic
        else _widest(place, columns, rows)
        for place in kept
    ]
    return sum(sizes) + len(_GAP) * (len(kept) - 1)
