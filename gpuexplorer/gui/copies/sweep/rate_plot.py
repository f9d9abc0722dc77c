"""RatePlot: rate over size on logarithmic axes, with a crosshair that steps through sizes."""

import math
from collections.abc import Sequence

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFocusEvent, QKeyEvent, QMouseEvent, QPen
from PySide6.QtWidgets import QSizePolicy

from gpuexplorer.copies.jobs import SWEEP_LEAST, SWEEP_MOST
from gpuexplorer.core.units import plain
from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.copies.shared_parts import size_words
from gpuexplorer.gui.copies.sweep.model import SweepRow
from gpuexplorer.gui.copies.sweep.rate_labels import (
    PlottedRates,
    draw_crosshair,
    draw_end_figures,
    draw_floor,
    draw_half,
    draw_leaders,
    draw_limits,
    draw_nothing,
    hint_points,
    ink_of,
)
from gpuexplorer.gui.copies.sweep.words import said_at
from gpuexplorer.gui.copies.sweep_ways import SIZES, SweepWay
from gpuexplorer.gui.paint.drawing import CHIP_RADIUS, Drawing
from gpuexplorer.gui.plots.curves import line_pen
from gpuexplorer.gui.plots.graph import Axis, Graph
from gpuexplorer.gui.theme.palette import mixed

_LEFT, _TOP, _BOTTOM, _GUTTER, _NARROW_GUTTER = 50, 20, 30, 44, 60
_BESIDE = 0.25  # in powers of two, so that the first and the last dot are whole
_PEN, _DOT, _RING, _CROSS_DOT = 1.5, 4.0, 9.0, 7.0
_NEAR = 14.0  # pixels from a curve's point to where a press still means it
NAME = mark("Rate over size")
_HEADROOM = 1.4  # above the fastest, for the words that stand there
_ROOM_BELOW = 0.6
_EMPTY = (1e5, 100e9)  # bytes per second, where nothing is known yet
_LEAST_DECADES = 3.0
_TICK_APART, _PILL_APART = 60.0, 48.0
_MOST_LINES = 4


class RatePlot(Graph):
    """Its curves end at the right where the rows of the table beside it begin. Sizes are
    powers of two along its view, rates powers of ten.
    """

    way_chosen = Signal(object)  # SweepWay

    def __init__(self) -> None:
        super().__init__()
        self._rows: Sequence[SweepRow] = ()
        self._chosen: SweepWay | None = None
        self._ends: Sequence[float] | None = None
        self._at: int | None = None  # the size at which the crosshair stands
        self._rates, self._sizes = Axis("left"), Axis("bottom")
        self._rates.setWidth(_LEFT)
        self._sizes.setHeight(_BOTTOM)
        self._view = self.add_plot(left=self._rates, bottom=self._sizes)
        self._view.setXRange(
            math.log2(SWEEP_LEAST) - _BESIDE, math.log2(SWEEP_MOST) + _BESIDE, padding=0
        )
        self._cross, self._cross_dots = pg.InfiniteLine(angle=90), pg.ScatterPlotItem()
        for item, z in ((self._cross, 3), (self._cross_dots, 4)):
            item.setZValue(z)
        self._words = self.add_sheet(self._draw_words)
        self._over = self.add_sheet(self._draw_over, above=11)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAccessibleName(tr(NAME))
        self._view.sigResized.connect(self._draw)
        self._say()

    @property
    def crosshair(self) -> int | None:
        """The size at which it stands."""
        return self._at

    def show_rows(
        self, rows: Sequence[SweepRow], chosen: SweepWay | None, ends: Sequence[float] | None
    ) -> None:
        """`ends` are the heights of the table's rows; None where it is not beside."""
        self._rows, self._chosen, self._ends = rows, chosen, ends
        gutter = _NARROW_GUTTER if ends is None else _GUTTER
        self.grid.setContentsMargins(0, _TOP, gutter, 0)
        self.grid.layout.activate()
        self._draw()
        self._say()

    def point_at(self, size: int | None) -> None:
        if size != self._at:
            self._at = size
            self._draw_crosshair()
            self._say()

    def place_of(self, size: float, seconds: float) -> QPointF:
        """Where a copy lies, in pixels of this widget."""
        at = QPointF(math.log2(size), math.log10(size / seconds))
        place: QPointF = self._view.mapViewToScene(at)
        return place

    def dress(self) -> None:
        self._draw()

    def _draw(self) -> None:
        rows, view, theme = self._rows, self._view, self.look.theme
        chosen = next((row for row in rows if row.way == self._chosen), None)
        lowest, highest = reach(rows)
        view.clear()
        view.setYRange(lowest, highest, padding=0)
        self._rates.show_ticks(rate_ticks(lowest, highest))
        self._add(pg.InfiniteLine(lowest, angle=0, pen=self._pen(theme.faint, 1.0)))
        dots = self._pen(theme.quiet, 1.2)
        dots.setDashPattern([1.0, 2.2])
        for limit in {row.limit.rate for row in rows if row.limit is not None}:
            # In the middle of a pixel, so that all are equally sharp.
            y = math.floor(self.place_of(limit, 1.0).y()) + 0.5
            at = view.mapSceneToView(QPointF(0, y)).y()
            self._add(pg.InfiniteLine(at, angle=0, pen=dots))
        if chosen is not None:
            self._add_spreads(chosen)
        for row in sorted(rows, key=lambda row: row is chosen):
            self._add_curve(row)
        self._add_halves()
        self._add(self._cross)
        self._add(self._cross_dots)
        for sheet in (self._words, self._over):
            sheet.put(QRectF(self.rect()))
        self._draw_crosshair()

    def _add(self, item: pg.GraphicsObject) -> None:
        self._view.addItem(item)

    def _pen(self, colour: QColor, width: float, dash: int = 0) -> QPen:
        return line_pen(colour, width, dash, ratio=self.devicePixelRatioF())

    def _add_curve(self, row: SweepRow) -> None:
        if not row.times:
            return
        ink = ink_of(self.look.theme, row)
        x = [math.log2(size) for size, _ in row.times]
        y = [math.log10(size / seconds) for size, seconds in row.times]
        pen = self._pen(ink, _PEN, row.dash)
        self._add(pg.PlotCurveItem(x, y, pen=pen, antialias=True))
        self._add(pg.ScatterPlotItem(x, y, size=_DOT, pen=None, brush=ink, antialias=True))

    def _add_spreads(self, row: SweepRow) -> None:
        """From the slowest sample of each size to the fastest."""
        if not row.spreads:
            return
        sizes, fastest, slowest = np.array(row.spreads).T
        most, least = np.log10(sizes / fastest), np.log10(sizes / slowest)
        pen = self._pen(mixed(self.look.theme.surface, ink_of(self.look.theme, row), 0.6), 1.0)
        x, y = np.log2(sizes), (most + least) / 2
        self._add(pg.ErrorBarItem(x=x, y=y, height=most - least, pen=pen))

    def _add_halves(self) -> None:
        """A ring at the size that reaches half of the rate."""
        there = [row for row in self._rows if row.curve and row.half_rate_bytes]
        theme = self.look.theme
        rings = pg.ScatterPlotItem(
            [math.log2(row.half_rate_bytes or 1.0) for row in there],
            [math.log10(row.curve.top / 2) for row in there if row.curve],
            size=_RING,
            pen=[self._pen(ink_of(theme, row), 1.75) for row in there],
            brush=theme.surface,
            antialias=True,
        )
        rings.setZValue(2)
        self._add(rings)

    def _draw_words(self, drawing: Drawing) -> None:
        rows, plotted = self._rows, self._plotted()
        hint_points(drawing, plotted)
        draw_limits(drawing, plotted)
        for row in rows:
            draw_half(drawing, plotted, row, named=row.way == self._chosen)
            if row.way == self._chosen:
                draw_floor(drawing, plotted, row)
        if not any(row.times for row in rows):
            draw_nothing(drawing, plotted)
        if self._ends is None:
            draw_end_figures(drawing, plotted)
        else:
            draw_leaders(drawing, plotted, rows, self._ends, plotted.right)

    def _draw_over(self, drawing: Drawing) -> None:
        plotted = self._plotted()
        if self._at is not None:
            draw_crosshair(drawing, plotted, self._at)
        if self.hasFocus():
            ring = QRectF(0, 0, plotted.area.right() + 6, self.height())
            drawing.focus_ring(ring, CHIP_RADIUS)

    def _plotted(self) -> PlottedRates:
        area = QRectF(self._view.sceneBoundingRect())
        return PlottedRates(self._rows, area, self.width(), self.place_of)

    def _draw_crosshair(self) -> None:
        theme, size = self.look.theme, self._at
        self._sizes.show_ticks(size_ticks(self._view.width(), size))
        self._cross.setVisible(size is not None)
        self._cross_dots.setVisible(size is not None)
        if size is not None:
            self._cross.setPen(self._pen(theme.quiet, 1.0))
            self._cross.setValue(math.log2(size))
            there = [
                (row, dict(row.times)[size]) for row in self._rows if size in dict(row.times)
            ]
            self._cross_dots.setData(
                [math.log2(size)] * len(there),
                [math.log10(size / seconds) for _, seconds in there],
                size=_CROSS_DOT,
                pen=self._pen(theme.surface, 1.5),
                brush=[ink_of(theme, row) for row, _ in there],
            )
        self._over.update()

    def _say(self) -> None:
        told = "" if self._at is None else said_at(self._rows, self._at)
        self.setAccessibleDescription(
            told or tr("Left and right go from size to size, up and down from way to way")
        )

    def _step(self, by: int) -> None:
        at = len(SIZES) - 1 if self._at is None else SIZES.index(self._at) + by
        self.point_at(SIZES[min(len(SIZES) - 1, max(0, at))])

    def _choose_neighbour(self, by: int) -> None:
        ways = [row.way for row in self._rows]
        if self._chosen in ways:
            at = ways.index(self._chosen) + by
            self.way_chosen.emit(ways[min(len(ways) - 1, max(0, at))])

    def _way_near(self, place: QPointF) -> SweepWay | None:
        found = [
            ((self.place_of(*each) - place).manhattanLength(), row.way)
            for row in self._rows
            for each in row.times
        ]
        near = [each for each in found if each[0] <= _NEAR]
        return min(near, key=lambda each: each[0])[1] if near else None

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        super().mouseMoveEvent(event)
        area, x = self._plotted().area, event.position().x()
        if area.left() - 10 <= x <= area.right() + 10:
            at = self._view.mapSceneToView(event.position()).x()
            self.point_at(min(SIZES, key=lambda size: abs(math.log2(size) - at)))
        else:
            self.point_at(None)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        way = self._way_near(event.position())
        if way is not None:
            self.way_chosen.emit(way)

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self.point_at(None)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        match event.key():
            case Qt.Key.Key_Left:
                self._step(-1)
            case Qt.Key.Key_Right:
                self._step(1)
            case Qt.Key.Key_Home:
                self.point_at(SIZES[0])
            case Qt.Key.Key_End:
                self.point_at(SIZES[-1])
            case Qt.Key.Key_Up:
                self._choose_neighbour(-1)
            case Qt.Key.Key_Down:
                self._choose_neighbour(1)
            case Qt.Key.Key_Escape if self._at is not None:
                self.point_at(None)
            case _:
                super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self._over.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.point_at(None)
        self._over.update()

    def sizeHint(self) -> QSize:
        return QSize(560, 340)

    def minimumSizeHint(self) -> QSize:
        return QSize(300, 220)


def reach(rows: Sequence[SweepRow]) -> tuple[float, float]:
    """Lowest and highest as powers of ten: wide enough for all rates and every limit."""
    rates = [size / seconds for row in rows for size, seconds in row.times]
    limits = [row.limit.rate for row in rows if row.limit is not None]
    highest = max([*rates, *limits], default=_EMPTY[1]) * _HEADROOM
    lowest = min(rates, default=_EMPTY[0]) * _ROOM_BELOW
    lowest = min(lowest, highest / 10.0**_LEAST_DECADES)
    return math.log10(lowest), math.log10(highest)


def rate_ticks(lowest: float, highest: float) -> list[tuple[float, str]]:
    """At most four powers of ten, as GB/s."""
    first, last = math.ceil(lowest - 1e-9), math.floor(highest + 1e-9)
    step = max(1, math.ceil((last - first + 1) / _MOST_LINES))
    # From 1 GB/s, so that these are figures people know.
    at = first + (9 - first) % step
    return [(float(power), plain_rate(power)) for power in range(at, last + 1, step)]


def size_ticks(width: float, pointed: int | None) -> list[tuple[float, str]]:
    """Powers of two, as many as there is room for beside the one that is pointed at."""
    least, most = math.log2(SWEEP_LEAST), math.log2(SWEEP_MOST)
    doubling, step = width / (most - least), 4
    while doubling * step < _TICK_APART and step < 16:
        step *= 2
    powers = range(round(least), round(most) + 1, step)
    at = -math.inf if pointed is None else math.log2(pointed)
    return [
        (float(power), size_words(2.0**power))
        for power in powers
        if abs(power - at) * doubling > _PILL_APART
    ]


def plain_rate(power: int) -> str:
    """A power of ten of bytes per second as GB/s, without an exponent."""
    if power >= 9:
        return plain(10.0 ** (power - 9))
    return "0." + "0" * (8 - power) + "1"
