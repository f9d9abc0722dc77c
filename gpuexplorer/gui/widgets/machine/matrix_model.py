"""MatrixModel: who reaches whom: a row for each card, with the host and the others beside."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from gpuexplorer.core.cards import HOST_ID, CardId
from gpuexplorer.gui.wording.machine.machine_now import MachineNow
from gpuexplorer.gui.wording.machine.machine_things import (
    OfCard,
    OfLink,
    OfSocket,
    Thing,
    link_between,
)
from gpuexplorer.gui.wording.machine.wiring_words import (
    cell_words,
    figure,
    letters,
    matrix_cards,
    shade,
)

CELL = Qt.ItemDataRole.UserRole + 1
Index = QModelIndex | QPersistentModelIndex
_NOTHING = QModelIndex()
_NODE = CardId("NUMA")


class Shows(Enum):
    """What stands in the cells."""

    PATHS = "paths"
    RATES = "rates"


@dataclass(frozen=True, slots=True)
class MatrixCell:
    """How a cell is drawn; without a shade nothing is known of its rate."""

    text: str
    shade: float | None
    quiet: bool


@dataclass(frozen=True, slots=True)
class MatrixHead:
    """A row's or a column's heading; no chip where `chip` is empty."""

    chip: str
    colour: int | None
    words: str


class MatrixModel(QAbstractTableModel):
    """Made anew only for other cards or other wires."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._now: MachineNow | None = None
        self._shows = Shows.PATHS
        self._rows: Sequence[CardId] = ()
        self._columns: Sequence[CardId] = ()
        self._lost: frozenset[CardId] = frozenset()

    def show_machine(self, now: MachineNow) -> None:
        before, self._now = self._now, now
        lost = frozenset(card for card in now.shape.home if now.lost(card))
        same = before is not None and before.shape is now.shape and before.listed is now.listed
        if not same:
            self.beginResetModel()
            self._rows = matrix_cards(now)
            node = (_NODE,) if now.topology.numa_nodes else ()
            self._columns = (HOST_ID, *self._rows, *node)
            self._lost = lost
            self.endResetModel()
        elif lost != self._lost:
            self._lost = lost
            self._tell_all_changed()

    def show_as(self, shows: Shows) -> None:
        if shows is not self._shows:
            self._shows = shows
            self._tell_all_changed()

    def thing_at(self, index: Index) -> Thing | None:
        """What its cell is about; None for a cell of which nothing is drawn."""
        if self._now is None or not index.isValid():
            return None
        row, column = self._rows[index.row()], self._columns[index.column()]
        if column == _NODE:
            socket = self._now.shape.home.get(row)
            return None if socket is None else OfSocket(socket)
        if row == column:
            return OfCard(row)
        if self._now.shape.link(row, column) is None:
            return None
        return link_between(self._now.shape, row, column)

    def index_of(self, thing: Thing | None) -> QModelIndex:
        """Not valid where it has no cell of its own."""
        ends: tuple[CardId, CardId] | None = None
        if isinstance(thing, OfCard):
            ends = (thing.card, thing.card)
        elif isinstance(thing, OfLink):
            ends = (thing.a, thing.b)
        if ends is None or ends[0] not in self._rows or ends[1] not in self._columns:
            return QModelIndex()
        return self.index(self._rows.index(ends[0]), self._columns.index(ends[1]))

    def head(self, section: int, orientation: Qt.Orientation) -> MatrixHead:
        sections = self._rows if orientation is Qt.Orientation.Vertical else self._columns
        if self._now is None or not 0 <= section < len(sections):
            return MatrixHead("", None, "")
        card = sections[section]
        if card == _NODE:
            return MatrixHead("", None, "NUMA")
        if card == HOST_ID:
            return MatrixHead("H", None, "Host")
        number, colour = self._now.number(card), self._now.colour(card)
        return MatrixHead(number, colour, f"Card {number}")

    def texts(self) -> frozenset[str]:
        """All that stands in any cell."""
        if self._now is None:
            return frozenset()
        told = letters if self._shows is Shows.PATHS else figure
        pairs = self._now.shape.links.values()
        return frozenset(told(self._now, link.a, link.b) for link in pairs)

    def rowCount(self, parent: Index = _NOTHING) -> int:
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = _NOTHING) -> int:
        return 0 if parent.isValid() else len(self._columns)

    def headerData(
        self,
        section: int,
        orientation: Qt.Orientation,
        role: int = Qt.ItemDataRole.DisplayRole,
    ) -> str | None:
        head = self.head(section, orientation)
        if role == Qt.ItemDataRole.DisplayRole:
            return head.chip or head.words
        if role in (Qt.ItemDataRole.AccessibleTextRole, Qt.ItemDataRole.ToolTipRole):
            return "NUMA node" if head.words == _NODE else head.words
        return None

    def data(
        self, index: Index, role: int = Qt.ItemDataRole.DisplayRole
    ) -> str | MatrixCell | None:
        if self._now is None or not index.isValid():
            return None
        row, column = self._rows[index.row()], self._columns[index.column()]
        if role == CELL:
            return self._cell(row, column)
        if role == Qt.ItemDataRole.DisplayRole:
            return self._text(row, column)
        if role in (Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole):
            if column == _NODE:
                return f"Card {self._now.number(row)}: NUMA node {self._text(row, column)}"
            return cell_words(self._now, row, column)
        return None

    def _text(self, row: CardId, column: CardId) -> str:
        assert self._now is not None
        if column == _NODE:
            node = self._now.topology.numa_nodes.get(row)
            return "–" if node is None else str(node)
        told = letters if self._shows is Shows.PATHS else figure
        return told(self._now, row, column)

    def _cell(self, row: CardId, column: CardId) -> MatrixCell:
        assert self._now is not None
        text = self._text(row, column)
        if column in (_NODE, row):
            return MatrixCell(text, None, quiet=True)
        if {row, column} & self._lost:
            return MatrixCell(text, None, quiet=True)
        return MatrixCell(text, shade(self._now, row, column), quiet=False)

    def _tell_all_changed(self) -> None:
        last = self.index(self.rowCount() - 1, self.columnCount() - 1)
        self.dataChanged.emit(self.index(0, 0), last)
