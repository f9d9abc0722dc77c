"""TileCurve: what a card did over the stretch of time that all plots show, on its tile."""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from PySide6.QtCore import QLineF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QGraphicsView, QWidget

from gpuexplorer.core.axes import TimeTick
from gpuexplorer.gui.guard import guarded
from gpuexplorer.gui.paint.drawing import Drawing, Run
from gpuexplorer.gui.plots.curves import COLUMN_PIXELS, Curve, TraceItem, on_columns
from gpuexplorer.gui.plots.graph import Axis, Graph
from gpuexplorer.gui.theme.palette import Theme, Tone, faded, mixed
from gpuexplorer.telemetry.trace import Trace

_BAND_EDGE, _BAND_FILL = 2.0, 0.13
# Around a plot that has a scale: its words at the left, half a line above, times below.
_LABELS, _HEADROOM, _TIMES = 56, 13, 20
# Half a line at either end of the scale is drawn whole.
_EDGE = 1.0

# The colours that it is drawn in, and on.
Wear = Callable[[Theme], tuple[QColor, QColor]]


@dataclass(frozen=True, slots=True)
class SparkBand:
    """A stretch in which the card was slowed."""

    start: float
    end: float
    tone: Tone


@dataclass(frozen=True, slots=True, eq=False)
class TileSpark:
    """One trace from `start` to `end`, in steady seconds, on a scale from 0 to `highest`."""

    trace: Trace
    start: float
    end: float
    highest: float
    bands: tuple[SparkBand, ...] = ()
    ended: float | None = None  # when the card was lost
    ended_word: str = ""
    unread: str = ""  # "not read": why nothing is there now
    scale: tuple[tuple[float, str], ...] = ()  # what its hairlines are called
    ticks: tuple[TimeTick, ...] = ()
    playhead: float | None = None  # the moment of a recording that is looked at


@dataclass(frozen=True, slots=True, eq=False)
class PlacedCurve:
    """What a tile shows of the past, and where."""

    name: str
    place: QRectF
    spark: TileSpark | None
    wear: Wear
    scaled: bool = False  # with words at its scale and times below

    @property
    def trace_width(self) -> float:
        return float(self.place.toRect().width() - (_LABELS if self.scaled else 0))


class TileCurves:
    """All of one tile. To make a view takes a millisecond: each is made when it is seen."""

    def __init__(self, tile: QWidget) -> None:
        self._tile = tile
        self._made: dict[tuple[str, bool], TileCurve] = {}

    def show(self, curves: Iterable[PlacedCurve]) -> None:
        hidden = dict(self._made)
        for each in curves:
            if each.spark is None:
                continue
            key = (each.name, each.scaled)
            hidden.pop(key, None)
            if key not in self._made:
                self._made[key] = TileCurve(self._tile, scaled=each.scaled)
            self._made[key].setGeometry(each.place.toRect())
            self._made[key].show_spark(each.spark, each.wear)
        for curve in hidden.values():
            curve.hide()


class TileCurve(Graph):
    """Lies on a tile, which keeps the mouse and the keyboard. Hidden without a past."""

    def __init__(self, tile: QWidget, *, scaled: bool) -> None:
        super().__init__(tile)
        self._spark: TileSpark | None = None
        self._wear: Wear | None = None
        self._worn: tuple[QColor, QColor] | None = None
        self._reach = (0.0, 0.0)
        self._trace = TraceItem()
        self._values = Axis("left", lines=False) if scaled else None
        self._times = Axis("bottom", lines=False, inside=True) if scaled else None
        self._view = self.add_plot(left=self._values, bottom=self._times)
        self._view.addItem(self._trace, ignoreBounds=True)
        self._view.sigResized.connect(self._on_resized)
        if self._values is not None:
            self._values.setWidth(_LABELS)
            self.grid.setContentsMargins(0, _HEADROOM, 0, 0)
        # What is drawn behind the trace changes as often as the trace does.
        self.setCacheMode(QGraphicsView.CacheModeFlag.CacheNone)
        # Scenes ask for painting each in its own time, and the window would paint for each.
        self.setViewportUpdateMode(QGraphicsView.ViewportUpdateMode.NoViewportUpdate)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)

    def show_spark(self, spark: TileSpark, wear: Wear) -> None:
        """Drawn anew only where it looks different."""
        self.show()
        changed = spark is not self._spark
        self._spark, self._wear = spark, wear
        if changed or wear(self.look.theme) != self._worn:
            self.dress()

    def dress(self) -> None:
        spark = self._spark
        if spark is None or self._wear is None:
            return
        self._worn = ink, ground = self._wear(self.look.theme)
        if self.backgroundBrush().color() != ground:
            self.setBackground(ground)
        self._look_at(spark)
        # The view stands still, and time moves: to move a view takes longer than to draw it.
        times = spark.trace.times - spark.end
        bare = [
            (band.start - spark.end, band.end - spark.end)
            for band in self._bands()
            if band.tone is Tone.WARN
        ]
        trace = replace(spark.trace, times=times)
        # It covers all of the view: what lies behind it and over it is drawn with it.
        self._trace.show_curves([Curve(trace, ink, fill=True, bare=bare)])
        self.viewport().update()

    @guarded
    def drawBackground(self, painter: QPainter, rect: QRectF) -> None:
        """Its scale, and the stretches in which the card was slowed."""
        super().drawBackground(painter, rect)
        spark, plot, theme = self._spark, self._plot(), self.look.theme
        if spark is None:
            return
        highest = spark.highest
        for value in {0.0, highest, *(value for value, _ in spark.scale)}:
            y = round(plot.bottom() - 1 - value / highest * (plot.height() - 2 * _EDGE))
            painter.fillRect(QRectF(plot.left(), y, plot.width(), 1), theme.line)
        for band in self._bands():
            # At its power limit a busy card is as it should be: told, not held against it.
            if band.tone is Tone.WARN:
                place = self._place_of(band).adjusted(0, 3, 0, -1)
                painter.fillRect(place, faded(theme.tone(band.tone), _BAND_FILL))

    @guarded
    def drawForeground(self, painter: QPainter, rect: QRectF) -> None:
        """When the card was slowed, and why the trace ends."""
        del rect
        spark = self._spark
        if spark is None:
            return
        for band in self._bands():
            edge = self._place_of(band)
            edge.setHeight(_BAND_EDGE)
            painter.fillRect(edge.translated(0, 1), self.look.theme.tone(band.tone))
        if spark.playhead is not None:
            plot, x = self._plot(), int(self._x(spark.playhead))
            line = QRectF(x, plot.top(), 1, plot.height())
            painter.fillRect(line, self.look.theme.accent)
        if spark.unread:
            self._draw_unread(Drawing(painter), spark)
        elif spark.ended is not None:
            self._draw_end(Drawing(painter), spark.ended, spark.ended_word)

    def _look_at(self, spark: TileSpark) -> None:
        reach = (round(spark.end - spark.start, 6), spark.highest)
        if self._times is not None and self._values is not None:
            self._times.setHeight(_TIMES if spark.ticks else 0)
            self._times.show_ticks([(each.at - spark.end, each.text) for each in spark.ticks])
            self._values.show_ticks(spark.scale)
        if reach != self._reach:
            self._reach = reach
            edge = spark.highest / max(1.0, self._plot().height() - 2 * _EDGE) * _EDGE
            self._view.setRange(
                xRange=(-reach[0], 0), yRange=(-edge, spark.highest + edge), padding=0
            )
            self._view.prepareForPaint()  # else it is painted, moved and painted once more

    def _plot(self) -> QRectF:
        return QRectF(self._view.geometry())

    def _x(self, at: float) -> float:
        assert self._spark is not None
        plot, spark = self._plot(), self._spark
        share = (at - spark.start) / (spark.end - spark.start)
        return plot.left() + min(1.0, max(0.0, share)) * plot.width()

    def _place_of(self, band: SparkBand) -> QRectF:
        plot, left = self._plot(), round(self._x(band.start))
        return QRectF(left, plot.top(), round(self._x(band.end)) - left, plot.height())

    def _bands(self) -> Sequence[SparkBand]:
        """Where two reasons held at once only the graver is drawn: it comes first."""
        spark = self._spark
        drawn: list[SparkBand] = []
        if spark is None:
            return drawn
        # None of them overlap, so that neighbours are found at once among thousands.
        starts: list[float] = []
        ends: list[float] = []
        for band in spark.bands:
            at = bisect_right(starts, band.start)
            after = at == 0 or ends[at - 1] <= band.start
            if after and (at == len(starts) or band.end <= starts[at]):
                starts.insert(at, band.start)
                ends.insert(at, band.end)
                drawn.append(band)
        column = COLUMN_PIXELS * (spark.end - spark.start) / max(1.0, self._plot().width())
        whole = [on_columns(band.start, band.end, column) for band in drawn]
        return [SparkBand(*ends, band.tone) for ends, band in zip(whole, drawn, strict=True)]

    def _draw_end(self, drawing: Drawing, ended: float, word: str) -> None:
        """The moment a card was lost: its past stands to the left of it."""
        plot, x, bad = self._plot(), self._x(ended), drawing.theme.bad
        drawing.painter.fillRect(QRectF(x, plot.top() + 1, 1.5, plot.height() - 2), bad)
        letters = drawing.letters.caption
        run = Run(word, letters, bad)
        baseline = plot.top() + letters.ascent + 3
        if x + 6 + run.width <= plot.right():
            drawing.text(x + 6, baseline, run)
        elif x - 6 - run.width >= plot.left():
            drawing.text(x - 6 - run.width, baseline, run)

    def _draw_unread(self, drawing: Drawing, spark: TileSpark) -> None:
        """Dotted: nobody knows what it did, and a line at zero would be a figure."""
        plot, letters = self._plot(), drawing.letters.caption
        read = np.flatnonzero(spark.trace.counts > 0)
        left = plot.left()
        if read.size:
            last = float(spark.trace.times[read[-1]]) + spark.trace.column_seconds
            left = self._x(last) + 2
        y = round(plot.bottom() - 3) + 0.5
        drawing.painter.setPen(drawing.theme.faint)
        marks = np.arange(left, plot.right() - 4, 4)
        drawing.painter.drawLines([QLineF(x, y, x + 1, y) for x in marks])
        room = plot.right() - left
        if not read.size or letters.width(spark.unread) <= room:  # else the tile's words do
            words = letters.elided(spark.unread, room)
            drawing.text(left, plot.bottom() - 9, Run(words, letters, drawing.theme.faint))

    def _on_resized(self) -> None:
        self._reach = (0.0, 0.0)
        self.dress()


def card_wear(colour: int | None, strength: float, *, raised: bool = False) -> Wear:
    """A card's own colour on its tile."""

    def wear(theme: Theme) -> tuple[QColor, QColor]:
        ground = theme.raised if raised else theme.surface
        return mixed(ground, theme.card(colour), strength), ground

    return wear
