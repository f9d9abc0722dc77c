"""CopiesPanel: the table of the copies under its tools, and what is to be said of one."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QStackedLayout, QVBoxLayout, QWidget

from gpuexplorer.core.clock import Clock
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.views.copies.moving.copies_table import CopiesTable
from gpuexplorer.gui.views.copies.moving.sentence_bar import SentenceBar
from gpuexplorer.gui.views.copies.moving.table_tools import TableTools
from gpuexplorer.gui.widgets.empty_state import EmptyState

_MODELLED, _MEASURED = "times modelled", ""


class CopiesPanel(QFrame):
    """Where there are no rows, a sentence and a way on stand in their place."""

    way_on_chosen = Signal()

    def __init__(
        self, look: Look, clock: Clock, *, modelled: bool, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setProperty("panel", "card")
        self.setAccessibleName("All copies")
        self.tools = TableTools(look, _MODELLED if modelled else _MEASURED)
        self.table = CopiesTable(look, clock)
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
