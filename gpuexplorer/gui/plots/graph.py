"""Graph: a pyqtgraph view in the program's look; every chart of the program is one. Beside it
its axes, sheets for words, and what tells a scroll of the page from a zoom.
"""

import math
from collections.abc import Callable, Sequence

import pyqtgraph as pg
from PySide6.QtCore import QEvent, QObject, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QHelpEvent, QKeyEvent, QPainter, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import (
    QGraphicsItem,
    QGraphicsView,
    QScrollArea,
    QStyleOptionGraphicsItem,
    QToolTip,
    QWidget,
)

from gpuexplorer.gui.guard import guarded
from gpuexplorer.gui.paint.drawing import Drawing, Hint, Run, plain_tip
from gpuexplorer.gui.theme.look import look

# Of moves that come close together the last is what counts, and Qt hands on no others.
pg.setConfigOption("mouseRateLimit", 0)
_APART = 10.0  # pixels between words along an axis
_TICK = 4  # pixels below a view without upright hairlines
_ONE_GESTURE = 300  # milliseconds between two turns of a wheel, at most
_AIMED = 12  # pixels: a hand that turns a wheel moves the pointer by less


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
        self,
        painter: QPainter,
        option: QStyleOptionGraphicsItem,
        widget: QWidget | None = None,
    ) -> None:
        drawing = Drawing(painter)
        self.hints = drawing.hints
        self._draw(drawing)

    def boundingRect(self) -> QRectF:
        return self._place


class Axis(pg.AxisItem):
    """Shows the ticks it is given, in the units of its view, and a hairline at each of them;
    pyqtgraph's own searches and records them at each move.
    """

    def __init__(self, orientation: str, *, lines: bool = True, inside: bool = False) -> None:
        """`inside`: the words at the ends do not stand out."""
        super().__init__(orientation)
        self.autoSIPrefix = False  # which writes a label that nobody sees at each move
        self._lines, self._inside = lines, inside
        self._upright = orientation in {"left", "right"}
        self._ticks: Sequence[tuple[float, str]] = ()
        self._marked: float | None = None
        self.setZValue(-200)  # a view has -100: traces lie over the hairlines
        look().changed.connect(self._on_look_changed)

    def show_ticks(
        self, ticks: Sequence[tuple[float, str]], marked: float | None = None
    ) -> None:
        """Values of the view with their words, the weightier first: where words along the
        bottom would touch, the first of them is kept. The word of `marked` stands out.
        """
        if (tuple(ticks), marked) != (self._ticks, self._marked):
            self._ticks, self._marked = tuple(ticks), marked
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
        seen = [
            ((value - low) / (high - low), words)
            for value, words in self._ticks
            if low <= value <= high
        ]
        if self._upright:
            self._draw_rows(drawing, place, view.width(), seen)
        else:
            self._draw_columns(drawing, place, view.height(), seen)

    def _draw_rows(
        self, drawing: Drawing, place: QRectF, across: float, seen: list[tuple[float, str]]
    ) -> None:
        letters = drawing.letters.caption
        for share, words in seen:
            y = round(place.bottom() - share * place.height())
            if self._lines:
                drawing.hairline(place.right(), place.right() + across, y)
            run = Run(words, letters, drawing.theme.faint)
            drawing.runs_right(place.width() - 8, round(y + letters.cap_height / 2), [run])

    def _draw_columns(
        self, drawing: Drawing, place: QRectF, upwards: float, seen: list[tuple[float, str]]
    ) -> None:
        theme, painter, bottom = drawing.theme, drawing.painter, self.orientation == "bottom"
        words = [(place.left() + share * place.width(), word) for share, word in seen]
        for x, _ in words:
            if self._lines:
                painter.fillRect(
                    QRectF(round(x), place.top() - upwards, 1, upwards), theme.line
                )
            elif bottom and not self._inside:
                painter.fillRect(QRectF(round(x), place.top(), 1, _TICK), theme.line)
        ends = (place.left(), place.right()) if self._inside else (-math.inf, math.inf)
        width = drawing.letters.badge.width
        top = 6.0 if bottom else place.bottom() - 18
        marked = next((word for value, word in self._ticks if value == self._marked), None)
        for left, word in fitting_words(words, width, *ends):
            letters, ink = drawing.letters.caption, theme.faint
            if word == marked:
                letters, ink, marked = drawing.letters.badge, theme.text, None
                if bottom:
                    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
                    drawing.filled(QRectF(left - 8, top - 1, width(word) + 16, 18), ink, 4)
                    painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)
                    ink = theme.ground
            drawing.text(left, round(top + 8 + letters.cap_height / 2), Run(word, letters, ink))

    def boundingRect(self) -> QRectF:
        """With the hairlines, which lie over the plot, and words that stand out at the ends."""
        place, view = QRectF(self.mapRectFromParent(self.geometry())), self.linkedView()
        if view is None:
            return place
        if self._upright:
            return place.adjusted(0, -8, view.width() if self._lines else 0, 8)
        return place.adjusted(-60, -view.height() if self._lines else 0, 60, 0)

    def _on_look_changed(self) -> None:
        self.update()


def fitting_words(
    words: Sequence[tuple[float, str]],
    width_of: Callable[[str], float],
    first: float,
    last: float,
) -> list[tuple[float, str]]:
    """Where each begins that has its middle there, the weightier first: where two would touch
    the first is kept. None reaches beyond the ends.
    """
    placed: list[tuple[float, str]] = []
    for middle, word in words:
        width = width_of(word)
        left = min(max(middle - width / 2, first), last - width)
        apart = (
            left >= other + width_of(before) + _APART or left + width + _APART <= other
            for other, before in placed
        )
        if all(apart):
            placed.append((left, word))
    return placed


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
        self,
        row: int = 0,
        column: int = 1,
        *,
        left: Axis | None = None,
        bottom: Axis | None = None,
    ) -> pg.ViewBox:
        """A place for items in the grid, with its axes."""
        view = self.new_view()
        self.grid.addItem(view, row, column)
        for axis, at in ((left, (row, column - 1)), (bottom, (row + 1, column))):
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

    def end_drag(self) -> None:
        """Whoever lets go of the button now does so over another screen."""
        scene = self.scene()
        scene.clickEvents, scene.dragButtons, scene.dragItem = [], [], None

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
        at = self.mapToScene(event.pos())
        for sheet in sorted(self._sheets, key=PlotSheet.zValue, reverse=True):
            for hint in reversed(sheet.hints):
                if sheet.isVisible() and hint.place.contains(at):
                    place = self.mapFromScene(hint.place).boundingRect()
                    QToolTip.showText(event.globalPos(), plain_tip(hint.text), self, place)
                    return True
        return bool(super().viewportEvent(event))  # what an item says of itself

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


class PageWheel(QObject):
    """Knows when the page that a graph stands on was turned last: a scroll of the page stays a
    scroll when a plot slides under the pointer.
    """

    moved = Signal()  # another part of the graph is in view

    def __init__(self, graph: QWidget) -> None:
        super().__init__(graph)
        self._page: QScrollArea | None = None
        self._turned_at: int | None = None
        self._pointed_at = QPointF()
        graph.installEventFilter(self)

    def holds(self, event: QWheelEvent) -> bool:
        """Whether it belongs to a scroll that began beside the graph.

        However slow it is: nobody has pointed at the graph before the pointer moves.
        """
        if self._turned_at is None or event.phase() is Qt.ScrollPhase.ScrollBegin:
            return False
        moved = (event.globalPosition() - self._pointed_at).manhattanLength()
        since = event.timestamp() - self._turned_at
        return moved < _AIMED or 0 <= since < _ONE_GESTURE

    def _follow(self, seen: QObject) -> None:
        """While the graph is seen; on what it stands then it stays."""
        above = seen.parentWidget() if isinstance(seen, QWidget) else None
        while above is not None and not isinstance(above, QScrollArea):
            above = above.parentWidget()
        self._leave()
        if above is not None:
            self._page = above
            above.viewport().installEventFilter(self)
            above.verticalScrollBar().valueChanged.connect(self._on_scrolled)

    def _leave(self) -> None:
        if self._page is not None:
            self._page.viewport().removeEventFilter(self)
            self._page.verticalScrollBar().valueChanged.disconnect(self._on_scrolled)
            self._page = None

    def _on_scrolled(self) -> None:
        self.moved.emit()

    @guarded
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self.parent():
            if event.type() is QEvent.Type.Show:
                self._follow(watched)
            elif event.type() is QEvent.Type.Hide:
                self._leave()
        elif isinstance(event, QWheelEvent):
            self._turned_at = event.timestamp()
            self._pointed_at = event.globalPosition()
        elif event.type() is QEvent.Type.Resize:
            self.moved.emit()
        return False
