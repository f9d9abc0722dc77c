"""FactsModel: the facts of a card as a tree of two levels, changed in place as they change."""

from collections.abc import Sequence

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from gpuexplorer.gui.wording.facts.fact import Fact, FactGroup

FACT_ROLE = Qt.ItemDataRole.UserRole
_TOP = 0  # the id of a group's index; a fact's is its group's row and one more

Index = QModelIndex | QPersistentModelIndex
Entry = FactGroup | Fact | str  # a str is the note of its group


class FactsModel(QAbstractItemModel):
    """As long as it is the same facts only their values change: what is selected stays so."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._groups: list[FactGroup] = []
        self._rows: list[list[Fact | str]] = []
        self._chosen: frozenset[str] | None = None

    def show_groups(self, groups: Sequence[FactGroup]) -> bool:
        """Whether these are other facts than before, and not just other values."""
        rows = [_rows(group) for group in groups]
        if _shape(groups, rows) != _shape(self._groups, self._rows):
            self.beginResetModel()
            self._groups, self._rows = list(groups), rows
            self.endResetModel()
            return True
        before, self._rows = self._rows, rows
        self._groups = list(groups)
        for at, (old, new) in enumerate(zip(before, rows, strict=True)):
            for row, (was, now) in enumerate(zip(old, new, strict=True)):
                if was != now:
                    changed = self.createIndex(row, 0, at + 1)
                    self.dataChanged.emit(changed, changed)
        return False

    def show_chosen(self, keys: frozenset[str]) -> None:
        """From now on each fact can be chosen, and these are."""
        before, self._chosen = self._chosen or frozenset(), keys
        for at, rows in enumerate(self._rows):
            for row, entry in enumerate(rows):
                if isinstance(entry, Fact) and entry.key in before ^ keys:
                    changed = self.createIndex(row, 0, at + 1)
                    self.dataChanged.emit(changed, changed)

    def checked(self, entry: Entry) -> bool | None:
        """None where there is nothing to choose."""
        if self._chosen is None or not isinstance(entry, Fact):
            return None
        return entry.key in self._chosen

    def groups(self) -> Sequence[FactGroup]:
        return self._groups

    def entry(self, index: Index) -> Entry:
        at = index.internalId()
        if at == _TOP:
            return self._groups[index.row()]
        return self._rows[at - 1][index.row()]

    def group_index(self, row: int) -> QModelIndex:
        return self.createIndex(row, 0, _TOP)

    def index(
        self,
        row: int,
        column: int,
        parent: Index = QModelIndex(),  # noqa: B008 - Qt's own
    ) -> QModelIndex:
        if not self.hasIndex(row, column, parent):
            return QModelIndex()
        return self.createIndex(row, column, parent.row() + 1 if parent.isValid() else _TOP)

    def parent(self, index: Index) -> QModelIndex:  # type: ignore[override]  # Qt has two
        if not index.isValid() or index.internalId() == _TOP:
            return QModelIndex()
        return self.createIndex(index.internalId() - 1, 0, _TOP)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own
        if not parent.isValid():
            return len(self._groups)
        return len(self._rows[parent.row()]) if parent.internalId() == _TOP else 0

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own
        return 1

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid():
            return None
        entry = self.entry(index)
        match role:
            case Qt.ItemDataRole.DisplayRole | Qt.ItemDataRole.AccessibleTextRole:
                return _said(entry)
            case Qt.ItemDataRole.ToolTipRole | Qt.ItemDataRole.AccessibleDescriptionRole:
                return entry.hint if isinstance(entry, Fact) else None
            case Qt.ItemDataRole.CheckStateRole:
                checked = self.checked(entry)
                if checked is None:
                    return None
                return Qt.CheckState.Checked if checked else Qt.CheckState.Unchecked
            case _:
                return None

    def flags(self, index: Index) -> Qt.ItemFlag:
        if not index.isValid() or self.entry(index) == "":
            return Qt.ItemFlag.NoItemFlags
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable


def _rows(group: FactGroup) -> list[Fact | str]:
    if group.note is None:
        return list(group.facts)
    return [*group.facts, group.note]


def _said(entry: Entry) -> str:
    match entry:
        case FactGroup():
            return entry.title
        case Fact():
            return entry.line
        case str():
            return entry


def _shape(groups: Sequence[FactGroup], rows: Sequence[Sequence[Fact | str]]) -> object:
    return [
        (group.title, [each.key if isinstance(each, Fact) else "" for each in its])
        for group, its in zip(groups, rows, strict=True)
    ]
