"""Overlay: what pyqtgraph has no item for, drawn in pixels over a plot or a whole graph."""

from collections.abc import Callable

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import (
    QGraphicsObject,
    QGraphicsWidget,
    QStyleOptionGraphicsItem,
    QWidget,
)

from gpuexplorer.gui.paint.drawing import Drawing
from gpuexplorer.gui.theme.look import Look


class Overlay(QGraphicsObject):
    """Lies over `under`, a view or the grid of a graph, and has its coordinates."""

    def __init__(
        self, look: Look, under: QGraphicsWidget, draw: Callable[[Drawing], None]
    ) -> None:
        super().__init__(under)
        self._look, self._draw = look, draw
        self._place = under.rect()
        self.setZValue(10)
        under.geometryChanged.connect(self._on_moved)

    def boundingRect(self) -> QRectF:
        return self._place

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionGraphicsItem,
        widget: QWidget | None = None,
    ) -> None:
        self._draw(Drawing(painter, self._look))

    def _on_moved(self) -> None:
        self.prepareGeometryChange()
        under = self.parentItem()
        assert isinstance(under, QGraphicsWidget)
        self._place = under.rect()
