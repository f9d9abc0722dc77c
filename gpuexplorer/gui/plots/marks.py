"""Marks: pyqtgraph's lines and regions, drawn in whole pixels and not smoothed.

Through the transform of a view, where a second may be a hundredth of a pixel, a dotted line
takes Qt twenty times as long, and a region thirty times.
"""

import pyqtgraph as pg
from PySide6.QtCore import QPointF
from PySide6.QtGui import QPainter

from gpuexplorer.gui.guard import guarded


class PixelLine(pg.InfiniteLine):
    """One pixel wide where its pen is."""

    @guarded
    def paint(self, painter: QPainter, *_: object) -> None:
        place = painter.transform().mapRect(self.boundingRect())
        x, y = int(place.center().x()) + 0.5, int(place.center().y()) + 0.5
        painter.save()
        painter.resetTransform()
        painter.setPen(self.currentPen)
        if self.angle % 180:
            painter.drawLine(QPointF(x, place.top()), QPointF(x, place.bottom()))
        else:
            painter.drawLine(QPointF(place.left(), y), QPointF(place.right(), y))
        painter.restore()


class Region(pg.LinearRegionItem):
    """Stays where it is put, and has no edges."""

    def __init__(self) -> None:
        super().__init__(movable=False)
        for line in self.lines:
            line.hide()

    @guarded
    def paint(self, painter: QPainter, *_: object) -> None:
        place = painter.transform().mapRect(self.boundingRect()).toRect()
        painter.save()
        painter.resetTransform()
        painter.fillRect(place, self.currentBrush)
        painter.restore()
