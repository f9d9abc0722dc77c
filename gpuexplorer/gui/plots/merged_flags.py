"""Labels of cells on an axis of time: those that would lie on each other become one."""

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import NamedTuple

_APART = 2.0  # pixels
_AROUND = 8.0
_NARROWEST = 14.0


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
    first: int
    last: int
    left: float = 0.0
    width: float = 0.0

    @property
    def right(self) -> float:
        return self.left + self.width

    @property
    def text(self) -> str:
        return str(self.first) if self.first == self.last else f"{self.first}–{self.last}"

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

    def take(self, poles: Sequence[Pole]) -> None:
        """Those that begin under its label; how wide that becomes is measured later."""
        self.poles += poles
        numbers = [pole.number for pole in poles]
        self.first, self.last = min(self.first, *numbers), max(self.last, *numbers)

    def place(self, width_of: Callable[[str], float], left: float, right: float) -> None:
        self.width = max(_NARROWEST, width_of(self.text) + _AROUND)
        self.left = max(left, min(self.poles[0].x, right - self.width))


def merged_flags(
    poles: Sequence[Pole], width_of: Callable[[str], float], left: float, right: float
) -> Sequence[MergedFlag]:
    """From left to right; a label stands to the right of its pole, and within the edges."""
    groups: list[MergedFlag] = []
    ordered = sorted(poles, key=attrgetter("x"))
    places = [pole.x for pole in ordered]
    at = 0
    while at < len(ordered):
        pole = ordered[at]
        _add(groups, MergedFlag([pole], pole.number, pole.number), width_of, left, right)
        under = bisect_left(places, groups[-1].right + _APART, at + 1)
        if under > at + 1:
            groups[-1].take(ordered[at + 1 : under])
            _add(groups, groups.pop(), width_of, left, right)
        at = under
    return groups


def _add(
    groups: list[MergedFlag],
    group: MergedFlag,
    width_of: Callable[[str], float],
    left: float,
    right: float,
) -> None:
    """Joined with those that it would lie on."""
    group.place(width_of, left, right)
    while groups and group.left < groups[-1].right + _APART:
        groups[-1].take(group.poles)
        group = groups.pop()
        group.place(width_of, left, right)
    groups.append(group)
