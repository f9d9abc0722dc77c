"""Fields where a person types: a word, code of several lines, or what is looked for."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction, QKeyEvent
from PySide6.QtWidgets import QLineEdit, QPlainTextEdit, QSizePolicy, QToolButton

from gpuexplorer.core.words import tr
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import look

_HEIGHT = 32


class TextField(QLineEdit):
    """In letters of one width, as what is typed becomes part of a line of code.

    `typed` comes with every change that a person made.
    """

    typed = Signal(str)

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setFont(look().letters.mono.font)
        self.setAccessibleName(name)
        self.setFixedHeight(_HEIGHT)
        self.setMinimumWidth(40)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.textEdited.connect(self.typed)

    def show_text(self, text: str) -> None:
        """Without disturbing whoever types just now."""
        if text != self.text():
            self.setText(text)
            self.setCursorPosition(0)


class CodeField(QPlainTextEdit):
    """A few lines; Tab goes on to the next field."""

    typed = Signal(str)

    def __init__(self, name: str, lines: int) -> None:
        super().__init__()
        self.setFont(look().letters.mono.font)
        self.setAccessibleName(name)
        self.setTabChangesFocus(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFixedHeight(round(lines * look().letters.mono.metrics.lineSpacing()) + 26)
        self.textChanged.connect(self._on_text_changed)

    def text(self) -> str:
        return self.toPlainText()

    def show_text(self, text: str) -> None:
        if text != self.toPlainText():
            self.setPlainText(text)

    def _on_text_changed(self) -> None:
        self.typed.emit(self.toPlainText())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        control = event.modifiers() & Qt.KeyboardModifier.ControlModifier
        if control and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            event.ignore()
        else:
            super().keyPressEvent(event)


class SearchField(QLineEdit):
    """`searched_for` comes with every letter; `left` when the list is to have the keyboard.
    Escape clears the field and then leaves it.
    """

    searched_for = Signal(str)
    left = Signal()

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setPlaceholderText(name)
        self.setAccessibleName(name)
        leading = QLineEdit.ActionPosition.LeadingPosition
        self.addAction(look().icons.for_button(Icon.SEARCH), leading).triggered.connect(
            self.setFocus
        )
        self.setClearButtonEnabled(True)
        for clear in self.findChildren(QAction, "_q_qlineeditclearaction"):
            clear.setIcon(look().icons.for_button(Icon.CLOSE))
        for button, meaning in zip(
            self.findChildren(QToolButton), (name, tr("Clear")), strict=True
        ):
            button.setAccessibleName(meaning)
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
