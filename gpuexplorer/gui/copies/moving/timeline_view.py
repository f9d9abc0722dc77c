"""TimelineView: the lanes of the engines over one axis of time, and the session below them."""

import math
from collections.abc import Callable, Mapping, Sequence

import pyqtgraph as pg
from pyqtgraph.GraphicsScene.mouseEvents import MouseClickEvent, MouseDragEvent
from PySide6.QtCore import QEvent, QPointF, QRectF, QSignalBlocker, QSize, Qt, QTimer, Signal
from PySide6.QtGui import (
    QFocusEvent,
    QHelpEvent,
    QHideEvent,
    QKeyEvent,
    QPen,
    QWheelEvent,
)
from PySide6.QtWidgets import QGraphicsItem, QScrollBar, QSizePolicy, QToolTip

from gpuexplorer.copies.copy_book import CopyBook
from gpuexplorer.copies.timeline import Bar, Timeline, Track
from gpuexplorer.core.units import duration
from gpuexplorer.core.words import tr
from gpuexplorer.gui.copies.moving.timeline_bars import FLAGS, ROW, TimelineBars, height_of
from gpuexplorer.gui.copies.moving.timeline_words import (
    LEAST,
    TimeFrame,
    all_of,
    hint,
    seen_words,
    ticks,
)
from gpuexplorer.gui.paint.drawing import CHIP_RADIUS, Drawing, Run
from gpuexplorer.gui.plots.curves import line_pen
from gpuexplorer.gui.plots.graph import Axis, Graph
from gpuexplorer.gui.state.lab.devices import BenchDevice
from gpuexplorer.gui.theme.palette import faded

_AXIS, _STRIP, _LEFT, _RIGHT = 24, 20, 6, 10
GUTTER, _NARROW_GUTTER, _NARROW = 172, 104, 480  # pixels
_NOTCH = 120.0  # of a wheel, in Qt's units
_ZOOM = 1.35  # for a key; a notch of the wheel does nearly the same
_STEP, _FAR = 0.01, 0.25  # of what is seen
_REACH = 2.0  # pixels beside a bar that still mean it
_PAUSE = 200  # milliseconds without a change, after which it is said what is seen
_UNDER = -101  # a view has -100: lines and regions lie over this
_TICK = 90  # pixels between two of them, at least


class TimelineView(Graph):
    """Time is panned and zoomed by pyqtgraph, never out of the session."""

    scrubbed = Signal(float)  # the playhead, to this moment of the axis
    framed = Signal(object)  # by hand: the TimeFrame that is seen now
    picked = Signal(int)  # a copy's number in the book

    def __init__(self) -> None:
        super().__init__()
        self._bars = TimelineBars()
        self._whole, self._origin, self._origin_words = 0.0, 0.0, ""
        self._ticks: Sequence[tuple[float, str]] = ()
        self.playhead: float | None = None
        self.scroll = QScrollBar(Qt.Orientation.Vertical, self)
        self._axis = _Ruler(self._scrub_to)
        self._axis.setHeight(_AXIS)
        self._strip = self.add_plot()
        self._lanes = self.add_plot(row=2)
        self.grid.addItem(self._axis, 1, 1)
        self._axis.linkToView(self._lanes)
        self._lanes.setMouseEnabled(x=True, y=False)
        self.grid.setContentsMargins(_LEFT, 3, _RIGHT, 0)
        self.grid.layout.setRowFixedHeight(0, _STRIP)
        self._line = pg.InfiniteLine(movable=True)
        self._line.hide()
        self._lanes.addItem(self._line, ignoreBounds=True)
        self._region = pg.LinearRegionItem()
        self._strip.addItem(self._region, ignoreBounds=True)
        for line in (self._line, *self._region.lines):
            line.setCursor(Qt.CursorShape.SizeHorCursor)
        self._drawn = self.add_sheet(self._draw_bars, _UNDER)
        self._session = self.add_sheet(self._draw_session, _UNDER)
        self._names = self.add_sheet(self._draw_names)
        self._moment = self.add_sheet(self._draw_moment, 20)
        self._window = self.add_sheet(self._draw_window)
        self._ring = self.add_sheet(self._draw_ring, 21)
        for sheet in (self._drawn, self._session, self._names):
            # A moving playhead costs no more than itself.
            sheet.setCacheMode(QGraphicsItem.CacheMode.DeviceCoordinateCache)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAccessibleName(tr("Timeline"))
        self._saying = QTimer(self, singleShot=True, interval=_PAUSE)
        self._saying.timeout.connect(self._on_time_to_say)
        self._lanes.sigXRangeChanged.connect(self._on_range_changed)
        self._lanes.sigRangeChangedManually.connect(self._tell_frame)
        self._lanes.sigResized.connect(self._on_resized)
        self._strip.sigResized.connect(self._on_resized)
        self._region.sigRegionChanged.connect(self._on_region_changed)
        self._region.sigRegionChangeFinished.connect(self._on_region_changed)
        self._line.sigDragged.connect(self._on_line_dragged)
        self.scene().sigMouseClicked.connect(self._on_clicked)
        self.scroll.valueChanged.connect(self._on_scrolled)
        self.show_frame(all_of(0.0))
        self.dress()

    @property
    def frame(self) -> TimeFrame:
        begin, end = self._lanes.viewRange()[0]
        return TimeFrame(begin, end, self._whole)

    def show_session(
        self, timeline: Timeline, book: CopyBook, devices: Mapping[str, BenchDevice]
    ) -> None:
        """Again, after it became longer."""
        self._bars.take(timeline, book, devices)
        self._on_resized()

    def show_frame(self, frame: TimeFrame) -> None:
        if frame.whole != self._whole:
            self._whole = frame.whole
            self._lanes.setLimits(xMin=0.0, xMax=frame.whole, minXRange=LEAST)
            self._strip.setXRange(0.0, frame.whole, padding=0)
            self._session.update()
        self._lanes.setXRange(frame.begin, frame.end, padding=0)

    def show_playhead(self, moment: float | None) -> None:
        self.playhead = moment
        self._line.setVisible(moment is not None)
        if moment is not None:
            self._line.setValue(moment)
        self._show_moment()

    def bar_at(self, position: QPointF) -> tuple[Track, Bar] | None:
        """What is drawn there, in the scene."""
        place = self._lanes.sceneBoundingRect()
        if not place.contains(position) or position.y() < place.top() + FLAGS - 2:
            return None
        moment = self._lanes.mapSceneToView(position).x()
        near = _REACH / place.width() * self.frame.span
        y = position.y() - place.top() + self.scroll.value()
        for row in self._bars.rows:
            for track in row.tracks if row.top <= y < row.top + ROW else ():
                for at in (moment, moment - near, moment + near):
                    found = self._bars.timeline.at(track, at)
                    if found is not None:
                        return track, found[0]
        return None

    def dress(self) -> None:
        text, ratio = self.look.theme.text, self.devicePixelRatioF()
        self._line.setPen(line_pen(text, 2, ratio=ratio))
        self._line.setHoverPen(line_pen(text, 4, ratio=ratio))
        self._region.setBrush(faded(text, 0.08))
        self._region.setHoverBrush(faded(text, 0.14))
        for line in self._region.lines:
            # The window is drawn around it.
            line.setPen(line_pen(faded(text, 0), 7, ratio=ratio))
            line.setHoverPen(line_pen(text, 3, ratio=ratio))
        for sheet in (self._drawn, self._session, self._names, self._window, self._moment):
            sheet.update()

    def _draw_bars(self, drawing: Drawing) -> None:
        place = self._lanes.sceneBoundingRect()
        drawing.painter.setClipRect(place)
        place.translate(0, -self.scroll.value())
        self._bars.draw(drawing, place, self.frame, self._ticks)

    def _draw_session(self, drawing: Drawing) -> None:
        place = self._strip.sceneBoundingRect()
        words = tr("Session, {time}", time=duration(self._whole))
        letters = drawing.letters.caption
        baseline = place.center().y() + letters.cap_height / 2
        drawing.text(_LEFT, baseline, Run(words, letters, drawing.theme.quiet))
        self._bars.draw_session(drawing, place, self._whole)

    def _draw_names(self, drawing: Drawing) -> None:
        place = self._lanes.sceneBoundingRect()
        gutter = QRectF(_LEFT, place.top(), place.left() - _LEFT, place.height())
        letters = drawing.letters.caption
        run = Run(self._origin_words, letters, drawing.theme.faint)
        middle = self._axis.sceneBoundingRect().bottom() - 10
        drawing.runs_right(gutter.right() - 10, middle + letters.cap_height / 2, [run])
        drawing.painter.setClipRect(gutter)
        gutter.translate(0, -self.scroll.value())
        self._bars.draw_names(drawing, gutter, self.frame)

    def _draw_moment(self, drawing: Drawing) -> None:
        """The playhead's time, on the axis."""
        letters, theme = drawing.letters.badge, drawing.theme
        place = self._moment.boundingRect()
        drawing.filled(place, theme.text, 4)
        baseline = place.center().y() + letters.cap_height / 2
        drawing.text(place.left() + 7, baseline, Run(self._moment_words, letters, theme.ground))

    def _draw_window(self, drawing: Drawing) -> None:
        """Around what is seen of the session."""
        drawing.painter.setPen(QPen(drawing.theme.text, 1.5))
        place = self._window.boundingRect().adjusted(1, 1, -1, -1)
        drawing.painter.drawRoundedRect(place, CHIP_RADIUS, CHIP_RADIUS)

    def _draw_ring(self, drawing: Drawing) -> None:
        if self.hasFocus():
            drawing.focus_ring(self._ring.boundingRect(), 6)

    @property
    def _moment_words(self) -> str:
        return str(duration(max(0.0, (self.playhead or 0.0) - self._origin)))

    def _show_moment(self) -> None:
        place, frame = self._lanes.sceneBoundingRect(), self.frame
        shown = self.playhead is not None and frame.begin <= self.playhead <= frame.end
        self._moment.setVisible(shown)
        if shown:
            x = self._lanes.mapViewToScene(QPointF(self.playhead or 0.0, 0)).x()
            wide = self.look.letters.badge.width(self._moment_words) + 14
            left = min(max(x - wide / 2, place.left() - 20), self.width() - wide - 1)
            self._moment.put(QRectF(left, place.top() - 21, wide, 18))

    def _on_time_to_say(self) -> None:
        bars = self._bars
        words = seen_words(bars.timeline, bars.book, self.frame, self.playhead)
        self.setAccessibleDescription(words)

    def _scrub_to(self, x: float) -> None:
        """In the scene; no further than what is seen."""
        moment, frame = self._lanes.mapSceneToView(QPointF(x, 0)).x(), self.frame
        self._go_to(min(frame.end, max(frame.begin, moment)))

    def _go_to(self, moment: float) -> None:
        moment = min(self._whole, max(0.0, moment))
        if not self.frame.begin <= moment <= self.frame.end:
            self._centre_on(moment)
        self.scrubbed.emit(moment)
        self._saying.start()

    def _centre_on(self, moment: float) -> None:
        self._move(moment - self.frame.span / 2 - self.frame.begin)

    def _move(self, seconds: float) -> None:
        self._lanes.translateBy(x=seconds)
        self._tell_frame()

    def _zoom(self, factor: float) -> None:
        """The playhead stays where it is, where it is seen."""
        frame, at = self.frame, self.playhead
        if at is None or not frame.begin <= at <= frame.end:
            at = frame.begin + frame.span / 2
        self._lanes.scaleBy(x=1 / factor, center=(at, 0.0))
        self._tell_frame()

    def _tell_frame(self) -> None:
        self.framed.emit(self.frame)

    def _on_range_changed(self) -> None:
        self._lanes.updateMatrix()  # else the hand's next move has the scale of before
        frame = self.frame
        most = max(1, round(self._lanes.width() / _TICK))
        self._origin, self._origin_words, self._ticks = ticks(frame, most)
        self._axis.show_ticks(self._ticks)
        with QSignalBlocker(self._region):
            self._region.setRegion((frame.begin, frame.end))
        self._drawn.update()
        self._names.update()
        strip, scale = self._strip.sceneBoundingRect(), self._strip.width() / self._whole
        left, wide = strip.left() + frame.begin * scale, max(8.0, frame.span * scale)
        left = min(left, strip.right() - wide)
        self._window.put(QRectF(left - 1, strip.top() - 1, wide + 2, strip.height() + 2))
        self._show_moment()
        self._saying.start()

    def _on_region_changed(self) -> None:
        begin, end = self._region.getRegion()
        if not math.isclose(end - begin, self.frame.span, rel_tol=1e-6):
            # One of its ends is dragged; it must not take the other one along.
            begin, end = max(0.0, begin), min(self._whole, end)
        self._lanes.setXRange(begin, end, padding=0)
        self._on_range_changed()  # it may have gone further than time does
        self._tell_frame()

    def _on_line_dragged(self) -> None:
        self._scrub_to(self._lanes.mapViewToScene(QPointF(self._line.value(), 0)).x())

    def _on_clicked(self, event: MouseClickEvent) -> None:
        at = event.scenePos()
        if event.button() is not Qt.MouseButton.LeftButton or at.x() < self._lanes.x() - 4:
            return
        if self._strip.sceneBoundingRect().contains(at):
            self._centre_on(self._strip.mapSceneToView(at).x())
            return
        found = self.bar_at(at)
        row = None if found is None else self._bars.timeline.item(found[0], found[1].item).row
        if row is not None:
            self.picked.emit(row)
        self._scrub_to(at.x())

    def _on_resized(self) -> None:
        gutter = _NARROW_GUTTER if self.width() < _NARROW else GUTTER
        self.grid.layout.setColumnFixedWidth(0, gutter - _LEFT)
        self._strip.updateMatrix()  # else its ends lie where they were until it is painted
        place, strip = self._lanes.sceneBoundingRect(), self._strip.sceneBoundingRect()
        self._drawn.put(place)
        self._session.put(QRectF(0, strip.top(), strip.right(), strip.height()))
        self._names.put(QRectF(0, place.top() - _AXIS, place.left(), place.height() + _AXIS))
        self._ring.put(QRectF(self.rect()))
        most = height_of(self._bars.rows) - round(place.height())
        self.scroll.setRange(0, max(0, most))
        self.scroll.setPageStep(round(place.height()))
        self.scroll.setSingleStep(ROW)
        self.scroll.setVisible(most > 0)
        self._on_range_changed()

    def _on_scrolled(self) -> None:
        self._drawn.update()
        self._names.update()

    def sizeHint(self) -> QSize:
        return QSize(GUTTER + 400, height_of(self._bars.rows) + _AXIS + _STRIP + 3)

    def viewportEvent(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and (found := self.bar_at(QPointF(event.pos()))):
            words = hint(self._bars.timeline, self._bars.book, *found)
            QToolTip.showText(event.globalPos(), words, self)
            return True
        return super().viewportEvent(event)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        # Whoever lets go of the button now does so over another screen.
        scene = self.scene()
        scene.clickEvents, scene.dragButtons, scene.dragItem = [], [], None

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self._ring.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._ring.update()

    def wheelEvent(self, event: QWheelEvent) -> None:
        aside = event.angleDelta().x()
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            aside = aside or event.angleDelta().y()
        if event.position().x() < self._lanes.x():
            self.scroll.wheelEvent(event)
        elif not self.takes(event):
            event.ignore()
        elif aside:
            self._move(-aside / _NOTCH * self.frame.span / 8)
            event.accept()
        else:
            pg.GraphicsView.wheelEvent(self, event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        frame = self.frame
        at = self.playhead if self.playhead is not None else frame.begin + frame.span / 2
        far = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        match event.key():
            case Qt.Key.Key_Left if far:
                self._move(-_FAR * frame.span)
            case Qt.Key.Key_Right if far:
                self._move(_FAR * frame.span)
            case Qt.Key.Key_Left:
                self._go_to(at - _STEP * frame.span)
            case Qt.Key.Key_Right:
                self._go_to(at + _STEP * frame.span)
            case Qt.Key.Key_Plus | Qt.Key.Key_Equal:
                self._zoom(_ZOOM)
            case Qt.Key.Key_Minus:
                self._zoom(1 / _ZOOM)
            case Qt.Key.Key_Home:
                self._go_to(0.0)
            case Qt.Key.Key_End:
                self._go_to(self._whole)
            case Qt.Key.Key_Up | Qt.Key.Key_Down if self.scroll.maximum():
                step = ROW if event.key() == Qt.Key.Key_Down else -ROW
                self.scroll.setValue(self.scroll.value() + step)
            case _:
                super().keyPressEvent(event)


class _Ruler(Axis):
    """The playhead goes where one drags along it."""

    def __init__(self, scrub_to: Callable[[float], None]) -> None:
        super().__init__("top")
        self._scrub_to = scrub_to

    def mouseDragEvent(self, event: MouseDragEvent) -> None:
        event.accept()
        self._scrub_to(event.scenePos().x())
