"""RecipeBox: the lines that make a thing again, and a button that copies them."""

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPlainTextEdit, QVBoxLayout, QWidget

from gpuexplorer.core.words import tr
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.widgets.controls.buttons import WordButton

_MOST_LINES, _FRAME, _INNER = 9, 34, 210.0
_SIMULATED = "# SIMULATED: the cards of this session are simulated."


class RecipeBox(QWidget):
    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._simulated = False
        heading = QLabel(tr("Recipe"))
        heading.setFont(look.letters.body.font)
        heading.setProperty("tone", "quiet")
        copy = WordButton(look, Icon.COPY, tr("Copy"))
        copy.setAccessibleName(tr("Copy the recipe"))
        copy.clicked.connect(self._on_copy_asked)
        self._text = QPlainTextEdit()
        self._text.setFont(look.letters.mono.font)
        self._text.setReadOnly(True)
        self._text.setTabChangesFocus(True)
        self._text.setLineWrapMode(QPlainTextEdit.LineWrapMode.WidgetWidth)
        self._text.setAccessibleName(tr("Recipe"))
        head = QHBoxLayout()
        head.addWidget(heading)
        head.addStretch(1)
        head.addWidget(copy)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 4, 0, 0)
        column.setSpacing(4)
        column.addLayout(head)
        column.addWidget(self._text)

    def show_recipe(self, code: str, *, simulated: bool) -> None:
        self._simulated = simulated
        self.setVisible(bool(code))
        if code != self._text.toPlainText():
            self._text.setPlainText(code)
            metrics = self._look.letters.mono
            lines = sum(1 + int(metrics.width(each) / _INNER) for each in code.splitlines())
            height = round(min(lines, _MOST_LINES) * metrics.height) + _FRAME
            self._text.setFixedHeight(height)

    def _on_copy_asked(self) -> None:
        """Whatever leaves the window says what it is."""
        code = self._text.toPlainText()
        words = f"{_SIMULATED}\n{code}" if self._simulated else code
        QGuiApplication.clipboard().setText(words)
