"""Curves: how traces are drawn: lines of means, bands from least to most, fills."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyqtgraph as pg
import shiboken6
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPaintEngine, QPainter, QPen, QTransform

from gpuexplorer.gui.theme.palette import faded
from gpuexplorer.telemetry.trace import Trace

Numbers = NDArray[np.float64]
COLUMN_PIXELS = 2  # narrower columns cost more than they show
LINE_WIDTH = 1.5
_FILL, _BAND = 0.12, 0.26
_DOT = 3.0
# Marks in columns, a gap of two after each; 0 is a whole line. Qt's dashed pens take forty
# times as long as the line itself.
MARKS = ((), (6,), (2,), (6, 2), (3,), (6, 2, 2), (11,), (4, 4, 2))
DASHES = len(MARKS)
_PATTERNS = [
    np.array([on for mark in marks for on in (True,) * mark + (False,) * 2] or [True])
    for marks in MARKS
]
# Steeper than this a segment is drawn whole: a dash must not hide a peak.
_STEEP = 2.0


@dataclass(frozen=True, slots=True, eq=False)
class Curve:
    """One trace and how it is drawn. There is no fill in the times that are `bare`."""

    trace: Trace
    colour: QColor
    fill: bool = False
    dash: int = 0
    bare: tuple[tuple[float, float], ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """Curves, the first on top, and where they are drawn, in pixels."""

    place: QRectF
    to: QTransform  # from seconds and units to pixels
    curves: Sequence[Curve]

    def draw(self, painter: QPainter, left: float, right: float) -> None:
        """What lies between these places; a little more does no harm."""
        painter.save()
        painter.setClipRect(self.place, Qt.ClipOperation.IntersectClip)
        for curve in reversed(self.curves):
            _CurveDrawing(painter, self, curve).draw(left, right)
        painter.restore()


class _CurveDrawing:
    def __init__(self, painter: QPainter, frame: Frame, curve: Curve) -> None:
        self._painter, self._place, self._curve = painter, frame.place, curve
        to = frame.to
        self._scale, self._shift = to.m11(), to.dx()
        self._rise, self._level = to.m22(), to.dy()
        # Where time began: columns and dashes move along with it.
        self._phase = round(to.dx())

    def draw(self, left: float, right: float) -> None:
        painter, curve, trace = self._painter, self._curve, self._curve.trace
        if len(trace) == 0:
            return
        spread = bool(trace.counts.max() > 1)
        # A neighbour on either side leads the line out of the picture.
        begin, end = ((x - self._shift) / self._scale for x in (left, right))
        first = max(0, int(trace.times.searchsorted(begin, side="right")) - 2)
        view = slice(first, int(trace.times.searchsorted(end)) + 1)
        # Where segments meet within a pixel, both would cover a part of it: it shows as a dot.
        x = np.rint(trace.times[view] * self._scale + self._shift)
        y = self._heights(trace.means[view])
        column = trace.column_seconds * self._scale
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)
        painter.setPen(Qt.PenStyle.NoPen)
        middles = x + round(column / 2) if spread else x
        if curve.fill:
            self._draw_fill(middles, y)
        if spread:
            tops, bottoms = self._heights(trace.maxima[view]), self._heights(trace.minima[view])
            width = np.minimum(np.diff(x, append=x[-1] + column), math.ceil(column))
            boxes = _rows(x, tops, np.maximum(width, 1.0), bottoms - tops)
            self._draw_boxes(_BAND, boxes[boxes[:, 3] > LINE_WIDTH])
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        _cut(middles, y, self._place.left(), self._place.right())
        self._draw_line(middles, y)

    def _heights(self, values: Numbers) -> Numbers:
        # NumPy's own `clip` takes longer than all the rest.
        pixels = np.maximum(values * self._rise + self._level, self._place.top())
        bounded: Numbers = np.minimum(pixels, self._place.bottom())
        return bounded

    def _draw_fill(self, x: Numbers, y: Numbers) -> None:
        """In columns: ten times faster than one shape whose every row begins and ends often."""
        left, right = max(x[0], self._place.left()), min(x[-1], self._place.right())
        columns = np.arange(self._column(left), right, COLUMN_PIXELS)
        tops = np.interp(columns + COLUMN_PIXELS / 2, x, y)
        floor = self._place.bottom()
        there = tops < floor
        for begin, end in self._curve.bare:
            first, last = (at * self._scale + self._shift for at in (begin, end))
            there &= (columns < first) | (columns >= last)
        width = np.full(columns.size, float(COLUMN_PIXELS))
        self._draw_boxes(_FILL, _rows(columns, tops, width, floor - tops)[there])

    def _draw_line(self, x: Numbers, y: Numbers) -> None:
        painter, curve = self._painter, self._curve
        pen = QPen(curve.colour, LINE_WIDTH)
        # Round ends cost nine times as much, and are no better to see at this width.
        pen.setCapStyle(Qt.PenCapStyle.FlatCap)
        painter.setPen(pen)
        there = np.isfinite(y)
        runs = np.flatnonzero(np.diff(there, prepend=False, append=False)).reshape(-1, 2)
        if curve.dash % DASHES or by_pixels(painter):
            lines = self._segments(x, y)
            if len(lines):
                # A list of lines takes longer to build than to draw: Qt reads the array itself.
                array = shiboken6.wrapInstance(lines.ctypes.data, QLineF)
                assert isinstance(array, QLineF)
                painter.drawLines(array, len(lines))
        else:
            # A file that is printed or edited wants one line, not hundreds of pieces.
            for first, last in runs:
                part = slice(first, last)
                painter.drawPolyline(pg.functions.arrayToQPolygonF(x[part], y[part]))
        for alone in runs[runs[:, 1] - runs[:, 0] == 1, 0]:
            # One column between two gaps would be a line without length.
            pen.setWidthF(_DOT)
            pen.setCapStyle(Qt.PenCapStyle.RoundCap)
            painter.setPen(pen)
            painter.drawPoint(QPointF(x[alone], y[alone]))

    def _segments(self, x: Numbers, y: Numbers) -> Numbers:
        dash = self._curve.dash % DASHES
        if dash:
            columns = np.arange(self._column(x[0]) + COLUMN_PIXELS, x[-1], COLUMN_PIXELS)
            every = np.union1d(x, columns)
            # Between a value and a gap this gives no number, which is what is wanted.
            x, y = every, np.interp(every, x, y)
        risen = y[1:] - y[:-1]
        drawn = np.isfinite(risen)
        if dash:
            pattern = _PATTERNS[dash]
            column = ((x[:-1] - self._phase) // COLUMN_PIXELS).astype(np.int64)
            drawn &= (np.abs(risen) > _STEEP) | pattern[column % pattern.size]
        return _rows(x[:-1], y[:-1], x[1:], y[1:])[drawn]

    def _column(self, x: float) -> float:
        """Where the column begins that holds this place."""
        return self._phase + (x - self._phase) // COLUMN_PIXELS * COLUMN_PIXELS

    def _draw_boxes(self, opacity: float, boxes: Numbers) -> None:
        """x, y, width, height in each row."""
        self._painter.setBrush(faded(self._curve.colour, opacity))
        if len(boxes):
            array = shiboken6.wrapInstance(boxes.ctypes.data, QRectF)
            assert isinstance(array, QRectF)
            self._painter.drawRects(array, len(boxes))


def by_pixels(painter: QPainter) -> bool:
    return painter.paintEngine().type() is QPaintEngine.Type.Raster


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
