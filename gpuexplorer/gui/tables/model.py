"""TableModel: rows of any type in columns, sorted, and changed in place.

It sorts by itself: a QSortFilterProxyModel asks Python twice for each comparison, which took
75 to 120 ms for 2000 rows where this takes less than one.
"""

import html
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import Generic, TypeVar

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QObject, Qt

from gpuexplorer.gui.paint.delegate import Index
from gpuexplorer.gui.tables.cell import Cell
from gpuexplorer.gui.tables.column import Column

T = TypeVar("T")
CELL = Qt.ItemDataRole.UserRole + 1
_TOP = QModelIndex()
_MOST_CELLS = 4000  # that are compared one by one
_MANY = 8  # stretches of rows: beyond, they come or go together and all is put in order once
_AT_ONCE = 2000  # rows; there are more when the view is scrolled to the last one
_LONGEST_HINT = 1500
_LONG_HINT = 90


class _Node(Generic[T]):
    """A row, and where it stands. `cells` are those that somebody asked for."""

    __slots__ = ("cells", "key", "number", "parent", "row", "thing", "under")

    def __init__(self, number: int, key: Hashable, thing: T, parent: "_Node[T] | None") -> None:
        self.number = number
        self.key = key
        self.thing = thing
        self.parent = parent
        self.row = 0
        self.under: list[_Node[T]] = []
        self.cells: dict[int, Cell] = {}


def _all_of(nodes: Iterable[_Node[T]]) -> Iterator[_Node[T]]:
    """With those under them, however deep; each before those under it."""
    for node in nodes:
        yield node
        yield from _all_of(node.under)


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
        self._columns = columns
        self._key = key
        self._under = under
        self._things: Sequence[T] = ()
        self._in_order: Sequence[T] = ()
        self._most = _AT_ONCE
        self._made = 0
        self._top: list[_Node[T]] = []
        self._nodes: dict[int, _Node[T]] = {}
        self._sorted_by: Column[T] | None = None
        self._falling = False

    @property
    def columns(self) -> Sequence[Column[T]]:
        return self._columns

    @property
    def sorted_by(self) -> tuple[str, bool]:
        """The key of a column, empty where rows stand as they were given; whether falling."""
        return "" if self._sorted_by is None else self._sorted_by.key, self._falling

    def show_columns(self, columns: Sequence[Column[T]]) -> None:
        """The same ones with other words, as when units change."""
        self._columns = columns
        by = self.sorted_by[0]
        self._sorted_by = next((each for each in columns if each.key == by), None)
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(columns) - 1)

    def start_anew(self, columns: Sequence[Column[T]]) -> None:
        """Other columns, and no rows."""
        self.beginResetModel()
        self._columns, self._things, self._sorted_by = columns, (), None
        self._top, self._nodes, self._in_order = [], {}, ()
        self.endResetModel()

    @property
    def things(self) -> Sequence[T]:
        """All of them, from the top down, those too that were not asked for yet."""
        return self._in_order

    @property
    def more(self) -> bool:
        """Whether there are rows below the last one: a view of 100 000 would stand still for
        more than a second with each that is added.
        """
        return len(self._top) < len(self._in_order)

    def take_more(self) -> None:
        """Some of the rows below the last one."""
        self._take_in(len(self._top) + _AT_ONCE)

    def show(self, things: Sequence[T], *, still: bool = False) -> None:
        """`still`: rows stay where they are, and new ones come last."""
        self._things = things
        self._arrange(still=still)
        self._tell_changes()

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        found = self._columns[column] if 0 <= column < len(self._columns) else None
        self._sorted_by = found if found is not None and found.sorts is not None else None
        self._falling = order is Qt.SortOrder.DescendingOrder
        self._most = _AT_ONCE
        self._arrange(still=False)

    def thing(self, index: Index) -> T | None:
        node = self._nodes.get(index.internalId()) if index.isValid() else None
        return None if node is None else node.thing

    def key(self, index: Index) -> Hashable | None:
        node = self._nodes.get(index.internalId()) if index.isValid() else None
        return None if node is None else node.key

    def index_of(self, key: Hashable, column: int = 0) -> QModelIndex:
        """Not valid where there is no such row."""
        for node in self._nodes.values():
            if node.key == key:
                return self._index(node, column)
        places = (at for at, each in enumerate(self._in_order) if self._key(each) == key)
        place = next(places, -1)
        if place < len(self._top):
            return QModelIndex()
        self._take_in(place + _AT_ONCE)
        return self._index(self._top[place], column)

    def branches(self) -> Iterator[QModelIndex]:
        """The rows with others under them, from the top down."""
        return (self._index(node) for node in _all_of(self._top) if node.under)

    def _ordered(self, nodes: Sequence[_Node[T]], things: Sequence[T], still: bool) -> list[T]:
        if still:
            places = {node.key: node.row for node in nodes}
            return sorted(things, key=lambda each: places.get(self._key(each), len(places)))
        if self._sorted_by is None or self._sorted_by.sorts is None:
            return list(things)
        # What is not known comes last, whichever way the rest goes.
        values = list(map(self._sorted_by.sorts, things))
        known = [at for at, value in enumerate(values) if value is not None]
        known.sort(key=values.__getitem__, reverse=self._falling)  # type: ignore[arg-type]  # None is left out
        unknown = (at for at, value in enumerate(values) if value is None)
        return [things[at] for at in (*known, *unknown)]

    def _arrange(self, *, still: bool) -> None:
        self._in_order = self._ordered(self._top, self._things, still)
        self._take_in(self._most, still=still)

    def _take_in(self, most: int, *, still: bool = False) -> None:
        self._most = most
        moved: list[tuple[list[_Node[T]], list[_Node[T]]]] = []
        self._come_and_go(None, self._in_order[:most], still, moved)
        if moved:
            self._reorder(moved)

    def _come_and_go(
        self,
        parent: _Node[T] | None,
        things: Sequence[T],
        still: bool,
        moved: list[tuple[list[_Node[T]], list[_Node[T]]]],
    ) -> None:
        """Notes in `moved` which nodes are to be put in which order once all are there."""
        nodes = self._top if parent is None else parent.under
        wanted = {self._key(each): each for each in things}
        gone = _runs([node.key not in wanted for node in nodes])
        if len(gone) > _MANY:
            self._reorder([(nodes, sorted(nodes, key=lambda node: node.key not in wanted))])
            gone = _runs([node.key not in wanted for node in nodes])
        for first, last in reversed(gone):
            self._remove(parent, first, last)
        known, keys = {node.key for node in nodes}, list(wanted)
        new = _runs([key not in known for key in keys])
        if len(new) > _MANY or [node.key for node in nodes] != [k for k in keys if k in known]:
            keys = [*(node.key for node in nodes), *(key for key in keys if key not in known)]
            new = [(len(nodes), len(keys) - 1)] if new else []
        for first, last in new:
            self._insert(parent, first, [(key, wanted[key]) for key in keys[first : last + 1]])
        if keys != list(wanted):
            by_key = {node.key: node for node in nodes}
            moved.append((nodes, [by_key[key] for key in wanted]))
        for node in nodes:
            node.thing = wanted[node.key]
            under = self._under(node.thing)
            if under or node.under:
                ordered = self._ordered(node.under, under, still)
                self._come_and_go(node, ordered, still, moved)

    def _insert(
        self, parent: _Node[T] | None, first: int, new: Sequence[tuple[Hashable, T]]
    ) -> None:
        nodes = self._top if parent is None else parent.under
        self.beginInsertRows(self._index(parent), first, first + len(new) - 1)
        made = []
        for key, thing in new:
            self._made += 1
            made.append(_Node(self._made, key, thing, parent))
        nodes[first:first] = made
        _number(nodes, first)
        self._nodes |= {node.number: node for node in made}
        self.endInsertRows()

    def _remove(self, parent: _Node[T] | None, first: int, last: int) -> None:
        nodes = self._top if parent is None else parent.under
        self.beginRemoveRows(self._index(parent), first, last)
        for each in _all_of(nodes[first : last + 1]):
            del self._nodes[each.number]
        del nodes[first : last + 1]
        _number(nodes, first)
        self.endRemoveRows()

    def _reorder(self, moved: Sequence[tuple[list[_Node[T]], list[_Node[T]]]]) -> None:
        self.layoutAboutToBeChanged.emit()
        before = [index for index in self.persistentIndexList() if index.isValid()]
        for nodes, order in moved:
            nodes[:] = order
            _number(nodes)
        after = [self._index(self._nodes[each.internalId()], each.column()) for each in before]
        self.changePersistentIndexList(before, after)
        self.layoutChanged.emit()

    def _tell_changes(self) -> None:
        """What nobody asked for cannot be out of date. Ranges are told row by row."""
        seen = [node for node in self._nodes.values() if node.cells]
        if sum(len(node.cells) for node in seen) > _MOST_CELLS:
            for node in seen:
                node.cells.clear()
            for nodes in (
                self._top,
                *(each.under for each in _all_of(self._top) if each.under),
            ):
                end = self._index(nodes[-1], len(self._columns) - 1)
                self.dataChanged.emit(self._index(nodes[0]), end)
            return
        for node in seen:
            changed = []
            for column, before in node.cells.items():
                now = self._columns[column].cell(node.thing)
                if now is not before and now != before:
                    node.cells[column] = now
                    changed.append(column)
            if changed:
                first, last = self._index(node, min(changed)), self._index(node, max(changed))
                self.dataChanged.emit(first, last)

    def _cell(self, node: _Node[T], column: int) -> Cell:
        found = node.cells.get(column)
        if found is None:
            found = node.cells[column] = self._columns[column].cell(node.thing)
        return found

    def _index(self, node: _Node[T] | None, column: int = 0) -> QModelIndex:
        if node is None:
            return QModelIndex()
        return self.createIndex(node.row, column, node.number)

    def _nodes_under(self, parent: Index) -> list[_Node[T]]:
        if not parent.isValid():
            return self._top
        node = self._nodes.get(parent.internalId())
        return node.under if node is not None and parent.column() == 0 else []

    def index(self, row: int, column: int, parent: Index = _TOP) -> QModelIndex:
        nodes = self._nodes_under(parent)
        if 0 <= row < len(nodes) and 0 <= column < len(self._columns):
            return self.createIndex(row, column, nodes[row].number)
        return QModelIndex()

    def parent(self, child: Index = _TOP) -> QModelIndex:  # type: ignore[override]  # Qt has two
        node = self._nodes.get(child.internalId()) if child.isValid() else None
        return QModelIndex() if node is None else self._index(node.parent)

    def rowCount(self, parent: Index = _TOP) -> int:
        return len(self._nodes_under(parent))

    def hasChildren(self, parent: Index = _TOP) -> bool:
        return bool(self._nodes_under(parent))  # the view asks it of every row

    def columnCount(self, parent: Index = _TOP) -> int:
        return len(self._columns)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        node = self._nodes.get(index.internalId()) if index.isValid() else None
        if node is None:
            return None
        column = self._columns[index.column()]
        match role:
            case int() if role == CELL:
                return self._cell(node, index.column())
            case Qt.ItemDataRole.DisplayRole:
                return self._cell(node, index.column()).said
            case Qt.ItemDataRole.ToolTipRole:
                return _tip(self._cell(node, index.column()))
            case Qt.ItemDataRole.AccessibleDescriptionRole:
                return self._cell(node, index.column()).hint
            case Qt.ItemDataRole.AccessibleTextRole:
                if column.spoken is not None:
                    return column.spoken(node.thing)
                cell = self._cell(node, index.column())
                return f"{column.heading}: {cell.said or cell.hint}"
            case Qt.ItemDataRole.TextAlignmentRole:
                return column.alignment
            case Qt.ItemDataRole.CheckStateRole:
                checked = self._cell(node, index.column()).checked
                if checked is None:
                    return None
                return Qt.CheckState.Checked if checked else Qt.CheckState.Unchecked
        return None

    def headerData(
        self,
        section: int,
        orientation: Qt.Orientation,
        role: int = Qt.ItemDataRole.DisplayRole,
    ) -> object:
        if orientation is not Qt.Orientation.Horizontal:
            return None
        there = 0 <= section < len(self._columns)
        return self._columns[section].heading_data(role) if there else None


def _number(nodes: Sequence[_Node[T]], first: int = 0) -> None:
    for row in range(first, len(nodes)):
        nodes[row].row = row


def _runs(flags: Sequence[bool]) -> list[tuple[int, int]]:
    """The first and the last place of each stretch of True."""
    runs: list[tuple[int, int]] = []
    for place, flag in enumerate(flags):
        if flag and runs and runs[-1][1] == place - 1:
            runs[-1] = (runs[-1][0], place)
        elif flag:
            runs.append((place, place))
    return runs


def _tip(cell: Cell) -> str:
    """A long text is broken into lines, and never taken for markup."""
    text = cell.hint or cell.said
    if len(text) > _LONGEST_HINT:
        text = f"{text[:_LONGEST_HINT]}…"
    if len(text) <= _LONG_HINT and "<" not in text:
        return text
    return f"<qt>{html.escape(text)}</qt>"
