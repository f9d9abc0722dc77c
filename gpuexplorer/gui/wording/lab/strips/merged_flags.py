"""Flags that would lie on each other become one: "3–7"."""

import re
from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import NamedTuple

from gpuexplorer.gui.wording.lab.bench_device import BenchDevice
from gpuexplorer.lab.events import Failed, Finished, Memory
from gpuexplorer.lab.ledger import Entry, Ledger

_APART = 2.0  # pixels
_AROUND = 8.0
_NARROWEST = 14.0
_NAMED = re.compile(r"\bcuda:(\d+)")
_SHORT = re.compile(r"""(?:\.cuda|\bgpu|\btry_gpu)\(\s*(\d*)\s*\)|["']cuda["']""")
# PyTorch's own words where a card is full.
_FULL = re.compile(r"\bGPU (\d+)\b")


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


def touched_devices(entry: Entry, ledger: Ledger) -> frozenset[str]:
    """As PyTorch names them: "cuda:0". Of a line that is not done, what it speaks of."""
    found = {each for copy in entry.transfers for each in (copy.source, copy.target)}
    found |= _of_things(entry.placed, ledger)
    if entry.finished is not None:
        found |= _of_finished(entry, entry.finished)
    else:
        found |= devices_in(entry.code) | _of_things(entry.effects.uses, ledger)
    if entry.failed is not None:
        found |= _of_failed(entry.failed)
    return frozenset(found)


def devices_in(code: str) -> frozenset[str]:
    """The cards that a line names; `"cuda"` is the first."""
    found = {f"cuda:{number}" for number in _NAMED.findall(code)}
    found |= {f"cuda:{number or 0}" for number in _SHORT.findall(code)}
    return frozenset(found)


def _of_finished(entry: Entry, finished: Finished) -> set[str]:
    worked = {device for device, seconds in finished.busy if seconds > 0}
    before, after = entry.memory_before, entry.memory_after
    return worked | {
        device for device in after if _held(before.get(device)) != _held(after[device])
    }


def _of_failed(failed: Failed) -> set[str]:
    named = {f"cuda:{number}" for number in _NAMED.findall(failed.message)}
    return named | {f"cuda:{number}" for number in _FULL.findall(failed.message)}


def _of_things(names: "list[str] | frozenset[str]", ledger: Ledger) -> set[str]:
    found: set[str] = set()
    for name in names:
        thing = ledger.things.get(name)
        if thing is not None:
            found |= {held.device for held in thing.holds} or {thing.device}
    return found


def _held(memory: Memory | None) -> tuple[int, int]:
    if memory is None:
        return 0, 0
    return memory.tensors_bytes or 0, memory.context_bytes or 0


def strip_order(
    devices: Sequence[BenchDevice], memory: Mapping[str, Memory], room: int
) -> Sequence[BenchDevice]:
    """In PyTorch's order; where not all have room, those that hold something come first."""
    cards = [each for each in devices if each.is_card and each.name]
    if len(cards) <= room:
        return cards
    return sorted(cards, key=lambda each: not _holds(memory.get(each.name)))


def _holds(memory: Memory | None) -> bool:
    return memory is not None and bool(memory.reserved_bytes or memory.context_bytes)
