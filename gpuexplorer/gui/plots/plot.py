"""Plot: one view of a stack, with its scale, its lines, their limits."""

from collections.abc import Callable
from typing import Protocol, TypeVar

import pyqtgraph as pg
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPen

from gpuexplorer.gui.plots.axes import Axis
from gpuexplorer.gui.plots.content import Stretch
from gpuexplorer.gui.plots.curves import Curve
from gpuexplorer.gui.plots.graph import Graph
from gpuexplorer.gui.plots.layout import Layout, PlotPlace
from gpuexplorer.gui.plots.marks import PixelLine
from gpuexplorer.gui.plots.trace_item import TraceItem
from gpuexplorer.gui.theme.palette import Theme, faded

_DOTS = [1.5, 2.5]
_BEHIND = 0.7  # what lines are compared with


class Seen(Protocol):
    def setVisible(self, visible: bool) -> None: ...


Item = TypeVar("Item", bound=Seen)


class Plot:
    """Shows the content of one place after another: its items are made once."""

    def __init__(self, graph: Graph) -> None:
        self._view = plain_view(graph)
        self._axis = Axis("left")
        graph.scene().addItem(self._axis)
        self._axis.linkToView(self._view)
        self._traces = TraceItem()
        self._view.addItem(self._traces, ignoreBounds=True)
        self._limits: list[PixelLine] = []
        self._theme = graph.look.theme

    def show(self, layout: Layout, place: PlotPlace, theme: Theme) -> None:
        view = place.view
        self._view.setGeometry(view)
        beside = QRectF(layout.left, view.top(), view.left() - layout.left, view.height())
        self._axis.setWidth(beside.width())
        self._axis.setGeometry(beside)
        look_at(self._view, layout.stretch, place.reach)
        scale, lines = place.scale, place.content.lines
        ticks = [] if place.empty else [(tick.value, tick.text) for tick in scale.ticks]
        if not place.empty:
            floor = scale.number(scale.lowest) if scale.lowest else ""
            ticks.append((scale.lowest, floor))
        self._axis.show_ticks(ticks)
        filled = len(lines) == 1 and scale.lowest == 0
        bare = [(band.start, band.end) for band in place.content.bands] if filled else []
        self._traces.show_curves(
            [
                *(
                    Curve(line.trace, theme.card(line.colour), filled, line.dash, tuple(bare))
                    for line in lines
                ),
                *(
                    Curve(line.beside, faded(theme.card(line.colour), _BEHIND), behind=True)
                    for line in lines
                    if line.beside is not None
                ),
            ]
        )
        limits = [each.value for each in place.content.limits if scale.holds(each.value)]
        if theme is not self._theme:
            self._theme = theme
            for line in self._limits:
                line.setPen(_dotted(theme))
        fit(self._limits, len(limits), self._new_limit)
        for line, value in zip(self._limits, limits, strict=False):
            line.setValue(value)

    def setVisible(self, visible: bool) -> None:
        self._view.setVisible(visible)
        self._axis.setVisible(visible)

    def _new_limit(self) -> PixelLine:
        limit = PixelLine(angle=0, pen=_dotted(self._theme))
        limit.setZValue(-100)
        self._view.addItem(limit, ignoreBounds=True)
        return limit


def _dotted(theme: Theme) -> QPen:
    pen = QPen(theme.faint, 1)
    pen.setDashPattern(_DOTS)
    pen.setCapStyle(Qt.PenCapStyle.FlatCap)
    return pen


def plain_view(graph: Graph) -> pg.ViewBox:
    """Anywhere in the scene, moved by nobody."""
    view = pg.ViewBox(enableMenu=False, enableMouse=False, defaultPadding=0.0)
    view.disableAutoRange()
    # What lies in it keeps to it by itself, and it has nothing of its own to draw.
    view.setFlag(view.GraphicsItemFlag.ItemClipsChildrenToShape, enabled=False)
    view.setFlag(view.GraphicsItemFlag.ItemHasNoContents)
    view.borderRect.hide()
    view.setZValue(0)  # pyqtgraph's own choice is far below what lies behind curves
    graph.scene().addItem(view)
    return view


def look_at(view: pg.ViewBox, stretch: Stretch, reach: tuple[float, float]) -> None:
    """Each view by itself: links work out where on the screen the others are, at each move."""
    seen = (stretch.start, stretch.end)
    view.setRange(xRange=seen, yRange=reach, padding=0, disableAutoRange=False)


def fit(items: list[Item], count: int, make: Callable[[], Item]) -> None:
    """So many are seen; more are made, and none is ever removed."""
    while len(items) < count:
        items.append(make())
    for at, item in enumerate(items):
        item.setVisible(at < count)
