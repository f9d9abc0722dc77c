"""PairGrid: a table of pairs, its heads always in sight, its cells shaded by their rates."""

from collections.abc import Callable, Iterator, Mapping, Sequence

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QKeyEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHeaderView,
    QStyleOptionViewItem,
    QTableView,
)

from gpuexplorer.gui.guard import guarded
from gpuexplorer.gui.paint.drawing import Delegate, Drawing, Index
from gpuexplorer.gui.theme.letters import Lettering
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.widgets.pairs.pair_drawing import (
    RADIUS,
    draw_cell,
    draw_heads,
    shade_of,
    shades,
)
from gpuexplorer.gui.widgets.pairs.pair_model import PairModel
from gpuexplorer.gui.widgets.pairs.pairs_shown import CellState, HeatScale, Pair, PairCell

_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space)


class PairGrid(QTableView):
    """How large its cells are, and what happens to what is chosen, the heirs know."""

    def __init__(self, name: str, words: Callable[[Pair], tuple[str, str]]) -> None:
        super().__init__()
        self.look = look()
        self.pairs = PairModel(words, self)
        self.wrong: Sequence[Pair] = ()
        self.gap = 3  # between cells
        self.scale: HeatScale | None = None
        self.colours = shades(look().theme)
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
                radius = RADIUS if self.letters() else 1.0
                drawing.painter.drawRoundedRect(self.place(index), radius, radius)

    def update_all(self) -> None:
        for each in (self, self.horizontalHeader(), self.verticalHeader()):
            each.viewport().update()

    def _on_look_changed(self) -> None:
        self.colours = shades(self.look.theme)
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
    """The devices along one side."""

    def __init__(self, orientation: Qt.Orientation, grid: PairGrid) -> None:
        super().__init__(orientation, grid)
        self._grid = grid
        self.setMinimumSectionSize(1)
        self.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        grid, pairs = self._grid, self._grid.pairs
        across = self.orientation() is Qt.Orientation.Horizontal
        heads = pairs.columns if across else pairs.rows
        if not (pairs.rows and pairs.columns):
            return
        places = []
        for at in range(len(heads)):
            cell = grid.place(pairs.index(0, at) if across else pairs.index(at, 0))
            if across:
                places.append(QRectF(cell.left(), 0, cell.width(), self.height() - 2))
            else:
                places.append(QRectF(0, cell.top(), self.width() - 4, cell.height()))
        wrong = {
            index.column() if across else index.row()
            for index in map(pairs.index_of, grid.wrong)
        }
        held = grid.currentIndex()
        caption = grid.look.letters.caption
        room = caption.width("00") + 4 if across else caption.height
        with QPainter(self.viewport()) as painter:
            at = held.column() if across else held.row()
            draw_heads(Drawing(painter), places, heads, wrong, at, room)
