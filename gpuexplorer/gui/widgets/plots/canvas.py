"""PlotCanvas: plots over the shared stretch of time, moved by mouse, wheel, touch and keys."""

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QFocusEvent,
    QHideEvent,
    QKeyEvent,
    QMouseEvent,
    QNativeGestureEvent,
    QPainter,
    QPixmap,
    QResizeEvent,
    QShowEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QApplication, QGestureEvent, QPinchGesture, QWidget

from gpuexplorer.core.words import tr
from gpuexplorer.gui.paint.curve import columns_for
from gpuexplorer.gui.paint.drawing import Drawing, Hint
from gpuexplorer.gui.plots.content import Flag, PlotContent
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.gui.state.time_window import TimeWindow
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.widgets.painted import Painted
from gpuexplorer.gui.widgets.plots.crosshair_drawing import draw_crosshair, words_at
from gpuexplorer.gui.widgets.plots.layout import Layout, Stretch, least_height
from gpuexplorer.gui.widgets.plots.stack_drawing import (
    KeptStack,
    Shown,
    chosen_place,
    draw_stack,
    in_words,
)
from gpuexplorer.gui.widgets.plots.steering import Steering

_ZOOM = 1.25  # for one notch of a wheel, or one key
_LEAF = 0.8  # of what is seen: how far Page Up goes back
_STEP, _LONG_STEP = 2, 20  # pixels: how far an arrow key moves the crosshair
_BY_KEYS = (
    Qt.FocusReason.TabFocusReason,
    Qt.FocusReason.BacktabFocusReason,
    Qt.FocusReason.ShortcutFocusReason,
)


class PlotCanvas(Painted):
    """Shows what it is told to; whoever tells it asks the history for `columns` columns."""

    full_screen_asked = Signal(str)  # the name of the plot

    def __init__(
        self,
        look: Look,
        time_window: TimeWindow,
        settings: Settings,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(look, parent)
        self.time_window = time_window
        self._settings = settings
        self._contents: tuple[PlotContent, ...] = ()
        self._flags: tuple[Flag, ...] = ()
        self._layout: Layout | None = None
        self._axis_width: float | None = None
        # Of everything but the crosshair, so that pointing does not draw all lines again.
        self._picture: QPixmap | None = None
        self._picture_hints: list[Hint] = []
        self._kept = KeptStack()
        self._steering = Steering(time_window)
        self._current = 0
        self._by_keyboard = False
        self._pointer: float | None = None
        self._pressed: tuple[QPointF, float, float] | None = None
        self._dragging = False
        self._seen = False
        # It draws what it stands on, so that nothing below it is drawn again each time.
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.grabGesture(Qt.GestureType.PinchGesture)

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
        self._kept.keep_only(self._contents)
        self._forget()
        if least_height(self._contents, bool(self._flags)) != before:
            self.updateGeometry()
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
        # The axis stays as wide as it was, though what is above it is to be laid out anew.
        return columns_for(self._axis_width or self.layout_now().axis.width())

    def shown(self) -> Shown:
        """All that is seen just now, for whoever draws it elsewhere."""
        start, end = self.time_window.stretch()
        following = self.time_window.following
        offset = self.time_window.wall(0.0)
        stretch = Stretch(start, end, following, offset)
        units = self._settings.choices.units
        return Shown(self._contents, self._flags, stretch, units)

    def words(self) -> str:
        """Every line with its newest value, or the reason why there is none."""
        return in_words(self.layout_now(), self.shown())

    def words_at_crosshair(self) -> str:
        """The values at the moment that is pointed at."""
        at = self.time_window.crosshair
        if at is None:
            return ""
        return words_at(self.layout_now(), at, self._settings.choices.units)

    def layout_now(self) -> Layout:
        """Where everything stands; it is worked out once for each content and size."""
        if self._layout is None:
            place = QRectF(self.rect()).adjusted(4, 0, -4, 0)
            self._layout = self.shown().layout(place, self.look.letters)
            self._axis_width = self._layout.axis.width()
        return self._layout

    def draw(self, drawing: Drawing) -> None:
        layout = self.layout_now()
        at = self.time_window.crosshair
        drawing.painter.fillRect(self.rect(), drawing.theme.surface)
        if at is None:
            self._picture = None
            draw_stack(drawing, layout, self.shown(), self._kept)
        else:
            if self._picture is None:
                self._picture = self._drawn(layout)
            drawing.painter.drawPixmap(0, 0, self._picture)
            drawing.hints.extend(self._picture_hints)
            draw_crosshair(drawing, layout, at, self._settings.choices.units)
        if self.hasFocus() and self._by_keyboard and layout.plots:
            ring = chosen_place(layout, min(self._current, len(layout.plots) - 1))
            drawing.focus_ring(ring, radius=6)

    def _drawn(self, layout: Layout) -> QPixmap:
        scale = self.devicePixelRatioF()
        picture = QPixmap(self.size() * scale)
        picture.setDevicePixelRatio(scale)
        picture.fill(Qt.GlobalColor.transparent)
        with QPainter(picture) as painter:
            drawing = Drawing(painter, self.look)
            draw_stack(drawing, layout, self.shown(), self._kept)
        self._picture_hints = drawing.hints
        return picture

    def _forget(self) -> None:
        """Something else would be drawn now."""
        self._layout = self._picture = None
        self.update()

    def _describe(self) -> None:
        said = self.words()
        at = self.words_at_crosshair() if self._by_keyboard else ""
        self.setAccessibleDescription(f"{at}. {said}" if at else said)

    def _point(self, x: float | None) -> None:
        layout = self.layout_now()
        axis = layout.axis
        if x is None or not layout.plots or not axis.left() <= x <= axis.right():
            self.time_window.point_at(None)
            return
        self.time_window.point_at(self._time_at(x))

    def _time_at(self, x: float) -> float:
        stretch = self.layout_now().stretch
        share = min(1.0, max(0.0, self._share(x)))
        return stretch.start + share * (stretch.end - stretch.start)

    def _share(self, x: float) -> float:
        axis = self.layout_now().axis
        return (x - axis.left()) / max(1.0, axis.width())

    def _choose(self, at: int | None) -> None:
        if at is not None and at != self._current:
            self._current = at
            self.update()

    def _step_crosshair(self, pixels: int) -> None:
        layout = self.layout_now()
        at = self.time_window.crosshair
        if not layout.plots:
            return
        if at is None or not layout.stretch.start <= at <= layout.stretch.end:
            x = layout.axis.right() - 1 if pixels < 0 else layout.axis.left()
        else:
            x = layout.plots[0].x(at, layout.stretch) + pixels
        self._pointer = None
        self._point(min(max(x, layout.axis.left()), layout.axis.right()))
        self._describe()

    def _pressed_key(self, event: QKeyEvent) -> bool:
        key = Qt.Key
        shift = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        step = _LONG_STEP if shift else _STEP
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
                self._steering.zoom(1 / _ZOOM, self._crosshair_share())
            case key.Key_Minus:
                self._steering.zoom(_ZOOM, self._crosshair_share())
            case key.Key_PageUp:
                self._steering.move(-_LEAF)
            case key.Key_PageDown:
                self._steering.move(_LEAF)
            case key.Key_Home:
                self._steering.to_beginning()
            case key.Key_End:
                self.time_window.back_to_now()
            case key.Key_Return | key.Key_Enter:
                self.full_screen_asked.emit(self.current)
            case key.Key_Escape if self._crosshair_by_keys():
                self.time_window.point_at(None)
                self._describe()
            case _:
                return False
        self.update()
        return True

    def _crosshair_by_keys(self) -> bool:
        return self._pointer is None and self.time_window.crosshair is not None

    def _crosshair_share(self) -> float | None:
        stretch, at = self.layout_now().stretch, self.time_window.crosshair
        return None if at is None else (at - stretch.start) / (stretch.end - stretch.start)

    def _on_time_changed(self) -> None:
        self._forget()

    def _on_crosshair_moved(self) -> None:
        self.update()

    def _on_shape_changed(self) -> None:
        self._axis_width = None
        self._forget()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        self._by_keyboard = True
        if not self._pressed_key(event):
            event.ignore()

    def event(self, event: QEvent) -> bool:
        """Two fingers zoom, on a touchpad and on the glass."""
        if isinstance(event, QNativeGestureEvent):
            if event.gestureType() is Qt.NativeGestureType.ZoomNativeGesture:
                factor = 1 / max(0.1, 1 + event.value())
                self._steering.zoom(factor, self._share(event.position().x()))
                return True
        elif isinstance(event, QGestureEvent):
            pinch = event.gesture(Qt.GestureType.PinchGesture)
            if isinstance(pinch, QPinchGesture):
                x = self.mapFromGlobal(pinch.centerPoint()).x()
                self._steering.zoom(1 / max(0.1, pinch.scaleFactor()), self._share(x))
                return True
        return super().event(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._by_keyboard = False
        self._choose(self.layout_now().plot_at(event.position().y()))
        if event.button() is Qt.MouseButton.LeftButton:
            self._pressed = (event.position(), *self.time_window.stretch())
        else:
            super().mousePressEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        x = event.position().x()
        self._pointer = x
        if self._pressed is not None and event.buttons() & Qt.MouseButton.LeftButton:
            origin, start, end = self._pressed
            moved = x - origin.x()
            if not self._dragging and abs(moved) < QApplication.startDragDistance():
                return
            if not self._dragging:
                self._dragging = True
                self.setCursor(Qt.CursorShape.ClosedHandCursor)
                self.time_window.point_at(None)
            seconds = moved / max(1.0, self.layout_now().axis.width()) * (end - start)
            self.time_window.look_at(start - seconds, end - seconds)
            return
        self._point(x)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._pressed = None
        if self._dragging:
            self._dragging = False
            self.unsetCursor()
            self._point(event.position().x())
        super().mouseReleaseEvent(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        at = self.layout_now().plot_at(event.position().y())
        alone = len(self._contents) == 1
        if event.button() is Qt.MouseButton.LeftButton and (alone or at is not None):
            self._pressed = None
            self.full_screen_asked.emit(self._contents[at or 0].name)

    def wheelEvent(self, event: QWheelEvent) -> None:
        turned = event.angleDelta()
        sideways = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        across = turned.x() or (turned.y() if sideways else 0)
        if across and abs(across) >= abs(turned.y()):
            self._steering.move(-across / 120 / 8)
        elif turned.y():
            x = event.position().x()
            self._steering.zoom(_ZOOM ** (-turned.y() / 120), self._share(x))
        event.accept()

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._pointer = None
        self.time_window.point_at(None)

    def focusInEvent(self, event: QFocusEvent) -> None:
        self._by_keyboard = event.reason() in _BY_KEYS
        super().focusInEvent(event)
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        if self._pointer is None:
            self.time_window.point_at(None)
        self.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._on_shape_changed()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if not self._seen:
            self._seen = True
            self.time_window.changed.connect(self._on_time_changed)
            self.time_window.crosshair_moved.connect(self._on_crosshair_moved)
            self.look.changed.connect(self._on_shape_changed)
            self._settings.changed.connect(self._on_shape_changed)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._kept.forget()
        if self._seen:
            self._seen = False
            self.time_window.changed.disconnect(self._on_time_changed)
            self.time_window.crosshair_moved.disconnect(self._on_crosshair_moved)
            self.look.changed.disconnect(self._on_shape_changed)
            self._settings.changed.disconnect(self._on_shape_changed)
        if self._pointer is not None:
            self._pointer = None
            self.time_window.point_at(None)
        # Whoever lets go of the button now does so over another screen.
        self._pressed = None
        self._dragging = False
        self.unsetCursor()
        self._forget()

    def minimumSizeHint(self) -> QSize:
        return QSize(280, round(least_height(self._contents, bool(self._flags))))

    def sizeHint(self) -> QSize:
        least = self.minimumSizeHint()
        return QSize(900, least.height() + 36 * max(1, len(self._contents)))
