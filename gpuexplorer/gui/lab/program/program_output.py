"""ProgramOutput: what the program prints, as a terminal shows it, and no more than is read."""

from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from gpuexplorer.core.words import Message, tr
from gpuexplorer.gui.theme.look import look
from gpuexplorer.lab.events import Printed
from gpuexplorer.lab.ledger import Cell
from gpuexplorer.lab.printed import clean, shortened

_MOST_ROWS = 5000
_MOST_LETTERS = 100_000  # of what came since it was last shown: nobody reads more at a time


class ProgramOutput(QPlainTextEdit):
    """Stays at its end, unless a person scrolled away from there."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._shown = 0  # letters of all that it printed
        self._open = ""  # the last row, which may go on or be written over
        self.setReadOnly(True)
        self.setUndoRedoEnabled(False)
        self.setTabChangesFocus(True)
        self.setMaximumBlockCount(_MOST_ROWS)
        self.setFont(look().letters.mono.font)
        self.setAccessibleName(tr("Output of the program"))
        self.setPlaceholderText(tr("What the program prints appears here."))

    def begin_anew(self) -> None:
        self.clear()
        self._shown, self._open = 0, ""

    def show_outputs(self, cell: Cell) -> None:
        """What it printed since; where that was much, the older part is not kept."""
        left, new = cell.letters - self._shown, []
        self._shown = cell.letters
        for each in reversed(cell.outputs):
            if left <= 0:
                break
            if isinstance(each, Printed):
                new.append(_text(each.text, left))
                left -= len(each.text)
        text = "".join(reversed(new))
        if text:
            self._add(text)

    def _add(self, text: str) -> None:
        bar, rows = self.verticalScrollBar(), self.blockCount()
        follows, at = bar.value() >= bar.maximum(), bar.value()
        new = (self._open + text)[-_MOST_LETTERS:].split("\n")
        # A row that is written over again and again, as of a progress bar, stays short.
        self._open = "\r".join(new[-1].split("\r")[-2:])
        cursor = QTextCursor(self.document())
        cursor.movePosition(QTextCursor.MoveOperation.End)
        start = QTextCursor.MoveOperation.StartOfBlock
        cursor.movePosition(start, QTextCursor.MoveMode.KeepAnchor)
        cursor.insertText("\n".join(shortened(clean(each)) for each in new))
        gone = rows + len(new) - 1 - self.blockCount()
        bar.setValue(bar.maximum() if follows else at - gone)


def _text(text: str, newest: int) -> str:
    """Sentences of the lab's own come whole, and stand on a line of their own."""
    return f"{tr(text)}\n" if isinstance(text, Message) else text[-newest:]
