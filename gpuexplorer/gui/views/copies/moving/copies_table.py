"""CopiesTable: the rows of all copies, columns that fit, and what is picked of them."""

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QItemSelectionModel, QModelIndex, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QWidget

from gpuexplorer.core.clock import Clock
from gpuexplorer.core.units import Units
from gpuexplorer.core.words import tr
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.views.copies.moving.copies_model import CopiesModel
from gpuexplorer.gui.widgets.tables.data_table import DataTable
from gpuexplorer.gui.wording.copies.moving.columns import (
    COLUMNS,
    INDEX,
    WHAT_AT_LEAST,
    Column,
    fitting,
)
from gpuexplorer.gui.wording.copies.moving.moved import Key, Moved
from gpuexplorer.gui.wording.lab.bench_device import BenchDevice


class CopiesTable(DataTable):
    """`picked` tells what a person did, and nothing of what was shown to them."""

    picked = Signal()
    sorted_by = Signal(object, bool)  # Column, falling
    left = Signal()  # by Escape: nothing is to be chosen

    def __init__(self, look: Look, clock: Clock, parent: QWidget | None = None) -> None:
        super().__init__(look, "Copies of the lab", clock, parent)
        self._rows = CopiesModel(self)
        self._chosen: frozenset[Column] | None = None
        self._placing = False
        self._showing = False
        self.setModel(self._rows)
        self.captions.make_sorting()
        self.captions.setStretchLastSection(False)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        self.captions.sortIndicatorChanged.connect(self._on_sort_changed)
        self.selectionModel().selectionChanged.connect(self._on_selection_changed)
        self._place_columns()

    @property
    def shown(self) -> frozenset[Column]:
        """Which columns stand there now."""
        return fitting(self._chosen, self._room())

    def show_columns(self, chosen: frozenset[Column] | None) -> None:
        """None: as many as fit."""
        self._chosen = chosen
        self._place_columns()

    def show_order(self, column: Column, *, falling: bool) -> None:
        order = Qt.SortOrder.DescendingOrder if falling else Qt.SortOrder.AscendingOrder
        with QSignalBlocker(self.captions):
            self.captions.setSortIndicator(INDEX[column], order)
        self.captions.viewport().update()

    def show_rows(
        self, rows: Sequence[Moved], devices: Mapping[str, BenchDevice], units: Units
    ) -> None:
        """What was picked stays so, wherever it stands now."""
        picked, current = [each.key for each in self.picks()], self._current()
        top = self.verticalScrollBar().value()
        self._showing = True
        if self._rows.show_rows(rows, devices, units):
            self._select(picked, current)
            self.verticalScrollBar().setValue(top)
        self._showing = False

    def choose(self, key: Key | None) -> None:
        """Without telling anybody: who asks knows already."""
        picked = self.picks()
        if [each.key for each in picked] == ([key] if key is not None else []):
            return
        self._showing = True
        self._select([key] if key is not None else [], key)
        index = self._rows.index_of(key)
        if index.isValid():
            self.scrollTo(index)
        self._showing = False

    def picks(self) -> list[Moved]:
        """From the top down."""
        rows = sorted(each.row() for each in self.selectionModel().selectedRows())
        found = [self._rows.moved(self._rows.index(row, 0)) for row in rows]
        return [each for each in found if each is not None]

    def texts(self, rows: Sequence[Moved]) -> tuple[list[str], list[list[str]]]:
        """The captions of the columns that are shown, and what they say of these."""
        columns = [INDEX[spec.column] for spec in COLUMNS if spec.column in self.shown]
        places = [self._rows.index_of(each.key).row() for each in rows]
        told = [[self._said(row, column) for column in columns] for row in places if row >= 0]
        return [tr(COLUMNS[each].caption) for each in columns], told

    def _said(self, row: int, column: int) -> str:
        cell = self._rows.cell(row, column)
        return cell.said or ("yes" if cell.icon is not None else "")

    def _current(self) -> Key | None:
        moved = self._rows.moved(self.currentIndex())
        return None if moved is None else moved.key

    def _select(self, keys: Sequence[Key], current: Key | None) -> None:
        flag, model = QItemSelectionModel.SelectionFlag, self.selectionModel()
        index = self._rows.index_of(current)
        model.clearSelection()
        if index.isValid():
            model.setCurrentIndex(index, flag.NoUpdate)
        for key in keys:
            there = self._rows.index_of(key)
            if there.isValid():
                model.select(there, flag.Select | flag.Rows)

    def _room(self) -> int:
        return self.viewport().width()

    def _place_columns(self) -> None:
        shown, room, taken = self.shown, self._room(), 0
        self._placing = True
        for column, section in INDEX.items():
            self.captions.setSectionHidden(section, column not in shown)
            if column in shown and column is not Column.WHAT:
                self.captions.resizeSection(section, COLUMNS[section].width)
                taken += COLUMNS[section].width
        self.captions.resizeSection(INDEX[Column.WHAT], max(WHAT_AT_LEAST, room - taken))
        self._placing = False
        self.viewport().update()

    def _on_selection_changed(self) -> None:
        if not self._showing:
            self.picked.emit()

    def _on_sort_changed(self, section: int, order: Qt.SortOrder) -> None:
        self.sorted_by.emit(COLUMNS[section].column, order is Qt.SortOrder.DescendingOrder)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self.picks():
            self.clearSelection()
            self.setCurrentIndex(QModelIndex())
            self.left.emit()
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_columns()
