"""ConfirmDialog: names what is about to happen and what is lost by it, before it happens."""

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import (
    QDialog,
    QHBoxLayout,
    QLabel,
    QPlainTextEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.remark import wrapped_label

_WIDTH = 520
_MOST_LINES = 6


class ConfirmDialog(QDialog):
    """The keyboard begins on the button that changes nothing. Add what it says to `body`."""

    def __init__(self, look: Look, heading: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self.setWindowTitle(heading)
        self.setModal(True)
        title = QLabel(heading)
        title.setFont(look.letters.title.font)
        title.setTextFormat(Qt.TextFormat.PlainText)
        title.setWordWrap(True)
        self.body = QVBoxLayout()
        self.body.setSpacing(8)
        self._buttons = QHBoxLayout()
        self._buttons.setSpacing(8)
        self._apart = QHBoxLayout()
        self._buttons.addLayout(self._apart)
        self._buttons.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 20, 24, 20)
        column.setSpacing(12)
        column.addWidget(title)
        column.addLayout(self.body)
        column.addSpacing(8)
        column.addLayout(self._buttons)
        self.setMinimumWidth(_WIDTH)

    def add_sentence(self, sentence: str, tone: Tone = Tone.TEXT) -> QLabel:
        label = wrapped_label(self._look, sentence, tone)
        self.body.addWidget(label)
        return label

    def add_code(self, text: str, name: str) -> QPlainTextEdit:
        """In letters of one width, whole, and to be copied."""
        code = QPlainTextEdit(text)
        code.setReadOnly(True)
        code.setTabChangesFocus(True)
        code.setAccessibleName(name)
        code.setFont(self._look.letters.mono.font)
        code.setLineWrapMode(QPlainTextEdit.LineWrapMode.WidgetWidth)
        line = self._look.letters.mono.height
        per_line = (_WIDTH - 80) / self._look.letters.mono.width("m")
        lines = sum(1 + int(len(each) / per_line) for each in text.split("\n"))
        code.setFixedHeight(round(min(lines, _MOST_LINES) * line + 30))
        self.body.addWidget(code)
        return code

    def add_button(self, text: str, kind: str = "", *, apart: bool = False) -> QPushButton:
        """`apart`: at the other end, where nobody comes by mistake."""
        button = QPushButton(text)
        button.setFont(self._look.letters.body.font)
        button.setAutoDefault(False)
        if kind:
            button.setProperty("kind", kind)
        (self._apart if apart else self._buttons).addWidget(button)
        return button

    def sizeHint(self) -> QSize:
        width = max(_WIDTH, super().sizeHint().width())
        return QSize(width, max(super().sizeHint().height(), self.heightForWidth(width)))
