"""ColumnFrame: where the parts of a column stand at one size; only sums, no drawing."""

from dataclasses import dataclass

from PySide6.QtCore import QRectF

SIDE = 12.0
_LOW = 380.0  # below, a column gives up what can be asked for by pointing
_LABELS, _GAUGE, _FAN = 20.0, 10.0, 16.0
_ENLARGED = 20.0
_ABOVE_ROWS, _BELOW_ROWS = 12.0, 10.0


@dataclass(frozen=True, slots=True)
class ColumnFrame:
    """In the column's own coordinates."""

    low: bool
    head: QRectF
    gauge: QRectF  # empty where a device has no memory to draw
    view: QRectF  # through which the blocks are seen
    foot: QRectF
    row_height: float

    @property
    def body(self) -> QRectF:
        """All between head and foot."""
        return QRectF(
            0.0,
            self.head.bottom(),
            self.head.width(),
            self.foot.top() - self.head.bottom(),
        )


def column_frame(width: float, height: float, rows: int, *, gauge: bool) -> ColumnFrame:
    low = height < _LOW
    row_height = 17.0 if low else 20.0
    head = QRectF(0.0, 0.0, width, 66.0 if low else 100.0)
    deep = rows * row_height + _ABOVE_ROWS + _BELOW_ROWS if rows else SIDE
    foot = QRectF(0.0, height - deep, width, deep)
    top, bottom = head.bottom(), foot.top() - 10.0
    bar = QRectF(SIDE + _LABELS, top, _GAUGE, max(0.0, bottom - top)) if gauge else QRectF()
    left = bar.right() + _FAN if gauge else SIDE
    view_top = top + _ENLARGED
    view = QRectF(left, view_top, width - SIDE - left, max(0.0, bottom - view_top))
    return ColumnFrame(low, head, bar, view, foot, row_height)
