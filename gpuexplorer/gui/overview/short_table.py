"""ShortTable: the first rows of a list, as many as fit, each leading somewhere."""

from collections.abc import Callable, Hashable, Sequence
from typing import TypeVar

from PySide6.QtCore import QModelIndex, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QSizePolicy

from gpuexplorer.gui.tables.cell import Column
from gpuexplorer.gui.tables.model import TableModel
from gpuexplorer.gui.tables.table import ROW_HEIGHT, Table

T = TypeVar("T")
_PRESSING = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space)


class ShortTable(Table[T]):
    """A click leads on, or Enter; nothing scrolls, and nothing is picked."""

    chosen = Signal(object)  # what the row shows

    def __init__(
        self,
        name: str,
        columns: Sequence[Column[T]],
        key: Callable[[T], Hashable],
        *,
        headed: bool = False,
        row_height: int = ROW_HEIGHT,
    ) -> None:
        model = TableModel(columns, key)
        super().__init__(name, model, row_height=row_height)
        self._all: Sequence[T] = ()
        self._model = model
        self.setHeaderHidden(not headed)
        self.columns.setContextMenuPolicy(Qt.ContextMenuPolicy.NoContextMenu)
        self.setSelectionMode(self.SelectionMode.NoSelection)
        for policy in (self.setVerticalScrollBarPolicy, self.setHorizontalScrollBarPolicy):
            policy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.viewport().setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Ignored)
        self.clicked.connect(self._on_clicked)

    def show_columns(self, columns: Sequence[Column[T]]) -> None:
        self._model.show_columns(columns)

    def fitting(self) -> int:
        return max(0, self.viewport().height() // self.high)

    def show_first(self, things: Sequence[T]) -> None:
        self._all = things
        self.show_rows(things[: self.fitting()])

    def _on_clicked(self, index: QModelIndex) -> None:
        thing = self._model.thing(index)
        if thing is not None:
            self.chosen.emit(thing)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in _PRESSING:
            self._on_clicked(self.currentIndex())
        else:
            super().keyPressEvent(event)

    def minimumSizeHint(self) -> QSize:
        return QSize(0, 0)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.show_first(self._all)
