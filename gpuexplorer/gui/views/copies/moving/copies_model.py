"""CopiesModel: the copies as Qt's tables ask for them; sorted and filtered before they come."""

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from gpuexplorer.core.units import USUAL, Units
from gpuexplorer.core.words import tr
from gpuexplorer.gui.tables.model import CELL
from gpuexplorer.gui.widgets.tables.heading import LEFT, RIGHT, Heading
from gpuexplorer.gui.wording.cell import Cell
from gpuexplorer.gui.wording.copies.moving.cells import cell
from gpuexplorer.gui.wording.copies.moving.columns import COLUMNS
from gpuexplorer.gui.wording.copies.moving.moved import Key, Moved
from gpuexplorer.gui.wording.lab.bench_device import BenchDevice

Index = QModelIndex | QPersistentModelIndex
_TOP = QModelIndex()
_MOST_CELLS = 4000


class CopiesModel(QAbstractTableModel):
    """Cells are made when they are seen."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: Sequence[Moved] = ()
        self._places: dict[Key, int] = {}
        self._devices: Mapping[str, BenchDevice] = {}
        self._units = USUAL
        self._cells: dict[tuple[int, int], Cell] = {}

    def show_rows(
        self, rows: Sequence[Moved], devices: Mapping[str, BenchDevice], units: Units
    ) -> bool:
        """Whether they are other rows than before, or in another order."""
        keys = {row.key: place for place, row in enumerate(rows)}
        same = keys == self._places
        if not same:
            self.beginResetModel()
        changed = rows != self._rows or devices != self._devices or units != self._units
        self._rows, self._places = rows, keys
        self._devices, self._units = devices, units
        if changed:
            self._cells.clear()
        if not same:
            self.endResetModel()
        elif changed and rows:
            self.dataChanged.emit(self.index(0, 0), self.index(len(rows) - 1, len(COLUMNS) - 1))
        return not same

    def moved(self, index: Index) -> Moved | None:
        return self._rows[index.row()] if index.isValid() else None

    def index_of(self, key: Key | None) -> QModelIndex:
        """Of its first column; not valid where there is no such row."""
        place = None if key is None else self._places.get(key)
        return QModelIndex() if place is None else self.index(place, 0)

    def cell(self, row: int, column: int) -> Cell:
        found = self._cells.get((row, column))
        if found is None:
            if len(self._cells) > _MOST_CELLS:
                self._cells.clear()
            spec = COLUMNS[column]
            found = cell(self._rows[row], spec.column, self._devices, self._units)
            self._cells[row, column] = found
        return found

    def rowCount(self, parent: Index = _TOP) -> int:
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = _TOP) -> int:
        return 0 if parent.isValid() else len(COLUMNS)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid() or index.row() >= len(self._rows):
            return None
        if role == CELL:
            return self.cell(index.row(), index.column())
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return self.cell(index.row(), index.column()).said
            case Qt.ItemDataRole.ToolTipRole:
                return self.cell(index.row(), index.column()).hint
            case Qt.ItemDataRole.AccessibleTextRole:
                told = self.cell(index.row(), index.column())
                return f"{tr(COLUMNS[index.column()].caption)}: {told.said or told.hint}"
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
        return Heading(
            tr(spec.caption), tr(spec.meaning), spec.right, spec.largest_first
        ).answer(role)
