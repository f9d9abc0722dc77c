"""Flags that would lie on each other become one: "3–7"."""

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import NamedTuple

_APART = 2.0  # pixels
_AROUND = 8.0
_NARROWEST = 14.0


class Pole(NamedTuple):
    """One line at its place."""

    line: int
    number: int
    x: float
    failed: bool
    code: str = ""


@dataclass(frozen=True, slots=True)
class MergedFlag:
    """One label, and the poles it stands for from left to right."""

    poles: tuple[Pole, ...]
    text: str
    left: float
    width: float

    @property
    def right(self) -> float:
        return self.left + self.width

    @property
    def failed(self) -> bool:
        """Where one of several failed it is told by its pole."""
        return all(pole.failed for pole in self.poles)

    def holds(self, line: int | None) -> bool:
        return line is not None and any(pole.line == line for pole in self.poles)

    def next_line(self, line: int | None) -> int:
        """Asking again leads to the next of them."""
        lines = list(dict.fromkeys(pole.line for pole in self.poles))
        here = lines.index(line) if line in lines else -1
        return lines[(here + 1) % len(lines)]


def merged_flags(
    poles: Sequence[Pole], width_of: Callable[[str], float], left: float, right: float
) -> Sequence[MergedFlag]:
    """From left to right; a label stands to the right of its pole, and within the edges."""
    groups: list[_Group] = []
    ordered = sorted(poles, key=attrgetter("x"))
    places = [pole.x for pole in ordered]
    at = 0
    while at < len(ordered):
        pole = ordered[at]
        _add(groups, _Group([pole], pole.number, pole.number), width_of, left, right)
        under = bisect_left(places, groups[-1].right + _APART, at + 1)
        if under > at + 1:
            groups[-1].take(ordered[at + 1 : under])
            _add(groups, groups.pop(), width_of, left, right)
        at = under
    return [MergedFlag(tuple(g.poles), g.text, g.left, g.width) for g in groups]


def _add(
    groups: list["_Group"],
    group: "_Group",
    width_of: Callable[[str], float],
    left: float,
    right: float,
) -> None:
    """Joined with those that it would lie on."""
    group.place(width_of, left, right)
    while groups and group.left < groups[-1].right + _APART:
        group = groups.pop().joined_by(group)
        group.place(width_of, left, right)
    groups.append(group)


@dataclass(slots=True)
class _Group:
    """Grows in place: a thousand lines may have run within one label's width."""

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

    def take(self, poles: Sequence[Pole]) -> None:
        """Those that begin under its label; how wide that becomes is measured later."""
        self.poles += poles
        numbers = [pole.number for pole in poles]
        self.first, self.last = min(self.first, *numbers), max(self.last, *numbers)

    def joined_by(self, other: "_Group") -> "_Group":
        self.poles += other.poles
        self.first, self.last = min(self.first, other.first), max(self.last, other.last)
        return self

    def place(self, width_of: Callable[[str], float], left: float, right: float) -> None:
        self.width = max(_NARROWEST, width_of(self.text) + _AROUND)
        self.left = max(left, min(self.poles[0].x, right - self.width))
