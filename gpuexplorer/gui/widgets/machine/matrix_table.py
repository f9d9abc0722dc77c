"""MatrixTable: who reaches whom: a row for each card, with the host and the others beside."""

from collections.abc import Iterator
from enum import Enum

from PySide6.QtCore import QSize, Signal
from PySide6.QtGui import QColor, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView

from gpuexplorer.core.cards import HOST_ID, CardId
from gpuexplorer.core.words import tr
from gpuexplorer.gui.paint.drawing import Index
from gpuexplorer.gui.widgets.machine.machine_face import MachineNow
from gpuexplorer.gui.widgets.machine.machine_things import (
    OfCard,
    OfLink,
    OfSocket,
    Thing,
    link_between,
)
from gpuexplorer.gui.widgets.machine.wiring_words import (
    cell_words,
    figure,
    letters,
    matrix_cards,
)
from gpuexplorer.gui.widgets.pairs.pair_grid import PairGrid
from gpuexplorer.gui.widgets.pairs.pairs_shown import (
    CellState,
    HeatScale,
    Pair,
    PairCell,
    PairHead,
)

_NODE = CardId("NUMA")
_ROW, _HEAD = 28, 30
_LEAST, _MOST = 28, 64
# Of a few cards there is room for larger cells.
_FEW, _LARGE_ROW, _LARGE_MOST = 4, 36, 88
_ROWS_IN_SIGHT = 16
_AROUND, _GAP = 3, 2  # beside the text of a cell, and between cells
# From a slow slot to the fastest NVLinks.
_SCALE = HeatScale(2e9, 1e12)


class Shows(Enum):
    """What stands in the cells."""

    PATHS = "paths"
    RATES = "rates"


class MatrixTable(PairGrid):
    """A cell that is clicked, or chosen with Enter, says which link is meant."""

    chosen = Signal(object)
    fitted = Signal()  # to another room, or to other texts

    def __init__(self) -> None:
        super().__init__(tr("Which card reaches which, and how"), self._words_of)
        self.gap = _GAP
        self._now: MachineNow | None = None
        self._lost: frozenset[CardId] = frozenset()
        self._shows = Shows.PATHS
        self._least = _LEAST
        self._chosen: Thing | None = None
        self.horizontalHeader().setFixedHeight(_HEAD)
        self.verticalHeader().setFixedWidth(_HEAD)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.viewport().setAutoFillBackground(False)
        self.clicked.connect(self.open)

    def show_machine(self, now: MachineNow) -> None:
        before, self._now = self._now, now
        lost = frozenset(card for card in now.shape.home if now.lost(card))
        if before is None or before.shape is not now.shape or before.listed is not now.listed:
            rows = [self._head(now, card) for card in matrix_cards(now)]
            columns = [PairHead(HOST_ID, "H", None, tr("Host")), *rows]
            if now.topology.numa_nodes:
                columns.append(PairHead(_NODE, "NUMA", None, tr("NUMA node"), boxed=False))
            self.pairs.show_heads(rows, columns)
        elif lost == self._lost:
            return
        self._lost = lost
        self._fill()

    def show_as(self, shows: Shows) -> None:
        self._shows = shows
        self._fill()

    def show_chosen(self, thing: Thing | None) -> None:
        """Rings its cell, and scrolls there. Tells nobody."""
        if thing == self._chosen:
            return
        self._chosen = thing
        index = self.pairs.index_of(_pair_of(thing))
        if index.isValid():
            self.setCurrentIndex(index)
            self.scrollTo(index)
        self.viewport().update()

    def is_chosen(self, index: Index) -> bool:
        """Both cells of a pair are: there and back."""
        return self._chosen is not None and self._thing_at(index) == self._chosen

    def last_column(self) -> str:
        """What stands out of sight at the right; empty where all columns are seen."""
        columns = self.pairs.columns
        hidden = self.horizontalHeader().length() > self.viewport().width()
        return columns[-1].titled if hidden and columns else ""

    def open(self, index: Index) -> None:
        thing = self._thing_at(index)
        if thing is not None:
            self.show_chosen(thing)
            self.chosen.emit(thing)

    def rings(self) -> Iterator[tuple[Index, QColor, float]]:
        pair = _pair_of(self._chosen)
        if pair is not None:
            for each in (pair, pair[::-1]):
                yield self.pairs.index_of(each), self.look.theme.text, 2.0
        if self.hasFocus():
            yield self.currentIndex(), self.look.theme.accent, 2.0

    def _head(self, now: MachineNow, card: CardId) -> PairHead:
        number = now.number(card)
        return PairHead(card, number, now.colour(card), tr("Card {number}", number=number))

    def _fill(self) -> None:
        cells = {
            (row.name, column.name): self._cell(CardId(row.name), CardId(column.name))
            for row in self.pairs.rows
            for column in self.pairs.columns
        }
        self.show_cells(cells, _SCALE)
        width = self.look.letters.caption.width
        texts = {cell.text for (_, column), cell in cells.items() if column != _NODE}
        self._least = max(_LEAST, *(round(width(text)) + _AROUND for text in texts), 0)
        self._fit()

    def _cell(self, row: CardId, column: CardId) -> PairCell:
        assert self._now is not None
        if column == _NODE:
            node = self._now.topology.numa_nodes.get(row)
            return PairCell(CellState.LOCAL, "–" if node is None else str(node))
        said = (letters if self._shows is Shows.PATHS else figure)(self._now, row, column)
        link = None if {row, column} & self._lost else self._now.shape.link(row, column)
        if row == column or link is None or not link.rate:
            return PairCell(CellState.LOCAL, said)
        return PairCell(CellState.FIGURE, said, link.rate)

    def _words_of(self, pair: Pair) -> tuple[str, str]:
        assert self._now is not None
        row, column = map(CardId, pair)
        if column != _NODE:
            return cell_words(self._now, row, column), ""
        node, number = self.pairs.cells[pair].text, self._now.number(row)
        return tr("Card {number}: NUMA node {node}", number=number, node=node), ""

    def _thing_at(self, index: Index) -> Thing | None:
        """What its cell is about; None for a cell of which nothing is drawn."""
        pair = self.pairs.pair(index)
        if self._now is None or pair is None:
            return None
        shape, (row, column) = self._now.shape, map(CardId, pair)
        if column == _NODE:
            socket = shape.home.get(row)
            return None if socket is None else OfSocket(socket)
        if row == column:
            return OfCard(row)
        return None if shape.link(row, column) is None else link_between(shape, row, column)

    def _fit(self) -> None:
        """Cells as wide as there is room for, within what is pleasant to read."""
        count, rows = len(self.pairs.columns), max(1, len(self.pairs.rows))
        room = self.viewport().width()
        most, row = (_LARGE_MOST, _LARGE_ROW) if rows <= _FEW else (_MOST, _ROW)
        width = min(most, max(self._least, room // max(1, count)))
        self.horizontalHeader().setDefaultSectionSize(width)
        self.verticalHeader().setDefaultSectionSize(row)
        bar = 12 if count * width > room else 0
        self.setFixedHeight(_HEAD + min(_ROWS_IN_SIGHT, rows) * row + bar + 2)
        self.fitted.emit()

    def sizeHint(self) -> QSize:
        return QSize(_LEAST * 4, self.height())

    def minimumSizeHint(self) -> QSize:
        return QSize(_LEAST * 4, _HEAD + _ROW)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()


def _pair_of(thing: Thing | None) -> Pair | None:
    """Whose cell it has; None where it has none of its own."""
    match thing:
        case OfCard():
            return thing.card, thing.card
        case OfLink():
            return thing.a, thing.b
        case _:
            return None
