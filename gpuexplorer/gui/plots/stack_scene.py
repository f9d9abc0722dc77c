"""StackScene: the views, lines, regions and words that a stack of plots is made of."""

import pyqtgraph as pg
from PySide6.QtCore import QRectF
from PySide6.QtGui import QBrush, QColor, QPen

from gpuexplorer.core.axes import moment_word, time_ticks
from gpuexplorer.core.words import tr
from gpuexplorer.gui.paint.drawing import Drawing
from gpuexplorer.gui.plots.axes import Axis
from gpuexplorer.gui.plots.crosshair import draw_values, moment
from gpuexplorer.gui.plots.end_labels import draw_end_labels
from gpuexplorer.gui.plots.flags import draw_flag_poles, draw_flags
from gpuexplorer.gui.plots.graph import Graph
from gpuexplorer.gui.plots.layout import AXIS, HEADROOM, Layout, StackShown
from gpuexplorer.gui.plots.marks import PixelLine, Region
from gpuexplorer.gui.plots.plot import Plot, fit, look_at, plain_view
from gpuexplorer.gui.plots.words import draw_titles, draw_words
from gpuexplorer.gui.state.time_window import Marked
from gpuexplorer.gui.theme.palette import faded

_BAND = 0.13
_PER_TICK = 70.0  # pixels
_VALUES = 180.0  # on either side of the crosshair
_REASON_SHARE = 0.4


class StackScene:
    """From below: bands, titles, poles, plots, words, the crosshair, and the axis of time."""

    # Of what is shown just now: nothing is drawn before.
    _layout: Layout
    _shown: StackShown

    def __init__(self, graph: Graph, time: pg.ViewBox) -> None:
        self._graph, self._time = graph, time
        graph.scene().addItem(time)
        time.setZValue(2)
        self._behind = plain_view(graph)
        self._behind.setZValue(-4)
        self._plots: list[Plot] = []
        self._bands: list[Region] = []
        self._playhead, self._marked, self._crosshair = (PixelLine() for _ in range(3))
        for line in (self._playhead, self._marked, self._crosshair):
            time.addItem(line, ignoreBounds=True)
        self._axis = Axis("bottom", lines=False)
        self._axis.setZValue(5)
        self._axis.setHeight(AXIS)
        graph.scene().addItem(self._axis)
        self._axis.linkToView(time)
        self._at: float | None = None
        self._marked_moment: Marked | None = None
        self._foot_place = QRectF()
        self._titles = graph.add_sheet(lambda drawing: draw_titles(drawing, self._layout), -3)
        self._poles = graph.add_sheet(
            lambda drawing: draw_flag_poles(drawing, self._layout, self._shown.flags), -2
        )
        self._words = graph.add_sheet(lambda drawing: draw_words(drawing, self._layout), 1)
        self._ends = graph.add_sheet(
            lambda drawing: draw_end_labels(drawing, self._layout, self._shown.units), 1
        )
        self._values = graph.add_sheet(self._draw_values, 3)
        self._foot = graph.add_sheet(self._draw_foot, 4)
        self._ring = graph.add_sheet(
            lambda drawing: drawing.focus_ring(self._ring.boundingRect(), radius=6), 7
        )

    def show(
        self,
        layout: Layout,
        shown: StackShown,
        marked: Marked | None,
        playhead: float | None = None,
    ) -> None:
        self._layout, self._shown = layout, shown
        area, theme, stretch = layout.area, self._graph.look.theme, layout.stretch
        self._time.setGeometry(area.adjusted(0, 0, 0, layout.foot.height()))
        self._behind.setGeometry(area)
        for view in (self._time, self._behind):
            look_at(view, stretch, (0.0, 1.0))
        fit(self._plots, len(layout.plots), lambda: Plot(self._graph))
        for plot, place in zip(self._plots, layout.plots, strict=False):
            plot.show(layout, place, theme)
        self._show_bands()
        self._marked_moment = marked
        self._point_line(self._playhead, playhead, theme.accent)
        self._point_line(self._marked, None if marked is None else marked.at, theme.accent)
        across = QRectF(layout.left, 0, area.right() - layout.left, area.bottom())
        self._poles.put(area)
        self._titles.put(across)
        self._words.put(across)
        # In a plot of cards reasons stand before their chips.
        left = area.right() - (_REASON_SHARE * area.width() if layout.compact else 0.0)
        self._ends.put(QRectF(left, 0, layout.right - left, layout.foot.bottom()))
        # Views know where they are before they are painted, and so are painted once.
        self._graph.scene().prepareForPaint()

    def put_foot(self, bottom: float) -> None:
        """The flags and the axis of time: at this height where the plots reach beyond it."""
        layout = self._layout
        place = QRectF(layout.foot)
        if layout.plots:
            first = layout.plots[0].area.bottom()
            place.moveTop(min(place.top(), max(first, bottom - place.height())))
        self._foot_place = place
        self._foot.put(place.adjusted(0, 3, 0, 0))
        area = layout.area
        self._axis.setGeometry(QRectF(area.left(), place.bottom() - AXIS, area.width(), AXIS))

    def show_crosshair(self, at: float | None) -> None:
        layout = self._layout
        self._at = at
        self._point_line(self._crosshair, at, self._graph.look.theme.quiet)
        self._values.setVisible(self._crosshair.isVisible())
        if at is not None and self._crosshair.isVisible():
            x = layout.area.left() + layout.area.width() * layout.stretch.share(at)
            beside = QRectF(x - _VALUES, layout.area.top(), 2 * _VALUES, layout.area.height())
            self._values.put(beside.adjusted(0, 0, 0, 10))
        self._show_times()

    def show_ring(self, plot: int | None) -> None:
        """Around the plot that the keys act on."""
        layout = self._layout
        self._ring.setVisible(plot is not None)
        if plot is not None:
            chosen = layout.plots[plot]
            top = chosen.top if layout.compact else chosen.top - HEADROOM - 6
            bottom = layout.foot.bottom() if layout.compact else chosen.area.bottom() + 4
            width = layout.right - layout.left + 8
            self._ring.put(QRectF(layout.left - 4, top, width, bottom - top))

    def _point_line(self, line: PixelLine, at: float | None, ink: QColor) -> None:
        stretch = self._layout.stretch
        seen = at is not None and stretch.start <= at <= stretch.end
        line.setVisible(seen and bool(self._layout.plots))
        if at is not None:
            line.setPen(QPen(ink, 1))
            line.setValue(at)

    def _show_bands(self) -> None:
        stretch, theme = self._layout.stretch, self._graph.look.theme
        every = dict.fromkeys(
            band for plot in self._layout.plots for band in plot.content.bands
        )
        bands = [
            each for each in every if each.end > stretch.start and each.start < stretch.end
        ]
        fit(self._bands, len(bands), self._new_band)
        for region, band in zip(self._bands, bands, strict=False):
            region.setRegion((max(stretch.start, band.start), min(stretch.end, band.end)))
            region.setBrush(QBrush(faded(theme.tone(band.tone), _BAND)))

    def _new_band(self) -> Region:
        region = Region()
        self._behind.addItem(region, ignoreBounds=True)
        return region

    def _show_times(self) -> None:
        """The moment pointed at, how the axis ends, and what is between, as far as it fits."""
        stretch, at = self._layout.stretch, self._at
        end = stretch.end + stretch.offset
        ticks = [] if at is None else [(at, moment(stretch, at))]
        ticks.append((stretch.end, tr("now") if stretch.following else moment_word(end, end)))
        most = max(1, int(self._layout.area.width() / _PER_TICK))
        times = time_ticks(stretch.start, stretch.end, stretch.offset, most)
        ticks += [(each.at, each.text) for each in times]
        self._axis.show_ticks(ticks if self._layout.plots else [], at)

    def _draw_values(self, drawing: Drawing) -> None:
        if self._at is not None:
            draw_values(drawing, self._layout, self._at, self._shown.units)

    def _draw_foot(self, drawing: Drawing) -> None:
        place, layout = self._foot_place, self._layout
        floats = place.top() < layout.foot.top()
        back = place.adjusted(0, 3, 0, 0)
        if not floats:
            back.setRight(layout.area.right() + 2)  # the last labels reach into it
        drawing.painter.fillRect(back, drawing.theme.surface)
        if floats:
            drawing.hairline(layout.left, layout.right, place.top() + 3)
        draw_flags(drawing, layout, self._shown.flags, place, self._marked_moment)
