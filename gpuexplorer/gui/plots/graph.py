"""Graph: a pyqtgraph view in the program's look; every chart of the program is one. Beside it
its axes, and sheets for words.
"""

from collections.abc import Callable, Sequence

import pyqtgraph as pg
from PySide6.QtCore import QEvent, QRectF, QSize, Qt
from PySide6.QtGui import QHelpEvent, QKeyEvent, QPainter, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import (
    QGraphicsItem,
    QGraphicsView,
    QScrollArea,
    QStyleOptionGraphicsItem,
    QWidget,
)

from gpuexplorer.gui.event_loop import guarded
from gpuexplorer.gui.paint.drawing import CHIP_RADIUS, Drawing, Hint, Run, tell_hint
from gpuexplorer.gui.plots.content import AXIS, Place
from gpuexplorer.gui.plots.curves import Curve, TraceItem
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import faded

# Of moves that come close together the last is what counts, and Qt hands on no others.
pg.setConfigOption("mouseRateLimit", 0)
ZOOM = 1.25  # for one notch of a wheel, or one key
_BEHIND = 0.7  # what lines are compared with
_APART = 10.0  # pixels between words along an axis
_TICK = 4.0  # pixels below a view


class PlotSheet(QGraphicsItem):
    """Words and marks of a graph that are no data; what lies where is told on pointing. `draw`
    draws it in the scene's coordinates, within the place where it was put.
    """

    def __init__(self, draw: Callable[[Drawing], None], above: float) -> None:
        super().__init__()
        self._draw = draw
        self._place = QRectF()
        self.hints: list[Hint] = []
        self.setZValue(above)

    def put(self, place: QRectF) -> None:
        if place != self._place:
            self.prepareGeometryChange()
            self._place = place
        self.update()

    @guarded
    def paint(
        self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None
    ) -> None:
        drawing = Drawing(painter)
        self.hints = drawing.hints
        self._draw(drawing)

    def boundingRect(self) -> QRectF:
        return self._place


class Axis(pg.AxisItem):
    """Shows the ticks it is given, in the units of its view, at the left each with a
    hairline; pyqtgraph's own searches and records them at each move.
    """

    def __init__(self, orientation: str) -> None:
        super().__init__(orientation)
        self.autoSIPrefix = False  # which writes a label that nobody sees at each move
        self._ticks: Sequence[tuple[float, str]] = ()
        self.setZValue(-200)  # a view has -100: traces lie over the hairlines

    def show_ticks(self, ticks: Sequence[tuple[float, str]]) -> None:
        """Values of the view with their words, the weightier first: where words along the
        bottom would touch, the first of them is kept.
        """
        if tuple(ticks) != self._ticks:
            self._ticks = tuple(ticks)
            self.update()

    @guarded
    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionGraphicsItem | None = None,
        widget: QWidget | None = None,
    ) -> None:
        view, (low, high) = self.linkedView(), self.range
        if view is None or high <= low:
            return
        drawing, place = Drawing(painter), QRectF(self.mapRectFromParent(self.geometry()))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)
        seen = [((at - low) / (high - low), word) for at, word in self._ticks]
        seen = [(share, word) for share, word in seen if 0 <= share <= 1]
        if self.orientation == "left":
            rows = [(place.bottom() - share * place.height(), word) for share, word in seen]
            draw_rows(drawing, place.right(), place.right() + view.width(), rows)
            return
        words = [(place.left() + share * place.width(), word) for share, word in seen]
        # What stands out at the ends is not cut off.
        whole = self.mapRectFromScene(QRectF(self.getViewWidget().viewport().rect()))
        bottom = self.orientation == "bottom"
        top = place.top() if bottom else place.bottom() - AXIS + 2
        draw_columns(drawing, top, words, (whole.left(), whole.right()), ticks=bottom)

    def boundingRect(self) -> QRectF:
        """With the hairlines, which lie over the plot, and words that stand out at the ends."""
        place, view = QRectF(self.mapRectFromParent(self.geometry())), self.linkedView()
        if self.orientation == "left":
            return place.adjusted(0, -8, 0 if view is None else view.width(), 8)
        return place.adjusted(-60, 0, 60, 0)


def draw_rows(
    drawing: Drawing, left: float, right: float, rows: Sequence[tuple[float, str]]
) -> None:
    """Hairlines across, each with its word before it."""
    letters = drawing.letters.caption
    for y, word in rows:
        drawing.hairline(left, right, round(y))
        run = Run(word, letters, drawing.theme.faint)
        drawing.runs_right(left - 8, round(round(y) + letters.cap_height / 2), [run])


def draw_columns(
    drawing: Drawing,
    top: float,
    words: Sequence[tuple[float, str]],
    ends: tuple[float, float],
    *,
    pointed: bool = False,
    ticks: bool = False,
) -> None:
    """Words that have their middle there, the weightier first: where two would touch the first
    is kept, and none goes beyond the ends. `pointed`: the first is in a pill.
    """
    taken: list[tuple[float, float]] = []
    for x, word in words:
        pill, theme = pointed and not taken, drawing.theme
        letters = drawing.letters.badge if pill else drawing.letters.caption
        width = letters.width(word)
        left = round(min(max(x - width / 2, ends[0]), ends[1] - width))
        if ticks and not pill:
            drawing.painter.fillRect(QRectF(round(x), top, 1, _TICK), theme.line)
        if any(left < end + _APART and left + width > start - _APART for start, end in taken):
            continue
        taken.append((left, left + width))
        if pill:
            drawing.filled(QRectF(left - 8, top + 5, width + 16, 18), theme.text, CHIP_RADIUS)
        run = Run(word, letters, theme.ground if pill else theme.faint)
        drawing.text(left, round(top + 14 + letters.cap_height / 2), run)


def page_of(widget: QWidget) -> QScrollArea | None:
    """What it scrolls with."""
    above = widget.parentWidget()
    while above is not None and not isinstance(above, QScrollArea):
        above = above.parentWidget()
    return above


class Graph(pg.GraphicsView):
    """Plots in rows and columns on the surface of a panel.

    A subclass colours its items in `dress`, which is called when the look has changed. The
    wheel and the keys are left to the page around it until a subclass takes them.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent, background=None)
        # The keyboard comes to the view itself or to nothing.
        self.viewport().setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.look = look()
        self._sheets: list[PlotSheet] = []
        self.grid = pg.GraphicsLayout()
        self.grid.setFlag(QGraphicsItem.GraphicsItemFlag.ItemHasNoContents)
        self.grid.setContentsMargins(0, 0, 0, 0)
        self.grid.layout.setSpacing(0)
        self.setCentralItem(self.grid)
        self.setViewportUpdateMode(QGraphicsView.ViewportUpdateMode.MinimalViewportUpdate)
        look().changed.connect(self._on_look_changed)
        self.setBackground(self.look.theme.surface)

    def __init_subclass__(cls) -> None:
        for name, method in list(vars(cls).items()):
            if name.lower().endswith("event"):
                setattr(cls, name, guarded(method))

    def add_plot(
        self, row: int = 0, *, left: Axis | None = None, bottom: Axis | None = None
    ) -> pg.ViewBox:
        """A place for items in the grid, with its axes."""
        view = self.new_view()
        self.grid.addItem(view, row, 1)
        for axis, at in ((left, (row, 0)), (bottom, (row + 1, 1))):
            if axis is not None:
                self.grid.addItem(axis, *at)
                axis.linkToView(view)
        return view

    def new_view(self) -> pg.ViewBox:
        """Moved by nobody until it is told otherwise. A PlotItem would bring a form of its own
        and take ten times as long to make.
        """
        view = pg.ViewBox(enableMenu=False, enableMouse=False, defaultPadding=0.0)
        view.disableAutoRange()
        view.borderRect.hide()  # which is drawn though it is of no colour, as the view is
        view.setFlag(QGraphicsItem.GraphicsItemFlag.ItemHasNoContents)
        return view

    def add_sheet(self, draw: Callable[[Drawing], None], above: float = 10.0) -> PlotSheet:
        """For words and marks that are no data."""
        sheet = PlotSheet(draw, above)
        self.scene().addItem(sheet)
        self._sheets.append(sheet)
        return sheet

    def hints(self) -> list[str]:
        """Everything that can be asked for by pointing."""
        return [hint.text for sheet in self._sheets for hint in sheet.hints]

    def takes(self, wheel: QWheelEvent) -> bool:
        """Where the page has something to scroll the wheel is the page's, but for Ctrl."""
        page, alone = page_of(self), Qt.KeyboardModifier.NoModifier
        turns = wheel.modifiers() != alone or not wheel.angleDelta().y()
        return turns or page is None or not page.verticalScrollBar().maximum()

    def dress(self) -> None:
        """Give the items their colours and pens."""

    def fill(self) -> None:
        """The size has changed."""

    def _on_look_changed(self) -> None:
        self.setBackground(self.look.theme.surface)
        self.dress()

    def event(self, event: QEvent) -> bool:
        if event.type() is QEvent.Type.DevicePixelRatioChange:
            self.dress()  # lines are so many pixels of the screen wide
        return bool(super().event(event))

    def viewportEvent(self, event: QEvent) -> bool:
        if event.type() is not QEvent.Type.ToolTip or not isinstance(event, QHelpEvent):
            return bool(super().viewportEvent(event))
        sheets = sorted(filter(PlotSheet.isVisible, self._sheets), key=PlotSheet.zValue)
        told = tell_hint(event, [hint for each in sheets for hint in each.hints], self)
        return told or bool(super().viewportEvent(event))  # what an item says of itself

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        event.ignore()

    @guarded
    def resizeEvent(self, event: QResizeEvent | None) -> None:
        super().resizeEvent(event)
        if event is not None:  # pyqtgraph calls this while it makes the view
            self.fill()

    def close(self) -> bool:
        """pyqtgraph's own takes the scene apart, and Qt closes a window without asking it."""
        return QGraphicsView.close(self)

    def minimumSizeHint(self) -> QSize:
        return QSize(64, 36)


class PlotView:
    """The curves of one plot of a stack."""

    def __init__(self, graph: Graph) -> None:
        self._view, self._traces = graph.new_view(), TraceItem()
        # What lies in it keeps to it by itself.
        self._view.setFlag(self._view.GraphicsItemFlag.ItemClipsChildrenToShape, enabled=False)
        self._view.addItem(self._traces, ignoreBounds=True)
        graph.scene().addItem(self._view)

    def show(self, place: Place | None) -> None:
        """Hidden where there is none."""
        self._view.setVisible(place is not None)
        if place is None:
            return
        self._view.setGeometry(place.area)
        # Each by itself: links work out where on the screen the others are, at each move.
        x = (place.stretch.start, place.stretch.end)
        y = (place.scale.lowest, place.scale.highest)
        self._view.setRange(xRange=x, yRange=y, padding=0, disableAutoRange=False)
        lines, card = place.content.lines, look().theme.card
        filled = len(lines) == 1 and place.scale.lowest == 0
        bare = [(band.start, band.end) for band in place.content.bands]
        self._traces.curves = [
            Curve(each.trace, card(each.colour), filled, each.dash, bare) for each in lines
        ]
        for each in lines:
            if each.beside is not None:
                ink = faded(card(each.colour), _BEHIND)
                self._traces.curves.append(Curve(each.beside, ink, behind=True))
