"""Labels of cells on an axis of time: those that would lie on each other become one."""

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import NamedTuple

_APART, _AROUND, _NARROWEST = 2.0, 8.0, 14.0  # pixels


class Pole(NamedTuple):
    """One cell at its place."""

    key: int  # by which its cell is known
    number: int
    x: float
    failed: bool
    code: str = ""


@dataclass(slots=True)
class MergedFlag:
    """One label, and the poles it stands for from left to right. Grows in place: a thousand
    cells may have run within one label's width.
    """

    poles: list[Pole]
    left: float = 0.0
    width: float = 0.0

    @property
    def right(self) -> float:
        return self.left + self.width

    @property
    def text(self) -> str:
        numbers = [pole.number for pole in self.poles]
        first, last = min(numbers), max(numbers)
        return str(first) if first == last else f"{first}–{last}"

    @property
    def failed(self) -> bool:
        """Where one of several failed it is told by its pole."""
        return all(pole.failed for pole in self.poles)

    def holds(self, cell: int | None) -> bool:
        return cell is not None and any(pole.key == cell for pole in self.poles)

    def next_cell(self, cell: int | None) -> int:
        """Asking again leads to the next of them."""
        cells = list(dict.fromkeys(pole.key for pole in self.poles))
        here = cells.index(cell) if cell in cells else -1
        return cells[(here + 1) % len(cells)]

    def place(self, width_of: Callable[[str], float], left: float, right: float) -> None:
        self.width = max(_NARROWEST, width_of(self.text) + _AROUND)
        self.left = max(left, min(self.poles[0].x, right - self.width))


def merged_flags(
    poles: Sequence[Pole], width_of: Callable[[str], float], left: float, right: float
) -> Sequence[MergedFlag]:
    """From left to right; a label stands to the right of its pole, and within the edges."""
    merged: list[MergedFlag] = []
    ordered = sorted(poles, key=attrgetter("x"))
    places = [pole.x for pole in ordered]
    at = 0
    while at < len(ordered):
        under = at + 1
        flag = MergedFlag(ordered[at:under])
        flag.place(width_of, left, right)
        while True:
            # Those that begin under its label, and those before it that it would lie on.
            reached = bisect_left(places, flag.right + _APART, under)
            joins = bool(merged) and flag.left < merged[-1].right + _APART
            if reached == under and not joins:
                break
            flag.poles += ordered[under:reached]
            if joins:
                flag.poles[:0] = merged.pop().poles
            under = reached
            flag.place(width_of, left, right)
        merged.append(flag)
        at = under
    return merged
