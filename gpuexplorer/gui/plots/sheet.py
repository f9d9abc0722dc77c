"""Sheet: words and marks of a graph that are no data; what lies where is told on pointing."""

from collections.abc import Callable

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QGraphicsItem, QStyleOptionGraphicsItem, QWidget

from gpuexplorer.gui.paint.drawing import Drawing, Hint
from gpuexplorer.gui.theme.look import Look


class Sheet(QGraphicsItem):
    """`draw` draws it in the scene's coordinates, within the place where it was put."""

    def __init__(self, look: Look, draw: Callable[[Drawing], None], above: float) -> None:
        super().__init__()
        self._look, self._draw = look, draw
        self._place = QRectF()
        self.hints: list[Hint] = []
        self.setZValue(above)

    def put(self, place: QRectF) -> None:
        if place != self._place:
            self.prepareGeometryChange()
            self._place = place
        self.update()

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionGraphicsItem,
        widget: QWidget | None = None,
    ) -> None:
        drawing = Drawing(painter, self._look)
        try:
            self._draw(drawing)
        finally:  # PySide on Python 3.11 crashes on an exception that no frame has seen
            self.hints = drawing.hints

    def boundingRect(self) -> QRectF:
        return self._place
