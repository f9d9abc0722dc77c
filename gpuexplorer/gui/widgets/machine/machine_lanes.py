"""Lanes: the rectangles of a wire, one strip for each direction, side by side."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QRectF

LANE_GAP = 3.0
_UNKNOWN = 2.0  # the width of a lane of which nobody tells what it carries
SCALES = (8e9, 16e9, 32e9, 64e9, 128e9)  # bytes per second for one pixel


@dataclass(frozen=True, slots=True)
class Lanes:
    """Strips forth and back; several in a row where the wire has corners."""

    forth: tuple[QRectF, ...]
    back: tuple[QRectF, ...]

    @property
    def first(self) -> QRectF:
        """Both lanes of its first stretch."""
        return self.forth[0].united(self.back[-1]) if self.back else self.forth[0]

    def bounds(self) -> QRectF:
        whole = QRectF()
        for strip in (*self.forth, *self.back):
            whole = whole.united(strip)
        return whole


def lane_width(rate: float | None, scale: float) -> float:
    """Whole pixels, and at least one."""
    return _UNKNOWN if rate is None else max(1.0, float(round(rate / scale)))


def wire_width(lane: float) -> float:
    return 2 * lane + LANE_GAP


def upright(middle: float, top: float, bottom: float, lane: float) -> Lanes:
    """Forth is at the left."""
    left = float(round(middle - wire_width(lane) / 2))
    return Lanes(
        (QRectF(left, top, lane, bottom - top),),
        (QRectF(left + lane + LANE_GAP, top, lane, bottom - top),),
    )


def level(left: float, right: float, middle: float, lane: float) -> Lanes:
    """Forth is above."""
    top = float(round(middle - wire_width(lane) / 2))
    return Lanes(
        (QRectF(left, top, right - left, lane),),
        (QRectF(left, top + lane + LANE_GAP, right - left, lane),),
    )


def bracket(left: float, right: float, top: float, depth: float, lane: float) -> Lanes:
    """Down, across and up again; forth is outside."""
    outer = wire_width(lane) / 2
    bottom = top + depth
    begin, end = float(round(left - outer)), float(round(right - outer))
    step = lane + LANE_GAP
    far = end + step
    forth = (
        QRectF(begin, top, lane, depth),
        QRectF(begin + lane, bottom - lane, far - begin - lane, lane),
        QRectF(far, top, lane, depth),
    )
    near = bottom - step
    back = (
        QRectF(end, top, lane, near - top),
        QRectF(begin + step + lane, near - lane, end - begin - step - lane, lane),
        QRectF(begin + step, top, lane, near - top),
    )
    return Lanes(forth, back)


def rail(x: float, stops: Sequence[tuple[float, float]]) -> Lanes:
    """A plain strip from top to bottom with a branch to each stop, given as end and height."""
    strip = _UNKNOWN
    heights = [float(round(height - strip / 2)) for _, height in stops]
    spine = QRectF(x, heights[0], strip, heights[-1] + strip - heights[0])
    branches = [
        QRectF(x + strip, at, end - x - strip, strip)
        for (end, _), at in zip(stops, heights, strict=True)
    ]
    return Lanes((spine, *branches), ())
