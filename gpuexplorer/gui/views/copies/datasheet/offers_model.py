"""OffersModel: the cards one could buy, a row each."""

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from gpuexplorer.copies.datasheet.sheet import OtherCard
from gpuexplorer.core.words import tr
from gpuexplorer.gui.tables.model import CELL
from gpuexplorer.gui.widgets.tables.heading import LEFT, RIGHT, Heading
from gpuexplorer.gui.wording.cell import Cell, Chip
from gpuexplorer.gui.wording.copies.datasheet.offers import SPECS, Column, cell

Index = QModelIndex | QPersistentModelIndex
_TOP = QModelIndex()


class OffersModel(QAbstractTableModel):
    """Shows what it is given, in that order."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._cards: Sequence[OtherCard] = ()
        self._letters: Mapping[str, str] = {}
        self._here: Mapping[str, Sequence[Chip]] = {}

    def show_cards(
        self,
        cards: Sequence[OtherCard],
        letters: Mapping[str, str],
        here: Mapping[str, Sequence[Chip]],
    ) -> bool:
        """Whether they are other cards than before, or in another order."""
        same = [card.name for card in cards] == [card.name for card in self._cards]
        if not same:
            self.beginResetModel()
        changed = (cards, letters, here) != (self._cards, self._letters, self._here)
        self._cards, self._letters, self._here = cards, letters, here
        if not same:
            self.endResetModel()
        elif changed and cards:
            self.dataChanged.emit(self.index(0, 0), self.index(len(cards) - 1, len(SPECS) - 1))
        return not same

    def card(self, index: Index) -> OtherCard | None:
        return self._cards[index.row()] if index.isValid() else None

    def index_of(self, name: str) -> QModelIndex:
        names = [card.name for card in self._cards]
        return self.index(names.index(name), 0) if name in names else QModelIndex()

    def rowCount(self, parent: Index = _TOP) -> int:
        return 0 if parent.isValid() else len(self._cards)

    def columnCount(self, parent: Index = _TOP) -> int:
        return 0 if parent.isValid() else len(SPECS)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid() or index.row() >= len(self._cards):
            return None
        spec = SPECS[index.column()]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return self._cell(index).said
            case Qt.ItemDataRole.ToolTipRole:
                return self._cell(index).hint
            case Qt.ItemDataRole.AccessibleTextRole:
                told = self._cell(index)
                if spec.column is Column.BESIDE:
                    return told.hint
                return f"{tr(spec.meaning)}: {told.said if told.text else told.hint}"
            case Qt.ItemDataRole.TextAlignmentRole:
                return RIGHT if spec.right else LEFT
        return self._cell(index) if role == CELL else None

    def headerData(
        self,
        section: int,
        orientation: Qt.Orientation,
        role: int = Qt.ItemDataRole.DisplayRole,
    ) -> object:
        if orientation is not Qt.Orientation.Horizontal or not 0 <= section < len(SPECS):
            return None
        spec = SPECS[section]
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return tr(spec.meaning)
        return Heading(tr(spec.caption), tr(spec.meaning), spec.right, spec.right).answer(role)

    def _cell(self, index: Index) -> Cell:
        card = self._cards[index.row()]
        letter = self._letters.get(card.name, "")
        return cell(card, SPECS[index.column()], letter, self._here)
