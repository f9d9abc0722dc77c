"""Curves: how traces are drawn: lines of means, bands from least to most, fills."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyqtgraph as pg
import shiboken6
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPaintEngine, QPainter, QPen, QTransform

from gpuexplorer.gui.theme.palette import faded
from gpuexplorer.telemetry.trace import Trace

Numbers = NDArray[np.float64]
COLUMN_PIXELS = 2  # narrower columns cost more than they show
LINE_WIDTH = 1.5
_THIN = 1.0
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
    bare: tuple[tuple[float, float], ...] = ()
    behind: bool = False  # another one is compared with it: thin, dotted, without a band


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
        cells = self._columns(max(x[0], self._place.left()), self._place.right())
        if curve.fill:
            tops = np.interp(cells + COLUMN_PIXELS / 2, middles, y, np.nan, np.nan)
            for begin, end in curve.bare:
                tops[(cells >= round(self._x(begin))) & (cells < round(self._x(end)))] = np.nan
            floor = min(self._place.bottom(), self._level)
            self._draw_area(_FILL, cells, tops, np.full(cells.size, floor))
        if spread and not curve.behind:
            tops, bottoms = self._heights(trace.maxima[view]), self._heights(trace.minima[view])
            tops[bottoms - tops <= LINE_WIDTH] = np.nan
            tops[:-1][x[1:] - x[:-1] > 2 * column + 1] = np.nan  # none over what is left out
            each = np.maximum(np.searchsorted(x, cells + COLUMN_PIXELS / 2) - 1, 0)
            self._draw_area(_BAND, cells, tops[each], bottoms[each])
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        _cut(middles, y, self._place.left(), self._place.right())
        self._draw_line(middles, y)

    def _heights(self, values: Numbers) -> Numbers:
        # NumPy's own `clip` takes longer than all the rest.
        pixels = np.maximum(values * self._rise + self._level, self._place.top())
        bounded: Numbers = np.minimum(pixels, self._place.bottom())
        return bounded

    def _draw_area(
        self, opacity: float, cells: Numbers, tops: Numbers, bottoms: Numbers
    ) -> None:
        """As a picture of one pixel for each column and row: shapes take ten times as long."""
        painter, colour = self._painter, faded(self._curve.colour, opacity)
        there = np.isfinite(tops)
        if not there.any():
            return
        if by_pixels(painter):
            top, bottom = math.floor(tops[there].min()), math.ceil(bottoms[there].max())
            rows = np.arange(top, bottom)[:, np.newaxis] + 0.5
            inside = (rows >= tops) & (rows < bottoms)
            high, wide = inside.shape
            image = QImage(inside.data, wide, high, wide, QImage.Format.Format_Indexed8)
            image.setColorTable([0, colour.rgba()])
            place = QRectF(cells[0], top, wide * COLUMN_PIXELS, high)
            painter.drawImage(place, image)
            return
        painter.setBrush(colour)
        for first, last in runs(there):
            x = cells[first:last] + COLUMN_PIXELS / 2
            y = np.append(tops[first:last], bottoms[first:last][::-1])
            painter.drawPolygon(pg.functions.arrayToQPolygonF(np.append(x, x[::-1]), y))
        painter.setBrush(Qt.BrushStyle.NoBrush)

    def _draw_line(self, x: Numbers, y: Numbers) -> None:
        painter, curve = self._painter, self._curve
        pen = QPen(curve.colour, _THIN if curve.behind else LINE_WIDTH)
        # Round ends cost nine times as much, and are no better to see at this width.
        pen.setCapStyle(Qt.PenCapStyle.FlatCap)
        painter.setPen(pen)
        parts = runs(np.isfinite(y))
        if curve.behind or curve.dash % DASHES or by_pixels(painter):
            lines = self._segments(x, y)
            if len(lines):
                # A list of lines takes longer to build than to draw: Qt reads the array itself.
                array = shiboken6.wrapInstance(lines.ctypes.data, QLineF)
                assert isinstance(array, QLineF)
                painter.drawLines(array, len(lines))
        else:
            # A file that is printed or edited wants one line, not hundreds of pieces.
            for first, last in parts:
                part = slice(first, last)
                painter.drawPolyline(pg.functions.arrayToQPolygonF(x[part], y[part]))
        for alone in parts[parts[:, 1] - parts[:, 0] == 1, 0]:
            # One column between two gaps would be a line without length.
            pen.setWidthF(_DOT)
            pen.setCapStyle(Qt.PenCapStyle.RoundCap)
            painter.setPen(pen)
            painter.drawPoint(QPointF(x[alone], y[alone]))

    def _segments(self, x: Numbers, y: Numbers) -> Numbers:
        behind, dash = self._curve.behind, self._curve.dash % DASHES
        if behind or dash:
            every = np.union1d(x, self._columns(x[0], x[-1])[1:])
            # Between a value and a gap this gives no number, which is what is wanted.
            x, y = every, np.interp(every, x, y)
        risen = y[1:] - y[:-1]
        drawn = np.isfinite(risen)
        if behind or dash:
            pattern = _DOTTED if behind else _PATTERNS[dash]
            column = ((x[:-1] - self._phase) // COLUMN_PIXELS).astype(np.int64)
            drawn &= (np.abs(risen) > _STEEP) | pattern[column % pattern.size]
        return _rows(x[:-1], y[:-1], x[1:], y[1:])[drawn]

    def _x(self, at: float) -> float:
        return at * self._scale + self._shift

    def _columns(self, left: float, right: float) -> Numbers:
        """Where those begin that hold these places and what is between."""
        first = self._phase + (left - self._phase) // COLUMN_PIXELS * COLUMN_PIXELS
        return np.arange(first, right, COLUMN_PIXELS)


def on_columns(start: float, end: float, column: float) -> tuple[float, float]:
    """All the columns that a stretch reaches into."""
    return math.floor(start / column) * column, math.ceil(end / column) * column


def by_pixels(painter: QPainter) -> bool:
    return painter.paintEngine().type() is QPaintEngine.Type.Raster


def runs(there: NDArray[np.bool_]) -> NDArray[np.int64]:
    """First and one past the last of every stretch without a gap."""
    between = np.zeros(there.size + 2, np.bool_)  # np.diff takes five times as long
    between[1:-1] = there
    return np.flatnonzero(between[1:] != between[:-1]).reshape(-1, 2)


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
