"""Curve: one trace drawn fast: a band from minimum to maximum, a line of the means, a fill."""

import ctypes
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import shiboken6
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPaintEngine, QPainter, QPen, QPolygonF

from gpuexplorer.gui.paint.dashes import DASHES, cuts_of, marked
from gpuexplorer.gui.theme.palette import faded
from gpuexplorer.telemetry.trace import Trace

LINE_WIDTH = 1.5
COLUMN_PIXELS = 2  # narrower columns cost more than they show
FILL = 0.12
_ENVELOPE = 0.26
_STRIP = 32  # rows
_DOT = 3.0
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


def draw_trace(
    painter: QPainter,
    place: QRectF,
    trace: Trace,
    start: float,
    end: float,
    lowest: float,
    highest: float,
    colour: QColor,
    fill: bool = False,
    dash: int = 0,
    bare: Sequence[tuple[float, float]] = (),
    within: tuple[float, float] | None = None,
) -> None:
    """`place` is the stretch from `start` to `end`, and from `lowest` at its bottom up.

    There is no fill in the stretches of time that are `bare`. Of what lies not `within` a
    stretch nothing needs to be drawn.
    """
    seen = _seen(place, trace, (start, end), within or (start, end), lowest, highest)
    if seen is None:
        return
    painter.save()
    painter.setClipRect(place.adjusted(0, -2, 0, 2), Qt.ClipOperation.IntersectClip)
    painter.setPen(Qt.PenStyle.NoPen)
    # Smooth edges of a fill cost ten times as much, and under the line nobody sees them.
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)  # noqa: FBT003 - Qt's
    runs = _runs(seen.middles)
    phase = _phase(place, start, end)
    if fill:
        scale = place.width() / (end - start)
        # On whole pixels, as what lies in there begins and ends.
        holes = [
            (
                float(np.floor(place.left() + (first - start) * scale)),
                float(np.floor(place.left() + (last - start) * scale)),
            )
            for first, last in bare
        ]
        _draw_fill(painter, place, seen, runs, faded(colour, FILL), holes, phase)
    if seen.spread:
        _draw_spread(painter, seen, runs, faded(colour, _ENVELOPE))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    _draw_line(painter, seen, runs, colour, phase, dash)
    painter.restore()


def lines_into(painter: QPainter, lines: NDArray[np.float64]) -> None:
    """Draw x, y, x, y in each row, in the painter's pen."""
    count = len(lines)
    if count == 0:
        return
    # A list of QLineF takes longer to build than it takes to draw; Qt reads the array itself.
    rows = np.ascontiguousarray(lines, np.float64)
    array = shiboken6.wrapInstance(rows.ctypes.data, QLineF)
    assert isinstance(array, QLineF)
    painter.drawLines(array, count)


@dataclass(frozen=True, slots=True, eq=False)
class _Seen:
    """The columns in view, in pixels."""

    x: NDArray[np.float64]
    middles: NDArray[np.float64]
    tops: NDArray[np.float64]
    bottoms: NDArray[np.float64]
    column: float  # how wide one is
    spread: bool  # whether a column stands for several readings anywhere


def _seen(
    place: QRectF,
    trace: Trace,
    stretch: tuple[float, float],
    within: tuple[float, float],
    lowest: float,
    highest: float,
) -> _Seen | None:
    start, end = stretch
    if end <= start or highest <= lowest or place.isEmpty() or len(trace) == 0:
        return None
    scale = place.width() / (end - start)
    spread = bool(trace.counts.max() > 1)
    # What stands for a while is drawn in the middle of that while.
    shift = trace.column_seconds / 2 if spread else 0.0
    # A neighbour on either side leads the line out of the picture.
    first, last = max(start, within[0]) - shift, min(end, within[1]) - shift
    first_column = max(0, int(trace.times.searchsorted(first, side="right")) - 1)
    after_column = int(trace.times.searchsorted(last)) + 1
    view = slice(first_column, after_column)
    # Where segments meet within a pixel, both would cover a part of it, which shows as a dot.
    x = np.rint(place.left() + (trace.times[view] + shift - start) * scale)

    reach = (place, lowest, highest)
    middles = _pixels(trace.means[view], *reach)
    if not np.isfinite(middles).any():
        return None
    tops, bottoms, column = middles, middles, 0.0
    if spread:
        tops = _pixels(trace.maxima[view], *reach)
        bottoms = _pixels(trace.minima[view], *reach)
        column = trace.column_seconds * scale
    _cut(x, (middles, tops, bottoms) if spread else (middles,), place.left(), place.right())
    return _Seen(x, middles, tops, bottoms, column, spread)


def _pixels(
    values: NDArray[np.float64], place: QRectF, lowest: float, highest: float
) -> NDArray[np.float64]:
    # NumPy's own `clip` takes longer than all the rest.
    share = np.minimum(np.maximum((values - lowest) / (highest - lowest), 0.0), 1.0)
    pixels: NDArray[np.float64] = place.bottom() - share * place.height()
    return pixels


def _cut(
    x: NDArray[np.float64],
    values: Sequence[NDArray[np.float64]],
    left: float,
    right: float,
) -> None:
    """End the line at the edge: not everything that is painted on can clip."""
    for edge, outer, inner in ((left, 0, 1), (right, -1, -2)):
        if x.size < 2 or (edge - x[outer]) * (x[inner] - edge) <= 0:
            continue
        share = (edge - x[outer]) / (x[inner] - x[outer])
        for each in values:
            each[outer] += share * (each[inner] - each[outer])
        x[outer] = edge


def _runs(values: NDArray[np.float64]) -> list[tuple[int, int]]:
    """First and one past the last of every stretch without a gap."""
    there = np.isfinite(values)
    if there.all():
        return [(0, values.size)]
    edges = np.flatnonzero(np.diff(there, prepend=False, append=False))
    return [(int(first), int(last)) for first, last in edges.reshape(-1, 2)]


def _area(
    x: NDArray[np.float64],
    upper: NDArray[np.float64],
    lower: NDArray[np.float64] | float,
) -> QPolygonF:
    corners = np.empty((2 * x.size, 2))
    corners[: x.size, 0] = x
    corners[: x.size, 1] = upper
    corners[x.size :, 0] = x[::-1]
    corners[x.size :, 1] = lower if isinstance(lower, float) else lower[::-1]
    return _polygon(corners)


def _polygon(points: NDArray[np.float64]) -> QPolygonF:
    polygon = QPolygonF()
    polygon.resize(len(points))
    # As with the lines: a list of points takes longer than drawing them.
    (address,) = shiboken6.getCppPointer(polygon.data())
    rows = np.ascontiguousarray(points, np.float64)
    ctypes.memmove(address, rows.ctypes.data, rows.nbytes)
    return polygon


def _draw_fill(
    painter: QPainter,
    place: QRectF,
    seen: _Seen,
    runs: list[tuple[int, int]],
    colour: QColor,
    holes: list[tuple[float, float]],
    phase: float,
) -> None:
    painter.setBrush(colour)
    for left, right in _without(seen.x[0], seen.x[-1], holes):
        for first, last in runs:
            x, y = _between(seen.x[first:last], seen.middles[first:last], left, right)
            if x.size < 2:
                continue
            if not _by_pixels(painter):
                painter.drawPolygon(_area(x, y, place.bottom()))
                continue
            # Columns stand still in time, and so begin before the edge and end after it.
            before = phase + np.floor((x[0] - phase) / COLUMN_PIXELS) * COLUMN_PIXELS
            middles = np.arange(before, x[-1], COLUMN_PIXELS) + COLUMN_PIXELS / 2
            tops = np.interp(middles, x, y)
            floor = np.full(middles.size, place.bottom())
            painter.save()
            inside = QRectF(x[0], place.top(), x[-1] - x[0], place.height())
            painter.setClipRect(inside, Qt.ClipOperation.IntersectClip)
            _draw_columns(painter, middles, tops, floor, COLUMN_PIXELS, colour)
            painter.restore()


def _without(
    left: float, right: float, holes: list[tuple[float, float]]
) -> list[tuple[float, float]]:
    """What is left of a stretch."""
    rest = []
    for first, last in sorted(holes):
        if last > left:
            if first > left:
                rest.append((left, min(first, right)))
            left = last
    if left < right:
        rest.append((left, right))
    return rest


def _between(
    x: NDArray[np.float64], y: NDArray[np.float64], left: float, right: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The part of a line without gaps from `left` to `right`, cut there."""
    if x[0] >= left and x[-1] <= right:
        return x, y
    left, right = max(left, x[0]), min(right, x[-1])
    if left >= right:
        return x[:0], y[:0]
    inner = x[(x > left) & (x < right)]
    cut = np.concatenate(((left,), inner, (right,)))
    return cut, np.interp(cut, x, y)


def _draw_spread(
    painter: QPainter, seen: _Seen, runs: list[tuple[int, int]], colour: QColor
) -> None:
    """From the least to the most that each column stands for."""
    if not _by_pixels(painter):
        painter.setBrush(colour)
        for first, last in runs:
            run = slice(first, last)
            painter.drawPolygon(_area(seen.x[run], seen.tops[run], seen.bottoms[run]))
        return
    tall = np.flatnonzero(seen.bottoms - seen.tops > LINE_WIDTH)
    x, tops, bottoms = seen.x[tall], seen.tops[tall], seen.bottoms[tall]
    _draw_columns(painter, x, tops, bottoms, max(1.0, seen.column), colour)


def _draw_columns(
    painter: QPainter,
    x: NDArray[np.float64],
    tops: NDArray[np.float64],
    bottoms: NDArray[np.float64],
    width: float,
    colour: QColor,
) -> None:
    """Ten times faster than one shape around them, whose every row begins and ends often."""
    if x.size == 0:
        return
    pen = QPen(colour, width)
    pen.setCapStyle(Qt.PenCapStyle.FlatCap)
    painter.setPen(pen)
    # Column by column the processor loses sight of a picture's rows, unless it takes few.
    if (bottoms - tops).mean() <= _STRIP:
        lines_into(painter, _rows(x, tops, x, bottoms))
        painter.setPen(Qt.PenStyle.NoPen)
        return
    whole = bool((x[1:] - x[:-1] <= width).all())
    strip, end = float(np.floor(tops.min())), float(bottoms.max())
    while strip < end:
        edge = min(strip + _STRIP, end)
        upper, lower = np.maximum(tops, strip), np.minimum(bottoms, edge)
        if whole and upper.max() <= strip and lower.min() >= edge:
            across = x[-1] - x[0] + width
            painter.fillRect(QRectF(x[0] - width / 2, strip, across, edge - strip), colour)
        else:
            here = lower > upper
            lines_into(painter, _rows(x[here], upper[here], x[here], lower[here]))
        strip = edge
    painter.setPen(Qt.PenStyle.NoPen)


def _draw_line(
    painter: QPainter,
    seen: _Seen,
    runs: list[tuple[int, int]],
    colour: QColor,
    phase: float,
    dash: int,
) -> None:
    pen = QPen(colour, LINE_WIDTH)
    if dash % DASHES == 0 and not _by_pixels(painter):
        # A file that is printed or edited wants one line, not hundreds of pieces.
        pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
        pen.setCapStyle(Qt.PenCapStyle.RoundCap)
        painter.setPen(pen)
        for first, last in runs:
            painter.drawPolyline(_polygon(_rows(seen.x, seen.middles)[first:last]))
    else:
        # Round ends cost nine times as much, and are no better to see at this width.
        pen.setCapStyle(Qt.PenCapStyle.FlatCap)
        painter.setPen(pen)
        lines_into(painter, _segments(seen.x, seen.middles, phase, dash % DASHES))
    alone = [first for first, last in runs if last - first == 1]
    if alone:
        _draw_alone(painter, seen, alone, pen)


def _draw_alone(painter: QPainter, seen: _Seen, alone: list[int], pen: QPen) -> None:
    """One column between two gaps would be a line without length."""
    pen.setWidthF(_DOT)
    pen.setCapStyle(Qt.PenCapStyle.RoundCap)
    painter.setPen(pen)
    for one in alone:
        painter.drawPoint(QPointF(seen.x[one], seen.middles[one]))


def _by_pixels(painter: QPainter) -> bool:
    return painter.paintEngine().type() is QPaintEngine.Type.Raster


def _segments(
    x: NDArray[np.float64], y: NDArray[np.float64], phase: float, dash: int
) -> NDArray[np.float64]:
    if dash:
        cuts = cuts_of(x[0], x[-1], phase, dash)
        every = np.sort(np.concatenate((x, cuts)))
        # Between a value and a gap this gives no number, which is what is wanted.
        y = np.interp(every, x, y)
        x = every
    lines = _rows(x[:-1], y[:-1], x[1:], y[1:])
    risen = y[1:] - y[:-1]
    drawn = np.isfinite(risen)
    if dash:
        drawn &= (np.abs(risen) > _STEEP) | marked((x[:-1] + x[1:]) / 2, phase, dash)
    return lines if drawn.all() else lines[drawn]


def _rows(*columns: NDArray[np.float64]) -> NDArray[np.float64]:
    rows = np.empty((columns[0].size, len(columns)))
    for at, column in enumerate(columns):
        rows[:, at] = column
    return rows


def _phase(place: QRectF, start: float, end: float) -> float:
    """Where time began, in pixels: dashes move along with the line they are on."""
    return float(round(place.left() - start * place.width() / (end - start)))
