"""Every ordered pair of some devices in a table, its cells shaded by their rates."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QKeyEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHeaderView,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from gpuexplorer.copies.jobs import HOST
from gpuexplorer.gui.event_loop import guarded
from gpuexplorer.gui.paint.drawing import CHIP_RADIUS, Delegate, Drawing, Index, Run
from gpuexplorer.gui.theme.letters import Lettering
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import faded, mixed

Pair = tuple[str, str]
# From one more card on, chips have no colours, and a row of outlined boxes would be no help.
MOST_CHIPS = 8
_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space)
_CHIP, _LEAST_CHIP, _RING = 20.0, 14.0, CHIP_RADIUS + 2
_LINE_GAP = 3.0
_EVERY = 8  # of many, so many apart are numbered


@dataclass(frozen=True, slots=True)
class PairHead:
    """A device at the head of a row or a column."""

    name: str  # "cpu", "cuda:0"
    chip: str
    colour: int | None
    titled: str  # "Card 0"
    boxed: bool = True  # False: words


class CellState(Enum):
    """How it is drawn."""

    EMPTY = "empty"  # it can be measured, and was not yet
    NONE = "none"  # there is nothing to be measured
    FIGURE = "figure"
    LOCAL = "local"  # inside one device: another matter than a wire, so without a shade
    FAILED = "failed"
    WRONG = "wrong"


@dataclass(frozen=True, slots=True)
class PairCell:
    """`value` is what its shade follows from, in the unit of the matrix."""

    state: CellState
    text: str = ""
    value: float | None = None
    below: str = ""  # somebody else's figure


NONE = PairCell(CellState.NONE)


@dataclass(frozen=True, slots=True)
class HeatScale:
    """In the unit of the cells: GB/s, or µs."""

    least: float
    most: float

    def share(self, value: float) -> float:
        """From 0 to 1. What lies beyond an end has its shade."""
        if not 0 < value < math.inf:
            return 0.0
        part = math.log(value / self.least) / math.log(self.most / self.least)
        return min(1.0, max(0.0, part))


class PairModel(QAbstractTableModel):
    """Rows send, columns receive; `words` are what a cell is called, and what it says."""

    def __init__(self, words: Callable[[Pair], tuple[str, str]], parent: QWidget) -> None:
        super().__init__(parent)
        self.words = words
        self.rows: Sequence[PairHead] = ()
        self.columns: Sequence[PairHead] = ()
        self.cells: Mapping[Pair, PairCell] = {}
        self._at: Sequence[dict[str, int]] = ({}, {})

    def show_heads(self, rows: Sequence[PairHead], columns: Sequence[PairHead]) -> None:
        self.beginResetModel()
        self.rows, self.columns = rows, columns
        self._at = [{head.name: at for at, head in enumerate(each)} for each in (rows, columns)]
        self.endResetModel()

    def cell(self, index: Index) -> PairCell:
        pair = self.pair(index)
        return NONE if pair is None else self.cells.get(pair, NONE)

    def pair(self, index: Index) -> Pair | None:
        if not index.isValid():
            return None
        return self.rows[index.row()].name, self.columns[index.column()].name

    def index_of(self, pair: Pair | None) -> QModelIndex:
        """Not valid where there is no such cell."""
        row, column = map(dict.get, self._at, pair or ("", ""))
        return QModelIndex() if row is None or column is None else self.index(row, column)

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


class PairGrid(QTableView):
    """How large its cells are, and what happens to what is chosen, the heirs know."""

    def __init__(self, name: str, words: Callable[[Pair], tuple[str, str]]) -> None:
        super().__init__()
        self.look = look()
        self.pairs = PairModel(words, self)
        self.wrong: Sequence[Pair] = ()
        self.gap = 3  # between cells
        self.scale: HeatScale | None = None
        self.setModel(self.pairs)
        self.setItemDelegate(_Cells(self))
        self.setHorizontalHeader(_Heads(Qt.Orientation.Horizontal, self))
        self.setVerticalHeader(_Heads(Qt.Orientation.Vertical, self))
        self.setCornerButtonEnabled(False)
        self.setAccessibleName(name)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setShowGrid(False)
        self.setTabKeyNavigation(False)
        self.setMouseTracking(True)
        self.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)

    def show_cells(self, cells: Mapping[Pair, PairCell], scale: HeatScale | None) -> None:
        """Cells that are not among them have nothing to be measured."""
        self.scale = scale
        self.pairs.cells = cells
        self.update_all()

    def place(self, index: Index) -> QRectF:
        """Without the gap."""
        return QRectF(self.visualRect(index)).adjusted(0, 0, -self.gap, -self.gap)

    def letters(self) -> Lettering | None:
        """None: there is no room for figures."""
        return self.look.letters.caption

    def draw_cell(self, drawing: Drawing, index: Index) -> None:
        place, cell, letters = self.place(index), self.pairs.cell(index), self.letters()
        theme, known = drawing.theme, drawing.letters
        if cell.state is CellState.NONE:
            return
        if cell.state is CellState.WRONG:
            drawing.wrong(place, lettered=letters is not None)
            return
        if cell.state is CellState.EMPTY:
            drawing.outlined(place, QPen(theme.line, 1))
        else:
            drawing.filled(place, ground_of(cell, self.scale), CHIP_RADIUS)
        if letters is None:
            return  # there is no room for a figure
        plain, small = cell.state is CellState.FIGURE, known.caption
        lines = letters.cap_height + small.cap_height + 3 * _LINE_GAP
        up = 0.0
        if cell.below and place.height() >= lines:
            up = (small.cap_height + _LINE_GAP * 1.6) / 2
            below = up + (letters.cap_height - small.cap_height) / 2
            draw_centred(
                drawing, place.translated(0, below), Run(cell.below, small, theme.quiet)
            )
        if not plain:
            letters = known.body if letters is known.title else small
        run = Run(cell.text, letters, theme.text if plain else theme.quiet)
        if run.width <= place.width():
            draw_centred(drawing, place.translated(0, -up), run)

    def open(self, index: Index) -> None:
        """By the Enter key."""
        raise NotImplementedError

    def rings(self) -> Iterator[tuple[Index, QColor, float]]:
        """Around which cells, in which colour and how wide."""
        raise NotImplementedError

    def draw_over(self, drawing: Drawing) -> None:
        """What is at the moment: the rings, above all cells."""
        drawing.painter.setBrush(Qt.BrushStyle.NoBrush)
        for index, ink, wide in self.rings():
            if index.isValid():
                drawing.painter.setPen(QPen(ink, wide))
                radius = CHIP_RADIUS if self.letters() else 1.0
                drawing.painter.drawRoundedRect(self.place(index), radius, radius)

    def update_all(self) -> None:
        for each in (self, self.horizontalHeader(), self.verticalHeader()):
            each.viewport().update()

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        with QPainter(self.viewport()) as painter:
            self.draw_over(Drawing(painter))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in _ENTER:
            self.open(self.currentIndex())
        else:
            super().keyPressEvent(event)


class _Cells(Delegate):
    def __init__(self, grid: PairGrid) -> None:
        super().__init__(grid)
        self._grid = grid

    def draw(
        self, drawing: Drawing, place: QRectF, option: QStyleOptionViewItem, index: Index
    ) -> None:
        self._grid.draw_cell(drawing, index)


class _Heads(QHeaderView):
    """The devices along one side: chips in the colours of the cards, or numbers where there are
    many. What is wrong is ringed.
    """

    def __init__(self, orientation: Qt.Orientation, grid: PairGrid) -> None:
        super().__init__(orientation, grid)
        self._grid = grid
        self.setMinimumSectionSize(1)
        self.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)

    @guarded
    def paintSection(self, painter: QPainter, rect: QRect, at: int) -> None:
        grid, pairs = self._grid, self._grid.pairs
        across = self.orientation() is Qt.Orientation.Horizontal
        if not (pairs.rows and pairs.columns):
            return
        cell = grid.place(pairs.index(0, at) if across else pairs.index(at, 0))
        place = QRectF(0, cell.top(), self.width() - 4, cell.height())
        if across:
            place = QRectF(cell.left(), 0, cell.width(), self.height() - 2)
        marked = [grid.currentIndex(), *map(pairs.index_of, grid.wrong)]
        held, *wrong = [each.column() if across else each.row() for each in marked]
        heads = pairs.columns if across else pairs.rows
        side = min(_CHIP, place.width() - 2, place.height() - 2)
        drawing, caption = Drawing(painter), grid.look.letters.caption
        chips = sum(head.boxed for head in heads) <= MOST_CHIPS + 1 and side >= _LEAST_CHIP
        if chips and heads[at].boxed:
            _draw_chip(drawing, place, side, heads[at], at in wrong, at == held)
            return
        # What is chosen or wrong in any case; of others no two too close.
        step, room = self.sectionSize(at), caption.width("00") + 4 if across else caption.height
        strong, every = at in (held, *wrong), 1 if step >= room else _EVERY
        close = any(abs(at - each) * step < room for each in (held, *wrong))
        # Cards stand in eights, and the host before them.
        first = heads[0].name == HOST
        if strong or ((at - first) % every == 0 and not close):
            theme = drawing.theme
            ink = theme.bad if at in wrong else theme.text if strong else theme.quiet
            letters = drawing.letters.badge if strong else caption
            draw_centred(drawing, place, Run(heads[at].chip, letters, ink))


def ground_of(cell: PairCell, scale: HeatScale | None) -> QColor:
    theme = look().theme
    if cell.state is CellState.FIGURE:
        return theme.heat(scale.share(cell.value) if cell.value and scale else 0.0)
    grounds = {
        CellState.EMPTY: mixed(theme.surface, theme.well, 0.6),
        CellState.LOCAL: theme.well,
        CellState.WRONG: theme.bad,
        CellState.FAILED: mixed(theme.surface, theme.line, 0.5),
    }
    return grounds.get(cell.state, theme.surface)


def draw_centred(drawing: Drawing, place: QRectF, run: Run) -> None:
    high = run.letters.cap_height
    baseline = max(high + 1, place.center().y() + high / 2)
    drawing.text(place.center().x() - run.width / 2, baseline, run)


def _draw_chip(
    drawing: Drawing, place: QRectF, side: float, head: PairHead, wrong: bool, held: bool
) -> None:
    theme, letters = drawing.theme, drawing.letters
    of = letters.strong if side >= _CHIP else letters.badge
    chip = QRectF(0, 0, max(side, of.width(head.chip) + 8), side)
    chip.moveCenter(place.center())
    if held:
        drawing.filled(chip.adjusted(-5, -5, 5, 5), faded(theme.text, 0.16), _RING)
    if wrong:
        drawing.outlined(chip.adjusted(-4, -4, 4, 4), QPen(theme.bad, 2), _RING)
    colour = None if head.colour is None else theme.card(head.colour)
    drawing.chip(chip, head.chip, of, colour)
