"""Where tiles go: in as many columns as fit, or in boards of eight; and what height is for."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil

from PySide6.QtCore import QRect, QRectF

from gpuexplorer.gui.overview.tiles.tile_plan import CELL_HEIGHT, MOST_CELL_HEIGHT, TileSize

TILE_GAP, CELL_GAP = 16, 4
_LEAST_TILE, _LEAST_FULL = 292, 400
_NARROW_TILE = 256  # where eight cards would else not be seen at once
_MOST_HEIGHT = {TileSize.FULL: 760.0, TileSize.COMPACT: 380.0}
BOARD = 8
_LABEL, _SUM = 92.0, 68.0
_NARROW_LABEL, _NARROW_BELOW = 60.0, 620.0
_LEAST_CELL = 54.0

HeightAt = Callable[[TileSize, float], float]  # what a tile takes at least at this width


@dataclass(frozen=True, slots=True)
class TileLayout:
    """A place for every tile, in their order, and for the words beside a board."""

    size: TileSize
    places: tuple[QRect, ...]
    labels: tuple[QRectF, ...]  # one for each board, left of its cells
    sums: tuple[QRectF, ...]  # and right of them
    least_height: float
    most_height: float


def tile_columns(count: int, width: float, least: float = _LEAST_TILE) -> int:
    """As even as it gets: five are three and two, and not four and one."""
    fitting = max(1, int((width + TILE_GAP) // (least + TILE_GAP)))
    rows = ceil(max(1, count) / fitting)
    return ceil(max(1, count) / rows)


def lay_out_tiles(
    heights: Sequence[HeightAt], width: float, height: float, room: float, fold: float
) -> TileLayout:
    """`room` is the height there is without scrolling: more than one row of large tiles is
    shown only where they fit into it. `fold` is how far tiles are seen before one scrolls to
    what stands below them: they are narrower where all are seen then.
    """
    count = len(heights)
    size, columns = TileSize.FULL, tile_columns(count, width, _LEAST_FULL)
    rows = _rows(heights, size, width, columns)
    too_high = len(rows) > 1 and _with_gaps(rows) > room
    if width < _LEAST_FULL or too_high:
        size, columns = TileSize.COMPACT, tile_columns(count, width)
        rows = _rows(heights, size, width, columns)
        if _with_gaps(rows) > fold:
            more = tile_columns(count, width, _NARROW_TILE)
            narrow = _rows(heights, size, width, more)
            if _with_gaps(narrow) <= fold:
                columns, rows = more, narrow
    least = _with_gaps(rows)
    most = max(least, _with_gaps([max(row, _MOST_HEIGHT[size]) for row in rows]))
    rows = _taller(rows, min(height, most) - least, _MOST_HEIGHT[size])
    wide = _tile_width(width, columns)
    places = []
    top = 0.0
    for row, tall in enumerate(rows):
        for column in range(min(columns, count - row * columns)):
            left = column * (wide + TILE_GAP)
            places.append(_rounded(left, top, left + wide, top + tall))
        top += tall + TILE_GAP
    return TileLayout(size, tuple(places), (), (), least, most)


def lay_out_boards(counts: Sequence[int], width: float, height: float) -> TileLayout:
    """`counts` is how many cards each board has. Half a board a row where it is narrow."""
    narrow = width < _NARROW_BELOW
    label = _NARROW_LABEL if narrow else _LABEL
    field = width - label - _SUM
    fitting = int((field + CELL_GAP) // (_LEAST_CELL + CELL_GAP))
    columns = next((each for each in (BOARD, 4, 2) if each <= fitting), 1)
    wide = (field - CELL_GAP * (columns - 1)) / columns
    rows = [ceil(count / columns) for count in counts]
    all_rows = sum(rows)
    between = CELL_GAP * max(0, all_rows - 1)
    least = all_rows * CELL_HEIGHT + between
    most = all_rows * MOST_CELL_HEIGHT + between
    tall = (min(max(height, least), most) - between) / max(1, all_rows)
    places, labels, sums = [], [], []
    top = 0.0
    for count, of_board in zip(counts, rows, strict=True):
        below = top + of_board * (tall + CELL_GAP) - CELL_GAP
        labels.append(QRectF(0, top, label - 8, below - top))
        sums.append(QRectF(width - _SUM, top, _SUM, below - top))
        for at in range(count):
            row, column = divmod(at, columns)
            left, y = label + column * (wide + CELL_GAP), top + row * (tall + CELL_GAP)
            places.append(_rounded(left, y, left + wide, y + tall))
        top = below + CELL_GAP
    return TileLayout(TileSize.CELL, tuple(places), tuple(labels), tuple(sums), least, most)


def _rows(
    heights: Sequence[HeightAt], size: TileSize, width: float, columns: int
) -> list[float]:
    """How high each row is at least."""
    wide = _tile_width(width, columns)
    return [
        max(at(size, wide) for at in heights[first : first + columns])
        for first in range(0, len(heights), columns)
    ]


def _tile_width(width: float, columns: int) -> float:
    return (width - TILE_GAP * (columns - 1)) / columns


def _with_gaps(rows: Sequence[float]) -> float:
    return sum(rows) + TILE_GAP * max(0, len(rows) - 1)


def _taller(rows: Sequence[float], spare: float, most: float) -> list[float]:
    """Height that is left over goes to all rows alike, as far as they can use it."""
    each = max(0.0, spare) / max(1, len(rows))
    return [max(row, min(row + each, most)) for row in rows]


def _rounded(left: float, top: float, right: float, bottom: float) -> QRect:
    x, y = round(left), round(top)
    return QRect(x, y, round(right) - x, round(bottom) - y)
