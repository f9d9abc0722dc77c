"""PairMap: every ordered pair of some devices as a heat map, by mouse, keys and reader."""

from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QFocusEvent,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPen,
)
from PySide6.QtWidgets import QGraphicsItem, QSizePolicy, QToolTip, QWidget

from gpuexplorer.core.words import tr
from gpuexplorer.gui.paint.drawing import Drawing, Run
from gpuexplorer.gui.plots.graph import Graph
from gpuexplorer.gui.theme.letters import Lettering
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.theme.palette import Theme
from gpuexplorer.gui.widgets.machine.voiced import Voiced
from gpuexplorer.gui.widgets.pairs.pair_drawing import (
    draw_bubble,
    draw_cell,
    draw_gaps,
    draw_heads,
    shade_of,
    shades,
)
from gpuexplorer.gui.widgets.pairs.pair_layout import (
    PairLayout,
    height_for,
    layout_in,
    least_size,
)
from gpuexplorer.gui.wording.copies.matrix.cells import NONE, CellState, HeatScale, PairCell
from gpuexplorer.gui.wording.copies.matrix.matrix_words import Callout
from gpuexplorer.gui.wording.copies.matrix.question import MOST_CHIPS, Head, Pair

_LARGE_FROM = 110
_AROUND = 12  # of a cell, what its ring and its number take
_RADIUS = 4.0
_MOVES = {
    Qt.Key.Key_Left: (0, -1),
    Qt.Key.Key_Right: (0, 1),
    Qt.Key.Key_Up: (-1, 0),
    Qt.Key.Key_Down: (1, 0),
    Qt.Key.Key_PageUp: (-8, 0),
    Qt.Key.Key_PageDown: (8, 0),
}


class PairMap(Graph, Voiced[Pair]):
    """Rows send, columns receive. Whoever decides shows what is chosen by `show_chosen`."""

    chosen = Signal(object)  # a pair, or None
    opened = Signal(object)  # a pair: Enter, or a double click

    def __init__(
        self,
        look: Look,
        name: str,
        words: Callable[[Pair], tuple[str, str]],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(look, parent)
        self._words = words
        self._heads: tuple[Head, ...] = ()
        self._places: dict[str, int] = {}
        self._cells: Mapping[Pair, PairCell] = {}
        self._scale: HeatScale | None = None
        self._callouts: Mapping[Pair, Callout] = {}
        self._chosen: Pair | None = None
        self._hovered: Pair | None = None
        self._running: tuple[Pair, float] | None = None
        self._wrong: tuple[frozenset[int], frozenset[int]] = (frozenset(), frozenset())
        self._wrong_pairs: list[Pair] = []
        self._widest: Mapping[CellState, str] = {}
        self.two_lines = False
        self._shades = np.zeros((0, 0), np.uint8)
        self._coloured: tuple[tuple[Theme, bool], NDArray[np.uint8]] | None = None
        self._image = pg.ImageItem(axisOrder="row-major")
        self.scene().addItem(self._image)
        self._sheet, self._over = (
            self.add_sheet(self._draw_cells),
            self.add_sheet(self._draw_over),
        )
        # What moves over the cells does not draw them again.
        self._sheet.setCacheMode(QGraphicsItem.CacheMode.DeviceCoordinateCache)
        self.setAccessibleName(name)
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setSizePolicy(policy)

    def show_heads(self, heads: Sequence[Head]) -> None:
        heads = tuple(heads)
        if heads == self._heads:
            return
        self._heads = heads
        self._places = {head.name: at for at, head in enumerate(heads)}
        self._shades = np.zeros((len(heads), len(heads)), np.uint8)
        self._shades[:] = shade_of(NONE, None)
        self.setMinimumSize(round(least_size(len(heads))), round(least_size(len(heads))))
        self.forget_parts()
        self._shade(self._cells)
        self.updateGeometry()
        self._lay_out()

    def show_cells(self, cells: Mapping[Pair, PairCell], scale: HeatScale | None) -> None:
        """Cells that are not among them have nothing to be measured."""
        if cells is self._cells and scale == self._scale:
            return
        before, self._cells = self._cells, cells
        anew = scale != self._scale or len(before) != len(cells)
        self._scale = scale
        changed = [
            pair
            for pair, cell in cells.items()
            if (old := before.get(pair)) is not cell and old != cell
        ]
        if changed or anew:
            self.show_two_lines(any(cell.below for cell in cells.values()))
            self._measure()
            if anew:
                self._shades[:] = shade_of(NONE, None)
            self._shade(cells if anew else changed)
        for pair in changed:
            self.tell_words(pair)

    def show_two_lines(self, two_lines: bool) -> None:
        """Rows high enough for two figures, also where there is one: to meet another map's."""
        if two_lines != self.two_lines:
            self.two_lines = two_lines
            self.updateGeometry()
            self._lay_out()

    def show_callouts(self, callouts: Mapping[Pair, Callout]) -> None:
        if callouts != self._callouts:
            self._callouts = callouts
            self._over.update()

    def show_chosen(self, pair: Pair | None) -> None:
        """Tells nobody."""
        if pair != self._chosen:
            self._chosen = pair
            self._over.update()
            self.tell_focus()

    def show_running(self, pair: Pair | None, share: float = 0.0) -> None:
        """Which cell is being measured, and how far that is."""
        now = None if pair is None else (pair, share)
        if now == self._running:
            return
        before, self._running = self._running, now
        for each in {one[0] for one in (before, now) if one is not None}:
            self._refresh(each)

    def dress(self) -> None:
        self._lay_out()

    def _lay_out(self) -> None:
        """Also in other colours."""
        layout, whole = self._layout(), QRectF(self.rect())
        for item in (self._image, self._sheet, self._over):
            item.setVisible(bool(self._heads))
        if not self._heads:
            return
        # Its pixels are the window's, since the host's row and column stand apart.
        rows = np.repeat(self._colours(layout)[self._shades], layout.steps(layout.down), axis=0)
        pixels = np.repeat(rows, layout.steps(layout.across), axis=1)
        self._image.setImage(pixels, levels=(0, 255))
        self._image.setPos(layout.left, layout.top)
        self._sheet.put(whole)
        self._over.put(whole)

    def _colours(self, layout: PairLayout) -> NDArray[np.uint8]:
        of = (self.look.theme, layout.numbers)
        if self._coloured is None or self._coloured[0] != of:
            self._coloured = of, shades(self.look.theme, outlined=layout.numbers)
        return self._coloured[1]

    def _shade(self, pairs: Iterable[Pair]) -> None:
        for pair in pairs:
            if (at := self._at(pair)) is not None:
                self._shades[at] = shade_of(self._cells[pair], self._scale)
        self._lay_out()

    def _draw_cells(self, drawing: Drawing) -> None:
        layout = self._layout()
        letters = self._letters(layout)
        self._draw_corner(drawing, layout)
        draw_gaps(drawing, layout)
        for pair in self._cells if layout.numbers else self._wrong_pairs:
            if (at := self._at(pair)) is not None:
                draw_cell(drawing, layout.cell(*at), self._cells[pair], letters)

    def parts(self) -> Sequence[Pair]:
        names = [head.name for head in self._heads]
        return [(one, other) for one in names for other in names]

    def words_of(self, part: Pair) -> tuple[str, str]:
        return self._words(part)

    def place_of(self, part: Pair) -> QRect:
        at = self._at(part)
        return QRect() if at is None else self._layout().cell(*at).toAlignedRect()

    def focused_part(self) -> Pair | None:
        return self._chosen if self.hasFocus() else None

    @property
    def crowded(self) -> bool:
        """Too many for chips."""
        return len(self._heads) > MOST_CHIPS + 1

    def height_for(self, width: int) -> int:
        return round(height_for(len(self._heads), width, two_lines=self.two_lines))

    def _layout(self) -> PairLayout:
        two = self.two_lines
        return layout_in(len(self._heads), self.width(), self.height(), two_lines=two)

    def _letters(self, layout: PairLayout) -> Lettering | None:
        """The largest in which every figure has room; None: none has."""
        if not layout.numbers:
            return None
        room = layout.across - layout.gap - 2
        letters = self.look.letters
        large: tuple[Lettering, ...] = (letters.title,) if layout.across >= _LARGE_FROM else ()
        for each in (*large, letters.body, letters.caption):
            # Local ones are written smaller in any case.
            figures = self._widest.get(CellState.FIGURE, "")
            if each.width(figures) <= room:
                return each
        return None

    def _measure(self) -> None:
        """What the widest figures are, and which rows and columns have something wrong."""
        widest: dict[CellState, str] = {}
        pairs: list[Pair] = []
        wrong: tuple[set[int], set[int]] = (set(), set())
        for pair, cell in self._cells.items():
            if len(cell.text) > len(widest.get(cell.state, "")):
                widest[cell.state] = cell.text
            if cell.state is CellState.WRONG:
                pairs.append(pair)
                for side, name in zip(wrong, pair, strict=True):
                    side.add(self._places.get(name, -1))
        self._wrong_pairs = pairs
        self._widest, self._wrong = widest, (frozenset(wrong[0]), frozenset(wrong[1]))

    def _at(self, pair: Pair) -> tuple[int, int] | None:
        row, column = (self._places.get(name) for name in pair)
        return None if row is None or column is None else (row, column)

    def _refresh(self, pair: Pair) -> None:
        place = QRectF(self.place_of(pair))
        self._over.update(place.adjusted(-_AROUND, -_AROUND, _AROUND, _AROUND))

    def _draw_corner(self, drawing: Drawing, layout: PairLayout) -> None:
        if layout.numbers:
            letters = drawing.letters.caption
            words = letters.elided(tr("From, to"), layout.left + 8)
            run = Run(words, letters, drawing.theme.faint)
            drawing.text(0, layout.top / 2 + run.letters.cap_height / 2 - 2, run)

    def _draw_over(self, drawing: Drawing) -> None:
        """What is at the moment: pointed at, chosen, measured, numbered."""
        layout = self._layout()
        held = None if self._chosen is None else self._at(self._chosen)
        draw_heads(drawing, layout, self._heads, self._wrong, held, not self.crowded)
        painter, theme = drawing.painter, drawing.theme
        painter.setBrush(Qt.BrushStyle.NoBrush)
        radius = _RADIUS if layout.numbers else 1.0
        for pair in self._callouts:
            if (at := self._at(pair)) is not None and not self._callouts[pair].wrong:
                painter.setPen(QPen(theme.quiet, 1.2))
                painter.drawRoundedRect(layout.cell(*at), radius, radius)
        for each, ink, wide in (
            (self._hovered, theme.faint, 1.0),
            (self._chosen, theme.accent if self.hasFocus() else theme.text, 2.0),
        ):
            if each is not None and (at := self._at(each)) is not None:
                painter.setPen(QPen(ink, wide))
                painter.drawRoundedRect(layout.cell(*at), radius, radius)
        self._draw_running(drawing, layout)
        for pair, callout in self._callouts.items():
            if (at := self._at(pair)) is not None:
                cell = layout.cell(*at)
                off = (-3, 2) if layout.numbers else (7, -7)
                corner = cell.topRight() + QPointF(*off)
                draw_bubble(drawing, corner, callout.number, bad=callout.wrong)

    def _draw_running(self, drawing: Drawing, layout: PairLayout) -> None:
        if self._running is None or (at := self._at(self._running[0])) is None:
            return
        cell, accent = layout.cell(*at), drawing.theme.accent
        drawing.painter.setPen(QPen(accent, 1.5))
        drawing.painter.setBrush(Qt.BrushStyle.NoBrush)
        drawing.painter.drawRoundedRect(cell, _RADIUS, _RADIUS)
        done = QRectF(cell.left() + 3, cell.bottom() - 5, 0, 2)
        done.setWidth((cell.width() - 6) * self._running[1])
        drawing.painter.fillRect(done, accent)

    def _choose(self, pair: Pair | None) -> None:
        if pair != self._chosen:
            self.chosen.emit(pair)

    def _pair_at(self, at: tuple[int, int] | None) -> Pair | None:
        if at is None or not self._heads:
            return None
        return self._heads[at[0]].name, self._heads[at[1]].name

    def sizeHint(self) -> QSize:
        wide = max(280, self.width())
        return QSize(320, self.height_for(wide))

    def fill(self) -> None:
        self._lay_out()

    def viewportEvent(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() is QEvent.Type.ToolTip:
            pair = self._pair_at(self._layout().at(event.pos().toPointF()))
            if pair is None:
                QToolTip.hideText()
            else:
                name, told = self._words(pair)
                text = f"{name}\n{told}" if told else name
                QToolTip.showText(event.globalPos(), text, self, self.place_of(pair))
            return True
        return super().viewportEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        pair = self._pair_at(self._layout().at(event.position()))
        if pair != self._hovered:
            before, self._hovered = self._hovered, pair
            for each in (before, pair):
                if each is not None:
                    self._refresh(each)

    def leaveEvent(self, event: QEvent) -> None:
        if self._hovered is not None:
            before, self._hovered = self._hovered, None
            self._refresh(before)
        super().leaveEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() is Qt.MouseButton.LeftButton:
            self._choose(self._pair_at(self._layout().at(event.position())))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        event.accept()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        pair = self._pair_at(self._layout().at(event.position()))
        if pair is not None and event.button() is Qt.MouseButton.LeftButton:
            self.opened.emit(pair)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        by_key = event.reason() in (
            Qt.FocusReason.TabFocusReason,
            Qt.FocusReason.BacktabFocusReason,
        )
        if by_key and self._chosen is None:
            self._choose(self._pair_at((0, 0)))
        self._over.update()
        self.tell_focus()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._over.update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        at = (0, 0) if self._chosen is None else self._at(self._chosen) or (0, 0)
        last = len(self._heads) - 1
        key = Qt.Key(event.key())
        control = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        if self._heads and key in _MOVES:
            down, across = _MOVES[key]
            there = min(last, max(0, at[0] + down)), min(last, max(0, at[1] + across))
            self._choose(self._pair_at(there))
        elif self._heads and key in (Qt.Key.Key_Home, Qt.Key.Key_End):
            end = 0 if key is Qt.Key.Key_Home else last
            self._choose(self._pair_at((end if control else at[0], end)))
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space) and self._chosen:
            self.opened.emit(self._chosen)
        else:
            super().keyPressEvent(event)
