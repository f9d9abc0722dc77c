"""KeptCurves: curves as a picture that moves along with time; only what is new is drawn."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRect, QRectF, Qt
from PySide6.QtGui import QColor, QPaintEngine, QPainter, QPixmap

from gpuexplorer.gui.paint.curve import draw_trace
from gpuexplorer.telemetry.trace import Trace

Stretch = tuple[float, float]
_ALWAYS = (-math.inf, math.inf)
# Around a changed column, pixels: neighbours are joined to it, and smooth edges reach further.
_BESIDE = 5
# Less than this share of a picture is not worth moving.
_WORTH_MOVING = 0.25
_ABOVE = 2  # rows: a line at the very top is as thick as any other


@dataclass(frozen=True, slots=True, eq=False)
class Curve:
    """One trace and how it is drawn."""

    trace: Trace
    colour: QColor
    fill: bool = False
    dash: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class Curves:
    """Curves on one scale, the first one undermost. There is no fill in what is `bare`."""

    place: QRectF  # from the first moment to the last, and from the lowest value up
    stretch: Stretch
    reach: tuple[float, float]
    curves: Sequence[Curve]
    bare: Sequence[Stretch] = ()

    @property
    def seconds_per_pixel(self) -> float:
        return (self.stretch[1] - self.stretch[0]) / max(1.0, self.place.width())

    def draw(self, painter: QPainter, within: Stretch | None = None) -> None:
        for curve in self.curves:
            draw_trace(
                painter,
                self.place,
                curve.trace,
                *self.stretch,
                *self.reach,
                curve.colour,
                fill=curve.fill,
                dash=curve.dash,
                bare=self.bare,
                within=within,
            )


class KeptCurves:
    """One for each place where curves are drawn again and again."""

    def __init__(self) -> None:
        self._before: Curves | None = None
        self._picture: QPixmap | None = None

    def forget(self) -> None:
        self._before = self._picture = None

    def draw(self, painter: QPainter, curves: Curves) -> None:
        scale = painter.device().devicePixelRatioF()
        by_pixels = painter.paintEngine().type() is QPaintEngine.Type.Raster
        place = curves.place
        steps = (scale, place.left(), place.width())
        if not by_pixels or any(step != int(step) for step in steps) or place.isEmpty():
            self.forget()
            curves.draw(painter)
            return
        whole = place.adjusted(0, -_ABOVE, 0, _ABOVE).toAlignedRect()
        before, picture = self._before, self._picture
        if before is None or picture is None or picture.devicePixelRatio() != scale:
            picture, kept = _empty(whole, scale), None
        else:
            kept = _still_good(before, curves)
        if kept is None:
            if picture.deviceIndependentSize() != whole.size():
                picture = _empty(whole, scale)
            parts = [(0, whole.width())]
        else:
            moved, first, last = kept
            if moved:
                picture.scroll(round(-moved * scale), 0, picture.rect())
            parts = [(0, first), (last, whole.width())]
        _draw_parts(picture, whole, curves, parts)
        self._before, self._picture = curves, picture
        painter.drawPixmap(whole.topLeft(), picture)


def _empty(whole: QRect, scale: float) -> QPixmap:
    picture = QPixmap(whole.size() * scale)
    picture.setDevicePixelRatio(scale)
    picture.fill(Qt.GlobalColor.transparent)
    return picture


def _draw_parts(
    picture: QPixmap, whole: QRect, curves: Curves, parts: Sequence[tuple[int, int]]
) -> None:
    start, pixel = curves.stretch[0], curves.seconds_per_pixel
    with QPainter(picture) as painter:
        painter.translate(-whole.topLeft())
        for first, last in parts:
            if first >= last:
                continue
            part = QRect(whole.left() + first, whole.top(), last - first, whole.height())
            painter.setClipRect(part)
            painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_Clear)
            painter.fillRect(part, Qt.GlobalColor.transparent)
            painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_SourceOver)
            all_of_it = last - first == whole.width()
            within = (start + (first - _BESIDE) * pixel, start + (last + _BESIDE) * pixel)
            curves.draw(painter, None if all_of_it else within)


def _still_good(before: Curves, now: Curves) -> tuple[int, int, int] | None:
    """By how many pixels the picture moves to the left, and from where to where it then holds.
    None where it is of no use.
    """
    same_place = (before.place, before.reach) == (now.place, now.reach)
    span, span_before = (each.stretch[1] - each.stretch[0] for each in (now, before))
    if not same_place or abs(span - span_before) > 1e-6 * span or before.bare != now.bare:
        return None
    pixel, width = now.seconds_per_pixel, int(now.place.width())
    start = now.stretch[0]
    moved = (start - before.stretch[0]) / pixel
    if abs(moved - round(moved)) > 0.01 or len(before.curves) != len(now.curves):
        return None
    pixels = round(moved)
    first, last = float(max(0, -pixels)), float(min(width, width - pixels))
    for old, new in zip(before.curves, now.curves, strict=True):
        same = _same_between(old, new)
        if same is None:
            return None
        beside = new.trace.column_seconds / pixel + _BESIDE
        first = max(first, (same[0] - start) / pixel + beside)
        last = min(last, (same[1] - start) / pixel - beside)
    if last - first < _WORTH_MOVING * width:
        return None
    return pixels, math.ceil(first), math.floor(last)


def _same_between(before: Curve, now: Curve) -> Stretch | None:
    """Between which moments two curves are drawn alike; None where they never are."""
    if (before.colour, before.fill, before.dash) != (now.colour, now.fill, now.dash):
        return None
    old, new = before.trace, now.trace
    if old is new:
        return _ALWAYS
    if len(old) < 2 or len(new) < 2:
        return _ALWAYS if len(old) == len(new) == 0 else None
    spread = bool(new.counts.max() > 1)
    nearly = 1e-3 * new.column_seconds
    if spread is not bool(old.counts.max() > 1) or (
        spread and abs(old.column_seconds - new.column_seconds) > nearly
    ):
        return None
    # The first column may be cut by the edge of the window; the second is where it was.
    skip_old = max(0, int(old.times.searchsorted(new.times[1] - nearly)) - 1)
    skip_new = max(0, int(new.times.searchsorted(old.times[1] - nearly)) - 1)
    count = min(len(old) - skip_old, len(new) - skip_new)
    was, is_now = slice(skip_old, skip_old + count), slice(skip_new, skip_new + count)
    alike = np.abs(old.times[was] - new.times[is_now]) <= nearly
    alike &= _bits(old.means[was]) == _bits(new.means[is_now])
    if spread:
        alike &= _bits(old.minima[was]) == _bits(new.minima[is_now])
        alike &= _bits(old.maxima[was]) == _bits(new.maxima[is_now])
    different = np.flatnonzero(~alike)
    edges = [-1, *(int(each) for each in different), count]
    length, at = max((edges[at + 1] - edges[at], at) for at in range(len(edges) - 1))
    first, last = edges[at] + 1, edges[at + 1] - 1
    if length < 3:
        return None
    # Nothing comes before what both begin with, nor after what both end with. And what was
    # drawn in full stays in the picture until it has moved out of it.
    begins = first <= 1 and (skip_old > 0 or first == skip_new == 0)
    ends = skip_old + last == len(old) - 1 and skip_new + last == len(new) - 1
    return (
        -math.inf if begins else float(new.times[skip_new + first]),
        math.inf if ends else float(new.times[skip_new + last]),
    )


def _bits(values: NDArray[np.float64]) -> NDArray[np.int64]:
    """So that a gap equals a gap."""
    return values.view(np.int64)
