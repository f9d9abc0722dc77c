"""Graph: a pyqtgraph view in the program's look; every chart of the program is one."""

from collections.abc import Callable

import pyqtgraph as pg
from PySide6.QtCore import QEvent, QRectF, QSize, Qt
from PySide6.QtGui import QHelpEvent, QKeyEvent, QPainter, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import (
    QGraphicsItem,
    QGraphicsView,
    QStyleOptionGraphicsItem,
    QToolTip,
    QWidget,
)

from gpuexplorer.gui.guard import guarded
from gpuexplorer.gui.paint.drawing import Drawing, Hint
from gpuexplorer.gui.plots.axes import Axis
from gpuexplorer.gui.theme.look import Look

# Of moves that come close together the last is what counts, and Qt hands on no others.
pg.setConfigOption("mouseRateLimit", 0)


class PlotSheet(QGraphicsItem):
    """Words and marks of a graph that are no data; what lies where is told on pointing. `draw`
    draws it in the scene's coordinates, within the place where it was put."""

    def __init__(self, look: Look, draw: Callable[[Drawing], None], above: float) -> None:
        super().__init__()
        self._look, self._draw = look, draw
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
        drawing = Drawing(painter, self._look)
        self.hints = drawing.hints
        self._draw(drawing)

    def boundingRect(self) -> QRectF:
        return self._place


class Graph(pg.GraphicsView):
    """Plots in rows and columns on the surface of a panel.

    A subclass colours its items in `dress`, which is called when the look has changed. The
    wheel and the keys are left to the page around it until a subclass takes them.
    """

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent, background=None)
        # The keyboard comes to the view itself or to nothing.
        self.viewport().setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.look = look
        self._sheets: list[PlotSheet] = []
        self.grid = pg.GraphicsLayout()
        self.grid.setFlag(QGraphicsItem.GraphicsItemFlag.ItemHasNoContents)
        self.grid.setContentsMargins(0, 0, 0, 0)
        self.grid.layout.setSpacing(0)
        self.setCentralItem(self.grid)
        self.setViewportUpdateMode(QGraphicsView.ViewportUpdateMode.MinimalViewportUpdate)
        look.changed.connect(self._on_look_changed)
        self._put_on_surface()

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
        """A place for items, moved by nobody until it is told otherwise.

        PlotItem would bring a form of its own and take ten times as long to make.
        """
        view = pg.ViewBox(enableMenu=False, enableMouse=False, defaultPadding=0.0)
        view.disableAutoRange()
        view.borderRect.hide()  # which is drawn though it is of no colour, as the view is
        view.setFlag(QGraphicsItem.GraphicsItemFlag.ItemHasNoContents)
        self.grid.addItem(view, row, column)
        for axis, at in ((left, (row, column - 1)), (bottom, (row + 1, column))):
            if axis is not None:
                self.grid.addItem(axis, *at)
                axis.linkToView(view)
        return view

    def add_sheet(self, draw: Callable[[Drawing], None], above: float = 10.0) -> PlotSheet:
        """For words and marks that are no data."""
        sheet = PlotSheet(self.look, draw, above)
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

    def _put_on_surface(self) -> None:
        self.setBackground(self.look.theme.surface)

    def _on_look_changed(self) -> None:
        self._put_on_surface()
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
                    QToolTip.showText(event.globalPos(), hint.text, self, place)
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
