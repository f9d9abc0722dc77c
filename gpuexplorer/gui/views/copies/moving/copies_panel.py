"""CopiesPanel: the table of the copies under its tools, and what is to be said of one."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import QModelIndex, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPen
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QPushButton,
    QSizePolicy,
    QStackedLayout,
    QVBoxLayout,
    QWidget,
)

from gpuexplorer.copies.copy_row import CopyRow
from gpuexplorer.core.clock import Clock
from gpuexplorer.core.words import tr
from gpuexplorer.gui.paint.drawing import CHIP_RADIUS, Drawing, Run
from gpuexplorer.gui.tables.model import TableModel
from gpuexplorer.gui.tables.table import Table
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.views.copies.moving.copy_cells import CopyCells
from gpuexplorer.gui.views.copies.moving.copy_columns import LINE, copy_columns
from gpuexplorer.gui.views.copies.moving.table_tools import TableTools
from gpuexplorer.gui.widgets.empty_state import EmptyState
from gpuexplorer.gui.widgets.painted import Painted
from gpuexplorer.gui.widgets.remark import wrapped_label
from gpuexplorer.gui.wording.copies.moving.moved import Moved
from gpuexplorer.gui.wording.copies.moving.sentences import Said

_CHIP = 20
_LEAST = 62


class CopiesTable(Table[Moved]):
    """Escape chooses none."""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self.picked():
            self.setCurrentIndex(QModelIndex())
            self.clearSelection()
        else:
            super().keyPressEvent(event)


class CopiesPanel(QFrame):
    """Where there are no rows, a sentence and a way on stand in their place."""

    way_on_chosen = Signal()

    def __init__(
        self,
        look: Look,
        clock: Clock,
        best: Callable[[CopyRow], float | None],
        *,
        modelled: bool,
        parent: QWidget | None = None,
    ) -> None:
        """`best` is the highest rate that was reached on a copy's way."""
        super().__init__(parent)
        self.setProperty("panel", "card")
        self.setAccessibleName(tr("All copies"))
        self.cells = CopyCells(best)
        self.tools = TableTools(look, tr("times modelled") if modelled else "")
        self._model = TableModel(copy_columns(self.cells), lambda moved: moved.key)
        self.table = CopiesTable(look, tr("Copies of the lab"), self._model, clock)
        self.table.columns.begin_with(LINE, falling=True)
        self.bar = SentenceBar(look)
        self._empty = EmptyState(look, Icon.COPIES)
        self._empty.way_on_chosen.connect(self.way_on_chosen)
        self._stack = QStackedLayout()
        line = QFrame()
        line.setProperty("panel", "line")
        line.setFixedHeight(1)
        self._line = line
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 10, 12, 8)
        column.setSpacing(4)
        column.addWidget(self.tools)
        column.addLayout(self._stack, 1)
        column.addWidget(line)
        column.addWidget(self.bar)
        # Of a layout that belongs to nobody yet, its first part would be a window of its own.
        self._stack.addWidget(self.table)
        self._stack.addWidget(self._empty)

    @property
    def rows(self) -> Sequence[Moved]:
        """As they stand in the table, from the top down."""
        return self._model.things

    def show_table(self) -> None:
        self._stack.setCurrentWidget(self.table)
        self._show_bar(shown=True)

    def show_empty(self, heading: str, more: str, way_on: str) -> None:
        self._empty.show_words(heading, more, way_on)
        self._stack.setCurrentWidget(self._empty)
        self._show_bar(shown=False)

    def _show_bar(self, *, shown: bool) -> None:
        self._line.setVisible(shown)
        self.bar.setVisible(shown)


class SentenceBar(QWidget):
    """As high in every case, so that the table above it stands still."""

    cure_asked = Signal()

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._said = Said()
        self._flag = _LineFlag(look)
        self._sentence = wrapped_label(look, "", Tone.TEXT)
        self._cure = wrapped_label(look, "", Tone.QUIET)
        self._cure.setFont(look.letters.caption.font)
        self._button = QPushButton(tr("Show the cure"))
        self._button.setFont(look.letters.body.font)
        self._button.clicked.connect(self.cure_asked)
        words = QVBoxLayout()
        words.setSpacing(2)
        words.addStretch(1)
        words.addWidget(self._sentence)
        words.addWidget(self._cure)
        words.addStretch(1)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 6, 0, 0)
        row.setSpacing(12)
        row.addWidget(self._flag)
        row.addLayout(words, 1)
        row.addWidget(self._button)
        self.setMinimumHeight(_LEAST)
        self.show_said(Said())

    @property
    def said(self) -> Said:
        return self._said

    def show_said(self, said: Said) -> None:
        self._said = said
        self._flag.show_line(said.line, asked=said.asked)
        self._flag.setVisible(bool(said.line))
        for label, words in ((self._sentence, said.sentence), (self._cure, said.cure)):
            if words != label.text():
                label.setText(words)
            label.setVisible(bool(words))
        tone = Tone.BAD if said.bad else Tone.TEXT if said.line else Tone.QUIET
        if self._sentence.property("tone") != tone.value:
            self._sentence.setProperty("tone", tone.value)
            self._sentence.style().polish(self._sentence)
        self._button.setVisible(bool(said.code))


class _LineFlag(Painted):
    """The number of a line, in dashes where nobody asked for the copy."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self._line, self._asked = "", True
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def show_line(self, line: str, *, asked: bool) -> None:
        if (line, asked) != (self._line, self._asked):
            self._line, self._asked = line, asked
            self.setAccessibleName(tr("Line {number}", number=line))
            self.updateGeometry()
            self.update()

    def draw(self, drawing: Drawing) -> None:
        theme, painter, letters = drawing.theme, drawing.painter, drawing.letters.caption
        place = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.track)
        if not self._asked:
            pen = QPen(theme.faint, 1, Qt.PenStyle.CustomDashLine)
            pen.setDashPattern([2.0, 2.0])
            painter.setPen(pen)
            painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(place, CHIP_RADIUS, CHIP_RADIUS)
        run = Run(self._line, letters, theme.text if self._asked else theme.quiet)
        x = place.center().x() - run.width / 2
        drawing.text(x, place.center().y() + letters.cap_height / 2, run)

    def sizeHint(self) -> QSize:
        width = self.look.letters.caption.width(self._line) + 10
        return QSize(max(_CHIP, round(width)), _CHIP)
