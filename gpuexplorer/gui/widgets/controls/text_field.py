"""TextField and CodeField: where a person types a word, or code of several lines."""

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QLineEdit, QPlainTextEdit, QSizePolicy, QWidget

from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.widgets.controls.painted_button import CONTROL_RADIUS

_HEIGHT = 32


class TextField(QLineEdit):
    """In letters of one width, as what is typed becomes part of a line of code.

    `typed` comes with every change that a person made.
    """

    typed = Signal(str)

    def __init__(self, look: Look, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._bad = False
        self.setFont(look.letters.mono.font)
        self.setAccessibleName(name)
        self.setFixedHeight(_HEIGHT)
        self.setMinimumWidth(40)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.textEdited.connect(self.typed)

    def show_text(self, text: str) -> None:
        """Without disturbing whoever types just now."""
        if text != self.text():
            self.setText(text)
            self.setCursorPosition(0)

    def show_bad(self, bad: bool) -> None:
        if bad is not self._bad:
            self._bad = bad
            self.update()

    def sizeHint(self) -> QSize:
        return QSize(80, _HEIGHT)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self._bad:
            with QPainter(self) as painter:
                _draw_bad(painter, QRectF(self.rect()), self._look)


class CodeField(QPlainTextEdit):
    """A few lines; Tab goes on to the next field."""

    typed = Signal(str)

    def __init__(
        self, look: Look, name: str, lines: int, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._look = look
        self._bad = False
        self.setFont(look.letters.mono.font)
        self.setAccessibleName(name)
        self.setTabChangesFocus(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFixedHeight(round(lines * look.letters.mono.metrics.lineSpacing()) + 26)
        self.textChanged.connect(self._on_text_changed)

    def text(self) -> str:
        return self.toPlainText()

    def show_text(self, text: str) -> None:
        if text != self.toPlainText():
            self.setPlainText(text)

    def show_bad(self, bad: bool) -> None:
        if bad is not self._bad:
            self._bad = bad
            self.update()

    def _on_text_changed(self) -> None:
        self.typed.emit(self.toPlainText())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        control = event.modifiers() & Qt.KeyboardModifier.ControlModifier
        if control and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            event.ignore()
        else:
            super().keyPressEvent(event)

    def event(self, event: QEvent) -> bool:
        handled = super().event(event)
        # Of what scrolls, `paintEvent` is told of the inside alone.
        if self._bad and event.type() is QEvent.Type.Paint:
            with QPainter(self) as painter:
                _draw_bad(painter, QRectF(self.rect()), self._look)
        return handled


def _draw_bad(painter: QPainter, place: QRectF, look: Look) -> None:
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(look.theme.bad, 1))
    edge = place.adjusted(0.5, 0.5, -0.5, -0.5)
    painter.drawRoundedRect(edge, CONTROL_RADIUS, CONTROL_RADIUS)
