"""Scrubber: the whole of a recording on one line, and the playhead to be moved along it."""

from itertools import pairwise

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRectF, QSignalBlocker, QSize, Qt
from PySide6.QtGui import (
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPainterPath,
    QPaintEvent,
    QPixmap,
    QWheelEvent,
)
from PySide6.QtWidgets import QSizePolicy, QSlider, QToolTip

from gpuexplorer.core.axes import time_ticks
from gpuexplorer.core.words import tr
from gpuexplorer.gui.event_loop import guarded
from gpuexplorer.gui.paint.drawing import CHIP_RADIUS, Drawing, Run
from gpuexplorer.gui.recording.outline import Outline
from gpuexplorer.gui.recording.scrubber_marks import SPOT, Mark
from gpuexplorer.gui.recording.words import moment_said
from gpuexplorer.gui.state.replay_state import ReplayState
from gpuexplorer.gui.state.time_window import TimeWindow
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Tone, faded

_HEIGHT, _MARGIN = 52, 8.0
_TOP, _FLOOR, _MARKS, _WORDS = 4.0, 26.0, 38.0, 49.0
_TENTHS = 10  # of a second: 30 days of them are a slider's whole number
_STEPS, _PAGES, _WHEEL = 500, 20, 100  # over the whole span
_TICK = 110  # pixels from one word to the next
_LOUD, _QUIET = 9.0, 5.0
_NEAR = 6.0  # pixels at which a click means the mark


class Scrubber(QSlider):
    """A slider to keyboard and screen readers. What stands still is drawn once."""

    def __init__(self, replay: ReplayState, time_window: TimeWindow) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        self.look = look()
        self._replay, self._time_window = replay, time_window
        self._outline: Outline | None = None
        self._marks: dict[int, Mark] = {}
        self._still: QPixmap | None = None
        self._still_of: object = None
        self._pointed: float | None = None
        self.setRange(0, max(1, round(replay.seconds * _TENTHS)))
        self.setSingleStep(max(_TENTHS, self.maximum() // _STEPS))
        self.setPageStep(max(_TENTHS, self.maximum() // _PAGES))
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(tr("Moment of the recording"))
        self.valueChanged.connect(lambda value: replay.seek(replay.began + value / _TENTHS))
        replay.moved.connect(self._on_moved)
        time_window.changed.connect(self.update)
        look().changed.connect(self._on_look_changed)
        self._on_moved()

    @property
    def outlined(self) -> bool:
        return self._outline is not None

    def show_outline(self, outline: Outline) -> None:
        self._outline = outline
        self._still = None
        self.update()

    def told_at(self, x: float) -> str:
        """What a person is told who points there."""
        mark, outline = self._mark_at(x), self._outline
        at = self._moment(x)
        if mark is None or outline is None:
            said = moment_said(self._replay.wall(at))
            if outline is not None and outline.marks.cut and at < outline.marks.began:
                said = f"{said}\n{tr('Of so many events only the newest are listed.')}"
            return said
        moment = moment_said(self._replay.wall(outline.marks.worst(mark).at))
        return "\n".join([moment, *outline.marks.sentences(mark)])

    def draw(self, drawing: Drawing) -> None:
        drawing.painter.drawPixmap(0, 0, self._drawn_still())
        self._draw_stretch(drawing)
        if self._pointed is not None and self.isEnabled():
            x = round(self._x(self._moment(self._pointed)))
            line = QRectF(x, _TOP, 1, _MARKS - _TOP)
            drawing.painter.fillRect(line, faded(drawing.theme.text, 0.4))
        self._draw_playhead(drawing)
        if self.hasFocus():
            drawing.focus_ring(QRectF(self.rect()), CHIP_RADIUS)

    def _draw_playhead(self, drawing: Drawing) -> None:
        x = round(self._x(self._replay.at))
        drawing.painter.fillRect(QRectF(x - 1, _TOP, 2, _MARKS - _TOP), drawing.theme.accent)
        knob = QPainterPath(QPointF(x - 6, 0))
        for corner in ((x + 6, 0), (x + 6, 5), (x, 11), (x - 6, 5)):
            knob.lineTo(QPointF(*corner))
        knob.closeSubpath()
        drawing.painter.fillPath(knob, drawing.theme.accent)

    def _draw_stretch(self, drawing: Drawing) -> None:
        """What the plots show, as a bracket."""
        start, end = self._time_window.stretch()
        left, right = round(self._x(start)), round(self._x(end))
        if right - left >= self._width() - 1:
            return  # all of it
        place = QRectF(left, _TOP, max(3.0, right - left), _FLOOR - _TOP)
        theme, painter = drawing.theme, drawing.painter
        painter.fillRect(place, faded(theme.text, 0.1))
        for x, foot in ((place.left(), 1.0), (place.right() - 1, -4.0)):
            painter.fillRect(QRectF(x, _TOP, 1, _FLOOR - _TOP), theme.quiet)
            for y in (_TOP, _FLOOR - 1):
                painter.fillRect(QRectF(x + min(foot, 0.0), y, 5, 1), theme.quiet)

    def _drawn_still(self) -> QPixmap:
        ratio = self.devicePixelRatioF()
        of = (self.size(), ratio)
        if self._still is None or self._still_of != of:
            self._marks = {}
            if self._outline is not None:
                began, seconds = self._replay.began, self._replay.seconds
                self._marks = self._outline.marks.within(began, seconds, self._width())
            self._still_of, self._still = of, QPixmap(self.size() * ratio)
            self._still.setDevicePixelRatio(ratio)
            self._still.fill(Qt.GlobalColor.transparent)
            with QPainter(self._still) as painter:
                self._draw_still(Drawing(painter))
        return self._still

    def _draw_still(self, drawing: Drawing) -> None:
        theme, painter, letters = drawing.theme, drawing.painter, drawing.letters.caption
        replay = self._replay
        runs = [(self._x(each.began), self._x(each.ended)) for each in replay.recording.runs]
        for left, right in runs:
            track = QRectF(left, _TOP, max(1.0, right - left), _FLOOR - _TOP)
            drawing.filled(track, theme.track, 2)
        for (_, left), (right, _) in pairwise(runs):
            if right - left >= 2:
                drawing.no_bar(QRectF(left, _TOP, right - left, _FLOOR - _TOP))
        if self._outline is not None:
            self._draw_outline(drawing, self._outline)
        for mark in self._marks.values():
            high = _QUIET if mark.tone is Tone.QUIET else _LOUD
            wide = 3.0 if mark.several else 2.0
            x = _MARGIN + mark.spot * SPOT + (SPOT - wide) / 2
            painter.fillRect(QRectF(x, _FLOOR + 3, wide, high), theme.tone(mark.tone))
        if self._outline is not None and self._outline.marks.cut:
            first = self._x(self._outline.marks.began)
            drawing.no_bar(QRectF(_MARGIN, _FLOOR + 3, first - _MARGIN, _QUIET))
        offset = replay.wall(replay.ended) - replay.ended
        most = int(self._width() // _TICK)
        ticks = time_ticks(replay.began, replay.ended, offset, most)
        for tick in ticks[:: 1 + len(ticks) // (most + 1)]:  # a day is the longest step
            x = self._x(tick.at)
            painter.fillRect(QRectF(round(x), _FLOOR, 1, 2), theme.faint)
            said = Run(tick.text, letters, theme.faint)
            left = min(max(x - said.width / 2, 0.0), self.width() - said.width)
            drawing.text(left, _WORDS, said)

    def _draw_outline(self, drawing: Drawing, outline: Outline) -> None:
        busy = outline.busy
        wide, high = self._width() / max(1, busy.size), _FLOOR - _TOP - 2
        known = np.flatnonzero(~np.isnan(busy))
        drawing.painter.setPen(Qt.PenStyle.NoPen)
        drawing.painter.setBrush(faded(drawing.theme.quiet, 0.5))
        for part in np.split(known, np.flatnonzero(np.diff(known) > 1) + 1):
            if not part.size:
                continue
            left, right = _MARGIN + part[0] * wide, _MARGIN + (part[-1] + 1) * wide
            # A hair of an idle card stays visible: it was read.
            up = _FLOOR - np.maximum(1.0, busy[part] * high)
            tops = zip((_MARGIN + (part + 0.5) * wide).tolist(), up.tolist(), strict=True)
            edge = [(left, up[0]), *tops, (right, up[-1]), (right, _FLOOR), (left, _FLOOR)]
            drawing.painter.drawPolygon([QPointF(x, y) for x, y in edge])

    def _width(self) -> float:
        return max(1.0, self.width() - 2 * _MARGIN)

    def _x(self, at: float) -> float:
        share = (
            (at - self._replay.began) / self._replay.seconds if self._replay.seconds else 1.0
        )
        return _MARGIN + min(1.0, max(0.0, share)) * self._width()

    def _moment(self, x: float) -> float:
        share = min(1.0, max(0.0, (x - _MARGIN) / self._width()))
        return self._replay.began + share * self._replay.seconds

    def _mark_at(self, x: float) -> Mark | None:
        here = [
            (abs(_MARGIN + (spot + 0.5) * SPOT - x), spot)
            for spot in range(int((x - _MARGIN) // SPOT) - 1, int((x - _MARGIN) // SPOT) + 2)
            if spot in self._marks
        ]
        return self._marks[min(here)[1]] if here and min(here)[0] <= _NEAR else None

    def _on_moved(self) -> None:
        at = self._replay.at
        with QSignalBlocker(self):
            self.setValue(round((at - self._replay.began) * _TENTHS))
        self.setAccessibleDescription(moment_said(self._replay.wall(at)))
        self.update()

    def _on_look_changed(self) -> None:
        self._still = None
        self.update()

    @guarded
    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() is not Qt.MouseButton.LeftButton:
            return
        at = event.position()
        mark = self._mark_at(at.x()) if at.y() > _FLOOR else None
        if mark is None or self._outline is None:
            self._replay.seek(self._moment(at.x()))
        else:
            self._replay.seek(self._outline.marks.worst(mark).at)

    @guarded
    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._pointed = event.position().x()
        if event.buttons() & Qt.MouseButton.LeftButton:
            self._replay.seek(self._moment(self._pointed))
        self.update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        event.accept()

    def leaveEvent(self, event: QEvent) -> None:
        self._pointed = None
        self.update()

    @guarded
    def wheelEvent(self, event: QWheelEvent) -> None:
        turned = event.angleDelta().y() or event.angleDelta().x()
        step = self._replay.seconds / _WHEEL * turned / 120
        self._replay.seek(self._replay.at - step)
        event.accept()

    @guarded
    def keyPressEvent(self, event: QKeyEvent) -> None:
        # PgUp goes back in time, as on the plots.
        pages = {
            Qt.Key.Key_PageUp: self.SliderAction.SliderPageStepSub,
            Qt.Key.Key_PageDown: self.SliderAction.SliderPageStepAdd,
        }
        if event.key() in pages:
            self.triggerAction(pages[Qt.Key(event.key())])
        else:
            super().keyPressEvent(event)

    @guarded
    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() is QEvent.Type.ToolTip:
            QToolTip.showText(event.globalPos(), self.told_at(event.pos().x()), self)
            return True
        return super().event(event)

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            self.draw(Drawing(painter, dirty=event.region()))

    def sizeHint(self) -> QSize:
        return QSize(480, _HEIGHT)

    def minimumSizeHint(self) -> QSize:
        return QSize(160, _HEIGHT)
