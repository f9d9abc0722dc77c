"""Curves: traces over time: lines of means, bands from least to most, fills."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import pyqtgraph as pg
import shiboken6
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QTransform
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget

from gpuexplorer.gui.event_loop import guarded
from gpuexplorer.gui.theme.palette import faded
from gpuexplorer.telemetry.trace import Trace

Numbers = NDArray[np.float64]
Shape = TypeVar("Shape", QLineF, QRectF)
COLUMN_PIXELS = 2  # narrower columns cost more than they show
_WIDTH, _THIN, _DOT = 1.5, 1.0, 1.5
_EDGE = 2.0  # pixels beyond a view
_FILL, _BAND = 0.12, 0.26
# Marks in columns, a gap of two after each; 0 is a whole line. Qt's dashed pens take forty
# times as long as the line itself.
_MARKS = ((), (6,), (2,), (6, 2), (3,), (6, 2, 2), (11,), (4, 4, 2))
DASHES = len(_MARKS)
_PATTERNS = [
    np.array([on for mark in marks for on in (True,) * mark + (False,) * 2] or [True])
    for marks in _MARKS
]
_DOTTED = np.array([True, False])
# Steeper than this a segment is drawn whole: a dash must not hide a peak.
_STEEP = 2.0


@dataclass(frozen=True, slots=True, eq=False)
class Curve:
    """One trace and how it is drawn. There is no fill in the times that are `bare`."""

    trace: Trace
    colour: QColor
    fill: bool = False
    dash: int = 0
    bare: Sequence[tuple[float, float]] = ()
    behind: bool = False  # another one is compared with it: thin, dotted, without a band


def columns_for(width: float) -> int:
    """How many columns to ask the history for, so that each is two whole pixels wide."""
    return max(2, int(width) // COLUMN_PIXELS + 1)


def steady_stretch(start: float, end: float, width: float) -> tuple[float, float]:
    """The stretch to draw: it moves by whole pixels, so that what it shows does not shimmer.

    The history's columns begin at multiples of their width, and so fall on whole pixels too.
    """
    pixel = (end - start) / max(1.0, width)
    later = math.ceil(end / pixel - 1e-6) * pixel
    return later - (end - start), later


def runs(there: NDArray[np.bool_]) -> NDArray[np.int64]:
    """First and one past the last of every stretch without a gap."""
    between = np.zeros(there.size + 2, np.bool_)  # np.diff takes five times as long
    between[1:-1] = there
    return np.flatnonzero(between[1:] != between[:-1]).reshape(-1, 2)


def draw_curves(
    painter: QPainter, place: QRectF, to: QTransform, curves: Sequence[Curve]
) -> None:
    """The first lies on top. `to` leads from seconds and units to pixels."""
    painter.save()
    painter.setClipRect(place, Qt.ClipOperation.IntersectClip)
    for curve in reversed(curves):
        if len(curve.trace):
            _draw(painter, place, to, curve)
    painter.restore()


class TraceItem(pg.GraphicsObject):
    """Curves in a view whose x are steady seconds and whose y are the metric's units.

    PlotCurveItem outlines a line wider than 1 px as a shape, which takes ten times as long, and
    knows neither columns of several readings nor that a gap is not to be bridged.
    """

    def __init__(self) -> None:
        super().__init__()
        self.curves: list[Curve] = []  # the first lies on top

    @guarded
    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionGraphicsItem | None = None,
        widget: QWidget | None = None,
    ) -> None:
        to = painter.transform()
        place = to.mapRect(self.boundingRect())
        # A view that is squeezed to nothing still reaches from a value to another.
        if not place.toRect().isEmpty():
            painter.save()
            painter.resetTransform()
            # A line along an edge is as thick as any other.
            draw_curves(painter, place.adjusted(0, -_EDGE, 0, _EDGE), to, self.curves)
            painter.restore()

    def boundingRect(self) -> QRectF:
        view = self.getViewBox()
        return QRectF() if view is None else QRectF(view.viewRect())

    def viewRangeChanged(self) -> None:
        self.prepareGeometryChange()


def line_pen(colour: QColor, width: float, dash: int = 0, *, ratio: float = 0.0) -> QPen:
    """For lines of few points: Qt takes long for a dashed line of many. In a view, whose units
    are no pixels, a pen's are those of the screen: of these the window's are `ratio` wide.
    """
    pen = QPen(colour, width * ratio if ratio else width)
    pen.setCosmetic(bool(ratio))
    pen.setCapStyle(Qt.PenCapStyle.FlatCap)
    pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
    pattern = [part * COLUMN_PIXELS / width for mark in _MARKS[dash] for part in (mark, 2)]
    if pattern:
        pen.setDashPattern(pattern)
    return pen


def _draw(painter: QPainter, place: QRectF, to: QTransform, curve: Curve) -> None:
    trace, scale, shift = curve.trace, to.m11(), to.dx()
    begin, end = ((x - shift) / scale for x in (place.left(), place.right()))
    # A neighbour on either side leads the line out of the picture.
    first = max(0, int(trace.times.searchsorted(begin, side="right")) - 2)
    view = slice(first, int(trace.times.searchsorted(end)) + 1)

    def heights(values: Numbers) -> Numbers:
        # NumPy's own `clip` takes longer than all the rest.
        pixels = np.maximum(values[view] * to.m22() + to.dy(), place.top())
        bounded: Numbers = np.minimum(pixels, place.bottom())
        return bounded

    # Where segments meet within a pixel, both would cover a part of it: it shows as a dot.
    x, y = np.rint(trace.times[view] * scale + shift), heights(trace.means)
    column = trace.column_seconds * scale
    spread = bool(trace.counts.max() > 1)
    middles = x + round(column / 2) if spread else x
    # From where time began, columns and dashes move along with it.
    phase = round(shift)
    cells = _columns(phase, max(x[0], place.left()), place.right())
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)
    if curve.fill:
        tops = np.interp(cells + COLUMN_PIXELS / 2, middles, y, np.nan, np.nan)
        for start, stop in curve.bare:
            left, right = start * scale + shift, stop * scale + shift
            tops[(cells > left - COLUMN_PIXELS) & (cells < right)] = np.nan
        floor = np.full(cells.size, min(place.bottom(), to.dy()))
        _draw_area(painter, faded(curve.colour, _FILL), cells, tops, floor)
    if spread and not curve.behind:
        tops, bottoms = heights(trace.maxima), heights(trace.minima)
        tops[bottoms - tops <= _WIDTH] = np.nan
        tops[:-1][x[1:] - x[:-1] > 2 * column + 1] = np.nan  # none over what is left out
        each = np.maximum(np.searchsorted(x, cells + COLUMN_PIXELS / 2) - 1, 0)
        _draw_area(painter, faded(curve.colour, _BAND), cells, tops[each], bottoms[each])
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    _draw_line(painter, curve, middles, y, phase)


def _draw_area(
    painter: QPainter, colour: QColor, cells: Numbers, tops: Numbers, bottoms: Numbers
) -> None:
    """A box for each column: one shape of all of them takes ten times as long."""
    there = np.isfinite(tops)
    boxes = np.empty((int(there.sum()), 4))
    boxes[:, 0], boxes[:, 1] = cells[there], np.rint(tops[there])
    boxes[:, 2], boxes[:, 3] = COLUMN_PIXELS, np.rint(bottoms[there]) - boxes[:, 1]
    if len(boxes):
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour)
        # A list takes longer to build than to draw: Qt reads the array itself.
        painter.drawRects(_as(QRectF, boxes), len(boxes))


def _draw_line(painter: QPainter, curve: Curve, x: Numbers, y: Numbers, phase: int) -> None:
    pen = QPen(curve.colour, _THIN if curve.behind else _WIDTH)
    # Round ends cost nine times as much, and are no better to see at this width.
    pen.setCapStyle(Qt.PenCapStyle.FlatCap)
    painter.setPen(pen)
    single = runs(np.isfinite(y))
    alone = single[single[:, 1] - single[:, 0] == 1, 0]
    # One column between two gaps would be a line without length.
    dots = np.stack((x[alone] - _DOT, y[alone], x[alone] + _DOT, y[alone]), 1)
    # What is level is one piece.
    turns = np.ones(x.size, np.bool_)
    turns[1:-1] = (y[1:-1] != y[:-2]) | (y[1:-1] != y[2:])
    x, y = x[turns], y[turns]
    pattern = _DOTTED if curve.behind else _PATTERNS[curve.dash % DASHES]
    if pattern.size > 1:
        cells = _columns(phase, x[0], x[-1])[1:]
        on = _marked(pattern, cells, phase)
        every = np.union1d(x, cells[on != _marked(pattern, cells - COLUMN_PIXELS, phase)])
        # Between a value and a gap this gives no number, which is what is wanted.
        x, y = every, np.interp(every, x, y)
    risen = y[1:] - y[:-1]
    drawn = np.isfinite(risen)
    if pattern.size > 1:
        drawn &= (np.abs(risen) > _STEEP) | _marked(pattern, x[:-1], phase)
    lines = np.concatenate((np.stack((x[:-1], y[:-1], x[1:], y[1:]), 1)[drawn], dots))
    if len(lines):
        painter.drawLines(_as(QLineF, lines), len(lines))


def _marked(pattern: NDArray[np.bool_], x: Numbers, phase: int) -> NDArray[np.bool_]:
    """Whether these places are on a mark, and not in the gap behind it."""
    column = ((x - phase) // COLUMN_PIXELS).astype(np.int64)
    marked: NDArray[np.bool_] = pattern[column % pattern.size]
    return marked


def _columns(phase: int, left: float, right: float) -> Numbers:
    """Where those begin that hold these places and what is between."""
    first = phase + (left - phase) // COLUMN_PIXELS * COLUMN_PIXELS
    return np.arange(first, right, COLUMN_PIXELS)


def _as(kind: type[Shape], rows: Numbers) -> Shape:
    """The first of them as Qt sees it, with the others behind it in memory."""
    first = shiboken6.wrapInstance(rows.ctypes.data, kind)
    assert isinstance(first, kind)
    return first
