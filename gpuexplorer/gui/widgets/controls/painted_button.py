"""PaintedButton: a button that draws itself, and is one to keyboard and screen reader."""

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractButton, QWidget

from gpuexplorer.gui.guard import guarded
from gpuexplorer.gui.paint.drawing import Drawing
from gpuexplorer.gui.theme.look import look

CONTROL_RADIUS = 6.0


class PaintedButton(QAbstractButton):
    """Subclasses implement `draw`. The mouse presses it and leaves the keyboard where it is."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.look = look()
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)

    def draw(self, drawing: Drawing) -> None:
        raise NotImplementedError

    def draw_ground(self, drawing: Drawing, place: QRectF) -> None:
        """What shows that it is chosen, pointed at, or has the keyboard."""
        if self.isChecked() or (self.isEnabled() and (self.underMouse() or self.isDown())):
            drawing.filled(place, drawing.theme.selection, CONTROL_RADIUS)
        if self.hasFocus():
            drawing.focus_ring(place, CONTROL_RADIUS)

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            self.draw(Drawing(painter))
