"""Where cells of the heat map lie: a block per machine, or per rack where there are many."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, groupby

import numpy as np
from numpy.typing import NDArray

from gpuexplorer.gui.state.groups.group import HostGroup

MOST_APART = 64  # machines with a block of their own
HEAD = 22
_EDGE = 3  # around all of it: the rings of cells there need room too
_LEAST_BLOCK, _GAP, _ROW_GAP = 288, 24, 18
_MOST_SLENDER = 1.1
_CELL_GAP, _MOST_WIDE, _LOWEST, _HIGHEST, _IN_A_ROW = 3, 160, 30, 92, 8
# Of many: cells are squares that stand close.
_SMALL_HEAD, _SMALL_GAP, _MOST_IN_A_ROW = 18, 14, 16
_CHUNK, _MOST_IN_PLACE = 20, 48  # machines
_WIDER_GAP = 12
_STEPS = (26, 22, 18, 16, 14, 12, 11, 10, 9, 8, 7)
_LEAST_TITLE = 60


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
    rows: Sequence[int]  # where the cells of each begin


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


def lay_out(groups: Sequence[HostGroup], wide: int, high: int, *, by_place: bool) -> Laid:
    """As large as fits into `high`; higher than that where it would be too small to be seen."""
    wide = max(1, wide - 2 * _EDGE)
    if len(groups) <= MOST_APART:
        return _apart(groups, wide, high)
    chunks = _chunked(groups, by_place)
    in_a_row = max(1, min(_MOST_IN_A_ROW, max(len(group.cards) for group in groups)))
    lines = [_lines(group, in_a_row) for group in groups]
    for step in _STEPS:
        blocks, height = _blocks(chunks, lines, wide, in_a_row, step)
        if height <= high:
            break
    return _close(groups, blocks, in_a_row, step, height)


def _apart(groups: Sequence[HostGroup], wide: int, high: int) -> Laid:
    most = max((len(group.cards) for group in groups), default=1)
    in_a_row = max(1, min(_IN_A_ROW, most))
    lines = [_lines(group, in_a_row) for group in groups]
    columns, cell, tall = _largest(lines, in_a_row, wide, high - 2 * _EDGE)
    rows = [lines[at : at + columns] for at in range(0, len(lines), columns)]
    block = max(_LEAST_BLOCK, in_a_row * (cell + _CELL_GAP) - _CELL_GAP)
    lefts, tops, blocks, y = [], [], [], _EDGE
    for row, counts in enumerate(rows):
        below = HEAD + max(counts) * (tall + _CELL_GAP)
        for column in range(len(counts)):
            at, x = row * columns + column, _EDGE + column * (block + _GAP)
            blocks.append(MapBlock(groups[at].name, at, at + 1, x, y, block, below, [y + HEAD]))
            numbers = np.arange(len(groups[at].cards))
            lefts.append(x + numbers % in_a_row * (cell + _CELL_GAP))
            tops.append(y + HEAD + numbers // in_a_row * (tall + _CELL_GAP))
        y += below + _ROW_GAP
    places = _joined(lefts), _joined(tops)
    height = max(0, y - _ROW_GAP + _EDGE)
    return Laid(blocks, *places, cell, tall, _CELL_GAP, apart=True, height=height)


def _largest(lines: Sequence[int], in_a_row: int, wide: int, high: int) -> tuple[int, int, int]:
    """So many machines side by side that their cells are as large as can be; width and height
    of a cell.
    """
    fit = max(1, min((wide + _GAP) // (_LEAST_BLOCK + _GAP), len(lines)))
    found = []
    for columns in range(1, fit + 1):
        block = (wide - (columns - 1) * _GAP) // columns
        cell = min(_MOST_WIDE, (block + _CELL_GAP) // in_a_row - _CELL_GAP)
        rows = [max(lines[at : at + columns]) for at in range(0, len(lines), columns)]
        room = (high - len(rows) * (HEAD + _ROW_GAP) + _ROW_GAP) // max(1, sum(rows))
        tall = min(_HIGHEST, round(cell * _MOST_SLENDER), room - _CELL_GAP)
        found.append((cell * tall if tall >= _LOWEST else 0, columns, cell, max(tall, _LOWEST)))
    # Where nothing fits, as many as go side by side.
    return max(found)[1:]


def _blocks(
    chunks: Sequence[tuple[str, int, int]],
    lines: Sequence[int],
    wide: int,
    in_a_row: int,
    step: int,
) -> tuple[Sequence[MapBlock], int]:
    """Side by side as far as there is room, and how high all of it is."""
    blocks, x, y, below = [], _EDGE, _EDGE, 0
    width = max(_LEAST_TITLE, in_a_row * step)
    for title, start, stop in chunks:
        inner = lines[start:stop]
        height = _SMALL_HEAD + sum(inner) * step
        if x > _EDGE and x + width > _EDGE + wide:
            x, y, below = _EDGE, y + below + _SMALL_GAP, 0
        rows = [y + _SMALL_HEAD + above * step for above in accumulate(inner[:-1], initial=0)]
        blocks.append(MapBlock(title, start, stop, x, y, width, height, rows))
        x, below = x + width + _SMALL_GAP, max(below, height)
    return blocks, y + below + _EDGE


def _close(
    groups: Sequence[HostGroup],
    blocks: Sequence[MapBlock],
    in_a_row: int,
    step: int,
    height: int,
) -> Laid:
    counts = np.array([len(group.cards) for group in groups], np.intp)
    corner = np.empty((2, len(groups)), np.intp)
    for block in blocks:
        corner[0, block.start : block.stop] = block.x
        corner[1, block.start : block.stop] = block.rows
    # The number of each cell among those of its machine.
    numbers = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    left = np.repeat(corner[0], counts) + numbers % in_a_row * step
    top = np.repeat(corner[1], counts) + numbers // in_a_row * step
    gap = 2 if step >= _WIDER_GAP else 1
    return Laid(blocks, left, top, step - gap, step - gap, gap, apart=False, height=height)


def _chunked(groups: Sequence[HostGroup], by_place: bool) -> Sequence[tuple[str, int, int]]:
    """Neighbours in one place stand together; many of them are cut."""
    found, start = [], 0
    for place, run in groupby(groups, lambda group: group.place if by_place else ""):
        end = start + sum(1 for _ in run)
        size = _MOST_IN_PLACE if place else _CHUNK
        for first in range(start, end, size):
            stop = min(first + size, end)
            alone = "" if stop - first == 1 else "…"
            found.append((place or groups[first].name + alone, first, stop))
        start = end
    return found


def _lines(group: HostGroup, in_a_row: int) -> int:
    """One also where there is no card: a sentence stands there."""
    return max(1, -(-len(group.cards) // in_a_row))


def _joined(parts: Sequence[NDArray[np.intp]]) -> NDArray[np.intp]:
    return np.concatenate(parts) if parts else np.empty(0, np.intp)
