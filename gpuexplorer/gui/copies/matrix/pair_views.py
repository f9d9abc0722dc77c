"""MapPanel: every ordered pair of some devices in a table, as large as there is room for; and
PairPanel: all that is known of the pair that is chosen, with a way to measure it alone.
"""

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence

import numpy as np
from PySide6.QtCore import (
    QItemSelectionModel,
    QModelIndex,
    QPoint,
    QPointF,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QColor,
    QCursor,
    QImage,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QGridLayout, QSizePolicy, QWidget

from gpuexplorer.core.units import plain
from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.copies.matrix.pair_facts import Callout, Head, PairDetails, PairFact
from gpuexplorer.gui.event_loop import guarded
from gpuexplorer.gui.paint.drawing import (
    THIN_SPACE,
    Drawing,
    Index,
    Run,
    draw_picture,
    picture_of,
)
from gpuexplorer.gui.tables.cell import Chip
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.letters import Lettering
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.controls.buttons import ToolButton
from gpuexplorer.gui.widgets.controls.segmented import Segmented
from gpuexplorer.gui.widgets.laid_out import FREE, GROWS, add, column, label, say, wrapped_label
from gpuexplorer.gui.widgets.line import ElidedLabel, Line, Wording
from gpuexplorer.gui.widgets.live_view import HeatLegend, Panel
from gpuexplorer.gui.widgets.painted import ChipRow
from gpuexplorer.gui.widgets.pair_grid import (
    NONE,
    CellState,
    HeatScale,
    Pair,
    PairCell,
    PairGrid,
    draw_centred,
    ground_of,
)

# In pixels: what heads take beside and above, where cells have figures and where they have
# none; cells of so many devices at most; what is pleasant to read, and what is possible.
_HEADS, _SMALL_HEADS = (46, 34), 30
_SIZES = ((3, (170, 72)), (5, (124, 56)), (9, (84, 40)), (10**6, (84, 36)))
_NUMBERS_FROM, _LEAST_HIGH, _LEAST, _FLAT, _LEAST_FLAT = 27, 18, 4, 0.68, 22
_AFTER_HOST, _EDGE = 6, 6
_LARGE_FROM, _PAGE, _BUBBLE, _PLENTY, _CROWDED = 110, 8, 8.0, 10_000, 440


CellWords = Callable[[Pair], tuple[str, str]]  # what a cell is called, and what it says


class PairTable(PairGrid):
    """Whoever decides shows what is chosen by `show_chosen`."""

    chosen = Signal(object)  # a pair, or None
    opened = Signal(object)  # a pair: Enter, or a double click

    def __init__(self, name: str, words: CellWords, *, host_first: bool = True) -> None:
        """`host_first`: the first row and column are the host's, and stand apart."""
        super().__init__(name, words)
        self._apart = _AFTER_HOST if host_first else 0
        self._callouts: Mapping[Pair, Callout] = {}
        self._running: Pair | None = None
        self._widest = ""
        self.numbers = True  # a cell has room for a figure
        self._image: QImage | None = None
        self._telling = True
        self._corner = label(tr("From, to"), look().letters.caption, Tone.FAINT)
        self._corner.setParent(self)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.selectionModel().currentChanged.connect(self._on_current_changed)
        self.doubleClicked.connect(self.open)
        self.entered.connect(self.viewport().update)
        self.viewport().setAttribute(Qt.WidgetAttribute.WA_Hover)
        look().changed.connect(self._on_look_changed)

    def show_heads(self, heads: Sequence[Head]) -> None:
        if tuple(heads) != self.pairs.rows:
            self.pairs.show_heads(tuple(heads), tuple(heads))
            self._lay_out()

    def show_cells(self, cells: Mapping[Pair, PairCell], scale: HeatScale | None) -> None:
        if cells is not self.pairs.cells or scale != self.scale:
            wrong = [pair for pair, each in cells.items() if each.state is CellState.WRONG]
            self.wrong = [pair for pair in wrong if self.pairs.index_of(pair).isValid()]
            figures = [e.text for e in cells.values() if e.state is CellState.FIGURE]
            self._widest = max(figures, key=len, default="")
            self._image = None
            super().show_cells(cells, scale)

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

    def show_running(self, pair: Pair | None) -> None:
        """Which cell is being measured."""
        if pair != self._running:
            self._running = pair
            self.viewport().update()

    def place(self, index: Index) -> QRectF:
        """Without what the host's stand apart, too."""
        if not self.numbers:
            return super().place(index)
        right, low = (0 if at else self._apart for at in (index.column(), index.row()))
        return super().place(index).adjusted(0, 0 if index.row() else _EDGE, -right, -low)

    def letters(self) -> Lettering | None:
        """The largest in which every figure has room."""
        wide, letters = self.columnWidth(len(self.pairs.columns) - 1), self.look.letters
        large = (letters.title,) if wide >= _LARGE_FROM else ()
        fitting = (*large, letters.body, letters.caption) if self.numbers else ()
        room = wide - self.gap - 2
        return next((each for each in fitting if each.width(self._widest) <= room), None)

    def open(self, index: Index) -> None:
        if (pair := self.pairs.pair(index)) is not None:
            self.opened.emit(pair)

    def rings(self) -> Iterator[tuple[Index, QColor, float]]:
        theme, at = self.look.theme, self.pairs.index_of
        for pair, callout in self._callouts.items():
            if not callout.wrong:
                yield at(pair), theme.quiet, 1.2
        if self.viewport().underMouse():
            place = self.viewport().mapFromGlobal(QCursor.pos())
            yield self.indexAt(place), theme.faint, 1.0
        yield self.currentIndex(), theme.accent if self.hasFocus() else theme.text, 2.0
        yield at(self._running), theme.accent, 1.5

    def draw_over(self, drawing: Drawing) -> None:
        super().draw_over(drawing)
        for pair, callout in self._callouts.items():
            if (at := self.pairs.index_of(pair)).isValid():
                off = QPointF(-3, 2) if self.numbers else QPointF(7, -7)
                draw_bubble(drawing, self.place(at).topRight() + off, callout)

    def _room(self, height: int) -> tuple[int, int, bool]:
        """How wide and high a cell is in so much height, and whether it has a figure."""
        count, around = max(1, len(self.pairs.rows)), self._apart + _EDGE
        wide, high = next(size for most, size in _SIZES if count <= most)
        across = min(wide, (self.width() - _HEADS[0] - around) // count)
        if height == _PLENTY:
            high = min(high, max(_LEAST_FLAT, round(across * _FLAT)))
        down = min(high, (height - _HEADS[1] - around) // count)
        if across >= _NUMBERS_FROM and down >= _LEAST_HIGH:
            return across, down, True
        side = (min(self.width(), height) - _SMALL_HEADS) // count
        return (side := max(_LEAST, min(_NUMBERS_FROM - 1, side))), side, False

    def _lay_out(self) -> None:
        there = bool(self.pairs.rows)
        wide, high, self.numbers = self._room(self.height())
        self.gap = 1 if wide < 14 else 2 if wide < 40 else 3
        left, top = _HEADS if self.numbers else (_SMALL_HEADS, _SMALL_HEADS)
        across, down = self.horizontalHeader(), self.verticalHeader()
        across.setFixedHeight(top)
        down.setFixedWidth(left)
        for header, size in ((across, wide), (down, high)):
            header.setVisible(there)
            header.setDefaultSectionSize(size)
        if self.numbers and there:
            across.resizeSection(0, wide + self._apart)
            down.resizeSection(0, high + self._apart + _EDGE)
        self._corner.setVisible(self.numbers and there)
        self._corner.setGeometry(0, 0, left + 8, top - 2)
        self.updateGeometry()
        self.update_all()

    def _on_current_changed(self, now: QModelIndex, before: QModelIndex) -> None:
        self.update_all()
        if self._telling:
            self.chosen.emit(self.pairs.pair(now))

    def _on_look_changed(self) -> None:
        self._image = None
        self.update_all()

    def sizeHint(self) -> QSize:
        """As high as it takes at its width where nothing is short."""
        _, high, numbers = self._room(_PLENTY)
        cells = max(1, len(self.pairs.rows)) * high
        if numbers:
            return QSize(320, _HEADS[1] + _EDGE + self._apart + cells)
        return QSize(320, min(_CROWDED, _SMALL_HEADS + cells))

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        if self.numbers or not self.pairs.rows:
            super().paintEvent(event)
            return
        # So many cells that each is a few pixels of one picture.
        heads, cells = self.pairs.rows, self.pairs.cells
        if self._image is None:
            pairs = [(one.name, other.name) for one in heads for other in heads]
            grounds = [ground_of(cells.get(pair, NONE), self.scale) for pair in pairs]
            places = np.arange(len(pairs)).reshape(len(heads), len(heads))
            self._image = picture_of(grounds, places)
        with QPainter(self.viewport()) as painter:
            drawing, side = Drawing(painter), self.columnWidth(0)
            ground = drawing.theme.surface
            step = QSize(side, side)
            draw_picture(painter, self._image, QPoint(), step, self.gap, ground)
            for pair in self.wrong:
                self.draw_cell(drawing, self.pairs.index_of(pair))
            self.draw_over(drawing)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._lay_out()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        index, key = self.currentIndex(), event.key()
        if key in (Qt.Key.Key_PageUp, Qt.Key.Key_PageDown) and index.isValid():
            row = index.row() + (_PAGE if key == Qt.Key.Key_PageDown else -_PAGE)
            last = len(self.pairs.rows) - 1
            self.setCurrentIndex(index.siblingAtRow(min(last, max(0, row))))
        elif key == Qt.Key.Key_Escape:
            event.ignore()
        else:
            super().keyPressEvent(event)


def draw_bubble(drawing: Drawing, middle: QPointF, callout: Callout) -> None:
    """A number in a disc, with a rim so that it stands out of any ground."""
    theme, painter, bad = drawing.theme, drawing.painter, callout.wrong
    painter.setPen(QPen(theme.surface, 2))
    painter.setBrush(theme.bad if bad else theme.text)
    painter.drawEllipse(middle, _BUBBLE, _BUBBLE)
    ink = theme.inverse if bad else theme.ground
    run = Run(str(callout.number), drawing.letters.badge, ink)
    draw_centred(drawing, QRectF(middle, middle), run)


class MapPanel(Panel):
    """A map of pairs below the choice of what its cells say."""

    def __init__(
        self, heading: str, table: PairTable, meaning: str, says: Sequence[tuple[Hashable, str]]
    ) -> None:
        super().__init__(heading)
        self.map = table
        self.caption = ElidedLabel(look().letters.caption, Tone.QUIET)
        self.choice = Segmented(meaning, says)
        self.legend = HeatLegend()
        self.head.insertWidget(1, self.caption, 1)
        self.head.setStretch(2, 0)
        self.head.addWidget(self.choice)

    def show_scale(self, scale: HeatScale | None, unit: str) -> None:
        self.legend.setVisible(scale is not None)
        if scale is not None:
            ends = scale.least, scale.most
            low, high = (plain(round(e, 0 if e > 99 else 1 if e > 9 else 2)) for e in ends)
            self.legend.show_ends(low, f"{high} {unit}")

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.choice.show_compact(event.size().width() < self.choice.full_width() + 150)


_ONE = mark("One pair")
_NOTHING = mark(
    "Click a cell, or move to it with the arrow keys, to see everything that is known about it."
)
_WORDS_FROM, _ROW, _LABEL, _TWO_FROM = 440, 24, 120, 548


class PairPanel(Panel):
    """Its parts are made once and shown again with other words."""

    def __init__(self) -> None:
        super().__init__(tr(_ONE))
        caption = look().letters.caption
        self._ends = ChipRow(arrows=True)
        self._caption = ElidedLabel(caption, Tone.QUIET)
        again = tr("Measure this pair again, and no other")
        self.measure = ToolButton("framed", Icon.COPIES, tr("Measure this one"), again)
        self.head.insertWidget(0, self._ends)
        self.head.insertWidget(2, self._caption, 1)
        self.head.setStretch(3, 0)
        self.head.addWidget(self.measure)
        self._bad, self._hint = wrapped_label("", Tone.BAD), wrapped_label("", Tone.QUIET)
        self._facts, self._said = FactGrid(), wrapped_label("", Tone.QUIET, caption)
        told = column(self._bad, self._hint, self._facts, self._said, FREE, gap=4)
        add(self.body, told, GROWS)
        self.show_nothing()

    def show_nothing(self) -> None:
        self.show_pair(tr(_ONE), "", (), PairDetails(hint=tr(_NOTHING)))
        self.show_able(there=False)

    def show_pair(
        self,
        title: str,
        caption: str,
        ends: Sequence[Head],
        details: PairDetails,
        path: str = "",
    ) -> None:
        self.show_heading(title)
        self._caption.show_text(caption)
        self._ends.show_chips([Chip(each.chip, each.colour) for each in ends])
        say(self._bad, details.bad)
        say(self._hint, details.hint)
        say(self._said, "\n".join(filter(None, (path, *details.sentences))))
        self._facts.show_rows(details.rows)

    def show_able(self, there: bool, able: bool = False) -> None:
        """Whether there is such a copy, and anything can be measured now."""
        self.measure.setVisible(there)
        self.measure.setEnabled(able)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.measure.show_compact(event.size().width() < _WORDS_FROM)


class FactGrid(QWidget):
    """Read from top to bottom, and then on in the next column."""

    def __init__(self) -> None:
        super().__init__()
        self._rows: Sequence[PairFact] = ()
        self._grid, self._columns = QGridLayout(self), 1
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setVerticalSpacing(0)
        self._grid.setColumnStretch(1, 1)
        self.setAccessibleName(tr("Figures"))

    def show_rows(self, rows: Sequence[PairFact]) -> None:
        if rows != self._rows:
            self._rows = rows
            self.setAccessibleDescription("; ".join(row.said for row in rows))
            self._lay_out()

    def _lay_out(self) -> None:
        letters, high = look().letters, -(-len(self._rows) // self._columns)
        self._grid.setColumnStretch(3, self._columns - 1)
        for old in self.findChildren(QWidget):
            old.hide()
            old.deleteLater()
        for at, row in enumerate(self._rows):
            name, line = label(row.label, letters.body, Tone.QUIET), Line(height=_ROW)
            name.setFixedWidth(_LABEL)
            wording: Wording = ((row.rest, letters.body, Tone.TEXT),)
            if row.number:
                unit = f"{THIN_SPACE}{row.rest}", letters.caption, Tone.QUIET
                wording = (row.number, letters.strong, Tone.TEXT), unit
            line.show_wordings([wording], row.said)
            self._grid.addWidget(name, at % high, at // high * 2)
            self._grid.addWidget(line, at % high, at // high * 2 + 1)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        columns = 2 if event.size().width() >= _TWO_FROM else 1
        if columns != self._columns:
            self._columns = columns
            self._lay_out()
