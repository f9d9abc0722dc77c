"""A small curve within what is painted anyway: a cell of a table.

A view of pyqtgraph for each of two thousand rows would take longer than all the rest.
"""

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF

from gpuexplorer.gui.theme.palette import faded

Shares = NDArray[np.float64]
_WIDTH = 1.25
_ALONE = 1.5  # pixels: one value between two gaps


def draw_small_curve(
    painter: QPainter,
    place: QRectF,
    x: Shares,
    y: Shares,
    colour: QColor,
    fill: float,
) -> None:
    """All are shares of the place; a y that is not finite is a gap."""
    line = QPen(colour, _WIDTH)
    line.setCapStyle(Qt.PenCapStyle.SquareCap)
    edges = np.flatnonzero(np.diff(np.isfinite(y), prepend=False, append=False))
    for first, last in edges.reshape(-1, 2):
        means = _points(place, x[first:last], y[first:last])
        foot = place.bottom()
        area = [*means, QPointF(means[-1].x(), foot), QPointF(means[0].x(), foot)]
        # Smooth edges below the line would cost more than all the rest.
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(faded(colour, fill))
        painter.drawPolygon(QPolygonF(area))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(line)
        painter.drawPolyline(QPolygonF(means))


def _points(place: QRectF, x: Shares, y: Shares) -> list[QPointF]:
    across = (place.left() + x * place.width()).tolist()
    up = (place.bottom() - np.clip(y, 0.0, 1.0) * place.height()).tolist()
    points = list(map(QPointF, across, up))
    return points if len(points) > 1 else [points[0] - QPointF(_ALONE, 0), *points]
