"""TableModel: rows of any type in columns, sorted, and changed in place.

It sorts by itself: a QSortFilterProxyModel asks Python twice for each comparison, which took
75 to 120 ms for 2000 rows where this takes less than one.
"""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Generic, TypeVar

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QObject, Qt

from gpuexplorer.gui.paint.drawing import Index, plain_tip
from gpuexplorer.gui.tables.cell import NO_CELL, Cell, Column

T = TypeVar("T")
_TOP = QModelIndex()
_ROLE, _ORDER, _SIDE = Qt.ItemDataRole, Qt.SortOrder, Qt.AlignmentFlag
# A view of 100 000 rows would stand still for a second with each that is added, so that there
# are more only when it is scrolled to the last one. Of `canFetchMore` QTreeView takes all.
_AT_ONCE = 2000


@dataclass(eq=False, slots=True)
class _Node(Generic[T]):
    """A row, and where it stands. `cells` are those that somebody asked for."""

    number: int
    key: Hashable
    thing: T
    parent: "_Node[T] | None"
    row: int
    cells: dict[int, Cell]
    under: "list[_Node[T]]"


class TableModel(QAbstractItemModel, Generic[T]):
    """A row is known by its key, wherever it moves. Cells are made when they are asked for."""

    def __init__(
        self,
        columns: Sequence[Column[T]],
        key: Callable[[T], Hashable],
        under: Callable[[T], Sequence[T]] = lambda _: (),
        parent: QObject | None = None,
    ) -> None:
        """`under` are the rows that stand under another."""
        super().__init__(parent)
        self.columns = columns
        self.sorted_by: Column[T] | None = None  # where rows do not stand as they were given
        self.falling = False
        self.things: Sequence[T] = ()  # from the top down, also those nobody asked for yet
        self._key, self._under = key, under
        self._given: Sequence[T] = ()
        self._most = _AT_ONCE
        self._numbers = count(1)  # no row has 0, which Qt says of none
        self._top: list[_Node[T]] = []
        self._nodes: dict[int, _Node[T]] = {}  # from the top down
        self._by_key: dict[Hashable, _Node[T]] = {}

    def show_columns(self, columns: Sequence[Column[T]]) -> None:
        """The same ones with other words, as when units change; or others, and no rows."""
        keys, by = [each.key for each in columns], self.sorted_by
        if keys == [each.key for each in self.columns]:
            self.columns = columns
            self.sorted_by = None if by is None else columns[keys.index(by.key)]
            self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(columns) - 1)
            return
        self.beginResetModel()
        self.columns, self.sorted_by, self.things, self._given = columns, None, (), ()
        self._top, self._nodes, self._by_key = [], {}, {}
        self.endResetModel()

    def show(self, things: Sequence[T], *, still: bool = False) -> None:
        """`still`: rows stay where they are, and new ones come last."""
        self._given = things
        self._arrange(self._ordered(things, still), still=still)
        self._tell_changes()

    def sort(self, column: int, order: Qt.SortOrder = _ORDER.AscendingOrder) -> None:
        found = self.columns[column] if 0 <= column < len(self.columns) else None
        self.sorted_by = found if found is not None and found.sorts is not None else None
        self.falling = order is _ORDER.DescendingOrder
        self._most = _AT_ONCE
        self._arrange(self._ordered(self._given))

    def thing(self, index: Index) -> T | None:
        node = self._node(index)
        return None if node is None else node.thing

    def key(self, index: Index) -> Hashable | None:
        node = self._node(index)
        return None if node is None else node.key

    def cell(self, index: Index) -> Cell:
        node, at = self._node(index), index.column()
        if node is None:
            return NO_CELL
        if at not in node.cells:
            node.cells[at] = self.columns[at].cell(node.thing)
        return node.cells[at]

    def index_of(self, key: Hashable) -> QModelIndex:
        """Not valid where there is no such row, or none yet."""
        return self._index(self._by_key.get(key))

    def take_more(self, until: int = 0) -> None:
        """Of the rows below the last one, where there are some; at least up to this one."""
        self._most = max(len(self._top), until) + _AT_ONCE
        self._arrange(self.things, still=True)

    def branches(self) -> set[Hashable]:
        """The rows with others under them."""
        return {node.key for node in self._nodes.values() if node.under}

    def _ordered(self, things: Sequence[T], still: bool = False) -> Sequence[T]:
        if still:
            places = {key: node.row for key, node in self._by_key.items()}
            return sorted(things, key=lambda each: places.get(self._key(each), len(places)))
        if self.sorted_by is None or self.sorted_by.sorts is None:
            return things
        # What is not known comes last, whichever way the rest goes.
        values = list(map(self.sorted_by.sorts, things))
        known = [at for at, value in enumerate(values) if value is not None]
        known.sort(key=values.__getitem__, reverse=self.falling)  # type: ignore[arg-type]  # None is left out
        unknown = (at for at, value in enumerate(values) if value is None)
        return [things[at] for at in (*known, *unknown)]

    def _arrange(self, things: Sequence[T], *, still: bool = False) -> None:
        """Whoever stays keeps its number, by which Qt knows it, wherever it stands now."""
        nodes: dict[int, _Node[T]] = {}
        known = dict(self._by_key)

        def made(things: Sequence[T], parent: _Node[T] | None) -> list[_Node[T]]:
            rows: list[_Node[T]] = []
            for row, thing in enumerate(things):
                key = self._key(thing)
                before = known.pop(key, None)
                number = next(self._numbers) if before is None else before.number
                cells = {} if before is None else before.cells
                node = nodes[number] = _Node(number, key, thing, parent, row, cells, [])
                rows.append(node)
                under = self._under(thing)
                if under:
                    node.under = made(self._ordered(under, still), node)
            return rows

        self.things, top = things, made(things[: self._most], None)
        moved = list(map(_place, nodes.values())) != list(map(_place, self._nodes.values()))
        if moved:
            self.layoutAboutToBeChanged.emit()
            before = self.persistentIndexList()
            numbers = [(each.internalId(), each.column()) for each in before]
        self._top, self._nodes = top, nodes
        self._by_key = {node.key: node for node in nodes.values()}
        if moved:
            after = [self._index(nodes.get(number), column) for number, column in numbers]
            self.changePersistentIndexList(before, after)
            self.layoutChanged.emit()

    def _tell_changes(self) -> None:
        """What nobody asked for cannot be out of date."""
        for node in self._nodes.values():
            before = node.cells
            node.cells = {at: self.columns[at].cell(node.thing) for at in before}
            changed = [at for at, cell in node.cells.items() if cell != before[at]]
            if changed:
                first, last = self._index(node, min(changed)), self._index(node, max(changed))
                self.dataChanged.emit(first, last)

    def _node(self, index: Index) -> _Node[T] | None:
        return self._nodes.get(index.internalId()) if index.isValid() else None

    def _nodes_under(self, parent: Index) -> list[_Node[T]]:
        node = self._node(parent) if parent.column() == 0 else None
        return node.under if node is not None else [] if parent.isValid() else self._top

    def _index(self, node: _Node[T] | None, column: int = 0) -> QModelIndex:
        if node is None:
            return QModelIndex()
        return self.createIndex(node.row, column, node.number)

    def index(self, row: int, column: int, parent: Index = _TOP) -> QModelIndex:
        nodes = self._nodes_under(parent)
        there = 0 <= row < len(nodes) and 0 <= column < len(self.columns)
        return self._index(nodes[row] if there else None, column)

    def parent(self, child: Index = _TOP) -> QModelIndex:  # type: ignore[override]  # Qt has two
        node = self._node(child)
        return self._index(None if node is None else node.parent)

    def rowCount(self, parent: Index = _TOP) -> int:
        return len(self._nodes_under(parent))

    def hasChildren(self, parent: Index = _TOP) -> bool:
        return bool(self._nodes_under(parent))  # the view asks it of every row

    def columnCount(self, parent: Index = _TOP) -> int:
        return len(self.columns)

    def data(self, index: Index, role: int = _ROLE.DisplayRole) -> object:
        node = self._node(index)
        if node is None:
            return None
        column = self.columns[index.column()]
        match role:
            case _ROLE.DisplayRole:
                return self.cell(index).said
            case _ROLE.ToolTipRole:
                return plain_tip(self.cell(index).hint or self.cell(index).said)
            case _ROLE.AccessibleDescriptionRole:
                return self.cell(index).hint
            case _ROLE.AccessibleTextRole if column.spoken is not None:
                return column.spoken(node.thing)
            case _ROLE.AccessibleTextRole:
                cell = self.cell(index)
                return f"{column.heading}: {cell.said or cell.hint}"
            case _ROLE.CheckStateRole:
                state = self.cell(index).checked
                on, off = Qt.CheckState.Checked, Qt.CheckState.Unchecked
                return None if state is None else on if state else off
        return None

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = _ROLE.DisplayRole
    ) -> object:
        there = 0 <= section < len(self.columns)
        if orientation is not Qt.Orientation.Horizontal or not there:
            return None
        column = self.columns[section]
        match role:
            case _ROLE.DisplayRole:
                return column.heading
            case _ROLE.AccessibleTextRole:
                return column.named
            case _ROLE.ToolTipRole:
                return column.meaning
            case _ROLE.TextAlignmentRole:
                side = _SIDE.AlignRight if column.right else _SIDE.AlignLeft
                return side | _SIDE.AlignVCenter
            case _ROLE.InitialSortOrderRole if column.largest_first:
                return _ORDER.DescendingOrder
        return None


def _place(node: _Node[T]) -> tuple[int, int]:
    return node.number, -1 if node.parent is None else node.parent.number
