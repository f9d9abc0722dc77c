"""KeptPicture: curves as a picture that moves along with time; only what is new is drawn."""

import math

import numpy as np
from PySide6.QtCore import QRect, QRectF, Qt
from PySide6.QtGui import QPainter, QPixmap

from gpuexplorer.gui.plots.curves import Curve, Frame, by_pixels, runs

Stretch = tuple[float, float]
# Around a changed column, pixels: neighbours are joined to it, and smooth edges reach further.
_BESIDE = 5


class KeptPicture:
    """One for each place where curves are drawn again and again."""

    def __init__(self) -> None:
        self._before: Frame | None = None
        self._picture: QPixmap | None = None

    def draw(self, painter: QPainter, frame: Frame) -> None:
        place, whole = frame.place, frame.place.toRect()
        scale = painter.device().devicePixelRatioF()
        if not by_pixels(painter) or not _whole(place) or scale != int(scale):
            frame.draw(painter, place.left(), place.right())
            return
        picture, parts = self._picture, [(0, whole.width())]
        if picture is None or picture.size() != whole.size() * scale:
            picture = QPixmap(whole.size() * scale)
            picture.setDevicePixelRatio(scale)
            picture.fill(Qt.GlobalColor.transparent)
        elif self._before is not None and (kept := _still_good(self._before, frame)):
            moved, first, last = kept
            if moved:
                picture.scroll(round(-moved * scale), 0, picture.rect())
            parts = [(0, first), (last, whole.width())]
        self._before, self._picture = frame, picture
        with QPainter(picture) as inner:
            inner.translate(-whole.topLeft())
            for first, last in parts:
                if first < last:
                    part = QRect(
                        whole.left() + first, whole.top(), last - first, whole.height()
                    )
                    inner.setClipRect(part)
                    inner.setCompositionMode(QPainter.CompositionMode.CompositionMode_Source)
                    inner.fillRect(part, Qt.GlobalColor.transparent)
                    inner.setCompositionMode(
                        QPainter.CompositionMode.CompositionMode_SourceOver
                    )
                    frame.draw(inner, part.left() - _BESIDE, part.right() + 1 + _BESIDE)
        painter.drawPixmap(whole.topLeft(), picture)


def _whole(place: QRectF) -> bool:
    """Only what is made of whole pixels can be moved by them."""
    return all(
        abs(each - round(each)) < 1e-3
        for each in (place.left(), place.top(), place.right(), place.bottom())
    )


def _still_good(before: Frame, now: Frame) -> tuple[int, int, int] | None:
    """By how many pixels the picture moves to the left, and from where to where it then holds.
    None where it is of no use.
    """
    old, to, place = before.to, now.to, now.place
    pixel, width = 1 / to.m11(), int(place.width())
    if (
        before.place.toRect() != place.toRect()
        or len(before.curves) != len(now.curves)
        or abs(old.m22() - to.m22()) > 1e-9 * abs(to.m22())
        or abs(old.dy() - to.dy()) > 1e-3
        or abs(old.m11() - to.m11()) > 1e-9 * to.m11()
    ):
        return None
    moved = old.dx() - to.dx()
    pixels = round(moved)
    if abs(moved - pixels) > 0.01 or abs(pixels) >= width:
        return None
    start = (place.left() - to.dx()) * pixel
    first, last = float(max(0, -pixels)), float(min(width, width - pixels))
    for was, curve in zip(before.curves, now.curves, strict=True):
        same = _same_between(was, curve)
        if same is None:
            return None
        beside = curve.trace.column_seconds / pixel + _BESIDE
        first = max(first, (same[0] - start) / pixel + beside)
        last = min(last, (same[1] - start) / pixel - beside)
    return (pixels, math.ceil(first), math.floor(last)) if first < last else None


def _same_between(before: Curve, now: Curve) -> Stretch | None:
    """Between which moments two curves are drawn alike; None where they never are."""
    looks = [(c.colour, c.fill, c.dash, c.bare, c.behind) for c in (before, now)]
    old, new = before.trace, now.trace
    if looks[0] != looks[1]:
        return None
    if old is new:
        return -math.inf, math.inf
    spreads = [len(each) > 1 and bool(each.counts.max() > 1) for each in (old, new)]
    nearly = 1e-3 * new.column_seconds
    if (
        min(len(old), len(new)) < 2
        or spreads[0] != spreads[1]
        or (spreads[0] and abs(old.column_seconds - new.column_seconds) > nearly)
    ):
        return None
    # The first column may be cut by the edge of the window; the second is where it was.
    skip_old = max(0, int(old.times.searchsorted(new.times[1] - nearly)) - 1)
    skip_new = max(0, int(new.times.searchsorted(old.times[1] - nearly)) - 1)
    count = min(len(old) - skip_old, len(new) - skip_new)
    was, is_now = slice(skip_old, skip_old + count), slice(skip_new, skip_new + count)
    alike = np.abs(old.times[was] - new.times[is_now]) <= nearly
    for name in ("means", "minima", "maxima"):
        # Bit by bit, so that a gap equals a gap.
        alike &= getattr(old, name)[was].view(int) == getattr(new, name)[is_now].view(int)
    edges = runs(alike)
    if not len(edges):
        return None
    first, after = edges[np.argmax(edges[:, 1] - edges[:, 0])]
    # Nothing comes before what both begin with, nor after what both end with. And what was
    # drawn in full stays in the picture until it has moved out of it.
    begins = first <= 1 and (skip_old > 0 or first == skip_new == 0)
    ends = skip_old + after == len(old) and skip_new + after == len(new)
    return (
        -math.inf if begins else float(new.times[skip_new + first]),
        math.inf if ends else float(new.times[skip_new + after - 1]),
    )
