"""SearchField: where one types what is looked for; Escape clears it and then lets go."""

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QLineEdit, QWidget

from gpuexplorer.gui.paint.drawing import Drawing
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import Look

_ICON = 16.0
_ICON_LEFT = 8.0


class SearchField(QLineEdit):
    """`searched_for` tells what is typed as it is typed; `left` that the list is to have the
    keyboard.
    """

    searched_for = Signal(str)
    left = Signal()

    def __init__(self, look: Look, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self.setPlaceholderText(name)
        self.setAccessibleName(name)
        self.setProperty("kind", "search")
        self.setFont(look.letters.body.font)
        self.setTextMargins(round(_ICON_LEFT + _ICON), 0, 0, 0)
        self.textChanged.connect(self.searched_for)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        match event.key():
            case Qt.Key.Key_Escape if self.text():
                self.clear()
            case Qt.Key.Key_Escape:
                self.left.emit()
                # What floats closes with it.
                super().keyPressEvent(event)
            case Qt.Key.Key_Down:
                self.left.emit()
            case _:
                super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        with QPainter(self) as painter:
            place = QRectF(_ICON_LEFT, (self.height() - _ICON) / 2, _ICON, _ICON)
            theme = self._look.theme
            Drawing(painter, self._look).icon(Icon.SEARCH, place, theme.faint)
