"""Painted: a widget that draws itself and answers, by tooltip, what lies under the pointer."""

from PySide6.QtCore import QEvent, QRect
from PySide6.QtGui import QHelpEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QToolTip, QWidget

from gpuexplorer.gui.guard import guarded
from gpuexplorer.gui.paint.drawing import Drawing, Hint, plain_tip
from gpuexplorer.gui.theme.look import look


class Painted(QWidget):
    """Subclasses implement `draw`. They repaint by `update()` when what they show changed."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.look = look()
        self._hints: list[Hint] = []

    def draw(self, drawing: Drawing) -> None:
        raise NotImplementedError

    def hints(self) -> list[str]:
        """Everything that can be asked for by pointing."""
        return [hint.text for hint in self._hints]

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        # Ended also where drawing fails: Qt does not survive a painter that is left open.
        with QPainter(self) as painter:
            drawing = Drawing(painter, self.look, event.region())
            self.draw(drawing)
        self._hints = drawing.hints

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() is QEvent.Type.ToolTip:
            for hint in reversed(self._hints):
                if hint.place.contains(event.pos()):
                    place: QRect = hint.place.toAlignedRect()
                    QToolTip.showText(event.globalPos(), plain_tip(hint.text), self, place)
                    return True
            if not self.toolTip():
                QToolTip.hideText()
                return True
        return super().event(event)
