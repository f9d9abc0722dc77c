"""Where cells of the heat map lie: a block per machine, or per rack where there are many."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import accumulate, groupby
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpuexplorer.gui.state.groups.group import HostGroup

MOST_APART = 64  # machines with a block of their own
_BELOW_LINES = 10
_EDGE = 3  # around all of it: the rings of cells there need room too
_MOST_WIDE, _LEAST_WIDE, _LOWEST, _HIGHEST, _SLENDER = 158, 33, 30, 92, 0.62
_STRETCHED = 340  # where there would be nothing beside them
_IN_A_ROW, _CLOSE_IN_A_ROW = 8, 16
_CHUNK, _MOST_IN_PLACE = 20, 48  # machines


class _Size(NamedTuple):
    """From one cell to the next, how large heads are, and how far apart blocks."""

    across: int
    down: int
    gap: int
    head: int
    least: int  # of a block, for its title
    aside: int
    below: int


_APART = [
    _Size(wide + 3, min(_HIGHEST, max(_LOWEST, round(_SLENDER * wide))) + 3, 3, 22, 288, 24, 18)
    for wide in range(_MOST_WIDE, _LEAST_WIDE, -1)
]
# Squares that stand close.
_CLOSE = [
    _Size(step, step, 2 if step >= 12 else 1, 18, 60, 14, 14)
    for step in (26, 22, 18, 16, 14, 12, 11, 10, 9, 8, 7)
]


@dataclass(frozen=True, slots=True)
class MapBlock:
    """One heading and the machines under it, those from `start` to `stop`."""

    title: str
    start: int
    stop: int
    x: int
    y: int
    wide: int
    high: int


@dataclass(frozen=True, slots=True, eq=False)
class Laid:
    """Cells by their number, machine by machine, in the pixels of the widget."""

    blocks: Sequence[MapBlock]
    left: NDArray[np.intp]
    top: NDArray[np.intp]
    wide: int  # of each cell, without the gap
    high: int
    gap: int
    apart: bool  # each machine has a block
    height: int

    def at(self, x: float, y: float) -> int | None:
        """The gap at its right and below belongs to a cell."""
        dx, dy = x - self.left, y - self.top
        hit = (dx >= 0) & (dx < self.wide + self.gap) & (dy >= 0) & (dy < self.high + self.gap)
        found = np.flatnonzero(hit)
        return int(found[0]) if found.size else None

    def beside(self, cell: int, right: int, down: int) -> int:
        """The next one in that direction, or the same where there is none."""
        x, y = self.left - self.left[cell], self.top - self.top[cell]
        along, across = (x * right, abs(y)) if right else (y * down, abs(x))
        ahead = np.flatnonzero((along > 0) & (across < self.high) if right else along > 0)
        if not ahead.size:
            return cell
        weight = along[ahead] if right else along[ahead] + 3 * across[ahead]
        return int(ahead[np.argmin(weight)])


def lay_out(
    groups: Sequence[HostGroup],
    wide: int,
    high: int,
    line_height: Callable[[HostGroup, int], int],
) -> Laid:
    """As large as fits into `high`; higher than that where it would be too small to be seen.
    Machines without cards come first, each in a line that is as high as its words need.
    """
    wide = max(1, wide - 2 * _EDGE)
    lines, y = [], _EDGE
    for at, group in enumerate(groups):
        if group.cards:
            break
        tall = line_height(group, wide)
        lines.append(MapBlock(group.name, at, at + 1, _EDGE, y, wide, tall))
        y += tall
    y += _BELOW_LINES if lines else 0
    apart = len(groups) - len(lines) <= MOST_APART
    chunks = _chunks(groups, len(lines), apart=apart)
    most = max((len(group.cards) for group in groups), default=1)
    in_a_row = max(1, min(_IN_A_ROW if apart else _CLOSE_IN_A_ROW, most))
    counts = np.array([len(group.cards) for group in groups], np.intp)
    rows = [-(-len(group.cards) // in_a_row) for group in groups]
    for size in map(partial(_widened, in_a_row), _APART) if apart else _CLOSE:
        blocks, corners, height = _blocks(chunks, rows, wide, in_a_row, size, y)
        if height <= high and in_a_row * size.across <= wide:
            break
    if apart:
        size = _filling(size, in_a_row, wide, len(chunks))
        blocks, corners, height = _blocks(chunks, rows, wide, in_a_row, size, y)
    # The number of each cell among those of its machine.
    numbers = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    left, top = np.array([*([(0, 0)] * len(lines)), *corners], np.intp).reshape(-1, 2).T
    return Laid(
        [*lines, *blocks],
        np.repeat(left, counts) + numbers % in_a_row * size.across,
        np.repeat(top, counts) + numbers // in_a_row * size.down,
        size.across - size.gap,
        size.down - size.gap,
        size.gap,
        apart,
        height,
    )


def _widened(in_a_row: int, size: _Size) -> _Size:
    """No narrower than the title lets cells be."""
    least = min(_MOST_WIDE, size.least // in_a_row) + size.gap
    return size._replace(across=max(size.across, least))


def _filling(size: _Size, in_a_row: int, wide: int, blocks: int) -> _Size:
    """As many blocks side by side, and the last ends where the room does."""
    width = max(size.least, in_a_row * size.across - size.gap)
    columns = max(1, min(blocks, (wide + size.aside) // (width + size.aside)))
    most = (wide + size.aside) // columns - size.aside
    across = min(_STRETCHED, (most + size.gap) // in_a_row)
    return size._replace(across=max(size.across, across))


def _blocks(
    chunks: Sequence[tuple[str, int, int]],
    rows: Sequence[int],
    wide: int,
    in_a_row: int,
    size: _Size,
    y: int,
) -> tuple[Sequence[MapBlock], Sequence[tuple[int, int]], int]:
    """Side by side as far as there is room; where the first cell of each machine lies; and how
    high all of it is.
    """
    blocks, corners, x, below = [], [], _EDGE, 0
    width = max(size.least, in_a_row * size.across - size.gap)
    for title, start, stop in chunks:
        if x > _EDGE and x + width > _EDGE + wide:
            x, y, below = _EDGE, y + below + size.below, 0
        inner = rows[start:stop]
        height = size.head + sum(inner) * size.down - size.gap
        blocks.append(MapBlock(title, start, stop, x, y, width, height))
        above = accumulate(inner[:-1], initial=0)
        corners += [(x, y + size.head + each * size.down) for each in above]
        x, below = x + width + size.aside, max(below, height)
    return blocks, corners, y + below + _EDGE


def _chunks(
    groups: Sequence[HostGroup], first: int, *, apart: bool
) -> Sequence[tuple[str, int, int]]:
    """One machine each; or neighbours in one place together, of which many are cut."""
    if apart:
        return [(groups[at].name, at, at + 1) for at in range(first, len(groups))]
    found = []
    for place, run in groupby(groups[first:], lambda group: group.place):
        end = first + sum(1 for _ in run)
        size = _MOST_IN_PLACE if place else _CHUNK
        for start in range(first, end, size):
            stop = min(start + size, end)
            alone = "" if stop - start == 1 else "…"
            found.append((place or groups[start].name + alone, start, stop))
        first = end
    return found
