"""Every ordered pair of some devices in a table, its cells shaded by their rates."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QKeyEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHeaderView,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from gpuexplorer.gui.guard import guarded
from gpuexplorer.gui.paint.drawing import CHIP_RADIUS, Delegate, Drawing, Index, Run
from gpuexplorer.gui.theme.letters import Lettering
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Theme, faded, mixed

Pair = tuple[str, str]
# From one more card on, chips have no colours, and a row of outlined boxes would be no help.
MOST_CHIPS = 8
_LEAST_SPAN = 4.0  # a hair's difference must not look like day and night
_MOST_TICKS = 5
_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space)
_RADIUS, _CHIP, _LEAST_CHIP, _RING = 4.0, 20.0, 14.0, CHIP_RADIUS + 2
_LINE_GAP, _BUBBLE = 3.0, 8.0
_HEATS = 240
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


_STATES = tuple(CellState)  # their shades come after those of rates


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

    def ticks(self) -> list[float]:
        """Powers of two between the ends, few enough to be read."""
        low, high = math.ceil(math.log2(self.least) - 1e-9), math.floor(math.log2(self.most))
        step = max(1, math.ceil((high - low + 1) / _MOST_TICKS))
        return [2.0**power for power in range(low, high + 1, step)]


def scale_of(values: Iterable[float]) -> HeatScale | None:
    """Over all that is shown; None where nothing is."""
    told = [value for value in values if 0 < value < math.inf]
    if not told:
        return None
    # The least of them still stands out of the ground.
    below = 2.0 ** math.floor(math.log2(min(told)) - 1)
    return HeatScale(min(below, max(told) / _LEAST_SPAN), max(told))


class PairModel(QAbstractTableModel):
    """Rows send, columns receive; `words` are what a cell is called, and what it says."""

    def __init__(self, words: Callable[[Pair], tuple[str, str]], parent: QWidget) -> None:
        super().__init__(parent)
        self.words = words
        self.rows: Sequence[PairHead] = ()
        self.columns: Sequence[PairHead] = ()
        self.cells: Mapping[Pair, PairCell] = {}
        self._places: Mapping[Pair, tuple[int, int]] = {}

    def show_heads(self, rows: Sequence[PairHead], columns: Sequence[PairHead]) -> None:
        self.beginResetModel()
        self.rows, self.columns = rows, columns
        self._places = {
            (one.name, other.name): (row, column)
            for row, one in enumerate(rows)
            for column, other in enumerate(columns)
        }
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
        return self.index(*self._places.get(pair or ("", ""), (-1, -1)))

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
        self.colours = _shades(look().theme)
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
        look().changed.connect(self._on_look_changed)

    def show_cells(self, cells: Mapping[Pair, PairCell], scale: HeatScale | None) -> None:
        """Cells that are not among them have nothing to be measured."""
        self.scale = scale
        self.pairs.show_cells(cells)
        self.update_all()

    def place(self, index: Index) -> QRectF:
        """Without the gap."""
        return QRectF(self.visualRect(index)).adjusted(0, 0, -self.gap, -self.gap)

    def letters(self) -> Lettering | None:
        """None: there is no room for figures."""
        return self.look.letters.caption

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
                radius = _RADIUS if self.letters() else 1.0
                drawing.painter.drawRoundedRect(self.place(index), radius, radius)

    def update_all(self) -> None:
        for each in (self, self.horizontalHeader(), self.verticalHeader()):
            each.viewport().update()

    def _on_look_changed(self) -> None:
        self.colours = _shades(self.look.theme)
        self.update_all()

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
        grid, cell = self._grid, self._grid.pairs.cell(index)
        if cell.state is not CellState.NONE:
            ground = grid.colours[shade_of(cell, grid.scale)]
            draw_cell(drawing, grid.place(index), cell, ground, grid.letters())


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
        close = any(abs(at - each) * step < room for each in (held, *wrong))
        strong, every = at in (held, *wrong), 1 if step >= room else _EVERY
        if strong or (not close and (every == 1 or at == 0 or (at > 1 and at % every == 1))):
            theme = drawing.theme
            ink = theme.bad if at in wrong else theme.text if strong else theme.quiet
            letters = drawing.letters.badge if strong else caption
            _centred(drawing, place, Run(heads[at].chip, letters, ink))


def shade_of(cell: PairCell, scale: HeatScale | None) -> int:
    """Which of the shades is the cell's."""
    if cell.state is not CellState.FIGURE:
        return _HEATS + _STATES.index(cell.state)
    if cell.value is None or scale is None:
        return 0
    return round(scale.share(cell.value) * (_HEATS - 1))


def _shades(theme: Theme) -> list[QColor]:
    """Of all rates, and of what is no rate."""
    grounds = {
        CellState.EMPTY: mixed(theme.surface, theme.well, 0.6),
        CellState.LOCAL: theme.well,
        CellState.WRONG: theme.bad,
        CellState.FAILED: mixed(theme.surface, theme.line, 0.5),
    }
    heats = [theme.heat(step / (_HEATS - 1)) for step in range(_HEATS)]
    return [*heats, *(grounds.get(state, theme.surface) for state in _STATES)]


def draw_cell(
    drawing: Drawing, place: QRectF, cell: PairCell, ground: QColor, letters: Lettering | None
) -> None:
    """Without letters there is no room for a figure."""
    theme, painter = drawing.theme, drawing.painter
    if cell.state is CellState.WRONG:
        drawing.wrong(place, lettered=letters is not None)
        return
    empty = cell.state is CellState.EMPTY
    painter.setPen(QPen(theme.line, 1) if empty else Qt.PenStyle.NoPen)
    painter.setBrush(Qt.BrushStyle.NoBrush if empty else ground)
    inset = 0.5 if empty else 0.0
    painter.drawRoundedRect(place.adjusted(inset, inset, -inset, -inset), _RADIUS, _RADIUS)
    if letters is None:
        return
    plain, known = cell.state is CellState.FIGURE, drawing.letters
    place = QRectF(place)
    if cell.below and place.height() >= (
        letters.cap_height + known.caption.cap_height + 3 * _LINE_GAP
    ):
        aside = (known.caption.cap_height + _LINE_GAP * 1.6) / 2
        below = place.translated(0, aside + (letters.cap_height - known.caption.cap_height) / 2)
        _centred(drawing, below, Run(cell.below, known.caption, theme.quiet))
        place.translate(0, -aside)
    if not plain:
        letters = known.body if letters is known.title else known.caption
    run = Run(cell.text, letters, theme.text if plain else theme.quiet)
    if cell.text and run.width <= place.width():
        _centred(drawing, place, run)


def draw_bubble(drawing: Drawing, corner: QPointF, number: int, *, bad: bool) -> None:
    """A number in a disc, with a rim so that it stands out of any ground."""
    theme, painter = drawing.theme, drawing.painter
    disc = QRectF(0, 0, 2 * _BUBBLE, 2 * _BUBBLE)
    disc.moveCenter(corner)
    painter.setPen(QPen(theme.surface, 2))
    painter.setBrush(theme.bad if bad else theme.text)
    painter.drawEllipse(disc)
    ink = theme.inverse if bad else theme.ground
    _centred(drawing, disc, Run(str(number), drawing.letters.badge, ink))


def _centred(drawing: Drawing, place: QRectF, run: Run) -> None:
    high = run.letters.cap_height
    baseline = max(high + 1, place.center().y() + high / 2)
    drawing.text(place.center().x() - run.width / 2, baseline, run)


def _draw_chip(
    drawing: Drawing, place: QRectF, side: float, head: PairHead, wrong: bool, held: bool
) -> None:
    theme, letters, painter = drawing.theme, drawing.letters, drawing.painter
    of = letters.strong if side >= _CHIP else letters.badge
    chip = QRectF(0, 0, max(side, of.width(head.chip) + 8), side)
    chip.moveCenter(place.center())
    ring = chip.adjusted(-3, -3, 3, 3)
    if held:
        drawing.filled(ring.adjusted(-2, -2, 2, 2), faded(theme.text, 0.16), _RING)
    if wrong:
        painter.setPen(QPen(theme.bad, 2))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(ring, _RING, _RING)
    colour = None if head.colour is None else theme.card(head.colour)
    drawing.chip(chip, head.chip, of, colour)
