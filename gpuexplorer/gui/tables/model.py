"""TableModel: rows of any type in columns, sorted, and changed in place.

It sorts by itself: a QSortFilterProxyModel asks Python twice for each comparison, which took
75 to 120 ms for 2000 rows where this takes less than one.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Generic, TypeVar

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QObject, Qt

from gpuexplorer.gui.paint.drawing import Index
from gpuexplorer.gui.tables.cell import NO_CELL, Cell, Column

T = TypeVar("T")
_TOP = QModelIndex()
_ROLE, _ORDER, _SIDE = Qt.ItemDataRole, Qt.SortOrder, Qt.AlignmentFlag
_MOST_CELLS = 4000  # that are compared one by one
# A view of 100 000 rows would stand still for a second with each that is added, so that there
# are more only when it is scrolled to the last one. Of `canFetchMore` QTreeView takes all.
_AT_ONCE = 2000
_LONGEST_HINT, _LONG_HINT = 1500, 90


@dataclass(eq=False, slots=True)
class _Node(Generic[T]):
    """A row, and where it stands. `cells` are those that somebody asked for."""

    number: int
    key: Hashable
    thing: T
    parent: "_Node[T] | None"
    row: int = 0
    under: "list[_Node[T]]" = field(default_factory=list)
    cells: dict[int, Cell] = field(default_factory=dict)


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
        self.columns = columns
        self.sorted_by: Column[T] | None = None  # where rows do not stand as they were given
        self.falling = False
        self.things: Sequence[T] = ()  # from the top down, also those nobody asked for yet
        self._key, self._under = key, under
        self._given: Sequence[T] = ()
        self._most = _AT_ONCE
        self._made = 0
        self._top: list[_Node[T]] = []
        self._nodes: dict[int, _Node[T]] = {}
        self._to_move: list[tuple[list[_Node[T]], list[_Node[T]]]] = []

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
        self._top, self._nodes = [], {}
        self.endResetModel()

    def show(self, things: Sequence[T], *, still: bool = False) -> None:
        """`still`: rows stay where they are, and new ones come last."""
        self._given = things
        self._arrange(self._ordered(self._top, things, still), still=still)
        self._tell_changes()

    def sort(self, column: int, order: Qt.SortOrder = _ORDER.AscendingOrder) -> None:
        found = self.columns[column] if 0 <= column < len(self.columns) else None
        self.sorted_by = found if found is not None and found.sorts is not None else None
        self.falling = order is _ORDER.DescendingOrder
        self._most = _AT_ONCE
        self._arrange(self._ordered(self._top, self._given, still=False))

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
        """Not valid where there is no such row."""
        at = next((at for at, each in enumerate(self.things) if self._key(each) == key), -1)
        if at >= len(self._top):
            self._most = at + _AT_ONCE
            self._arrange(self.things)
        found = (node for node in self._nodes.values() if node.key == key)
        return self._index(next(found, None))

    @property
    def more(self) -> bool:
        """Whether there are rows below the last one."""
        return len(self._top) < len(self.things)

    def take_more(self) -> None:
        self._most = len(self._top) + _AT_ONCE
        self._arrange(self.things)

    def branches(self) -> Iterator[QModelIndex]:
        """The rows with others under them, from the top down."""
        return (self._index(node) for node in _all_of(self._top) if node.under)

    def _ordered(self, nodes: Sequence[_Node[T]], things: Sequence[T], still: bool) -> list[T]:
        if still:
            places = {node.key: node.row for node in nodes}
            return sorted(things, key=lambda each: places.get(self._key(each), len(places)))
        if self.sorted_by is None or self.sorted_by.sorts is None:
            return list(things)
        # What is not known comes last, whichever way the rest goes.
        values = list(map(self.sorted_by.sorts, things))
        known = [at for at, value in enumerate(values) if value is not None]
        known.sort(key=values.__getitem__, reverse=self.falling)  # type: ignore[arg-type]  # None is left out
        unknown = (at for at, value in enumerate(values) if value is None)
        return [things[at] for at in (*known, *unknown)]

    def _arrange(self, things: Sequence[T], *, still: bool = False) -> None:
        self.things = things
        self._come_and_go(None, things[: self._most], still)
        if self._to_move:
            self._move(self._to_move)
            self._to_move = []

    def _come_and_go(self, parent: _Node[T] | None, things: Sequence[T], still: bool) -> None:
        """Rows go and come in one stretch; what is to be put in order then is noted."""
        nodes = self._top if parent is None else parent.under
        wanted = {self._key(each): each for each in things}
        gone = [node for node in nodes if node.key not in wanted]
        if gone:
            first, end = gone[0].row, gone[0].row + len(gone)
            if nodes[first:end] != gone:
                first, end = len(nodes) - len(gone), len(nodes)
                stay = [node for node in nodes if node.key in wanted]
                self._move([(nodes, [*stay, *gone])])
            self.beginRemoveRows(self._index(parent), first, end - 1)
            for each in _all_of(gone):
                del self._nodes[each.number]
            del nodes[first:end]
            _number(nodes)
            self.endRemoveRows()
        keys, known = list(wanted), {node.key for node in nodes}
        new = [key for key in keys if key not in known]
        if new:
            first = min(keys.index(new[0]), len(nodes))
            self.beginInsertRows(self._index(parent), first, first + len(new) - 1)
            numbered = enumerate(new, self._made)
            made = [_Node(at, key, wanted[key], parent) for at, key in numbered]
            self._made += len(made)
            nodes[first:first] = made
            _number(nodes)
            self._nodes |= {node.number: node for node in made}
            self.endInsertRows()
        if [node.key for node in nodes] != keys:
            by_key = {node.key: node for node in nodes}
            self._to_move.append((nodes, [by_key[key] for key in keys]))
        for node in nodes:
            node.thing = wanted[node.key]
            under = self._under(node.thing)
            if under or node.under:
                self._come_and_go(node, self._ordered(node.under, under, still), still)

    def _move(self, moved: Sequence[tuple[list[_Node[T]], list[_Node[T]]]]) -> None:
        self.layoutAboutToBeChanged.emit()
        before = [index for index in self.persistentIndexList() if index.isValid()]
        for nodes, order in moved:
            nodes[:] = order
            _number(nodes)
        after = [self._index(self._node(each), each.column()) for each in before]
        self.changePersistentIndexList(before, after)
        self.layoutChanged.emit()

    def _tell_changes(self) -> None:
        """What nobody asked for cannot be out of date."""
        seen = [node for node in self._nodes.values() if node.cells]
        if sum(len(node.cells) for node in seen) > _MOST_CELLS:
            for node in seen:
                node.cells = {}
            self._move(())
            return
        for node in seen:
            before = node.cells
            node.cells = {at: self.columns[at].cell(node.thing) for at in before}
            changed = [at for at, cell in node.cells.items() if cell != before[at]]
            if changed:
                first, last = self._index(node, min(changed)), self._index(node, max(changed))
                self.dataChanged.emit(first, last)

    def _node(self, index: Index) -> _Node[T] | None:
        return self._nodes.get(index.internalId()) if index.isValid() else None

    def _nodes_under(self, parent: Index) -> list[_Node[T]]:
        if not parent.isValid():
            return self._top
        node = self._node(parent)
        return node.under if node is not None and parent.column() == 0 else []

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
                return _tip(self.cell(index))
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


def _number(nodes: Sequence[_Node[T]]) -> None:
    for row, node in enumerate(nodes):
        node.row = row


def _tip(cell: Cell) -> str:
    """A long text is broken into lines, and never taken for markup."""
    text = cell.hint or cell.said
    if len(text) > _LONGEST_HINT:
        text = f"{text[:_LONGEST_HINT]}…"
    return text if len(text) <= _LONG_HINT and "<" not in text else f"<qt>{escape(text)}</qt>"
