"""PairTable: every ordered pair of some devices, as large as there is room for."""

from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np
from PySide6.QtCore import (
    QEvent,
    QItemSelectionModel,
    QModelIndex,
    QPoint,
    QPointF,
    QRect,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QColor, QImage, QKeyEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QSizePolicy

from gpuexplorer.core.words import tr
from gpuexplorer.gui.copies.matrix.pair_question import Head
from gpuexplorer.gui.copies.matrix.pair_sizes import (
    AFTER_HOST,
    EDGE,
    height_for,
    least_size,
    sizes_in,
)
from gpuexplorer.gui.copies.matrix.words import Callout
from gpuexplorer.gui.guard import guarded
from gpuexplorer.gui.paint.drawing import Drawing, Index, draw_picture, picture_of
from gpuexplorer.gui.theme.letters import Lettering
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.laid_out import label
from gpuexplorer.gui.widgets.pair_grid import (
    MOST_CHIPS,
    NONE,
    CellState,
    HeatScale,
    Pair,
    PairCell,
    PairGrid,
    draw_bubble,
    draw_cell,
    shade_of,
)

_LARGE_FROM = 110
_PAGE = 8


class PairTable(PairGrid):
    """Whoever decides shows what is chosen by `show_chosen`."""

    chosen = Signal(object)  # a pair, or None
    opened = Signal(object)  # a pair: Enter, or a double click

    def __init__(
        self,
        name: str,
        words: Callable[[Pair], tuple[str, str]],
        *,
        host_first: bool = True,
    ) -> None:
        """`host_first`: the first row and column are the host's, and stand apart."""
        super().__init__(name, words)
        self._apart = AFTER_HOST if host_first else 0
        self._callouts: Mapping[Pair, Callout] = {}
        self._running: tuple[Pair, float] | None = None
        self._hovered: Pair | None = None
        self._widest = ""
        self.two_lines = False
        self.numbers = True  # a cell has room for a figure
        self._image: QImage | None = None
        self._telling = True
        self._corner = label(tr("From, to"), look().letters.caption, Tone.FAINT)
        self._corner.setParent(self)
        for bar in (self.setHorizontalScrollBarPolicy, self.setVerticalScrollBarPolicy):
            bar(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        policy = QSizePolicy.Policy.Expanding
        self.setSizePolicy(policy, policy)
        self.selectionModel().currentChanged.connect(self._on_current_changed)
        self.doubleClicked.connect(self.open)
        self.entered.connect(self._on_entered)

    @property
    def crowded(self) -> bool:
        """Too many for chips."""
        return len(self.pairs.rows) > MOST_CHIPS + 1

    def current_pair(self) -> Pair | None:
        return self.pairs.pair(self.currentIndex())

    def show_heads(self, heads: Sequence[Head]) -> None:
        if tuple(heads) == self.pairs.rows:
            return
        chosen, self._telling = self.current_pair(), False
        self.pairs.show_heads(tuple(heads), tuple(heads))
        self._telling = True
        self.show_chosen(chosen)
        least = least_size(len(heads))
        self.setMinimumSize(least, least)
        self._lay_out()

    def show_cells(self, cells: Mapping[Pair, PairCell], scale: HeatScale | None) -> None:
        if cells is self.pairs.cells and scale == self.scale:
            return
        self.wrong = [
            pair
            for pair, cell in cells.items()
            if cell.state is CellState.WRONG and self.pairs.index_of(pair).isValid()
        ]
        figures = [each.text for each in cells.values() if each.state is CellState.FIGURE]
        self._widest = max(figures, key=len, default="")
        self._image = None
        self.show_two_lines(any(cell.below for cell in cells.values()))
        super().show_cells(cells, scale)

    def show_two_lines(self, two_lines: bool) -> None:
        """Rows high enough for two figures, also where there is one: to meet another map's."""
        if two_lines != self.two_lines:
            self.two_lines = two_lines
            self._lay_out()

    def show_callouts(self, callouts: Mapping[Pair, Callout]) -> None:
        if callouts != self._callouts:
            self._callouts = callouts
            self.update_all()

    def show_chosen(self, pair: Pair | None) -> None:
        """Tells nobody."""
        index = self.pairs.index_of(pair)
        if index != self.currentIndex():
            self._telling = False
            flags = QItemSelectionModel.SelectionFlag.NoUpdate
            self.selectionModel().setCurrentIndex(index, flags)
            self._telling = True

    def show_running(self, pair: Pair | None, share: float = 0.0) -> None:
        """Which cell is being measured, and how far that is."""
        now = None if pair is None else (pair, share)
        if now != self._running:
            self._running = now
            self.viewport().update()

    def place_of(self, pair: Pair) -> QRect:
        """In the viewport."""
        index = self.pairs.index_of(pair)
        return self.place(index).toAlignedRect() if index.isValid() else QRect()

    def place(self, index: Index) -> QRectF:
        """Without what the host's stand apart, too."""
        if not self.numbers:
            return super().place(index)
        right, low = (0 if at else self._apart for at in (index.column(), index.row()))
        edge = 0 if index.row() else EDGE
        return super().place(index).adjusted(0, edge, -right, -low)

    def letters(self) -> Lettering | None:
        """The largest in which every figure has room."""
        wide = self.columnWidth(len(self.pairs.columns) - 1)
        letters = self.look.letters
        large = (letters.title,) if wide >= _LARGE_FROM else ()
        fitting = (*large, letters.body, letters.caption) if self.numbers else ()
        room = wide - self.gap - 2
        return next((each for each in fitting if each.width(self._widest) <= room), None)

    def height_for(self, width: int) -> int:
        """What it takes at that width where nothing is short."""
        return height_for(len(self.pairs.rows), width, two_lines=self.two_lines)

    def open(self, index: Index) -> None:
        pair = self.pairs.pair(index)
        if pair is not None:
            self.opened.emit(pair)

    def rings(self) -> Iterator[tuple[Index, QColor, float]]:
        theme, at = self.look.theme, self.pairs.index_of
        for pair, callout in self._callouts.items():
            if not callout.wrong:
                yield at(pair), theme.quiet, 1.2
        yield at(self._hovered), theme.faint, 1.0
        yield self.currentIndex(), theme.accent if self.hasFocus() else theme.text, 2.0
        if self._running is not None:
            yield at(self._running[0]), theme.accent, 1.5

    def draw_over(self, drawing: Drawing) -> None:
        super().draw_over(drawing)
        if (
            self._running is not None
            and (at := self.pairs.index_of(self._running[0])).isValid()
        ):
            cell = self.place(at)
            done = QRectF(cell.left() + 3, cell.bottom() - 5, 0, 2)
            done.setWidth((cell.width() - 6) * self._running[1])
            drawing.painter.fillRect(done, drawing.theme.accent)
        for pair, callout in self._callouts.items():
            if (at := self.pairs.index_of(pair)).isValid():
                off = QPointF(-3, 2) if self.numbers else QPointF(7, -7)
                corner = self.place(at).topRight() + off
                draw_bubble(drawing, corner, callout.number, bad=callout.wrong)

    def _lay_out(self) -> None:
        heads = self.pairs.rows
        sizes = sizes_in(len(heads), self.width(), self.height(), two_lines=self.two_lines)
        self.numbers, self.gap = sizes.numbers, sizes.gap
        across, down = self.horizontalHeader(), self.verticalHeader()
        across.setFixedHeight(sizes.top)
        down.setFixedWidth(sizes.left)
        for header, size in ((across, sizes.across), (down, sizes.down)):
            header.setVisible(bool(heads))
            header.setDefaultSectionSize(size)
        if self.numbers and heads:
            across.resizeSection(0, sizes.across + self._apart)
            down.resizeSection(0, sizes.down + self._apart + EDGE)
        self._corner.setVisible(self.numbers and bool(heads))
        self._corner.setGeometry(0, 0, sizes.left + 8, sizes.top - 2)
        self.updateGeometry()
        self.update_all()

    def _on_current_changed(self, now: QModelIndex, before: QModelIndex) -> None:
        self.update_all()
        if self._telling:
            self.chosen.emit(self.pairs.pair(now))

    def _on_entered(self, index: QModelIndex) -> None:
        self._hovered = self.pairs.pair(index)
        self.viewport().update()

    def _on_look_changed(self) -> None:
        self._image = None
        super()._on_look_changed()

    def _draw_crowd(self, drawing: Drawing) -> None:
        """So many cells that each is a few pixels of one picture."""
        heads, cells = self.pairs.rows, self.pairs.cells
        if self._image is None:
            rows = [
                [
                    shade_of(cells.get((one.name, other.name), NONE), self.scale)
                    for other in heads
                ]
                for one in heads
            ]
            self._image = picture_of(self.colours, np.array(rows))
        draw_picture(
            drawing.painter,
            self._image,
            QPoint(),
            self.columnWidth(0),
            self.gap,
            drawing.theme.surface,
        )
        for pair in self.wrong:
            place = self.place(self.pairs.index_of(pair))
            draw_cell(drawing, place, cells[pair], drawing.theme.bad, None)

    def sizeHint(self) -> QSize:
        return QSize(320, self.height_for(max(280, self.width())))

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        if self.numbers:
            super().paintEvent(event)
        elif self.pairs.rows:
            with QPainter(self.viewport()) as painter:
                drawing = Drawing(painter)
                self._draw_crowd(drawing)
                self.draw_over(drawing)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._lay_out()

    def leaveEvent(self, event: QEvent) -> None:
        self._on_entered(QModelIndex())
        super().leaveEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        index = self.currentIndex()
        match event.key():
            case Qt.Key.Key_PageUp | Qt.Key.Key_PageDown if index.isValid():
                step = _PAGE if event.key() == Qt.Key.Key_PageDown else -_PAGE
                row = min(len(self.pairs.rows) - 1, max(0, index.row() + step))
                self.setCurrentIndex(index.siblingAtRow(row))
            case Qt.Key.Key_Escape:
                event.ignore()
            case _:
                super().keyPressEvent(event)
