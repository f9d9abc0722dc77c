"""MapPanel: every ordered pair of some devices in a table, as large as there is room for; and
PairPanel: all that is known of the pair that is chosen, with a way to measure it alone.
"""

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence

import numpy as np
from PySide6.QtCore import (
    QItemSelectionModel,
    QLineF,
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
from PySide6.QtWidgets import QBoxLayout, QSizePolicy

from gpuexplorer.copies.jobs import HOST
from gpuexplorer.copies.routes import Leg, Route
from gpuexplorer.core.units import gigabytes_per_second as gbs
from gpuexplorer.core.units import plain
from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.copies.matrix.pair_facts import Callout, Fact, Head, PairDetails, number
from gpuexplorer.gui.guard import guarded
from gpuexplorer.gui.paint.drawing import (
    THIN_SPACE,
    Drawing,
    Index,
    Run,
    draw_picture,
    picture_of,
)
from gpuexplorer.gui.plots.graph import draw_rows
from gpuexplorer.gui.tables.cell import Chip
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.letters import Lettering
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.controls.buttons import ToolButton
from gpuexplorer.gui.widgets.controls.segmented import Segmented
from gpuexplorer.gui.widgets.laid_out import FREE, column, label, say, wrapped_label
from gpuexplorer.gui.widgets.line import ElidedLabel
from gpuexplorer.gui.widgets.live_view import HeatLegend, Panel
from gpuexplorer.gui.widgets.machine.machine_faces import HUB_WORDS, JUNCTION_WORDS
from gpuexplorer.gui.widgets.painted import ChipRow, Painted
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
from gpuexplorer.telemetry.topology import MachineShape

# In pixels: what heads take beside and above, where cells have figures and where they have
# none; cells of so many devices at most; what is pleasant to read, and what is possible.
_HEADS, _SMALL_HEADS = (46, 34), 30
_SIZES = ((3, (170, 72)), (5, (124, 56)), (9, (84, 40)), (10**6, (84, 36)))
_NUMBERS_FROM, _LEAST_HIGH, _LEAST, _FLAT, _LEAST_FLAT = 27, 18, 4, 0.68, 22
_AFTER_HOST, _EDGE = 6, 6
_LARGE_FROM, _PAGE, _BUBBLE, _PLENTY, _CROWDED = 110, 8, 8.0, 10_000, 440


class PairTable(PairGrid):
    """Whoever decides shows what is chosen by `show_chosen`."""

    chosen = Signal(object)  # a pair, or None
    opened = Signal(object)  # a pair: Enter, or a double click

    def __init__(
        self, name: str, words: Callable[[Pair], tuple[str, str]], *, host_first: bool = True
    ) -> None:
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
            draw_picture(painter, self._image, QPoint(), side, self.gap, ground)
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
_BESIDE_FROM, _PATH_FROM, _WORDS_FROM = 800, 620, 440
_ROW, _LABEL, _COLUMN, _BETWEEN, _TWO_FROM = 24, 128, 262, 24, 548
# The words of a place, the device it is, and what leads there from the place before.
Stop = tuple[str, Head | None, Leg | None]


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
        self._facts, self._samples, self._path = FactGrid(), SampleStrip(), PathLine()
        self._said = wrapped_label("", Tone.QUIET, caption)
        told = column(self._bad, self._hint, self._facts, self._said, FREE, gap=4)
        self._beside = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._beside.addLayout(told, 3)
        self._beside.addWidget(self._samples, 2, Qt.AlignmentFlag.AlignTop)
        self.body.addLayout(self._beside, 1)
        self.body.addWidget(self._path)
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
        stops: Sequence[Stop] = (),
    ) -> None:
        self.show_heading(title)
        self._caption.show_text(caption)
        self._ends.show_chips([Chip(each.chip, each.colour) for each in ends])
        say(self._bad, details.bad)
        say(self._hint, details.hint)
        say(self._said, "\n".join(details.sentences))
        self._facts.show_rows(details.rows)
        colour = next((each.colour for each in ends if each.colour is not None), None)
        self._samples.show_samples(details, colour)
        self._path.show_path(stops)
        self._path.setVisible(bool(stops) and self.width() >= _PATH_FROM)

    def show_able(self, there: bool, able: bool = False) -> None:
        """Whether there is such a copy, and anything can be measured now."""
        self.measure.setVisible(there)
        self.measure.setEnabled(able)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        across, down = QBoxLayout.Direction.LeftToRight, QBoxLayout.Direction.TopToBottom
        wide = event.size().width()
        self.measure.show_compact(wide < _WORDS_FROM)
        self._beside.setDirection(across if wide >= _BESIDE_FROM else down)
        self._beside.setSpacing(28 if wide >= _BESIDE_FROM else 8)
        self._path.setVisible(bool(self._path.stops) and wide >= _PATH_FROM)


class FactGrid(Painted):
    """Read from top to bottom, and then on in the next column."""

    def __init__(self) -> None:
        super().__init__()
        self._rows: Sequence[Fact] = ()
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.setAccessibleName(tr("Figures"))

    def show_rows(self, rows: Sequence[Fact]) -> None:
        if rows != self._rows:
            self._rows = rows
            self.setAccessibleDescription("; ".join(row.said for row in rows))
            self.updateGeometry()
            self.update()

    def draw(self, drawing: Drawing) -> None:
        theme, body, small = drawing.theme, drawing.letters.body, drawing.letters.caption
        high = self.heightForWidth(self.width()) // _ROW
        wide = (self.width() - _BETWEEN) / 2 if self.width() >= _TWO_FROM else self.width()
        for at, row in enumerate(self._rows):
            x, top = at // high * (wide + _BETWEEN), at % high * _ROW
            baseline, left, end = top + (_ROW + body.cap_height) / 2, x + _LABEL, x + wide
            drawing.elided(x, baseline, Run(row.label, body, theme.quiet), _LABEL - 8)
            rest = Run(row.rest, body, theme.text)
            if row.number:
                figure = Run(row.number, drawing.letters.strong, theme.text)
                left = drawing.text(left, baseline, figure) + 2
                rest = Run(f"{THIN_SPACE}{row.rest}", small, theme.quiet)
            drawing.elided(left, baseline, rest, end - left)
            drawing.hint(QRectF(x, top, wide, _ROW), row.said)

    def heightForWidth(self, width: int) -> int:
        return -(-len(self._rows) // (2 if width >= _TWO_FROM else 1)) * _ROW

    def sizeHint(self) -> QSize:
        return QSize(_COLUMN, self.heightForWidth(self.width()))


_HEADING, _DOTS, _DOT = 24, 112, 3.5


class SampleStrip(Painted):
    """Each sample as a dot among the others."""

    def __init__(self) -> None:
        super().__init__()
        self._shown: tuple[PairDetails, int | None] = PairDetails(), None
        self.setAccessibleName(tr("Samples"))
        self.setFixedHeight(_DOTS)

    def show_samples(self, details: PairDetails, colour: int | None) -> None:
        self._shown = details, colour
        told = ", ".join(number(each, details.unit) for each in details.samples)
        self.setAccessibleDescription(f"{told} {details.unit}")
        self.setVisible(bool(details.samples))
        self.update()

    def draw(self, drawing: Drawing) -> None:
        details, colour = self._shown
        samples, letters, theme = details.samples, drawing.letters.caption, drawing.theme
        ink, wide = theme.level if colour is None else theme.card(colour), self.width()
        heading = Run(tr("Sample by sample, {unit}", unit=details.unit), letters, theme.quiet)
        drawing.text(0, letters.ascent, heading)
        low, high, digits = min(samples), max(samples), 2 if details.unit == "µs" else 3
        left = letters.width(f"{high:.{digits}f}") + 12
        top, tall = _HEADING + 8, _DOTS - _HEADING - 16
        rows = [(top + tall * at, f"{each:.{digits}f}") for at, each in enumerate((high, low))]
        draw_rows(drawing, left, wide, rows)
        drawing.painter.setPen(Qt.PenStyle.NoPen)
        drawing.painter.setBrush(ink)
        for at, each in enumerate(samples, 1):
            x = left + (wide - left) * at / (len(samples) + 1)
            y = top + tall * ((high - each) / (high - low) if high > low else 0.5)
            drawing.painter.drawEllipse(QPointF(x, y), _DOT, _DOT)


_HEIGHT, _MIDDLE, _CHIP, _DOT_OF_PLACE, _ASIDE = 58, 24.0, 20.0, 4.0, 14.0
_PIXEL_RATE, _WIDEST = 8e9, 7.0  # a wire is a pixel wide for so many bytes per second


def stops_of(
    route: Route | None, shape: MachineShape | None, heads: Mapping[str, Head]
) -> list[Stop]:
    """None where nothing is known, or nothing is crossed."""
    if route is None or route.source == route.target:
        return []
    # Of a card of which only its link is known, no place lies between.
    legs = [leg for leg in route.legs if leg.begins and leg.ends]
    places = [(legs[0].begins, None), *((leg.ends, leg) for leg in legs)] if legs else []
    return [
        (_place(each, shape, heads), heads.get(HOST if "memory" in each else each), leg)
        for each, leg in places
    ]


def _place(place: str, shape: MachineShape | None, heads: Mapping[str, Head]) -> str:
    if (head := heads.get(place)) is not None:
        return head.words
    kind, _, at = place.partition(" ")
    if kind == "junction" and shape is not None and int(at) < len(shape.junctions):
        return tr(JUNCTION_WORDS[shape.junctions[int(at)].kind][-1])
    if kind == "hub" and shape is not None and int(at) < len(shape.hubs):
        return tr(HUB_WORDS[shape.hubs[int(at)].kind][-1])
    known = {"memory": tr("host memory"), "socket": tr("processor {number}", number=at)}
    return known.get(kind, place)


class PathLine(Painted):
    """Wires are as wide as they are fast; where nobody tells, they are thin and dim."""

    def __init__(self) -> None:
        super().__init__()
        self.stops: Sequence[Stop] = ()
        self.setAccessibleName(tr("The path of the bytes"))
        self.setFixedHeight(_HEIGHT)

    def show_path(self, stops: Sequence[Stop]) -> None:
        if stops != self.stops:
            self.stops = stops
            self.setAccessibleDescription(path_words(stops))
            self.update()

    def draw(self, drawing: Drawing) -> None:
        caption, strong = drawing.letters.caption, drawing.letters.strong
        theme, painter = drawing.theme, drawing.painter
        ends = (self.stops[0][0], self.stops[-1][0])
        aside = max(_CHIP, *map(caption.width, ends)) / 2 + 1
        step = (self.width() - 2 * aside) / (len(self.stops) - 1)
        colours = [each.colour for _, each, _ in self.stops if each is not None]
        colour = next((each for each in colours if each is not None), None)
        ink = theme.level if colour is None else theme.card(colour)
        limit = min((leg.rate for _, _, leg in self.stops if leg and leg.rate), default=None)
        for at, (words, head, leg) in enumerate(self.stops):
            x = aside + step * at
            if leg is not None:
                left, right = x - step + _ASIDE, x - _ASIDE
                wide = min(_WIDEST, max(1.5, leg.rate / _PIXEL_RATE)) if leg.rate else 1.0
                painter.setPen(QPen(ink if leg.rate else theme.faint, wide))
                painter.drawLine(QLineF(left, _MIDDLE, right, _MIDDLE))
                tone = theme.text if leg.rate == limit else theme.quiet
                below = _MIDDLE + 6 + caption.ascent
                for said, y in ((tr(leg.words), _MIDDLE - 8), (_speed(leg), below)):
                    run = Run(caption.elided(said, right - left), caption, tone)
                    drawing.text((left + right - run.width) / 2, y, run)
                drawing.hint(QRectF(left, 0, right - left, _HEIGHT), _by_wire(leg))
            if head is not None:
                wide = max(_CHIP, strong.width(head.chip) + 8)
                place = QRectF(x - wide / 2, _MIDDLE - _CHIP / 2, wide, _CHIP)
                fill = None if head.colour is None else theme.card(head.colour)
                drawing.chip(place, head.chip, strong, fill)
            else:
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(theme.quiet)
                painter.drawEllipse(QPointF(x, _MIDDLE), _DOT_OF_PLACE, _DOT_OF_PLACE)
            run = Run(caption.elided(words, step - 6), caption, theme.quiet)
            drawing.text(x - run.width / 2, _HEIGHT - 3.0, run)
            drawing.hint(QRectF(x - _ASIDE, 0, 2 * _ASIDE, _HEIGHT), words)


def path_words(stops: Sequence[Stop]) -> str:
    by = mark("by {wire} to {place}")
    return ", ".join(
        tr(by, wire=_by_wire(leg), place=words) if leg else words for words, _, leg in stops
    )


def _by_wire(leg: Leg) -> str:
    rated = mark("{wire} ({rate})")
    return tr(rated, wire=leg.words, rate=_speed(leg)) if leg.rate else tr(leg.words)


def _speed(leg: Leg) -> str:
    """Empty where nobody tells."""
    return tr("{rate} GB/s one way", rate=gbs(leg.rate)) if leg.rate is not None else ""
