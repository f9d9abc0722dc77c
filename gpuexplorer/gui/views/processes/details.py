"""Details: the chosen process in full, and the button that ends it."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication, QResizeEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QFrame,
    QHBoxLayout,
    QPlainTextEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.elided_label import ElidedLabel

_LINES = 2
_STACKED_BELOW = 640
_NOTHING = mark("Choose a process to see its whole command, or to end it.")
_NOTHING_READ_ONLY = mark("Choose a process to see its whole command.")


class Details(QWidget):
    """Of one height, chosen or not: the table above must not jump."""

    end_asked = Signal()

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._commands: Sequence[str] = ()
        self._command = QPlainTextEdit()
        self._command.setReadOnly(True)
        self._command.setTabChangesFocus(True)
        self._command.setAccessibleName(tr("Whole command"))
        self._command.setProperty("kind", "plain")
        self._command.setFont(look.letters.mono.font)
        self._command.document().setDocumentMargin(0)
        self._command.setFixedHeight(round(_LINES * look.letters.mono.height) + 4)
        self._command.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._facts = ElidedLabel(look.letters.body, Tone.QUIET)
        self._reason = ElidedLabel(look.letters.body, Tone.QUIET)
        self._copy = _button(look, tr("Copy command"))
        self._copy.clicked.connect(self._on_copy_clicked)
        self._end = _button(look, tr("End…"))
        self._end.clicked.connect(self.end_asked)
        line = QFrame()
        line.setProperty("panel", "line")
        line.setFixedHeight(1)
        words = QVBoxLayout()
        words.setSpacing(2)
        words.addWidget(self._command)
        words.addWidget(self._facts)
        words.addWidget(self._reason)
        words.addStretch(1)
        self._buttons = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._buttons.setSpacing(8)
        self._buttons.addWidget(self._copy, 0, Qt.AlignmentFlag.AlignTop)
        self._buttons.addWidget(self._end, 0, Qt.AlignmentFlag.AlignTop)
        row = QHBoxLayout()
        row.setContentsMargins(16, 10, 16, 10)
        row.setSpacing(16)
        row.addLayout(words, 1)
        row.addLayout(self._buttons)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(line)
        column.addLayout(row)
        height = round(_LINES * look.letters.mono.height + 2 * look.letters.body.height)
        self.setFixedHeight(height + 32)
        self.show_nothing("")

    def show_nothing(self, refusal: str) -> None:
        """`refusal`: why nothing may be ended, whatever is chosen; else empty."""
        ending = not refusal
        self._show((), tr(_NOTHING if ending else _NOTHING_READ_ONLY), refusal, "")
        self._end.setVisible(ending)
        self._end.setEnabled(False)

    def show_processes(
        self, commands: Sequence[str], facts: str, refusal: str, *, ending: bool
    ) -> None:
        """`refusal` is why they cannot be ended; empty where they can."""
        self._show(commands, "", facts, refusal)
        self._end.setVisible(ending)
        self._end.setEnabled(ending and not refusal)
        self._end.setToolTip(refusal)

    def _show(self, commands: Sequence[str], instead: str, facts: str, refusal: str) -> None:
        self._commands = commands
        letters = self._look.letters
        text = "\n".join(commands) or instead
        if text != self._command.toPlainText():
            self._command.setFont((letters.mono if commands else letters.body).font)
            self._command.setPlainText(text)
        self._facts.show_text(facts)
        self._reason.show_text(refusal)
        self._copy.setVisible(bool(commands))

    def _on_copy_clicked(self) -> None:
        QGuiApplication.clipboard().setText("\n".join(self._commands))

    def resizeEvent(self, event: QResizeEvent) -> None:
        direction = QBoxLayout.Direction
        narrow = event.size().width() < _STACKED_BELOW
        self._buttons.setDirection(direction.TopToBottom if narrow else direction.LeftToRight)
        super().resizeEvent(event)


def _button(look: Look, text: str) -> QPushButton:
    button = QPushButton(text)
    button.setFont(look.letters.body.font)
    return button
