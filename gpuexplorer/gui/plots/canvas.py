"""PlotCanvas: plots over the shared stretch of time, moved by mouse, wheel, touch and keys."""

from collections.abc import Sequence

import pyqtgraph as pg
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import (
    QFocusEvent,
    QHideEvent,
    QKeyEvent,
    QMouseEvent,
    QNativeGestureEvent,
    QPainter,
    QPaintEvent,
    QShowEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QGestureEvent, QPinchGesture, QWidget

from gpuexplorer.core.words import tr
from gpuexplorer.gui.plots.content import Flag, PlotContent, Stretch
from gpuexplorer.gui.plots.crosshair import words_at
from gpuexplorer.gui.plots.end_labels import in_words
from gpuexplorer.gui.plots.flags import with_marked
from gpuexplorer.gui.plots.graph import Graph
from gpuexplorer.gui.plots.layout import Layout, StackShown, lay_out, least_height
from gpuexplorer.gui.plots.page_wheel import PageWheel
from gpuexplorer.gui.plots.stack_scene import StackScene
from gpuexplorer.gui.plots.time_view import ZOOM, TimeView
from gpuexplorer.gui.plots.trace_item import columns_for
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.gui.state.time_window import TimeWindow

_LEAF = 0.8  # of what is seen: how far Page Up goes back
_STEP, _LONG_STEP = 2, 20  # pixels: how far an arrow key moves the crosshair
_MARGIN = 4
_BY_KEYS = (
    Qt.FocusReason.TabFocusReason,
    Qt.FocusReason.BacktabFocusReason,
    Qt.FocusReason.ShortcutFocusReason,
)


class PlotCanvas(Graph):
    """Shows what it is told to; whoever tells it asks the history for `columns` columns."""

    full_screen_asked = Signal(str)  # the name of the plot

    def __init__(
        self, time_window: TimeWindow, settings: Settings, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.time_window = time_window
        self._settings = settings
        self._contents: tuple[PlotContent, ...] = ()
        self._flags: tuple[Flag, ...] = ()
        self._layout: Layout | None = None
        self._time = TimeView(time_window)
        self._time.dragged.connect(self._on_dragged)
        self._drawn = StackScene(self, self._time)
        self._page = PageWheel(self)
        self._page.moved.connect(self._on_page_moved)
        # Whoever fills it may do so before this comes: then it is laid out once.
        self._later = QTimer(self)
        self._later.setSingleShot(True)
        self._later.timeout.connect(self._arrange)
        self._current = 0
        self._by_keyboard = False
        self._pointer: float | None = None
        self._dragging = False
        self._seen = False
        # What changed is painted together, in one frame of the window.
        self.setViewportUpdateMode(self.ViewportUpdateMode.NoViewportUpdate)
        self.viewport().grabGesture(Qt.GestureType.PinchGesture)

    @property
    def contents(self) -> tuple[PlotContent, ...]:
        return self._contents

    @property
    def flags(self) -> tuple[Flag, ...]:
        return self._flags

    @property
    def current(self) -> str:
        """The name of the plot that keys and menus act on."""
        if not self._contents:
            return ""
        return self._contents[min(self._current, len(self._contents) - 1)].name

    def show_contents(
        self, contents: Sequence[PlotContent], flags: Sequence[Flag] = ()
    ) -> None:
        """Of the stretch of the time window, in `columns` columns."""
        before = least_height(self._contents, bool(self._flags))
        self._contents, self._flags = tuple(contents), tuple(flags)
        if least_height(self._contents, bool(self._flags)) != before:
            self.updateGeometry()
        self._arrange()
        titles = ", ".join(content.title for content in self._contents)
        self.setAccessibleName(
            tr("Plots: {titles}", titles=titles) if titles else tr("No plots")
        )
        self._describe()
        if self._pointer is not None and not self._dragging:
            # The pointer stands still while time moves on under it.
            self._point(self._pointer)

    def columns(self) -> int:
        """How many to ask the history for, for the time window's stretch."""
        # The axis stays as wide as it was, though all is to be laid out anew.
        return columns_for((self._layout or self.layout_now()).area.width())

    def shown(self) -> StackShown:
        """All that is seen just now."""
        window = self.time_window
        stretch = Stretch(*window.stretch(), window.following, window.wall(0.0), window.began)
        flags = with_marked(self._flags, window.marked)
        return StackShown(self._contents, flags, stretch, self._settings.choices.units)

    def words(self) -> str:
        """Every line with its newest value, or the reason why there is none."""
        return in_words(self.layout_now(), self._settings.choices.units)

    def words_at_crosshair(self) -> str:
        """The values at the moment that is pointed at."""
        at = self.time_window.crosshair
        if at is None:
            return ""
        return words_at(self.layout_now(), at, self._settings.choices.units)

    def layout_now(self) -> Layout:
        """Where everything stands."""
        if self._layout is None or self._later.isActive():
            self._arrange()
        assert self._layout is not None
        return self._layout

    def draw_into(self, painter: QPainter, place: QRectF) -> None:
        """As it is seen, without what points into it."""
        self._arrange(place.size().toSize())
        self._drawn.show_crosshair(None)
        self._drawn.show_ring(None)
        painter.setBrush(Qt.BrushStyle.NoBrush)  # a view outlines itself with what there is
        self.scene().render(painter, place, QRectF(QPointF(0, 0), place.size()))
        self._arrange()

    def dress(self) -> None:
        self._later.start()

    def fill(self) -> None:
        self._arrange()

    def _arrange(self, size: QSize | None = None) -> None:
        """Put everything in its place."""
        self._later.stop()
        shown, before = self.shown(), self._layout
        place = QRectF(QPointF(0, 0), size or self.size()).adjusted(_MARGIN, 0, -_MARGIN, 0)
        plots = before.plots if before and self._dragging else ()
        same = [_whose(plot.content) for plot in plots] == list(map(_whose, self._contents))
        scales = [plot.scale for plot in plots] if same else []
        layout = lay_out(place, shown, self.look.letters, scales)
        self._layout = layout
        self._drawn.show(layout, shown, self.time_window.marked, self.time_window.playhead)
        self._put_foot(size)
        self._show_crosshair()
        self._show_ring()

    def _put_foot(self, size: QSize | None = None) -> None:
        """The axis of time is in view, though the plots' end may not be."""
        whole = self.height() if size is None else size.height()
        seen = self.viewport().visibleRegion().boundingRect() if size is None else None
        bottom = whole if seen is None or seen.isEmpty() else seen.bottom() + 1
        self._drawn.put_foot(float(bottom))

    def _show_crosshair(self) -> None:
        self._drawn.show_crosshair(self.time_window.crosshair)
        self.viewport().update()

    def _show_ring(self) -> None:
        seen = self.hasFocus() and self._by_keyboard and bool(self._contents)
        current = min(self._current, len(self._contents) - 1)
        self._drawn.show_ring(current if seen else None)
        self.viewport().update()

    def _describe(self) -> None:
        said = self.words()
        at = self.words_at_crosshair() if self._by_keyboard else ""
        self.setAccessibleDescription(f"{at}. {said}" if at else said)

    def _point(self, x: float | None) -> None:
        layout = self.layout_now()
        area = layout.area
        if x is None or not layout.plots or not area.left() <= x <= area.right():
            self.time_window.point_at(None)
            return
        start, end = layout.stretch.start, layout.stretch.end
        self.time_window.point_at(start + self._share(x) * (end - start))

    def _share(self, x: float) -> float:
        return self._time.share(x - self.layout_now().area.left())

    def _choose(self, at: int | None) -> None:
        if at is not None:
            self._current = at
            self._show_ring()

    def _step_crosshair(self, pixels: int) -> None:
        layout = self.layout_now()
        at, area, stretch = self.time_window.crosshair, layout.area, layout.stretch
        if not layout.plots:
            return
        if at is None or not stretch.start <= at <= stretch.end:
            x = area.right() - 1 if pixels < 0 else area.left()
        else:
            x = area.left() + stretch.share(at) * area.width() + pixels
        self._pointer = None
        self._point(min(max(x, area.left()), area.right()))
        self._describe()

    def _pressed_key(self, event: QKeyEvent) -> bool:
        key = Qt.Key
        shift = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        step = _LONG_STEP if shift else _STEP
        at = self.time_window.crosshair
        around = None if at is None else self.layout_now().stretch.share(at)
        match event.key():
            case key.Key_Left:
                self._step_crosshair(-step)
            case key.Key_Right:
                self._step_crosshair(step)
            case key.Key_Up:
                self._choose(max(0, self._current - 1))
            case key.Key_Down:
                self._choose(min(max(0, len(self._contents) - 1), self._current + 1))
            case key.Key_Plus | key.Key_Equal:
                self.time_window.zoom(1 / ZOOM, around)
            case key.Key_Minus:
                self.time_window.zoom(ZOOM, around)
            case key.Key_PageUp:
                self._time.move(-_LEAF)
            case key.Key_PageDown:
                self._time.move(_LEAF)
            case key.Key_Home:
                self._time.to_beginning()
            case key.Key_End:
                self.time_window.back_to_now()
            case key.Key_Return | key.Key_Enter:
                self.full_screen_asked.emit(self.current)
            case key.Key_Escape if self._pointer is None and at is not None:
                self.time_window.point_at(None)
                self._describe()
            case _:
                return False
        self._show_ring()
        return True

    def _on_crosshair_moved(self) -> None:
        self.layout_now()
        self._show_crosshair()

    def _on_page_moved(self) -> None:
        if self._layout is not None:
            self._put_foot()
            self._show_crosshair()

    def _on_dragged(self, dragging: bool) -> None:
        self._dragging = dragging
        if dragging:
            self.setCursor(Qt.CursorShape.ClosedHandCursor)
            self._pointer = None
            self.time_window.point_at(None)
        else:
            self.unsetCursor()
            self._later.start()  # scales may change again

    def keyPressEvent(self, event: QKeyEvent) -> None:
        self._by_keyboard = True
        if not self._pressed_key(event):
            event.ignore()

    def viewportEvent(self, event: QEvent) -> bool:
        """Two fingers zoom, on a touchpad and on the glass."""
        if isinstance(event, QNativeGestureEvent):
            if event.gestureType() is Qt.NativeGestureType.ZoomNativeGesture:
                factor = 1 / max(0.1, 1 + event.value())
                self.time_window.zoom(factor, self._share(event.position().x()))
                return True
        elif isinstance(event, QGestureEvent):
            pinch = event.gesture(Qt.GestureType.PinchGesture)
            if isinstance(pinch, QPinchGesture):
                x = self.mapFromGlobal(pinch.centerPoint()).x()
                self.time_window.zoom(1 / max(0.1, pinch.scaleFactor()), self._share(x))
                return True
        return super().viewportEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._by_keyboard = False
        self._choose(self.layout_now().plot_at(event.position().y()))
        super().mousePressEvent(event)
        event.accept()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if event.buttons():
            super().mouseMoveEvent(event)
        else:
            # pyqtgraph would look for what hovers below, and nothing does.
            self._pointer = event.position().x()
            self._point(self._pointer)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        dragging = self._dragging
        super().mouseReleaseEvent(event)
        event.accept()
        if dragging:
            self._pointer = event.position().x()
            self._point(self._pointer)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        at = self.layout_now().plot_at(event.position().y())
        alone = len(self._contents) == 1
        if event.button() is Qt.MouseButton.LeftButton and (alone or at is not None):
            self.full_screen_asked.emit(self._contents[at or 0].name)

    def wheelEvent(self, event: QWheelEvent) -> None:
        if self._page.holds(event):
            event.ignore()
        else:
            pg.GraphicsView.wheelEvent(self, event)
            if event.isAccepted():
                self._pointer = event.position().x()
                self._point(self._pointer)

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._pointer = None
        self.time_window.point_at(None)

    def focusInEvent(self, event: QFocusEvent) -> None:
        self._by_keyboard = event.reason() in _BY_KEYS
        super().focusInEvent(event)
        self._show_ring()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        if self._pointer is None:
            self.time_window.point_at(None)
        self._show_ring()

    def paintEvent(self, event: QPaintEvent) -> None:
        self.layout_now()
        super().paintEvent(event)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._page.follow()
        if not self._seen:
            self._seen = True
            self.time_window.changed.connect(self._later.start)
            self.time_window.crosshair_moved.connect(self._on_crosshair_moved)
            self.time_window.marked_changed.connect(self.updateGeometry)
            self.time_window.marked_changed.connect(self._later.start)
            self._settings.changed.connect(self._later.start)
            self._later.start()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._page.leave()
        if self._seen:
            self._seen = False
            self.time_window.changed.disconnect(self._later.start)
            self.time_window.crosshair_moved.disconnect(self._on_crosshair_moved)
            self.time_window.marked_changed.disconnect(self.updateGeometry)
            self.time_window.marked_changed.disconnect(self._later.start)
            self._settings.changed.disconnect(self._later.start)
        if self._pointer is not None:
            self._pointer = None
            self.time_window.point_at(None)
        self.end_drag()
        self._time.let_go()
        self._later.stop()
        self._layout = None

    def minimumSizeHint(self) -> QSize:
        flags = with_marked(self._flags, self.time_window.marked)
        return QSize(280, round(least_height(self._contents, bool(flags))))

    def sizeHint(self) -> QSize:
        least = self.minimumSizeHint()
        return QSize(900, least.height() + 36 * max(1, len(self._contents)))


def _whose(content: PlotContent) -> tuple[object, ...]:
    """Another card or metric has a scale of its own."""
    return content.name, content.unit, *[(line.card, line.metric.id) for line in content.lines]
