"""Page: sentences and tables as lines of text that fit the width. Messages are translated."""

import textwrap
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple, TypeVar

from gpuexplorer.core.words import Message, tr

T = TypeVar("T")
NONE = "-"  # stands where there is no figure
_GAP = "  "
# To so many letters an elastic column shrinks before another is left out.
_SHORTEST, _SHORTEST_OF_ALL = 14, 9
_ROOMY = 60
_NICE = 50  # columns of this weight or less make room before anything is cut short
_WIDEST = 100  # of a paragraph that can be read


class Column(NamedTuple):
    """A column. The one with the smallest weight is left out first; `elastic` ones shrink."""

    title: str
    weight: int = 10
    right: bool = False
    elastic: bool = False


class Page:
    """Lines, none wider than `width`."""

    def __init__(self, width: int) -> None:
        self.width = width
        self.lines: list[str] = []
        self._apart = False

    def __str__(self) -> str:
        return "\n".join(self.lines)

    def gap(self) -> None:
        """An empty line between what stands there and what comes."""
        self._apart = bool(self.lines)

    def add(self, *lines: str) -> None:
        """They fit as they are."""
        if self._apart and lines:
            self.lines.append("")
            self._apart = False
        self.lines += lines

    def say(self, *paragraphs: str) -> None:
        for each in filter(None, paragraphs):
            self.add(*wrap(shown(each), self.width))

    def table(self, columns: Sequence[Column], rows: Iterable[Sequence[str]]) -> None:
        """The header and the rows."""
        lines = [[shown(cell) for cell in row] for row in ([c.title for c in columns], *rows)]
        widths = [max(map(len, cells)) for cells in zip(*lines, strict=True)]
        shortest = _SHORTEST if self.width >= _ROOMY else _SHORTEST_OF_ALL
        floor = [max(len(title), shortest) for title in lines[0]]
        least = [
            min(*both) if column.elastic else both[1]
            for column, *both in zip(columns, floor, widths, strict=True)
        ]
        kept = list(range(len(columns)))

        def too_wide(widths: Sequence[int]) -> int:
            between = len(_GAP) * (len(kept) - 1)
            return sum(widths[place] for place in kept) + between - self.width

        while len(kept) > 1:
            first = min(kept, key=lambda place: (columns[place].weight, -place))
            nice = columns[first].weight <= _NICE
            if too_wide(widths if nice else least) <= 0:
                break
            kept.remove(first)
        elastic = [place for place in kept if columns[place].elastic]
        for _ in range(too_wide(widths) if elastic else 0):
            widths[max(elastic, key=lambda place: widths[place] - floor[place])] -= 1
        for line in lines:
            cells = [cut(line[place], widths[place]) for place in kept]
            aligned = (
                cell.rjust(widths[at]) if columns[at].right else cell.ljust(widths[at])
                for at, cell in zip(kept, cells, strict=True)
            )
            self.add(_GAP.join(aligned).rstrip()[: self.width])

    def matrix(
        self,
        heads: Sequence[str],
        columns: Iterable[tuple[str, Sequence[str]]],
        *,
        right: bool = True,
    ) -> None:
        """A title and its cells each; in several blocks where one would be too wide."""
        begin = max(map(len, heads), default=0)
        blocks: list[list[tuple[str, Sequence[str]]]] = []
        room = 0
        for title, cells in columns:
            needed = max(len(each) for each in (shown(title), *cells)) + len(_GAP)
            if not blocks or needed > room:
                blocks.append([])
                room = self.width - begin
            room -= needed
            blocks[-1].append((title, cells))
        for block in blocks:
            if block is not blocks[0]:
                self.gap()
            self.table(
                [Column("", 100), *(Column(title, 90, right) for title, _ in block)],
                [[head, *(cells[row] for _, cells in block)] for row, head in enumerate(heads)],
            )


def shown(text: str) -> str:
    """In the person's language; what is no message is ready to be shown."""
    return tr(text) if isinstance(text, Message) else text


def cut(text: str, width: int) -> str:
    """The text, or its beginning and a sign that there is more."""
    if len(text) <= width:
        return text
    return text[: max(0, width - 1)] + "…" if width > 0 else ""


def wrap(text: str, width: int, set_in: str = "  ") -> list[str]:
    """The text in lines that can be read, with the later ones set in."""
    lines = textwrap.wrap(
        text,
        min(width, _WIDEST),
        subsequent_indent=set_in,
        # A path or an option with a hyphen could not be copied from two lines.
        break_on_hyphens=False,
        break_long_words=False,
    )
    return lines or [""]


def figure(value: T | None, show: Callable[[T], object] = str) -> str:
    return NONE if value is None else str(show(value))


def percent(share: float, digits: int = 0) -> str:
    return f"{share * 100:.{digits}f} %"
