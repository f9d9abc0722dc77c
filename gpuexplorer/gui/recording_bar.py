"""ReplayBar: plays a recording, and moves through the whole of it with its Scrubber."""

from collections.abc import Sequence
from datetime import datetime
from functools import partial
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, QSignalBlocker, Qt, QTimer, Signal
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent, QPixmap
from PySide6.QtWidgets import QComboBox, QFrame, QSlider

from gpuexplorer.core.axes import day_word, time_ticks
from gpuexplorer.core.harmless import clean
from gpuexplorer.core.metrics import GPU_UTILIZATION
from gpuexplorer.core.units import plain
from gpuexplorer.core.words import tr, trn
from gpuexplorer.gui.cards.reasons import sign
from gpuexplorer.gui.event_loop import guarded
from gpuexplorer.gui.paint.drawing import CHIP_RADIUS, Drawing, Run, plain_tip
from gpuexplorer.gui.state.time_window import TimeWindow
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Tone, faded
from gpuexplorer.gui.widgets.controls.buttons import IconButton
from gpuexplorer.gui.widgets.laid_out import GROWS, column, label, row
from gpuexplorer.gui.widgets.saving import in_a_thread
from gpuexplorer.recording.recorded_session import RecordedSession
from gpuexplorer.recording.recording import MOST_HAPPENINGS, Recording
from gpuexplorer.telemetry.happenings import Happening
from gpuexplorer.telemetry.trace import TraceSource

PLAY_KEYS, NEXT_KEYS, BEFORE_KEYS = "Space", "F9", "F7"
SPEEDS = (1.0, 2.0, 5.0, 10.0, 30.0, 100.0)
_FRAME = 40  # milliseconds
# What happens within this time is one mark to jump to: the cards of one round, say.
_ONE_MARK = 1.0
_COLUMNS = 600  # of the outline
_HEIGHT, _LEAST_WIDTH, _MARGIN = 52, 100, 8
_TOP, _FLOOR, _MARKS, _WORDS = 4, 26, 38, 49
_TENTHS = 10  # of a second: 30 days of them are a slider's whole number
_STEPS, _PAGES = 500, 20  # over the whole span
_SPOT, _TICK = 5, 110  # pixels: of a mark, and from one word to the next
# What is worse lies on top, and is told first.
_TONES = (Tone.QUIET, Tone.GOOD, Tone.WARN, Tone.BAD)
_MOST_TOLD, _LONGEST = 6, 160  # sentences, and letters of one


class Outline(NamedTuple):
    """The busy share of all cards together in columns of equal width over the whole span, NaN
    where no card gave a figure; and what happened, oldest first.
    """

    busy: NDArray[np.float64]
    happenings: Sequence[Happening] = ()

    @property
    def cut(self) -> bool:
        """There were more before: a recording tells only the newest."""
        return len(self.happenings) >= MOST_HAPPENINGS


def outline_of(recording: Recording, past: TraceSource) -> Outline:
    """Reads the file; not for the window's thread."""
    began, ended = recording.began, recording.ended
    middles = began + (np.arange(_COLUMNS) + 0.5) * (ended - began) / _COLUMNS
    total, count = np.zeros(_COLUMNS), np.zeros(_COLUMNS)
    for card in recording.cards():
        trace = past.trace(card.id, GPU_UTILIZATION, began, ended, _COLUMNS)
        if len(trace):
            at = np.searchsorted(trace.times, middles, side="right") - 1
            means = np.where(at >= 0, trace.means[at], np.nan)
            # What was read last says nothing of the time after it.
            means[middles > trace.times[-1] + max(trace.column_seconds, 60.0)] = np.nan
            total += np.nan_to_num(means)
            count += ~np.isnan(means)
    busy = total / np.where(count > 0, count, np.nan)
    return Outline(busy, [each for each in recording.happenings() if each.at >= began])


def day_and_time(wall: float) -> tuple[str, str]:
    """The day with its year, and the time of day."""
    moment = datetime.fromtimestamp(wall).astimezone()
    return tr("{day} {year}", day=day_word(wall), year=moment.year), f"{moment:%H:%M:%S}"


class ReplayBar(QFrame):
    """One for each recording that is shown. While it plays, it shows a frame of it 25 times a
    second: nobody sees more of a playhead.
    """

    def __init__(self, session: RecordedSession, time_window: TimeWindow) -> None:
        super().__init__()
        self.recording, self.playhead = session.recording, session.playhead
        self._speed = SPEEDS[0]
        self._playing: bool | None = None  # as the button says
        began = self.recording.began
        happened = (each.at for each in self.recording.happenings())
        self._stops = [began, *(at for at in happened if at > began), self.recording.ended]
        self._timer = QTimer(self, interval=_FRAME)
        self._timer.timeout.connect(self._show)
        self.setProperty("panel", "banner")
        self.setAccessibleName(tr("Replay"))
        self.before = IconButton(Icon.BEFORE, tr("Event before"), BEFORE_KEYS)
        self.play = IconButton(Icon.PLAY)
        self.after = IconButton(Icon.AFTER, tr("Next event"), NEXT_KEYS)
        self.before.clicked.connect(partial(self._step, -1))
        self.play.clicked.connect(self._on_play_asked)
        self.after.clicked.connect(partial(self._step, 1))
        speed = QComboBox()
        speed.setAccessibleName(tr("Speed"))
        speed.setToolTip(tr("Speed"))
        speed.addItems([tr("{speed}×", speed=plain(each)) for each in SPEEDS])
        speed.activated.connect(self._on_speed_chosen)
        self._time = label("", look().letters.title)
        self._day = label("", look().letters.caption, Tone.QUIET)
        self._scrubber = Scrubber(self.recording, time_window)
        self._scrubber.sought.connect(self.seek)
        buttons = row(self.before, self.play, self.after, speed, gap=2)
        parts = (buttons, self._scrubber, GROWS, column(self._time, self._day, gap=1))
        row(*parts, within=self, gap=12, margins=(20, 6, 24, 4))
        reading = partial(outline_of, self.recording, session.past)
        in_a_thread(reading, self, self._scrubber.show_outline, self.setToolTip)
        self._show()

    def seek(self, at: float) -> None:
        self.playhead.seek(at)
        self._show()

    def stop(self) -> None:
        """Harmless when called twice."""
        self._timer.stop()
        self.playhead.pause()

    def _show(self) -> None:
        at, playing = self.playhead.now(), self.playhead.playing
        day, time = day_and_time(self.playhead.wall())
        self._time.setText(time)
        self._day.setText(day)
        self._scrubber.show_moment(at)
        if playing is not self._playing:
            self._playing = playing
            words = tr("Pause the recording") if playing else tr("Play the recording")
            self.play.show_meaning(Icon.PAUSE if playing else Icon.PLAY, words, PLAY_KEYS)
            (self._timer.start if playing else self._timer.stop)()

    def _on_play_asked(self) -> None:
        if self.playhead.playing:
            self.playhead.pause()
        else:
            self.playhead.play(self._speed)
        self._show()

    def _on_speed_chosen(self, at: int) -> None:
        self._speed = SPEEDS[at]
        if self.playhead.playing:
            self.playhead.play(self._speed)

    def _step(self, by: int) -> None:
        """To what happened next or before, or to the end or the beginning."""
        # A playhead that stands on a mark is a hair before or behind it.
        now = self.playhead.now()
        beyond = [each for each in self._stops if (each - now) * by > _ONE_MARK / 2]
        if beyond:
            self.seek(min(beyond) if by > 0 else max(beyond))


class Scrubber(QSlider):
    """The whole of a recording on one line. What stands still is drawn once."""

    sought = Signal(float)

    def __init__(self, recording: Recording, time_window: TimeWindow) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        self._recording, self._time_window = recording, time_window
        self._began, self._at = recording.began, recording.ended
        self._seconds = max(1.0 / _TENTHS, recording.ended - recording.began)
        self._outline: Outline | None = None
        self._marks: dict[int, list[Happening]] = {}  # by spot, the worst first
        self._groove: QPixmap | None = None
        self._groove_of: object = None
        self.setRange(0, round(self._seconds * _TENTHS))
        self.setSingleStep(max(_TENTHS, self.maximum() // _STEPS))
        self.setPageStep(max(_TENTHS, self.maximum() // _PAGES))
        # The wheel and PgUp go back in time, as on the plots, and the arrows where they point.
        self.setInvertedControls(True)
        self.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
        self.setMouseTracking(True)
        self.setFixedHeight(_HEIGHT)
        self.setMinimumWidth(_LEAST_WIDTH)
        self.setAccessibleName(tr("Moment of the recording"))
        self.valueChanged.connect(self._on_value_changed)
        time_window.changed.connect(self.update)

    def show_outline(self, outline: Outline) -> None:
        self._outline = outline
        self.update()

    def show_moment(self, at: float) -> None:
        self._at = at
        with QSignalBlocker(self):
            self.setValue(round((at - self._began) * _TENTHS))
        self.setAccessibleDescription(", ".join(day_and_time(self._recording.wall(at))))
        self.update()

    def told_at(self, x: float) -> str:
        """What a person is told who points there."""
        here, outline = self._marked_at(x), self._outline
        at = here[0].at if here else self._began + self._value_at(x) / _TENTHS
        told = [", ".join(day_and_time(self._recording.wall(at)))]
        told += [clean(tr(each.sentence), _LONGEST) for each in here[:_MOST_TOLD]]
        if more := max(0, len(here) - _MOST_TOLD):
            told.append(trn("and {count} more", "and {count} more", more))
        if outline is not None and outline.cut and at < outline.happenings[0].at:
            told.append(tr("Of so many events only the newest are listed."))
        return "\n".join(told)

    def _marked_at(self, x: float) -> Sequence[Happening]:
        spot = int((x - _MARGIN) // _SPOT)
        found = (self._marks.get(each) for each in (spot, spot - 1, spot + 1))
        return next((each for each in found if each), ())

    def _value_at(self, x: float) -> int:
        share = (x - _MARGIN) / max(1, self.width() - 2 * _MARGIN)
        return round(min(1.0, max(0.0, share)) * self.maximum())

    def _x(self, at: float) -> float:
        share = (at - self._began) / self._seconds
        return _MARGIN + min(1.0, max(0.0, share)) * (self.width() - 2 * _MARGIN)

    def _drawn_groove(self) -> QPixmap:
        ratio = self.devicePixelRatioF()
        groove = QPixmap(self.size() * ratio)
        groove.setDevicePixelRatio(ratio)
        groove.fill(Qt.GlobalColor.transparent)
        with QPainter(groove) as painter:
            drawing, told = Drawing(painter), self._recording
            runs = [(self._x(each.began), self._x(each.ended)) for each in told.runs]
            for left, right in runs:
                track = QRectF(left, _TOP, max(1.0, right - left), _FLOOR - _TOP)
                drawing.filled(track, drawing.theme.track, 2)
            for (_, left), (right, _) in pairwise(runs):
                if right - left >= 2:
                    drawing.no_bar(QRectF(left, _TOP, right - left, _FLOOR - _TOP))
            if self._outline is not None:
                self._draw_outline(drawing, self._outline)
            offset = told.wall(told.ended) - told.ended
            most = max(1, self.width() // _TICK)
            ticks = time_ticks(told.began, told.ended, offset, most)
            for tick in ticks[:: 1 + len(ticks) // (most + 1)]:  # a day is the longest step
                at, faint = round(self._x(tick.at)), drawing.theme.faint
                painter.fillRect(at, _FLOOR, 1, 2, faint)
                said = Run(tick.text, drawing.letters.caption, faint)
                left = min(max(at - said.width / 2, 0.0), self.width() - said.width)
                drawing.text(left, _WORDS, said)
        return groove

    def _draw_outline(self, drawing: Drawing, outline: Outline) -> None:
        theme, painter = drawing.theme, drawing.painter
        for x in range(_MARGIN, self.width() - _MARGIN):
            share = (x - _MARGIN) / (self.width() - 2 * _MARGIN)
            busy = outline.busy[int(share * len(outline.busy))]
            if not np.isnan(busy):
                # A hair of an idle card stays visible: it was read.
                high = max(1.0, busy * (_FLOOR - _TOP - 2))
                painter.fillRect(QRectF(x, _FLOOR - high, 1, high), faded(theme.quiet, 0.5))
        self._marks = {}
        for each in outline.happenings:
            spot = int((self._x(each.at) - _MARGIN) // _SPOT)
            self._marks.setdefault(spot, []).append(each)
        for spot, there in self._marks.items():
            there.sort(key=_weight, reverse=True)
            tone = _TONES[_weight(there[0])]
            wide, high = 3 if len(there) > 1 else 2, 5 if tone is Tone.QUIET else 9
            left = _MARGIN + spot * _SPOT + (_SPOT - wide) / 2
            painter.fillRect(QRectF(left, _FLOOR + 3, wide, high), theme.tone(tone))

    def _on_value_changed(self, value: int) -> None:
        self.sought.emit(self._began + value / _TENTHS)

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        of = self.size() * self.devicePixelRatioF(), id(self._outline), id(look().theme)
        if self._groove is None or self._groove_of != of:
            self._groove, self._groove_of = self._drawn_groove(), of
        with QPainter(self) as painter:
            painter.drawPixmap(0, 0, self._groove)
            drawing, tall = Drawing(painter), _FLOOR - _TOP
            theme = drawing.theme
            left, right = (round(self._x(each)) for each in self._time_window.stretch())
            if right - left < self.width() - 2 * _MARGIN - 1:  # what the plots show of it
                painter.fillRect(left, _TOP, max(3, right - left), tall, faded(theme.text, 0.1))
                for edge in (left, max(left + 2, right - 1)):
                    painter.fillRect(edge, _TOP, 1, tall, theme.quiet)
            x = round(self._x(self._at))
            painter.fillRect(x - 1, _TOP, 2, _MARKS - _TOP, theme.accent)
            knob = ((x - 6, 0), (x + 6, 0), (x + 6, 5), (x, 11), (x - 6, 5))
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.accent)
            painter.drawPolygon([QPointF(*corner) for corner in knob])
            if self.hasFocus():
                drawing.focus_ring(QRectF(self.rect()), CHIP_RADIUS)

    @guarded
    def mousePressEvent(self, event: QMouseEvent) -> None:
        at = event.position()
        here = self._marked_at(at.x()) if at.y() > _FLOOR else ()
        if here:
            self.sought.emit(here[0].at)
        else:
            self.setValue(self._value_at(at.x()))

    @guarded
    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self.setToolTip(plain_tip(self.told_at(event.position().x())))
        if event.buttons() & Qt.MouseButton.LeftButton:
            self.setValue(self._value_at(event.position().x()))


def _weight(happening: Happening) -> int:
    tone = sign(happening)[1]
    return _TONES.index(tone) if tone in _TONES else 0
