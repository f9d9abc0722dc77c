"""ElidedLabel: a line of text that may be cut off, and is told in full on asking."""

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QLabel, QSizePolicy

from gpuexplorer.gui.guard import guarded
from gpuexplorer.gui.paint.drawing import plain_tip
from gpuexplorer.gui.theme.letters import Lettering
from gpuexplorer.gui.theme.palette import Tone


class ElidedLabel(QLabel):
    """Keeps the whole text as its `text()`."""

    def __init__(self, letters: Lettering, tone: Tone, text: str = "") -> None:
        super().__init__(text)
        self._letters = letters
        self._hint = ""
        self.setFont(letters.font)
        self.setProperty("tone", tone.value)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.setTextFormat(Qt.TextFormat.PlainText)

    def show_text(self, text: str, hint: str = "") -> None:
        if text == self.text() and hint == self._hint:
            return
        self._hint = hint
        self.setText(text)
        self._tell_rest()

    def _tell_rest(self) -> None:
        cut = self._letters.width(self.text()) > self.width()
        self.setToolTip(self._hint or (plain_tip(self.text()) if cut else ""))

    def sizeHint(self) -> QSize:
        return QSize(round(self._letters.width(self.text())) + 2, round(self._letters.height))

    def minimumSizeHint(self) -> QSize:
        return QSize(0, round(self._letters.height))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._tell_rest()

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.setPen(self.palette().windowText().color())
            painter.setFont(self.font())
            shown = self._letters.elided(self.text(), self.width())
            painter.drawText(self.rect(), self.alignment(), shown)
