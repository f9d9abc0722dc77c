"""ProcessModel: the lines of the table as Qt's views ask for them, changed in place."""

import html
import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from gpuexplorer.core.units import USUAL, Units
from gpuexplorer.gui.views.processes.arrangement import Key, Line
from gpuexplorer.gui.views.processes.cells import Surroundings, cell
from gpuexplorer.gui.views.processes.columns import COLUMNS, INDEX, Column, caption
from gpuexplorer.gui.widgets.tables.data_table import CELL
from gpuexplorer.gui.widgets.tables.heading import LEFT, RIGHT, Heading
from gpuexplorer.gui.wording.cell import Cell

Index = QModelIndex | QPersistentModelIndex
_TOP = QModelIndex()
_LONGEST_HINT = 1500
_LONG_HINT = 90


@dataclass(slots=True, eq=False)
class _Node:
    number: int
    line: Line
    parent: "_Node | None" = None
    under: list["_Node"] = field(default_factory=list)
    cells: dict[int, Cell] = field(default_factory=dict)


class ProcessModel(QAbstractItemModel):
    """Sorted and filtered before it comes here: 200 rows sorted by Qt cost 5 ms a look."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._numbers = itertools.count(1)
        self._nodes: dict[int, _Node] = {}
        self._top: list[_Node] = []
        self._around = Surroundings()
        self._units = USUAL

    def show_lines(self, lines: Sequence[Line], around: Surroundings) -> None:
        """Rows that stay keep their indexes, whatever becomes of their place and content."""
        self._around = around
        self._arrange(None, lines)
        self._tell_all_changed()

    def show_units(self, units: Units) -> None:
        if units != self._units:
            self._units = units
            self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(COLUMNS) - 1)

    def line(self, index: Index) -> Line | None:
        node = self._nodes.get(index.internalId()) if index.isValid() else None
        return None if node is None else node.line

    def index_of(self, key: Key) -> QModelIndex:
        """Of its first column; not valid where there is no such line."""
        for node in self._nodes.values():
            if node.line.key == key:
                return self._index(node)
        return QModelIndex()

    def cell(self, index: Index, column: Column) -> Cell:
        node = self._nodes[index.internalId()]
        return self._cell(node, INDEX[column])

    def branches(self) -> Iterator[tuple[Key, QModelIndex]]:
        """The lines with others under them."""
        for node in self._top:
            if node.under:
                yield node.line.key, self._index(node)

    def _cell(self, node: _Node, column: int) -> Cell:
        found = node.cells.get(column)
        if found is None:
            found = cell(node.line, COLUMNS[column].column, self._around)
            node.cells[column] = found
        return found

    def _arrange(self, parent: _Node | None, lines: Sequence[Line]) -> None:
        nodes = self._top if parent is None else parent.under
        there = {line.key for line in lines}
        for row in reversed(range(len(nodes))):
            if nodes[row].line.key not in there:
                self._remove(parent, row)
        known = {node.line.key: node for node in nodes}
        new = [line for line in lines if line.key not in known]
        if new:
            self._append(parent, new)
            known = {node.line.key: node for node in nodes}
        wanted = [known[line.key] for line in lines]
        if wanted != nodes:
            self._reorder(parent, wanted)
        for node, line in zip(nodes, lines, strict=True):
            node.line = line
            node.cells.clear()
            if node.under or line.under:
                self._arrange(node, line.under)

    def _append(self, parent: _Node | None, lines: Sequence[Line]) -> None:
        nodes = self._top if parent is None else parent.under
        # What lies under them is told by itself afterwards.
        made = [_Node(next(self._numbers), line, parent) for line in lines]
        self.beginInsertRows(self._index(parent), len(nodes), len(nodes) + len(made) - 1)
        nodes += made
        self._nodes |= {node.number: node for node in made}
        self.endInsertRows()

    def _remove(self, parent: _Node | None, row: int) -> None:
        nodes = self._top if parent is None else parent.under
        self.beginRemoveRows(self._index(parent), row, row)
        node = nodes.pop(row)
        for each in (node, *node.under):
            del self._nodes[each.number]
        self.endRemoveRows()

    def _reorder(self, parent: _Node | None, wanted: list[_Node]) -> None:
        self.layoutAboutToBeChanged.emit()
        before = [index for index in self.persistentIndexList() if index.isValid()]
        nodes = self._top if parent is None else parent.under
        nodes[:] = wanted
        rows = {node.number: row for row, node in enumerate(nodes)}
        moved = [index for index in before if index.internalId() in rows]
        after = [
            self.createIndex(rows[index.internalId()], index.column(), index.internalId())
            for index in moved
        ]
        self.changePersistentIndexList(moved, after)
        self.layoutChanged.emit()

    def _tell_all_changed(self) -> None:
        last = len(COLUMNS) - 1
        for parent in (None, *(node for node in self._top if node.under)):
            nodes = self._top if parent is None else parent.under
            if nodes:
                self.dataChanged.emit(self._index(nodes[0]), self._index(nodes[-1], last))

    def _index(self, node: _Node | None, column: int = 0) -> QModelIndex:
        if node is None:
            return QModelIndex()
        siblings = self._top if node.parent is None else node.parent.under
        return self.createIndex(siblings.index(node), column, node.number)

    def index(self, row: int, column: int, parent: Index = _TOP) -> QModelIndex:
        nodes = self._under(parent)
        if 0 <= row < len(nodes) and 0 <= column < len(COLUMNS):
            return self.createIndex(row, column, nodes[row].number)
        return QModelIndex()

    def parent(self, child: Index = _TOP) -> QModelIndex:  # type: ignore[override]  # Qt has two
        node = self._nodes.get(child.internalId()) if child.isValid() else None
        return QModelIndex() if node is None else self._index(node.parent)

    def rowCount(self, parent: Index = _TOP) -> int:
        return len(self._under(parent))

    def columnCount(self, parent: Index = _TOP) -> int:
        return len(COLUMNS)

    def _under(self, parent: Index) -> list[_Node]:
        if not parent.isValid():
            return self._top
        node = self._nodes.get(parent.internalId())
        return node.under if node is not None and parent.column() == 0 else []

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        node = self._nodes.get(index.internalId()) if index.isValid() else None
        if node is None:
            return None
        if role == CELL:
            return self._cell(node, index.column())
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return self._cell(node, index.column()).said
            case Qt.ItemDataRole.ToolTipRole:
                return _tip(self._cell(node, index.column()))
            case Qt.ItemDataRole.AccessibleTextRole:
                spec, told = COLUMNS[index.column()], self._cell(node, index.column())
                return f"{caption(spec, self._units)}: {told.said or told.hint}"
            case Qt.ItemDataRole.TextAlignmentRole:
                return RIGHT if COLUMNS[index.column()].right else LEFT
        return None

    def headerData(
        self,
        section: int,
        orientation: Qt.Orientation,
        role: int = Qt.ItemDataRole.DisplayRole,
    ) -> object:
        if orientation is not Qt.Orientation.Horizontal or not 0 <= section < len(COLUMNS):
            return None
        spec = COLUMNS[section]
        said = caption(spec, self._units)
        return Heading(said, spec.meaning, spec.right, spec.largest_first).answer(role)


def _tip(told: Cell) -> str:
    """A long command is broken into lines, and never taken for markup."""
    text = told.hint or told.said
    if len(text) > _LONGEST_HINT:
        text = f"{text[:_LONGEST_HINT]}…"
    if len(text) <= _LONG_HINT and "<" not in text:
        return text
    return f"<qt>{html.escape(text)}</qt>"
