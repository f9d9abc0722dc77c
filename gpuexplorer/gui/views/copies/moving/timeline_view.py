"""TimelineView: the timeline as it is seen, dragged, zoomed and walked through."""

from collections.abc import Callable, Mapping, Sequence

from PySide6.QtCore import QEvent, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPixmap,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from gpuexplorer.copies.lab_copies import CopyBook
from gpuexplorer.copies.lane import Bar
from gpuexplorer.copies.timeline import Timeline, Track
from gpuexplorer.core.units import duration
from gpuexplorer.core.words import tr
from gpuexplorer.gui.paint.drawing import Drawing, Run
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.views.copies.moving.timeline_drawing import (
    Scene,
    draw_scene,
    draw_session,
    draw_window,
)
from gpuexplorer.gui.views.copies.moving.timeline_rows import (
    GUTTER,
    RIGHT,
    ROW,
    STRIP,
    TimelineRow,
    height_of,
    rows_of,
)
from gpuexplorer.gui.widgets.painted import Painted
from gpuexplorer.gui.wording.copies.moving.time_frame import TimeFrame, all_of
from gpuexplorer.gui.wording.copies.moving.timeline_words import hint
from gpuexplorer.gui.wording.lab.bench_device import BenchDevice

_NOTCH = 120.0  # of a wheel, in Qt's units
_ZOOM = 1.35  # for a notch
_STEP, _FAR = 0.01, 0.25  # of the frame
_REACH = 2.0  # pixels beside a stretch that still mean it
_LABEL = 18.0


class TimelineView(Painted):
    """Who decides what is seen is told, and answers by `show_frame` and `show_playhead`."""

    scrubbed = Signal(float)  # to this moment of the axis
    framed = Signal(object)  # a TimeFrame that somebody wants to see
    picked = Signal(int)  # a copy's number in the book

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self._timeline, self._book = Timeline(), CopyBook()
        self._devices: Mapping[str, BenchDevice] = {}
        self._rows: Sequence[TimelineRow] = ()
        self._frame = all_of(0.0)
        self._playhead: float | None = None
        self._picture: QPixmap | None = None
        self._session: QPixmap | None = None
        self._dragged = ""
        self._from = (0.0, self._frame)
        look.changed.connect(self._on_look_changed)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(tr("Timeline"))

    @property
    def frame(self) -> TimeFrame:
        return self._frame

    @property
    def playhead(self) -> float | None:
        return self._playhead

    def show_session(
        self, timeline: Timeline, book: CopyBook, devices: Mapping[str, BenchDevice]
    ) -> None:
        """Again, after it became longer."""
        self._timeline, self._book, self._devices = timeline, book, devices
        rows = rows_of(timeline)
        if rows != self._rows:
            self._rows = rows
            self.setFixedHeight(height_of(rows))
        self._session = None
        self.forget_picture()

    def show_frame(self, frame: TimeFrame) -> None:
        if frame != self._frame:
            self._frame = frame
            self.setAccessibleDescription(
                tr(
                    "{span} from {begin} are seen",
                    span=duration(frame.span),
                    begin=duration(frame.begin),
                )
            )
            self.forget_picture()

    def show_playhead(self, moment: float | None) -> None:
        if moment != self._playhead:
            before = self._playhead_place()
            self._playhead = moment
            for place in (before, self._playhead_place()):
                self.update(place)

    def forget_picture(self) -> None:
        self._picture = None
        self.update()

    def bar_at(self, position: QPointF) -> tuple[Track, Bar] | None:
        """What is drawn there."""
        if position.x() < GUTTER:
            return None
        scene = self._scene()
        moment = scene.moment_at(position.x())
        near = _REACH / scene.across * scene.frame.span
        for row in self._rows:
            if not row.top <= position.y() < row.top + ROW:
                continue
            for track in row.tracks:
                for at in (moment, moment - near, moment + near):
                    found = self._timeline.at(track, at)
                    if found is not None:
                        return track, found[0]
        return None

    def draw(self, drawing: Drawing) -> None:
        scene = self._scene()
        if self._picture is None:
            self._picture = self._drawn(draw_scene, scene, self.height())
        if self._session is None:
            self._session = self._drawn(draw_session, scene, STRIP)
        drawing.painter.drawPixmap(0, 0, self._picture)
        drawing.painter.drawPixmap(0, 0, self._session)
        draw_window(drawing, scene)
        self._draw_playhead(drawing)
        if self.hasFocus():
            drawing.focus_ring(QRectF(self.rect()), 6)

    def _drawn(
        self, draw: Callable[[Drawing, Scene], None], scene: Scene, height: int
    ) -> QPixmap:
        """Kept until something else is to be seen: a moving playhead must cost little."""
        ratio = self.devicePixelRatioF()
        picture = QPixmap(round(self.width() * ratio), round(height * ratio))
        picture.setDevicePixelRatio(ratio)
        picture.fill(self.look.theme.surface)
        with QPainter(picture) as painter:
            draw(Drawing(painter, self.look), scene)
        return picture

    def _draw_playhead(self, drawing: Drawing) -> None:
        if self._playhead is None:
            return
        scene, theme = self._scene(), drawing.theme
        share = scene.frame.share_of(self._playhead)
        if not -0.001 <= share <= 1.001:
            return
        x = scene.x_of(self._playhead)
        painter, letters = drawing.painter, drawing.letters.badge
        painter.fillRect(QRectF(round(x) - 1, STRIP + 4, 2, self.height()), theme.text)
        words = str(duration(max(0.0, self._playhead - scene.frame.begin)))
        wide = letters.width(words) + 14
        left = min(max(x - wide / 2, GUTTER - 20), self.width() - wide - 1)
        place = QRectF(left, STRIP, wide, _LABEL)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.text)
        painter.drawRoundedRect(place, 4, 4)
        baseline = place.center().y() + letters.cap_height / 2
        drawing.text(left + 7, baseline, Run(words, letters, theme.ground))

    def _playhead_place(self) -> QRect:
        if self._playhead is None:
            return QRect()
        x = self._scene().x_of(self._playhead)
        return QRect(round(x) - 80, STRIP - 1, 160, self.height())

    def _scene(self) -> Scene:
        return Scene(
            self._timeline,
            self._book,
            self._rows,
            self._devices,
            self._frame,
            float(self.width()),
            float(self.height()),
        )

    def _zoom(self, factor: float, at: float) -> None:
        self.framed.emit(self._frame.zoomed(factor, at))

    def _scrub_to(self, x: float) -> None:
        frame = self._frame
        share = min(1.0, max(0.0, frame.share_of(self._scene().moment_at(x))))
        self.scrubbed.emit(frame.at(share))

    def _go_to(self, moment: float) -> None:
        frame = self._frame
        moment = min(frame.whole, max(0.0, moment))
        shown = frame.holding(moment)
        if shown != frame:
            self.framed.emit(shown)
        self.scrubbed.emit(moment)

    def _centre_on(self, x: float) -> None:
        """In the strip of the whole session."""
        share = (x - GUTTER) / self._scene().across
        moment = share * self._frame.whole
        self.framed.emit(self._frame.moved(moment - self._frame.begin - self._frame.span / 2))

    def _on_look_changed(self) -> None:
        self._session = None
        self.forget_picture()

    def sizeHint(self) -> QSize:
        return QSize(GUTTER + RIGHT + 400, height_of(self._rows))

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() is QEvent.Type.ToolTip:
            found = self.bar_at(QPointF(event.pos()))
            if found is None:
                QToolTip.hideText()
            else:
                words = hint(self._timeline, self._book, *found)
                QToolTip.showText(event.globalPos(), words, self)
            return True
        return super().event(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._session = None
        self.forget_picture()

    def wheelEvent(self, event: QWheelEvent) -> None:
        turned, aside = event.angleDelta().y(), event.angleDelta().x()
        modifiers = event.modifiers()
        if modifiers & Qt.KeyboardModifier.ShiftModifier and not aside:
            turned, aside = 0, turned
        if aside:
            self.framed.emit(self._frame.moved(-aside / _NOTCH * self._frame.span / 8))
        elif turned and event.position().x() >= GUTTER:
            at = self._scene().moment_at(event.position().x())
            self._zoom(_ZOOM ** (turned / _NOTCH), at)
        else:
            event.ignore()  # over the names it scrolls what is around
            return
        event.accept()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        position = event.position()
        if event.button() is not Qt.MouseButton.LeftButton or position.x() < GUTTER - 4:
            super().mousePressEvent(event)
            return
        if position.y() < STRIP:
            self._dragged = "strip"
            self._centre_on(position.x())
            return
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self._dragged, self._from = "frame", (position.x(), self._frame)
            return
        self._dragged = "playhead"
        found = self.bar_at(position)
        row = None if found is None else self._timeline.item(found[0], found[1].item).row
        if row is not None:
            self.picked.emit(row)
        self._scrub_to(position.x())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        x = event.position().x()
        match self._dragged:
            case "strip":
                self._centre_on(x)
            case "playhead":
                self._scrub_to(x)
            case "frame":
                begin, frame = self._from
                self.framed.emit(frame.moved((begin - x) / self._scene().across * frame.span))
            case _:
                super().mouseMoveEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._dragged = ""
        super().mouseReleaseEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        frame = self._frame
        at = self._playhead if self._playhead is not None else frame.at(0.5)
        far = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        seen = at if frame.begin <= at <= frame.end else frame.at(0.5)
        match event.key():
            case Qt.Key.Key_Left | Qt.Key.Key_Right if far:
                step = _FAR if event.key() == Qt.Key.Key_Right else -_FAR
                self.framed.emit(frame.moved(step * frame.span))
            case Qt.Key.Key_Left:
                self._go_to(at - _STEP * frame.span)
            case Qt.Key.Key_Right:
                self._go_to(at + _STEP * frame.span)
            case Qt.Key.Key_Plus | Qt.Key.Key_Equal:
                self._zoom(_ZOOM, seen)
            case Qt.Key.Key_Minus:
                self._zoom(1 / _ZOOM, seen)
            case Qt.Key.Key_Home:
                self._go_to(0.0)
            case Qt.Key.Key_End:
                self._go_to(frame.whole)
            case _:
                super().keyPressEvent(event)
