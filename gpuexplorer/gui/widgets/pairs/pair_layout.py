"""PairLayout: where the cells and the heads of a map of pairs lie."""

from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF

HEAD_WIDE, HEAD_HIGH = 46.0, 34.0
SMALL_HEAD = 30.0
_WIDEST, _HIGHEST, _HIGHEST_OF_TWO = 84.0, 36.0, 44.0
_SIZES = ((3, (170.0, 72.0)), (5, (124.0, 56.0)), (9, (84.0, 40.0)))  # of so many at most
_LEAST = 4.0
NUMBERS_FROM = 27.0  # a cell as wide as this has room for a figure
_FLAT = 0.68  # how high a cell with a figure is, of its width
_LEAST_HIGH = 22.0
_AFTER_HOST = 6.0
_EDGE = 5.0  # for the number at the corner of the last cell


@dataclass(frozen=True, slots=True)
class PairLayout:
    """`count` rows and as many columns of whole pixels; the first of them, the host's, stand a
    little apart.
    """

    count: int
    left: float
    top: float
    across: float  # from one cell to the next
    down: float
    after_host: float
    gap: float

    @property
    def numbers(self) -> bool:
        return self.across >= NUMBERS_FROM

    @property
    def place(self) -> QRectF:
        """Of all cells."""
        wide, high = (sum(self.steps(step)) for step in (self.across, self.down))
        return QRectF(self.left, self.top, wide, high)

    def steps(self, step: float) -> list[int]:
        """How many pixels each row or column takes."""
        return [round(step + self.after_host), *([round(step)] * (self.count - 1))]

    def cell(self, row: int, column: int) -> QRectF:
        x = self.left + column * self.across + (self.after_host if column else 0.0)
        y = self.top + row * self.down + (self.after_host if row else 0.0)
        return QRectF(x, y, self.across - self.gap, self.down - self.gap)

    def head_across(self, column: int) -> QRectF:
        cell = self.cell(0, column)
        return QRectF(cell.left(), 0, cell.width(), self.top - 2)

    def head_down(self, row: int) -> QRectF:
        cell = self.cell(row, 0)
        return QRectF(0, cell.top(), self.left - 4, cell.height())

    def at(self, place: QPointF) -> tuple[int, int] | None:
        """Row and column of the cell that lies there."""
        if not self.place.contains(place):
            return None
        row = (place.y() - self.top - self.after_host) // self.down
        column = (place.x() - self.left - self.after_host) // self.across
        last = self.count - 1
        return min(last, max(0, int(row))), min(last, max(0, int(column)))


def layout_in(count: int, width: float, height: float, *, two_lines: bool) -> PairLayout:
    """As large as there is room for, within what is pleasant to read."""
    count = max(1, count)
    widest, most = _most(count, two_lines=two_lines)
    across = min(widest, (width - HEAD_WIDE - _AFTER_HOST - _EDGE) // count)
    if across >= NUMBERS_FROM:
        down = min(most, (height - HEAD_HIGH - _AFTER_HOST) // count)
        if down >= _LEAST_HIGH - 4:
            gap = 3.0 if across >= 40 else 2.0
            return PairLayout(count, HEAD_WIDE, HEAD_HIGH, across, down, _AFTER_HOST, gap)
    side = min((width - SMALL_HEAD) // count, (height - SMALL_HEAD) // count, NUMBERS_FROM - 1)
    side = max(_LEAST, side)
    gap = 1.0 if side < 14 else 2.0
    return PairLayout(count, SMALL_HEAD, SMALL_HEAD, side, side, 0.0, gap)


def height_for(count: int, width: float, *, two_lines: bool) -> float:
    """What it takes at that width where nothing is short."""
    count = max(1, count)
    widest, most = _most(count, two_lines=two_lines)
    across = min(widest, (width - HEAD_WIDE - _AFTER_HOST - _EDGE) // count)
    if across >= NUMBERS_FROM:
        high = most if two_lines else min(most, max(_LEAST_HIGH, across * _FLAT))
        return HEAD_HIGH + _AFTER_HOST + count * round(high)
    side = max(_LEAST, min(NUMBERS_FROM - 1, (width - SMALL_HEAD) // count))
    return SMALL_HEAD + count * side


def _most(count: int, *, two_lines: bool) -> tuple[float, float]:
    """Of a few devices there is room for larger cells."""
    wide, high = next((size for most, size in _SIZES if count <= most), (_WIDEST, _HIGHEST))
    return wide, max(high, _HIGHEST_OF_TWO) if two_lines else high


def least_size(count: int) -> float:
    return SMALL_HEAD + max(1, count) * _LEAST
