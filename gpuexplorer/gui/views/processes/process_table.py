"""ProcessTable: rows in an order that keeps calm, columns that fit, and what is picked."""

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import (
    QItemSelection,
    QItemSelectionModel,
    QModelIndex,
    QSignalBlocker,
    Qt,
    Signal,
)
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QWidget

from gpuexplorer.core.clock import Clock
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.views.processes.arrangement import (
    Grouping,
    Key,
    Line,
    Wanted,
    arrange,
    in_the_order_of,
)
from gpuexplorer.gui.views.processes.cells import Surroundings
from gpuexplorer.gui.views.processes.columns import COLUMNS, INDEX, Column
from gpuexplorer.gui.views.processes.process_model import ProcessModel
from gpuexplorer.gui.views.processes.table_layout import (
    COMMAND_AT_LEAST,
    TableLayout,
    fitting,
    width_of,
)
from gpuexplorer.gui.widgets.tables.cell_drawing import chips_width
from gpuexplorer.gui.widgets.tables.data_table import DataTable
from gpuexplorer.telemetry.process_book import BookRow

_CHIPS_OF_A_PROGRAM = 4


class ProcessTable(DataTable):
    """Pulls nothing itself. What a person does to the columns is told by `layout_changed`."""

    layout_changed = Signal()
    picked_changed = Signal()

    def __init__(
        self, look: Look, clock: Clock, layout: TableLayout, parent: QWidget | None = None
    ) -> None:
        super().__init__(look, "Processes", clock, parent)
        self._layout = layout
        self._lines: Sequence[Line] = ()
        self._folded: set[Key] = set()
        self._placing = False
        self._still = False
        self._changing = False
        self.model_of_processes = ProcessModel(self)
        self.setModel(self.model_of_processes)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        self.show_layout(layout)
        captions = self.captions
        captions.sectionResized.connect(self._on_section_resized)
        captions.sectionMoved.connect(self._on_section_moved)
        captions.sortIndicatorChanged.connect(self._on_sort_changed)
        self.collapsed.connect(self._on_collapsed)
        self.expanded.connect(self._on_expanded)
        self.selectionModel().selectionChanged.connect(self._on_selection_changed)

    @property
    def layout_of_columns(self) -> TableLayout:
        return self._layout

    @property
    def lines(self) -> Sequence[Line]:
        return self._lines

    def show_layout(self, layout: TableLayout) -> None:
        self._layout = layout
        grouped = layout.grouping is Grouping.PROGRAM
        self.show_branches(INDEX[Column.COMMAND] if grouped else None)
        order = Qt.SortOrder.DescendingOrder if layout.falling else Qt.SortOrder.AscendingOrder
        with QSignalBlocker(self.captions):
            self.captions.setSortIndicator(INDEX[layout.sorted_by], order)
        self._place_columns()

    def stand_still(self, still: bool) -> None:
        """While a menu or a question about a row is open, rows keep their places."""
        self._still = still

    def may_move(self) -> bool:
        """Whether rows may change places now without being in anybody's way."""
        return not self._still and self.at_rest()

    def show_rows(
        self,
        rows: Sequence[BookRow],
        wanted: Wanted,
        around: Surroundings,
        *,
        in_order: bool,
    ) -> None:
        """`in_order`: put them in order even where somebody reads along."""
        places = {card: position for position, card in enumerate(around.cards)}
        lines = arrange(rows, wanted, places)
        if not in_order and not self.may_move():
            lines = in_the_order_of(self._lines, lines)
        picked, current = self._picked_keys(), self._current_key()
        self._changing = True
        self._lines = lines
        self.model_of_processes.show_units(around.units)
        self.model_of_processes.show_lines(lines, around)
        for key, index in self.model_of_processes.branches():
            if key not in self._folded and not self.isExpanded(index):
                self.expand(index)
        self._pick_again(picked, current)
        self._changing = False

    def picked(self) -> Sequence[Line]:
        """From the top down."""
        indexes = [each for each in self.selectionModel().selectedRows() if each.isValid()]
        indexes.sort(key=_path)
        lines = [self.model_of_processes.line(each) for each in indexes]
        return [line for line in lines if line is not None]

    def texts(self, lines: Sequence[Line]) -> tuple[list[str], list[list[str]]]:
        """The captions of the columns that are shown, and what they say of these."""
        captions, model = self.captions, self.model_of_processes
        columns = [captions.logicalIndex(visual) for visual in range(captions.count())]
        # Of a curve there is nothing to take along.
        columns = [
            each
            for each in columns
            if not captions.isSectionHidden(each) and each != INDEX[Column.HISTORY]
        ]
        titles = [str(model.headerData(each, Qt.Orientation.Horizontal)) for each in columns]
        rows = []
        for line in lines:
            index = model.index_of(line.key)
            rows.append([model.cell(index, COLUMNS[each].column).said for each in columns])
        return titles, rows

    def _picked_keys(self) -> set[Key]:
        return {line.key for line in self.picked()}

    def _current_key(self) -> Key | None:
        line = self.model_of_processes.line(self.currentIndex())
        return None if line is None else line.key

    def _pick_again(self, picked: set[Key], current: Key | None) -> None:
        """Qt follows rows that stay; one that came under a program or out of it is another."""
        lost = picked - self._picked_keys()
        selection = QItemSelection()
        for key in lost:
            index = self.model_of_processes.index_of(key)
            if index.isValid():
                selection.select(index, index)
        if not selection.isEmpty():
            flag = QItemSelectionModel.SelectionFlag
            self.selectionModel().select(selection, flag.Select | flag.Rows)
        if current is not None and self._current_key() != current:
            index = self.model_of_processes.index_of(current)
            if index.isValid():
                self.selectionModel().setCurrentIndex(
                    index, QItemSelectionModel.SelectionFlag.NoUpdate
                )

    def _place_columns(self) -> None:
        captions, layout = self.captions, self._layout
        room = self.viewport().width()
        shown = fitting(layout, room)
        self._placing = True
        for position, column in enumerate(layout.order):
            captions.moveSection(captions.visualIndex(INDEX[column]), position)
        taken = 0
        for column, section in INDEX.items():
            captions.setSectionHidden(section, column not in shown)
            if column in shown and column is not Column.COMMAND:
                width = self._width(column)
                captions.resizeSection(section, width)
                taken += width
        at_least = max(COMMAND_AT_LEAST, layout.widths.get(Column.COMMAND, 0))
        captions.resizeSection(INDEX[Column.COMMAND], max(at_least, room - taken))
        self._placing = False
        self.viewport().update()

    def _width(self, column: Column) -> int:
        width = width_of(self._layout, column)
        if column is Column.CARD and self._layout.grouping is Grouping.PROGRAM:
            return max(width, round(chips_width(_CHIPS_OF_A_PROGRAM)))
        return width

    def _change(self, layout: TableLayout) -> None:
        self.show_layout(layout)
        self.layout_changed.emit()

    def _on_selection_changed(self) -> None:
        # While rows come and go, whoever shows them asks afterwards what is picked.
        if not self._changing:
            self.picked_changed.emit()

    def _on_section_resized(self, section: int, _: int, width: int) -> None:
        if self._placing or width == 0:
            return
        widths = {**self._layout.widths, COLUMNS[section].column: width}
        self._change(replace(self._layout, widths=widths))

    def _on_section_moved(self) -> None:
        if self._placing:
            return
        captions = self.captions
        order = [COLUMNS[captions.logicalIndex(at)].column for at in range(captions.count())]
        self._change(replace(self._layout, order=tuple(order)))

    def _on_sort_changed(self, section: int, order: Qt.SortOrder) -> None:
        falling = order is Qt.SortOrder.DescendingOrder
        column = COLUMNS[section].column
        self._change(replace(self._layout, sorted_by=column, falling=falling))

    def _on_collapsed(self, index: QModelIndex) -> None:
        line = self.model_of_processes.line(index)
        if line is not None:
            self._folded.add(line.key)

    def _on_expanded(self, index: QModelIndex) -> None:
        line = self.model_of_processes.line(index)
        if line is not None:
            self._folded.discard(line.key)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_columns()


def _path(index: QModelIndex) -> tuple[int, ...]:
    parent = index.parent()
    return (parent.row(), index.row()) if parent.isValid() else (index.row(),)
