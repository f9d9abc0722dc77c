"""ValueModel: the values of one plane of a tensor, of which a window at a time is known."""

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, Qt

from gpuexplorer.core.words import tr
from gpuexplorer.gui.lab.inside.values import exact_text, place_text, writing_of
from gpuexplorer.gui.paint.drawing import Index
from gpuexplorer.lab.events import Peeked

MOST = 100_000  # rows and columns of one table; fields lead to the others
_TOP = QModelIndex()


def plane_of(shape: tuple[int, ...]) -> tuple[int, int]:
    """Rows and columns of what one table can show of it."""
    rows, columns = (1, 1, *shape)[-2:]
    return (rows, columns) if all(shape) else (0, 0)


class ValueModel(QAbstractTableModel):
    """Knows the window that was looked at last."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.peeked: Peeked | None = None
        self.origin = (0, 0)  # of the table in its plane
        self.writing = writing_of("float32", None, None)
        self._size = (0, 0)

    def show(self, peeked: Peeked | None, origin: tuple[int, int]) -> None:
        rows, columns = (0, 0) if peeked is None else plane_of(peeked.shape)
        size = (min(MOST, rows - origin[0]), min(MOST, columns - origin[1]))
        anew = (size, origin) != (self._size, self.origin)
        if anew:
            self.beginResetModel()
        self.peeked, self._size, self.origin = peeked, size, origin
        if peeked is not None:
            self.writing = writing_of(peeked.dtype, peeked.least, peeked.most)
        if anew:
            self.endResetModel()

    def window_place(self, row: int, column: int) -> tuple[int, int] | None:
        """Where it stands in the window that is known; None: it is not in there."""
        if self.peeked is None:
            return None
        first_row, first_column = (0, 0, *self.peeked.at)[-2:]
        down = row + self.origin[0] - first_row
        across = column + self.origin[1] - first_column
        rows = self.peeked.rows
        known = 0 <= down < len(rows) and 0 <= across < len(rows[down])
        return (down, across) if known else None

    def value(self, row: int, column: int) -> float | None:
        """None for what is no number, or is not known yet."""
        place = self.window_place(row, column)
        known = place is not None and self.peeked is not None
        return self.peeked.rows[place[0]][place[1]] if known else None  # type: ignore[union-attr,index]

    def words(self, row: int, column: int) -> tuple[str, str]:
        """Its place, as one would ask for it, and its value."""
        peeked = self.peeked
        if peeked is None or not all(self._size):
            return "", ""
        at = (*peeked.at[:-2], row + self.origin[0], column + self.origin[1])
        place = place_text(peeked.what, at, len(peeked.shape))
        if self.window_place(row, column) is None:
            return place, "…"
        return place, exact_text(self.value(row, column), peeked.dtype)

    def rowCount(self, parent: Index = _TOP) -> int:
        return 0 if parent.isValid() else self._size[0]

    def columnCount(self, parent: Index = _TOP) -> int:
        return 0 if parent.isValid() else self._size[1]

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        match role:
            case Qt.ItemDataRole.DisplayRole:
                known = self.window_place(index.row(), index.column()) is not None
                value = self.value(index.row(), index.column())
                return self.writing.text(value) if known else ""
            case Qt.ItemDataRole.AccessibleTextRole | Qt.ItemDataRole.ToolTipRole:
                return said(*self.words(index.row(), index.column()))
        return None


def said(place: str, value: str) -> str:
    return tr("{place} is {value}", place=place, value=value) if place else tr("No values")
