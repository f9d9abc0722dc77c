"""PlotCanvas: plots over the shared stretch of time, moved by mouse, wheel, touch and keys."""

from collections.abc import Sequence

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

from gpuexplorer.core.axes import moment_word, time_ticks
from gpuexplorer.core.words import tr
from gpuexplorer.gui.paint.drawing import Drawing
from gpuexplorer.gui.plots.content import (
    AXIS,
    HEADROOM,
    Flag,
    Layout,
    Place,
    PlotContent,
    Stretch,
    lay_out,
    least_height,
)
from gpuexplorer.gui.plots.curves import Curve, TraceItem, columns_for
from gpuexplorer.gui.plots.flags import draw_flags, draw_poles, with_marked
from gpuexplorer.gui.plots.graph import Axis, Graph, PageWheel
from gpuexplorer.gui.plots.labels import (
    draw_behind,
    draw_values,
    draw_words,
    in_words,
    moment,
    words_at,
)
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.gui.state.time_window import LONGEST_SPAN, TimeWindow
from gpuexplorer.gui.theme.palette import faded

ZOOM = 1.25  # for one notch of a wheel, or one key
_NOTCH = 120
_LEAF = 0.8  # of what is seen: how far Page Up goes back
_STEP, _LONG_STEP = 2, 20  # pixels: how far an arrow key moves the crosshair
_DRAG = 4  # pixels: less is a click
_MARGIN = 4
_PER_TICK = 70.0  # pixels
_BEHIND = 0.7  # what lines are compared with
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
        self.contents: tuple[PlotContent, ...] = ()
        self.flags: tuple[Flag, ...] = ()
        self._layout: Layout | None = None
        self._plots: list[_Plot] = []
        self._foot = QRectF()
        self._axis = Axis("bottom", lines=False)
        self._axis.setZValue(5)
        self._axis.setHeight(AXIS)
        self.scene().addItem(self._axis)
        # Over the hairlines of axes and below the curves, and over these.
        self._under = self.add_sheet(self._draw_under, -150)
        self._over = self.add_sheet(self._draw_over, 1)
        self._page = PageWheel(self)
        self._page.moved.connect(self._on_page_moved)
        # Whoever fills it may do so before this comes: then it is laid out once.
        self._later = QTimer(self)
        self._later.setSingleShot(True)
        self._later.timeout.connect(self._arrange)
        self._current = 0
        self._by_keyboard = False
        self._pointer: float | None = None
        # Where it was taken by a hand, and what was shown then.
        self._held: tuple[float, tuple[float, float]] | None = None
        self._dragging = False
        self._seen = False
        self._pointing = True  # but not while a picture is taken
        # What changed is painted together, in one frame of the window.
        self.setViewportUpdateMode(self.ViewportUpdateMode.NoViewportUpdate)
        self.viewport().grabGesture(Qt.GestureType.PinchGesture)

    @property
    def current(self) -> str:
        """The name of the plot that keys and menus act on."""
        return self.contents[self._at_current()].name if self.contents else ""

    def show_contents(
        self, contents: Sequence[PlotContent], flags: Sequence[Flag] = ()
    ) -> None:
        """Of the stretch of the time window, in `columns` columns."""
        before = self.minimumSizeHint()
        self.contents, self.flags = tuple(contents), tuple(flags)
        if self.minimumSizeHint() != before:
            self.updateGeometry()
        self._arrange()
        titles = ", ".join(content.title for content in self.contents)
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

    def words_at_crosshair(self) -> str:
        """The values at the moment that is pointed at."""
        at = self.time_window.crosshair
        return "" if at is None else words_at(self.layout_now(), at)

    def layout_now(self) -> Layout:
        """Where everything stands."""
        if self._layout is None or self._later.isActive():
            self._arrange()
        assert self._layout is not None
        return self._layout

    def draw_into(self, painter: QPainter, place: QRectF) -> None:
        """As it is seen, without what points into it."""
        self._arrange(place.size().toSize())
        self._pointing = False
        painter.setBrush(Qt.BrushStyle.NoBrush)  # a view outlines itself with what there is
        self._show_times()
        self.scene().render(painter, place, QRectF(QPointF(0, 0), place.size()))
        self._pointing = True
        self._arrange()

    def dress(self) -> None:
        self._later.start()

    def fill(self) -> None:
        self._arrange()

    def _arrange(self, size: QSize | None = None) -> None:
        """Put everything in its place."""
        self._later.stop()
        window, before = self.time_window, self._layout
        stretch = Stretch(*window.stretch(), window.following, window.wall(0.0), window.began)
        whole = QRectF(QPointF(0, 0), size or self.size())
        plots = before.plots if before and self._dragging else ()
        same = [_whose(plot.content) for plot in plots] == list(map(_whose, self.contents))
        layout = self._layout = lay_out(
            whole.adjusted(_MARGIN, 0, -_MARGIN, 0),
            self.contents,
            with_marked(self.flags, window.marked),
            stretch,
            self._settings.choices.units,
            self.look.letters,
            [plot.scale for plot in plots] if same else [],
        )
        while len(self._plots) < len(layout.plots):
            self._plots.append(_Plot(self))
            self._axis.linkToView(self._plots[0].view)
        for at, plot in enumerate(self._plots):
            plot.show(layout, layout.plots[at] if at < len(layout.plots) else None)
        self._under.put(whole)
        self._over.put(whole)
        self._put_foot(size)
        self._show_times()
        # Views know where they are before they are painted, and so are painted once.
        self.scene().prepareForPaint()
        self.viewport().update()

    def _put_foot(self, size: QSize | None = None) -> None:
        """The flags and the axis of time are in view, though the plots' end may not be."""
        layout = self._layout
        if layout is None:
            return
        seen = QRectF() if size else QRectF(self.viewport().visibleRegion().boundingRect())
        whole = size or self.size()
        bottom = float(whole.height()) if seen.isEmpty() else seen.bottom()
        self._foot = QRectF(layout.foot)
        if layout.plots:
            first = layout.plots[0].area.bottom()
            self._foot.moveTop(min(self._foot.top(), max(first, bottom - self._foot.height())))
        area = layout.area
        self._axis.setGeometry(
            QRectF(area.left(), self._foot.bottom() - AXIS, area.width(), AXIS)
        )

    def _show_times(self) -> None:
        """The moment pointed at, how the axis ends, and what is between, as far as it fits."""
        layout = self.layout_now()
        stretch, at = layout.stretch, self.time_window.crosshair if self._pointing else None
        end = stretch.end + stretch.offset
        ticks = [] if at is None else [(at, moment(stretch, at))]
        ticks.append((stretch.end, tr("now") if stretch.following else moment_word(end, end)))
        most = max(1, int(layout.area.width() / _PER_TICK))
        times = time_ticks(stretch.start, stretch.end, stretch.offset, most)
        ticks += [(each.at, each.text) for each in times]
        self._axis.show_ticks(ticks if layout.plots else [], at)
        self.viewport().update()

    def _draw_under(self, drawing: Drawing) -> None:
        layout = self.layout_now()
        draw_behind(drawing, layout)
        draw_poles(drawing, layout)

    def _draw_over(self, drawing: Drawing) -> None:
        layout, window, theme = self.layout_now(), self.time_window, drawing.theme
        draw_words(drawing, layout)
        marked = None if window.marked is None else window.marked.at
        crosshair = window.crosshair if self._pointing else None
        stretch, area = layout.stretch, layout.area
        for at, ink in (
            (window.playhead, theme.accent),
            (marked, theme.accent),
            (crosshair, theme.quiet),
        ):
            if at is not None and stretch.start <= at <= stretch.end and layout.plots:
                place = QRectF(int(layout.x(at)), area.top(), 1, area.height())
                drawing.painter.fillRect(place, ink)
                if at == crosshair:
                    draw_values(drawing, layout, at)
        floats = self._foot.top() < layout.foot.top()
        back = self._foot.adjusted(0, 3, 0, 0)
        if not floats:
            back.setRight(area.right() + 2)  # the last labels reach into it
        drawing.painter.fillRect(back, theme.surface)
        if floats:
            drawing.hairline(layout.left, layout.right, back.top())
        draw_flags(drawing, layout, self._foot, window.marked)
        if self._pointing and self.hasFocus() and self._by_keyboard and layout.plots:
            drawing.focus_ring(self._ring(layout, layout.plots[self._at_current()]), radius=6)

    def _ring(self, layout: Layout, chosen: Place) -> QRectF:
        """Around the plot that the keys act on."""
        top = chosen.top if layout.compact else chosen.top - HEADROOM - 6
        bottom = layout.foot.bottom() if layout.compact else chosen.area.bottom() + 4
        return QRectF(layout.left - 4, top, layout.right - layout.left + 8, bottom - top)

    def _at_current(self) -> int:
        return min(self._current, len(self.contents) - 1)

    def _describe(self) -> None:
        said = in_words(self.layout_now())
        at = self.words_at_crosshair() if self._by_keyboard else ""
        self.setAccessibleDescription(f"{at}. {said}" if at else said)

    def _share(self, x: float) -> float:
        area = self.layout_now().area
        return (x - area.left()) / max(1.0, area.width())

    def _point(self, x: float | None) -> None:
        layout = self.layout_now()
        if x is None or not layout.plots or not 0 <= self._share(x) <= 1:
            self.time_window.point_at(None)
            return
        start, end = layout.stretch.start, layout.stretch.end
        self.time_window.point_at(start + self._share(x) * (end - start))

    def _choose(self, at: int | None) -> None:
        if at is not None:
            self._current = min(max(0, at), max(0, len(self.contents) - 1))
            self.viewport().update()

    def _move(self, spans: float) -> None:
        """Forward by so many times the stretch, or back."""
        start, end = self.time_window.stretch()
        seconds = spans * (end - start)
        self.time_window.look_at(start + seconds, end + seconds)

    def _step_crosshair(self, pixels: int) -> None:
        layout = self.layout_now()
        at, area, stretch = self.time_window.crosshair, layout.area, layout.stretch
        if not layout.plots:
            return
        x = area.right() - 1 if pixels < 0 else area.left()
        if at is not None and stretch.start <= at <= stretch.end:
            x = layout.x(at) + pixels
        self._pointer = None
        self._point(min(max(x, area.left()), area.right()))
        self._describe()

    def _pressed_key(self, event: QKeyEvent) -> bool:
        key, window = Qt.Key, self.time_window
        shift = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        step = _LONG_STEP if shift else _STEP
        at = window.crosshair
        around = None if at is None else self.layout_now().stretch.share(at)
        match event.key():
            case key.Key_Left:
                self._step_crosshair(-step)
            case key.Key_Right:
                self._step_crosshair(step)
            case key.Key_Up:
                self._choose(self._current - 1)
            case key.Key_Down:
                self._choose(self._current + 1)
            case key.Key_Plus | key.Key_Equal:
                window.zoom(1 / ZOOM, around)
            case key.Key_Minus:
                window.zoom(ZOOM, around)
            case key.Key_PageUp:
                self._move(-_LEAF)
            case key.Key_PageDown:
                self._move(_LEAF)
            case key.Key_Home:  # as far back as is kept
                start, end = window.stretch()
                window.look_at(start - LONGEST_SPAN, end - LONGEST_SPAN)
            case key.Key_End:
                window.back_to_now()
            case key.Key_Return | key.Key_Enter:
                self.full_screen_asked.emit(self.current)
            case key.Key_Escape if self._pointer is None and at is not None:
                window.point_at(None)
                self._describe()
            case _:
                return False
        self.viewport().update()
        return True

    def _let_go(self) -> None:
        """A drag is over, wherever the button is released."""
        self._held = None
        if self._dragging:
            self._dragging = False
            self.unsetCursor()
            self._later.start()  # scales may change again

    def _on_page_moved(self) -> None:
        self._put_foot()
        self.viewport().update()

    def _on_marked_changed(self) -> None:
        self.updateGeometry()
        self._later.start()

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
        x, y = event.position().x(), event.position().y()
        self._choose(self.layout_now().plot_at(y))
        if event.button() is Qt.MouseButton.LeftButton and 0 <= self._share(x) <= 1:
            self._held = x, self.time_window.stretch()
        event.accept()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        x = event.position().x()
        if self._held is not None:
            held, (start, end) = self._held
            if not self._dragging and abs(x - held) >= _DRAG:
                self._dragging, self._pointer = True, None
                self.setCursor(Qt.CursorShape.ClosedHandCursor)
                self.time_window.point_at(None)
            if self._dragging:
                seconds = (self._share(x) - self._share(held)) * (end - start)
                self.time_window.look_at(start - seconds, end - seconds)
        elif not event.buttons():
            self._pointer = x
            self._point(x)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self._dragging:
            self._pointer = event.position().x()
            self._let_go()
            self._point(self._pointer)
        self._held = None
        event.accept()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        at = self.layout_now().plot_at(event.position().y())
        alone = len(self.contents) == 1
        if event.button() is Qt.MouseButton.LeftButton and (alone or at is not None):
            self.full_screen_asked.emit(self.contents[at or 0].name)

    def wheelEvent(self, event: QWheelEvent) -> None:
        at = event.position()
        share, turned = self._share(at.x()), event.angleDelta()
        plots = self.layout_now().plots
        if self._page.holds(event) or not plots or not 0 <= share <= 1 or at.y() < plots[0].top:
            event.ignore()
            return
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier or not turned.y():
            self._move(-(turned.x() or turned.y()) / _NOTCH / 8)
        else:
            self.time_window.zoom(ZOOM ** (-turned.y() / _NOTCH), share)
        self._pointer = at.x()
        self._point(at.x())
        event.accept()

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._pointer = None
        self.time_window.point_at(None)

    def focusInEvent(self, event: QFocusEvent) -> None:
        self._by_keyboard = event.reason() in _BY_KEYS
        super().focusInEvent(event)
        self.viewport().update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        if self._pointer is None:
            self.time_window.point_at(None)
        self.viewport().update()

    def paintEvent(self, event: QPaintEvent) -> None:
        self.layout_now()
        super().paintEvent(event)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if not self._seen:
            self._seen = True
            self.time_window.changed.connect(self._later.start)
            self.time_window.crosshair_moved.connect(self._show_times)
            self.time_window.marked_changed.connect(self._on_marked_changed)
            self._settings.changed.connect(self._later.start)
            self._later.start()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        if self._seen:
            self._seen = False
            self.time_window.changed.disconnect(self._later.start)
            self.time_window.crosshair_moved.disconnect(self._show_times)
            self.time_window.marked_changed.disconnect(self._on_marked_changed)
            self._settings.changed.disconnect(self._later.start)
        if self._pointer is not None:
            self._pointer = None
            self.time_window.point_at(None)
        self._let_go()
        self._later.stop()
        self._layout = None

    def minimumSizeHint(self) -> QSize:
        flags = with_marked(self.flags, self.time_window.marked)
        return QSize(280, round(least_height(self.contents, bool(flags))))

    def sizeHint(self) -> QSize:
        least = self.minimumSizeHint()
        return QSize(900, least.height() + 36 * max(1, len(self.contents)))


class _Plot:
    """One view with its axis; shows the content of one place after another."""

    def __init__(self, graph: Graph) -> None:
        self.view = graph.new_view()
        # What lies in it keeps to it by itself.
        self.view.setFlag(self.view.GraphicsItemFlag.ItemClipsChildrenToShape, enabled=False)
        self._look = graph.look
        self._axis = Axis("left")
        self._traces = TraceItem()
        self.view.addItem(self._traces, ignoreBounds=True)
        for item in (self.view, self._axis):
            graph.scene().addItem(item)
        self._axis.linkToView(self.view)

    def show(self, layout: Layout, place: Place | None) -> None:
        """Hidden where there is none."""
        self.view.setVisible(place is not None)
        self._axis.setVisible(place is not None)
        if place is None:
            return
        view, stretch, scale = place.view, layout.stretch, place.scale
        beside = QRectF(layout.left, view.top(), view.left() - layout.left, view.height())
        self._axis.setWidth(beside.width())
        self._axis.setGeometry(beside)
        self.view.setGeometry(view)
        # Each by itself: links work out where on the screen the others are, at each move.
        seen = (stretch.start, stretch.end)
        self.view.setRange(xRange=seen, yRange=place.reach, padding=0, disableAutoRange=False)
        floor = (scale.lowest, scale.number(scale.lowest) if scale.lowest else "")
        self._axis.show_ticks([] if place.empty else [*scale.ticks, floor])
        lines, card = place.content.lines, self._look.theme.card
        filled = len(lines) == 1 and scale.lowest == 0
        bare = [(band.start, band.end) for band in place.content.bands] if filled else []
        behind = [
            Curve(line.beside, faded(card(line.colour), _BEHIND), behind=True)
            for line in lines
            if line.beside is not None
        ]
        self._traces.show_curves(
            [Curve(each.trace, card(each.colour), filled, each.dash, bare) for each in lines]
            + behind
        )


def _whose(content: PlotContent) -> tuple[object, ...]:
    """Another card or metric has a scale of its own."""
    return content.name, content.unit, *[(line.card, line.metric.id) for line in content.lines]
