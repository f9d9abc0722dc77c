"""CodeHead: the pane's heading with its buttons, and the captions of the columns."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.paint.drawing import Drawing, Run
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.views.lab.code.line_layout import COLUMN, FIGURES, LEFT, RIGHT
from gpuexplorer.gui.widgets.controls.buttons import WordButton
from gpuexplorer.gui.widgets.painted import Painted

HEIGHT = 96
_CAPTIONS = 42
_MODELLED = mark("Times are modelled")
_SCALE = ("1 µs", "1 ms", "1 s")


class CodeHead(QWidget):
    """Tells what is asked; whoever holds it does it."""

    copy_asked = Signal()
    save_asked = Signal()

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        title = QLabel(tr("Code"))
        title.setFont(look.letters.title.font)
        self._copy = WordButton(look, Icon.COPY, tr("Copy"))
        self._copy.setToolTip(tr("Copy the whole session as a Python program"))
        self._copy.clicked.connect(self.copy_asked)
        self._save = WordButton(look, Icon.EXPORT, tr("Save as"))
        self._save.setToolTip(tr("Save the session as a Python program or a notebook"))
        self._save.clicked.connect(self.save_asked)
        self._captions = _Captions(look)
        row = QHBoxLayout()
        row.setContentsMargins(round(LEFT), 10, round(RIGHT) - 8, 0)
        row.setSpacing(8)
        row.addWidget(title)
        row.addStretch(1)
        row.addWidget(self._copy)
        row.addWidget(self._save)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addLayout(row)
        column.addStretch(1)
        column.addWidget(self._captions)
        self.setFixedHeight(HEIGHT)

    def show_session(self, *, lines: bool, modelled: bool) -> None:
        """`lines`: whether there is something to copy."""
        self._copy.setEnabled(lines)
        self._save.setEnabled(lines)
        self._captions.show_session(lines=lines, modelled=modelled)


class _Captions(Painted):
    """Over the columns of times the scale of the axis that stands in each line."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self._lines = self._modelled = False
        self.setFixedHeight(_CAPTIONS)

    def show_session(self, *, lines: bool, modelled: bool) -> None:
        if (lines, modelled) != (self._lines, self._modelled):
            self._lines, self._modelled = lines, modelled
            self.setAccessibleName(tr(_MODELLED) if modelled else "")
            self.update()

    def draw(self, drawing: Drawing) -> None:
        if not self._lines:
            return
        theme, letters = drawing.theme, drawing.letters.caption
        right = self.width() - RIGHT
        left = right - FIGURES
        drawing.text(LEFT, 14, Run(tr("Line"), letters, theme.quiet))
        if self._modelled:
            drawing.text(LEFT, 30, Run(tr(_MODELLED), letters, theme.faint))
        drawing.runs_right(right - COLUMN, 14, [Run(tr("Device"), letters, theme.quiet)])
        drawing.runs_right(right, 14, [Run(tr("Host"), letters, theme.quiet)])
        for share, words in zip((0.0, 0.5, 1.0), _SCALE, strict=True):
            run = Run(words, letters, theme.faint)
            drawing.text(left + share * (FIGURES - run.width), 30, run)
        drawing.hairline(LEFT, right, _CAPTIONS - 2)
        for share in (0.0, 0.5, 1.0):
            x = round(left + share * (FIGURES - 1))
            drawing.painter.fillRect(x, _CAPTIONS - 6, 1, 4, theme.faint)
