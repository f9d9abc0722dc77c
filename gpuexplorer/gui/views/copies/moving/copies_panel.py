"""CopiesPanel: the table of the copies under its tools, and what is to be said of one."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QStackedLayout, QVBoxLayout, QWidget

from gpuexplorer.copies.copy_row import CopyRow
from gpuexplorer.core.clock import Clock
from gpuexplorer.core.words import tr
from gpuexplorer.gui.tables.model import TableModel
from gpuexplorer.gui.tables.table import Table
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.views.copies.moving.copy_cells import CopyCells
from gpuexplorer.gui.views.copies.moving.copy_columns import LINE, copy_columns
from gpuexplorer.gui.views.copies.moving.sentence_bar import SentenceBar
from gpuexplorer.gui.views.copies.moving.table_tools import TableTools
from gpuexplorer.gui.widgets.empty_state import EmptyState
from gpuexplorer.gui.wording.copies.moving.moved import Moved


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
