"""PairLayout: where the cells and the heads of a map of pairs lie."""

from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRect, QRectF

HEAD_WIDE, HEAD_HIGH = 46.0, 34.0
SMALL_HEAD = 30.0
_WIDEST, _HIGHEST, _HIGHEST_OF_TWO = 84.0, 36.0, 44.0
_SIZES = ((3, (170.0, 72.0)), (5, (124.0, 56.0)), (9, (84.0, 40.0)))  # of so many at most
_LEAST = 4.0
NUMBERS_FROM = 27.0  # a cell as wide as this has room for a figure
_FLAT = 0.68  # how high a cell with a figure is, of its width
_LEAST_HIGH = 22.0
_AROUND_HOST = 6.0
_EDGE = 5.0  # for the number at the corner of the last cell


@dataclass(frozen=True, slots=True)
class PairLayout:
    """`count` rows and as many columns, the host's being the first of them."""

    count: int
    left: float
    top: float
    across: float  # from one cell to the next
    down: float
    around_host: float
    gap: float

    @property
    def numbers(self) -> bool:
        return self.across >= NUMBERS_FROM

    @property
    def right(self) -> float:
        return self.left + self.count * self.across + self.around_host

    @property
    def bottom(self) -> float:
        return self.top + self.count * self.down + self.around_host

    def cell(self, row: int, column: int) -> QRectF:
        x = self.left + column * self.across + (self.around_host if column else 0.0)
        y = self.top + row * self.down + (self.around_host if row else 0.0)
        return QRectF(x, y, self.across - self.gap, self.down - self.gap)

    def head_across(self, column: int) -> QRectF:
        cell = self.cell(0, column)
        return QRectF(cell.left(), 0, cell.width(), self.top - 2)

    def head_down(self, row: int) -> QRectF:
        cell = self.cell(row, 0)
        return QRectF(0, cell.top(), self.left - 4, cell.height())

    def at(self, place: QPointF) -> tuple[int, int] | None:
        """Row and column of the cell that lies there."""
        column = self._index(place.x() - self.left, self.across)
        row = self._index(place.y() - self.top, self.down)
        return None if row is None or column is None else (row, column)

    def within(self, dirty: QRect) -> tuple[range, range]:
        """The rows and columns that lie in there, one more at each side."""
        columns = self._range(dirty.left() - self.left, dirty.right() - self.left, self.across)
        rows = self._range(dirty.top() - self.top, dirty.bottom() - self.top, self.down)
        return rows, columns

    def _index(self, along: float, step: float) -> int | None:
        if along < 0 or step <= 0:
            return None
        at = int(along // step) if along < step else int((along - self.around_host) // step)
        return at if at < self.count else None

    def _range(self, least: float, most: float, step: float) -> range:
        first = int((least - self.around_host) // step) - 1
        return range(max(0, first), min(self.count, int(most // step) + 2))


def layout_in(count: int, width: float, height: float, *, two_lines: bool) -> PairLayout:
    """As large as there is room for, within what is pleasant to read."""
    count = max(1, count)
    room = width - HEAD_WIDE - _AROUND_HOST - _EDGE
    widest, most = _most(count, two_lines=two_lines)
    across = min(widest, room / count)
    if across >= NUMBERS_FROM:
        down = min(most, (height - HEAD_HIGH - _AROUND_HOST) / count)
        if down >= _LEAST_HIGH - 4:
            gap = 3.0 if across >= 40 else 2.0
            return PairLayout(count, HEAD_WIDE, HEAD_HIGH, across, down, _AROUND_HOST, gap)
    side = min((width - SMALL_HEAD) / count, (height - SMALL_HEAD) / count, NUMBERS_FROM - 1)
    # Whole pixels, so that all cells are equally wide.
    side = max(_LEAST, float(int(side)))
    gap = 1.0 if side < 14 else 2.0
    return PairLayout(count, SMALL_HEAD, SMALL_HEAD, side, side, 0.0, gap)


def height_for(count: int, width: float, *, two_lines: bool) -> float:
    """What it takes at that width where nothing is short."""
    count = max(1, count)
    widest, most = _most(count, two_lines=two_lines)
    across = min(widest, (width - HEAD_WIDE - _AROUND_HOST - _EDGE) / count)
    if across >= NUMBERS_FROM:
        high = most if two_lines else min(most, max(_LEAST_HIGH, across * _FLAT))
        return HEAD_HIGH + _AROUND_HOST + count * high
    side = max(_LEAST, min(NUMBERS_FROM - 1, float(int((width - SMALL_HEAD) / count))))
    return SMALL_HEAD + count * side


def _most(count: int, *, two_lines: bool) -> tuple[float, float]:
    """Of a few devices there is room for larger cells."""
    wide, high = next((size for most, size in _SIZES if count <= most), (_WIDEST, _HIGHEST))
    return wide, max(high, _HIGHEST_OF_TWO) if two_lines else high


def least_size(count: int) -> float:
    return SMALL_HEAD + max(1, count) * _LEAST
