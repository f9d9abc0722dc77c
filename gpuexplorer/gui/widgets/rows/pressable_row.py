"""PressableRow: a painted line that leads somewhere, by mouse or by keyboard."""

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from gpuexplorer.gui.paint.drawing import Drawing
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.widgets.painted import Painted

_RADIUS = 6.0
_PRESSING = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space)
SIDE = 8  # what is drawn around a row's content when it is pointed at


class PressableRow(Painted):
    """Subclasses implement `draw_row`, between `SIDE` pixels left and right."""

    pressed = Signal()

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)

    def draw_row(self, drawing: Drawing, place: QRectF) -> None:
        raise NotImplementedError

    def draw(self, drawing: Drawing) -> None:
        place = QRectF(self.rect())
        if self.underMouse():
            drawing.painter.setPen(Qt.PenStyle.NoPen)
            drawing.painter.setBrush(drawing.theme.selection)
            drawing.painter.drawRoundedRect(place.adjusted(0, 1, 0, -1), _RADIUS, _RADIUS)
        self.draw_row(drawing, place.adjusted(SIDE, 0, -SIDE, 0))
        if self.hasFocus():
            drawing.focus_ring(place, _RADIUS)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in _PRESSING:
            self.pressed.emit()
        else:
            super().keyPressEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        # Taken, so that the release comes here too.
        event.accept()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        inside = self.rect().contains(event.position().toPoint())
        if inside and event.button() is Qt.MouseButton.LeftButton:
            self.pressed.emit()
