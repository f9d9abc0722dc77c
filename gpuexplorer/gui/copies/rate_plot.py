"""RatePlot: rate over size on logarithmic axes, with a crosshair that steps through sizes."""

import html
import math
from collections.abc import Sequence
from functools import partial

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QEvent, QPointF, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent

from gpuexplorer.core.units import duration, memory
from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.copies.shared_parts import size_words
from gpuexplorer.gui.copies.sweep_rows import SIZES, SweepRow, SweepWay, figures_at, said_at
from gpuexplorer.gui.plots.curves import line_pen
from gpuexplorer.gui.plots.graph import Axis, Graph
from gpuexplorer.gui.theme.palette import Theme, faded

NAME = mark("Rate over size")
_LEFT, _BOTTOM, _MARGINS = 56, 30, (0, 8, 8, 0)
_PEN, _DOT, _RING, _NEAR = 1.5, 4, 9, 14  # pixels; so near a press still means a curve
_EMPTY = 1e5, 100e9  # bytes per second, where nothing is known yet
_STEP = 4  # powers of two from word to word
_TABLE = (
    "<div style=\"font: {pixels}px '{family}'; color: {ink}\"><b>{size}</b>"
    "<table>{rows}</table></div>"
)
_ROW = (
    "<tr><td><font color={ink}>●</font> {words}</td><td align=right>&nbsp; {rate}</td>"
    "<td align=right>&nbsp; {took}</td></tr>"
)
_BACK = Qt.Key.Key_Left, Qt.Key.Key_Up


def ink_of(theme: Theme, row: SweepRow) -> QColor:
    """The card's whose data it is; the host has none."""
    if row.colour is not None:
        return theme.card(row.colour)
    return theme.quiet if row.way.source == "cpu" else theme.level


class RatePlot(Graph):
    """Sizes are powers of two along its view, rates powers of ten."""

    way_chosen = Signal(object)  # SweepWay

    def __init__(self) -> None:
        super().__init__()
        self._rows: Sequence[SweepRow] = ()
        self._chosen: SweepWay | None = None
        self.crosshair: int | None = None  # the size at which it stands
        self._rates, sizes = Axis("left"), Axis("bottom")
        self._rates.setWidth(_LEFT)
        sizes.setHeight(_BOTTOM)
        powers = [math.log2(size) for size in SIZES]
        sizes.show_ticks([(each, size_words(2.0**each)) for each in powers[::_STEP]])
        self._view = self.add_plot(left=self._rates, bottom=sizes)
        self._view.setXRange(powers[0] - 0.25, powers[-1] + 0.25, padding=0)
        self.grid.setContentsMargins(*_MARGINS)
        self._line, self._told = pg.InfiniteLine(angle=90), pg.TextItem()
        self._told.setZValue(20)
        self.setProperty("kind", "ring")
        self.setAccessibleName(tr(NAME))
        self.setMinimumSize(300, 264)
        self.scene().sigMouseMoved.connect(self._on_mouse_moved)
        self.dress()
        self.point_at(None)

    def show_rows(self, rows: Sequence[SweepRow], chosen: SweepWay | None) -> None:
        self._rows, self._chosen = rows, chosen
        self.dress()
        self.point_at(self.crosshair)

    def point_at(self, size: int | None) -> None:
        """All curves at one size: what they reach, and how long that takes."""
        self.crosshair = size
        keys = tr("Left and right go from size to size, up and down from way to way")
        self.setAccessibleDescription(keys if size is None else said_at(self._rows, size))
        for item in (self._line, self._told):
            item.setVisible(size is not None)
        if size is not None:
            at, view = math.log2(size), self._view.viewRect()
            self._line.setValue(at)
            self._told.setHtml(self._table_at(size))
            self._told.setAnchor((1.05 if at > view.center().x() else -0.05, 1.1))
            self._told.setPos(at, view.top())  # which is the lowest rate

    def place_of(self, size: float, seconds: float) -> QPointF:
        """Where a copy lies, in pixels of this widget."""
        place: QPointF = self._view.mapViewToScene(QPointF(*_at(size, seconds)))
        return place

    def dress(self) -> None:
        view, theme, ratio = self._view, self.look.theme, self.devicePixelRatioF()
        rates = [size / took for row in self._rows for size, took in row.times.items()]
        limits = {row.limit: row.limit_words for row in self._rows if row.limit is not None}
        highest = max([*rates, *limits], default=_EMPTY[1]) * 1.4
        low, high = math.log10(min([*rates, highest / 1e3], default=_EMPTY[0])), highest
        low, high = low - 0.2, math.log10(high) + 0.1
        view.clear()
        view.setYRange(low, high, padding=0)
        powers = range(math.ceil(low), math.floor(high) + 1)
        self._rates.show_ticks([(each, _plain(each)) for each in powers])
        for limit, words in limits.items():
            self._add_limit(math.log10(limit), words)
        for row in sorted(self._rows, key=lambda row: row.way == self._chosen):
            self._add_row(row, chosen=row.way == self._chosen)
        if not rates:
            self._add_nothing()
        self._line.setPen(line_pen(theme.quiet, 1.0, ratio=ratio))
        self._told.fill = pg.mkBrush(theme.raised)
        self._told.border = pg.mkPen(theme.line)
        view.addItem(self._line)
        view.addItem(self._told)

    def _add_limit(self, at: float, words: str) -> None:
        dots = line_pen(self.look.theme.quiet, 1.2, ratio=1.0)
        dots.setDashPattern([1.0, 2.2])
        self._view.addItem(pg.InfiniteLine(at, angle=0, pen=dots))
        self._say(words, self._view.viewRect().left(), at, (0, 1), self.look.theme.quiet)

    def _add_row(self, row: SweepRow, *, chosen: bool) -> None:
        if not row.times:
            return
        ink, ratio = ink_of(self.look.theme, row), self.devicePixelRatioF()
        x, y = np.array([_at(*each) for each in row.times.items()]).T
        pen = line_pen(ink, _PEN, row.dash, ratio=ratio)
        curve = pg.PlotCurveItem(x, y, pen=pen, antialias=True)
        curve.setClickable(s=True, width=_NEAR)
        tips = [
            f"{row.words}, {size_words(at)}: {figures_at(at, row.times[at])}"
            for at in row.times
        ]
        dots = pg.ScatterPlotItem(x, y, size=_DOT, pen=None, brush=ink, antialias=True)
        dots.setData(x, y, data=tips, hoverable=True, tip=lambda x, y, data: data)
        for item in (curve, dots):
            item.sigClicked.connect(partial(self._on_clicked, row.way))
            self._view.addItem(item)
        half = row.half_rate_bytes
        if half is not None and row.curve is not None:
            place = math.log2(half), math.log10(row.curve.top / 2)
            words = tr("half rate at {size}", size=memory(half))
            said = tr("{way}: {figures}", way=row.words, figures=words)
            self._view.addItem(pg.ScatterPlotItem(
                [place[0]], [place[1]], size=_RING, pen=line_pen(ink, 1.75, ratio=ratio),
                brush=self.look.theme.surface, data=[said], hoverable=True,
                tip=lambda x, y, data: data,
            ))  # fmt: skip
            if chosen:
                self._say(words, *place, (1.1, 1), self.look.theme.text)
        if chosen:
            self._add_spread_and_floor(row)

    def _add_spread_and_floor(self, row: SweepRow) -> None:
        """From the slowest sample of each size to the fastest; and what small copies take."""
        theme, measured = self.look.theme, [r for r in row.results if r.measured and r.seconds]
        sizes = np.array([each.job.bytes for each in measured])
        ends = [[f(r.measured.samples_s) for f in (min, max)] for r in measured if r.measured]
        most, least = np.log10(sizes[:, None] / np.array(ends)).T
        pen = pg.mkPen(faded(ink_of(theme, row), 0.6))
        x, y = np.log2(sizes), (most + least) / 2
        self._view.addItem(pg.ErrorBarItem(x=x, y=y, height=most - least, pen=pen))
        if row.curve is not None and row.curve.floor and row.curve.floor_bytes:
            size, price = size_words(row.curve.floor_bytes), duration(row.curve.floor)
            words = tr(
                "Up to {size} it takes {price},\nwhatever the size", size=size, price=price
            )
            place = _at(row.curve.floor_bytes, row.curve.floor)
            self._say(words, *place, (-0.05, -0.4), theme.quiet)

    def _add_nothing(self) -> None:
        words = mark("Nothing has been measured yet.\nMeasure copies 29 sizes over each way.")
        if not self._rows:
            words = mark("There is no way to compare.\nAdd one.")
        at = self._view.viewRect().center()
        self._say(tr(words), at.x(), at.y(), (0.5, 0.5), self.look.theme.text)

    def _say(
        self, words: str, x: float, y: float, anchor: tuple[float, float], ink: QColor
    ) -> None:
        text = pg.TextItem(words, ink, anchor=anchor, fill=faded(self.look.theme.surface, 0.88))
        text.setFont(self.look.letters.caption.font)
        text.setPos(x, y)
        self._view.addItem(text)

    def _table_at(self, size: int) -> str:
        theme, font, rows = self.look.theme, self.look.letters.caption.font, ""
        for row in self._rows:
            if size in row.times:
                rate, took = figures_at(size, row.times[size]).split(", ")
                words, ink = html.escape(row.words), ink_of(theme, row).name()
                rows += _ROW.format(ink=ink, words=words, rate=rate, took=took)
        return _TABLE.format(
            size=size_words(size),
            rows=rows or tr("not measured"),
            pixels=font.pixelSize(),
            family=font.family(),
            ink=theme.text.name(),
        )

    def _on_clicked(self, way: SweepWay, *_: object) -> None:
        self.way_chosen.emit(way)

    def _on_mouse_moved(self, place: QPointF) -> None:
        inside = self._view.sceneBoundingRect().contains(place)
        at = self._view.mapSceneToView(place).x()
        nearest = min(SIZES, key=lambda size: abs(math.log2(size) - at))
        if (nearest if inside else None) != self.crosshair:
            self.point_at(nearest if inside else None)

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self.point_at(None)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key, last = event.key(), len(SIZES) - 1
        by = -1 if key in _BACK else 1
        at = last + 1 if self.crosshair is None else SIZES.index(self.crosshair)
        ways = [row.way for row in self._rows]
        match key:
            case Qt.Key.Key_Left | Qt.Key.Key_Right:
                self.point_at(SIZES[min(last, max(0, at + by))])
            case Qt.Key.Key_Home | Qt.Key.Key_End:
                self.point_at(SIZES[0 if key == Qt.Key.Key_Home else last])
            case Qt.Key.Key_Up | Qt.Key.Key_Down if self._chosen in ways:
                there = ways.index(self._chosen) + by
                self.way_chosen.emit(ways[min(len(ways) - 1, max(0, there))])
            case Qt.Key.Key_Escape if self.crosshair is not None:
                self.point_at(None)
            case _:
                super().keyPressEvent(event)


def _at(size: float, seconds: float) -> tuple[float, float]:
    return math.log2(size), math.log10(size / seconds)


def _plain(power: int) -> str:
    """A power of ten of bytes per second as GB/s, without an exponent."""
    return f"{10.0 ** (power - 9):.{max(0, 9 - power)}f}"
