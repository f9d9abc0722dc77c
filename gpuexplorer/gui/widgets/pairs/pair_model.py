"""PairModel: every ordered pair of some devices, as a view and a screen reader ask for it."""

from collections.abc import Callable, Mapping, Sequence

from PySide6.QtCore import QAbstractTableModel, QModelIndex, Qt
from PySide6.QtWidgets import QWidget

from gpuexplorer.gui.paint.drawing import Index
from gpuexplorer.gui.widgets.pairs.pairs_shown import NONE, Pair, PairCell, PairHead


class PairModel(QAbstractTableModel):
    """Rows send, columns receive; `words` are what a cell is called, and what it says."""

    def __init__(self, words: Callable[[Pair], tuple[str, str]], parent: QWidget) -> None:
        super().__init__(parent)
        self.words = words
        self.rows: Sequence[PairHead] = ()
        self.columns: Sequence[PairHead] = ()
        self.cells: Mapping[Pair, PairCell] = {}
        self._places: tuple[Mapping[str, int], Mapping[str, int]] = {}, {}

    def show_heads(self, rows: Sequence[PairHead], columns: Sequence[PairHead]) -> None:
        self.beginResetModel()
        self.rows, self.columns = rows, columns
        self._places = _places(rows), _places(columns)
        self.endResetModel()

    def show_cells(self, cells: Mapping[Pair, PairCell]) -> None:
        self.cells = cells
        last = self.index(len(self.rows) - 1, len(self.columns) - 1)
        self.dataChanged.emit(self.index(0, 0), last)

    def cell(self, index: Index) -> PairCell:
        pair = self.pair(index)
        return NONE if pair is None else self.cells.get(pair, NONE)

    def pair(self, index: Index) -> Pair | None:
        if not index.isValid():
            return None
        return self.rows[index.row()].name, self.columns[index.column()].name

    def index_of(self, pair: Pair | None) -> QModelIndex:
        """Not valid where there is no such cell."""
        (rows, columns), (row, column) = self._places, pair or ("", "")
        return self.index(rows.get(row, -1), columns.get(column, -1))

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own default
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.columns)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        pair = self.pair(index)
        if pair is None:
            return None
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return self.cell(index).text
            case Qt.ItemDataRole.AccessibleTextRole:
                return self.words(pair)[0]
            case Qt.ItemDataRole.AccessibleDescriptionRole:
                return self.words(pair)[1]
            case Qt.ItemDataRole.ToolTipRole:
                return "\n".join(each for each in self.words(pair) if each)
        return None

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        heads = self.columns if orientation is Qt.Orientation.Horizontal else self.rows
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return heads[section].chip
            case Qt.ItemDataRole.AccessibleTextRole | Qt.ItemDataRole.ToolTipRole:
                return heads[section].titled
        return None


def _places(heads: Sequence[PairHead]) -> Mapping[str, int]:
    return {head.name: at for at, head in enumerate(heads)}
