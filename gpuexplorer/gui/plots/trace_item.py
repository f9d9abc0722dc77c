"""TraceItem: one trace in a view: a line of means, a band from least to most, a fill."""

import math
from collections.abc import Sequence

import numpy as np
import pyqtgraph as pg
import shiboken6
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPaintEngine, QPainter, QPen
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget

from gpuexplorer.gui.theme.palette import faded
from gpuexplorer.telemetry.trace import Trace, empty_trace

Numbers = NDArray[np.float64]
COLUMN_PIXELS = 2  # narrower columns cost more than they show
LINE_WIDTH = 1.5
_FILL, _BAND = 0.12, 0.26
_DOT = 3.0
# Marks in columns, a gap of two after each; 0 is a whole line. Qt's dashed pens take forty
# times as long as the line itself.
_MARKS = ((), (6,), (2,), (6, 2), (3,), (6, 2, 2), (11,), (4, 4, 2))
DASHES = len(_MARKS)
_PATTERNS = [
    np.array([on for mark in marks for on in (True,) * mark + (False,) * 2] or [True])
    for marks in _MARKS
]
# Steeper than this a segment is drawn whole: a dash must not hide a peak.
_STEEP = 2.0


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


class TraceItem(pg.GraphicsObject):
    """Lies in a view whose x are steady seconds and whose y are the metric's units.

    PlotCurveItem outlines a line wider than 1 px as a shape, which takes ten times as long, and
    knows neither columns of several readings nor that a gap is not to be bridged.
    """

    def __init__(self) -> None:
        super().__init__()
        self._trace = empty_trace()
        self._colour = QColor()
        self._fill, self._dash = False, 0
        self._bare: tuple[tuple[float, float], ...] = ()
        self._seen = QRectF()

    def show_trace(
        self,
        trace: Trace,
        colour: QColor,
        *,
        fill: bool = False,
        dash: int = 0,
        bare: Sequence[tuple[float, float]] = (),
    ) -> None:
        """No fill in the stretches of time that are `bare`."""
        self._trace, self._colour = trace, colour
        self._fill, self._dash, self._bare = fill, dash % DASHES, tuple(bare)
        self.update()

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionGraphicsItem | None = None,
        widget: QWidget | None = None,
    ) -> None:
        if self._seen.isEmpty() or len(self._trace) == 0:
            return
        to = painter.transform()
        place = to.mapRect(self._seen)
        painter.save()
        painter.resetTransform()
        self._draw(painter, place, to.m11(), to.dx(), to.m22(), to.dy())
        painter.restore()

    def _draw(
        self, painter: QPainter, place: QRectF, m11: float, dx: float, m22: float, dy: float
    ) -> None:
        trace = self._trace
        spread = bool(trace.counts.max() > 1)
        # A neighbour on either side leads the line out of the picture.
        first = max(0, int(trace.times.searchsorted(self._seen.left(), side="right")) - 2)
        after = int(trace.times.searchsorted(self._seen.right())) + 1
        view = slice(first, after)

        def high(values: Numbers) -> Numbers:
            # NumPy's own `clip` takes longer than all the rest.
            pixels = np.maximum(values[view] * m22 + dy, place.top())
            bounded: Numbers = np.minimum(pixels, place.bottom())
            return bounded

        # Where segments meet within a pixel, both would cover a part of it: it shows as a dot.
        x = np.rint(trace.times[view] * m11 + dx)
        y = high(trace.means)
        column = trace.column_seconds * m11
        phase = round(dx)  # where time began: columns and dashes move along with it
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)
        painter.setPen(Qt.PenStyle.NoPen)
        middles = x + round(column / 2) if spread else x
        if self._fill:
            self._draw_fill(painter, place, middles, y, phase, (m11, dx))
        if spread:
            tops, bottoms = high(trace.maxima), high(trace.minima)
            width = np.minimum(np.diff(x, append=x[-1] + column), math.ceil(column))
            boxes = _rows(x, tops, np.maximum(width, 1.0), bottoms - tops)
            painter.setBrush(faded(self._colour, _BAND))
            draw_boxes(painter, boxes[boxes[:, 3] > LINE_WIDTH])
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        _cut(middles, y, place.left(), place.right())
        self._draw_line(painter, middles, y, phase)

    def _draw_fill(
        self,
        painter: QPainter,
        place: QRectF,
        x: Numbers,
        y: Numbers,
        phase: int,
        time: tuple[float, float],
    ) -> None:
        """In columns: ten times faster than one shape, whose every row begins and ends often."""
        left, right = max(x[0], place.left()), min(x[-1], place.right())
        edge = phase + (left - phase) // COLUMN_PIXELS * COLUMN_PIXELS
        columns = np.arange(edge, right, COLUMN_PIXELS)
        tops = np.interp(columns + COLUMN_PIXELS / 2, x, y)
        there = tops < place.bottom()
        scale, shift = time
        for begin, end in self._bare:
            there &= (columns < begin * scale + shift) | (columns >= end * scale + shift)
        width = np.full(columns.size, float(COLUMN_PIXELS))
        painter.setBrush(faded(self._colour, _FILL))
        draw_boxes(painter, _rows(columns, tops, width, place.bottom() - tops)[there])

    def _draw_line(self, painter: QPainter, x: Numbers, y: Numbers, phase: int) -> None:
        pen = QPen(self._colour, LINE_WIDTH)
        # Round ends cost nine times as much, and are no better to see at this width.
        pen.setCapStyle(Qt.PenCapStyle.FlatCap)
        painter.setPen(pen)
        there = np.isfinite(y)
        edges = np.flatnonzero(np.diff(there, prepend=False, append=False)).reshape(-1, 2)
        by_pixels = painter.paintEngine().type() is QPaintEngine.Type.Raster
        if self._dash or by_pixels:
            _draw_lines(painter, _segments(x, y, phase, self._dash))
        else:
            # A file that is printed or edited wants one line, not hundreds of pieces.
            for first, last in edges:
                part = slice(first, last)
                painter.drawPolyline(pg.functions.arrayToQPolygonF(x[part], y[part]))
        alone = edges[edges[:, 1] - edges[:, 0] == 1, 0]
        if alone.size:
            # One column between two gaps would be a line without length.
            pen.setWidthF(_DOT)
            pen.setCapStyle(Qt.PenCapStyle.RoundCap)
            painter.setPen(pen)
            for one in alone:
                painter.drawPoint(QPointF(x[one], y[one]))

    def boundingRect(self) -> QRectF:
        return self._seen

    def viewRangeChanged(self) -> None:
        self.prepareGeometryChange()
        view = self.getViewBox()
        self._seen = QRectF() if view is None else QRectF(view.viewRect())


def _segments(x: Numbers, y: Numbers, phase: int, dash: int) -> Numbers:
    if dash:
        first = phase + (x[0] - phase) // COLUMN_PIXELS * COLUMN_PIXELS
        every = np.union1d(x, np.arange(first + COLUMN_PIXELS, x[-1], COLUMN_PIXELS))
        # Between a value and a gap this gives no number, which is what is wanted.
        x, y = every, np.interp(every, x, y)
    risen = y[1:] - y[:-1]
    drawn = np.isfinite(risen)
    if dash:
        pattern = _PATTERNS[dash]
        column = ((x[:-1] - phase) // COLUMN_PIXELS).astype(np.int64)
        drawn &= (np.abs(risen) > _STEEP) | pattern[column % pattern.size]
    return _rows(x[:-1], y[:-1], x[1:], y[1:])[drawn]


def _cut(x: Numbers, y: Numbers, left: float, right: float) -> None:
    """End the line at the edges: not everything that is painted on can clip."""
    for edge, outer, inner in ((left, 0, 1), (right, -1, -2)):
        if x.size > 1 and (edge - x[outer]) * (x[inner] - edge) > 0:
            share = (edge - x[outer]) / (x[inner] - x[outer])
            y[outer] += share * (y[inner] - y[outer])
            x[outer] = edge


def _rows(*columns: Numbers) -> Numbers:
    rows = np.empty((columns[0].size, len(columns)))
    for at, column in enumerate(columns):
        rows[:, at] = column
    return rows


# A list of Qt's lines takes longer to build than it takes to draw: Qt reads the array itself.


def _draw_lines(painter: QPainter, rows: Numbers) -> None:
    """x, y, x, y in each row."""
    if len(rows):
        lines = shiboken6.wrapInstance(rows.ctypes.data, QLineF)
        assert isinstance(lines, QLineF)
        painter.drawLines(lines, len(rows))


def draw_boxes(painter: QPainter, rows: Numbers) -> None:
    """x, y, width, height in each row."""
    if len(rows):
        boxes = shiboken6.wrapInstance(rows.ctypes.data, QRectF)
        assert isinstance(boxes, QRectF)
        painter.drawRects(boxes, len(rows))
