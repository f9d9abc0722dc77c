"""ReplayBar: plays a recording, and moves through the whole of it with its Scrubber."""

from collections.abc import Sequence
from functools import partial
from itertools import pairwise
from time import localtime

from PySide6.QtCore import QRectF, QSignalBlocker, Qt, QTimer, Signal
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent, QPen, QPixmap, QTransform
from PySide6.QtWidgets import QComboBox, QFrame, QSlider

from gpuexplorer.core.axes import day_word, moment_word, time_ticks
from gpuexplorer.core.harmless import clean
from gpuexplorer.core.units import plain
from gpuexplorer.core.words import tr, trn
from gpuexplorer.gui.cards.reasons import sign
from gpuexplorer.gui.event_loop import guarded
from gpuexplorer.gui.paint.drawing import CHIP_RADIUS, Drawing, plain_tip
from gpuexplorer.gui.plots.curves import Curve, draw_curves
from gpuexplorer.gui.plots.graph import draw_columns
from gpuexplorer.gui.state.time_window import TimeWindow
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Tone, faded
from gpuexplorer.gui.widgets.controls.buttons import IconButton
from gpuexplorer.gui.widgets.laid_out import GROWS, column, label, row
from gpuexplorer.gui.widgets.saving import in_a_thread
from gpuexplorer.recording.recorded_session import RecordedPast, RecordedSession
from gpuexplorer.telemetry.happenings import Happening
from gpuexplorer.telemetry.trace import Trace

PLAY_KEYS, NEXT_KEYS, BEFORE_KEYS = "Space", "F9", "F7"
SPEEDS = (1.0, 2.0, 5.0, 10.0, 30.0, 100.0)
_FRAME = 40  # milliseconds
# What happens within this time is one mark to jump to: the cards of one round, say.
_ONE_MARK = 1.0
_COLUMNS = 600  # of the outline
_HEIGHT, _LEAST_WIDTH, _MARGIN = 52, 100, 8
_TOP, _FLOOR, _MARKS, _WORDS = 4, 26, 38, 31
_TENTHS = 10  # of a second: 30 days of them are a slider's whole number
_STEPS, _PAGES = 500, 20  # over the whole span
_NEAR, _TICK = 5, 110  # pixels: to a mark that is pointed at, and from one word to the next
# What is worse lies on top, and is told first.
_TONES = (Tone.QUIET, Tone.GOOD, Tone.WARN, Tone.BAD)
_MOST_TOLD, _LONGEST = 6, 160  # sentences, and letters of one


def day_and_time(wall: float) -> tuple[str, str]:
    """The day with its year, and the time of day."""
    day = tr("{day} {year}", day=day_word(wall), year=localtime(wall).tm_year)
    return day, moment_word(wall, wall)


class ReplayBar(QFrame):
    """One for each recording that is shown. While it plays, it shows a frame of it 25 times a
    second: nobody sees more of a playhead.
    """

    def __init__(self, session: RecordedSession, time_window: TimeWindow) -> None:
        super().__init__()
        self.recording, self.playhead = session.recording, session.playhead
        began = self.recording.began
        happened = (each.at for each in self.recording.happenings())
        self._stops = [began, *(at for at in happened if at > began), self.recording.ended]
        self._timer = QTimer(self, interval=_FRAME)
        self._timer.timeout.connect(self._show)
        self.setProperty("panel", "banner")
        self.setAccessibleName(tr("Replay"))
        self.before = IconButton(Icon.BEFORE, tr("Event before"), BEFORE_KEYS)
        self.play = IconButton(Icon.PLAY, tr("Play the recording"), PLAY_KEYS)
        self.after = IconButton(Icon.AFTER, tr("Next event"), NEXT_KEYS)
        self.before.clicked.connect(partial(self._step, -1))
        self.play.clicked.connect(self._on_play_asked)
        self.after.clicked.connect(partial(self._step, 1))
        self._speed = QComboBox()
        self._speed.setAccessibleName(tr("Speed"))
        self._speed.setToolTip(tr("Speed"))
        for each in SPEEDS:
            self._speed.addItem(tr("{speed}×", speed=plain(each)), each)
        self._speed.activated.connect(self._on_speed_chosen)
        self._time = label("", look().letters.title)
        self._day = label("", look().letters.caption, Tone.QUIET)
        self._scrubber = Scrubber(session, time_window)
        self._scrubber.sought.connect(self.seek)
        buttons = row(self.before, self.play, self.after, self._speed, gap=2)
        parts = (buttons, self._scrubber, GROWS, column(self._time, self._day, gap=1))
        row(*parts, within=self, gap=12, margins=(20, 6, 24, 4))
        reading = partial(RecordedPast(self.recording).busy, _COLUMNS)
        in_a_thread(reading, self, self._scrubber.show_busy, self.setToolTip)
        self._show()

    def seek(self, at: float) -> None:
        self.playhead.seek(at)
        self._show()

    def stop(self) -> None:
        """Harmless when called twice."""
        self._timer.stop()
        self.playhead.pause()

    def _show(self) -> None:
        playing, (day, time) = self.playhead.playing, day_and_time(self.playhead.wall())
        self._time.setText(time)
        self._day.setText(day)
        self._scrubber.show_playhead()
        if playing is not self._timer.isActive():
            words = tr("Pause the recording") if playing else tr("Play the recording")
            self.play.show_meaning(Icon.PAUSE if playing else Icon.PLAY, words, PLAY_KEYS)
            (self._timer.start if playing else self._timer.stop)()

    def _on_play_asked(self) -> None:
        if self.playhead.playing:
            self.playhead.pause()
        else:
            self.playhead.play(self._speed.currentData())
        self._show()

    def _on_speed_chosen(self) -> None:
        if self.playhead.playing:
            self.playhead.play(self._speed.currentData())

    def _step(self, by: int) -> None:
        """To what happened next or before, or to the end or the beginning."""
        # A playhead that stands on a mark is a hair before or behind it.
        now = self.playhead.now()
        beyond = [each for each in self._stops if (each - now) * by > _ONE_MARK / 2]
        if beyond:
            self.seek(min(beyond) if by > 0 else max(beyond))


class Scrubber(QSlider):
    """The whole of a recording on one line: how busy all cards were, and what happened. What
    stands still is drawn once.
    """

    sought = Signal(float)

    def __init__(self, session: RecordedSession, time_window: TimeWindow) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        self._session, self._time_window = session, time_window
        self._recording, self._began = session.recording, session.recording.began
        self._seconds = max(1.0 / _TENTHS, self._recording.ended - self._began)
        happened = self._recording.happenings()
        self.happenings = [each for each in happened if each.at >= self._began]
        self._busy: Trace | None = None
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

    def show_busy(self, busy: Trace) -> None:
        self._busy = busy
        self.update()

    def show_playhead(self) -> None:
        playhead = self._session.playhead
        with QSignalBlocker(self):
            self.setValue(round((playhead.now() - self._began) * _TENTHS))
        self.setAccessibleDescription(", ".join(day_and_time(playhead.wall())))
        self.update()

    def told_at(self, x: float) -> str:
        """What a person is told who points there."""
        here = self._near(x)
        at = here[0].at if here else self._moment(x)
        told = [", ".join(day_and_time(self._recording.wall(at)))]
        told += [clean(tr(each.sentence), _LONGEST) for each in here[:_MOST_TOLD]]
        if more := max(0, len(here) - _MOST_TOLD):
            told.append(trn("and {count} more", "and {count} more", more))
        if self._session.older_unread and at < self.happenings[0].at:
            told.append(tr("Of so many events only the newest are listed."))
        return "\n".join(told)

    def _near(self, x: float) -> Sequence[Happening]:
        """What happened there, the worst first."""
        at, reach = self._moment(x), _NEAR / self._scale
        near = [each for each in self.happenings if abs(each.at - at) <= reach]
        return sorted(near, key=_weight, reverse=True)

    @property
    def _scale(self) -> float:
        """Pixels for a second."""
        return max(1, self.width() - 2 * _MARGIN) / self._seconds

    def _moment(self, x: float) -> float:
        return self._began + min(max(0.0, (x - _MARGIN) / self._scale), self._seconds)

    def _x(self, at: float) -> float:
        return _MARGIN + min(max(0.0, at - self._began), self._seconds) * self._scale

    def _drawn_groove(self) -> QPixmap:
        ratio, tall, told = self.devicePixelRatioF(), _FLOOR - _TOP, self._recording
        groove = QPixmap(self.size() * ratio)
        groove.setDevicePixelRatio(ratio)
        groove.fill(Qt.GlobalColor.transparent)
        with QPainter(groove) as painter:
            drawing = Drawing(painter)
            theme, ends = drawing.theme, (0.0, float(self.width()))
            runs = [(self._x(each.began), self._x(each.ended)) for each in told.runs]
            for left, right in runs:
                track = QRectF(left, _TOP, max(1.0, right - left), tall)
                drawing.filled(track, theme.track, 2)
            for (_, left), (right, _) in pairwise(runs):
                if right - left >= 2:
                    drawing.no_bar(QRectF(left, _TOP, right - left, tall))
            if self._busy is not None:
                start, scale = _MARGIN - self._began * self._scale, self._scale
                to = QTransform(scale, 0, 0, 2 - tall, start, _FLOOR - 1)
                place = QRectF(_MARGIN, _TOP, self.width() - 2 * _MARGIN, tall)
                draw_curves(painter, place, to, [Curve(self._busy, theme.quiet, fill=True)])
            for each in sorted(self.happenings, key=_weight):
                tone = _TONES[_weight(each)]
                mark = QRectF(
                    self._x(each.at) - 1, _FLOOR + 3, 2, 5 if tone is Tone.QUIET else 9
                )
                painter.fillRect(mark, theme.tone(tone))
            most, offset = max(1, self.width() // _TICK), told.wall(told.ended) - told.ended
            ticks = time_ticks(told.began, told.ended, offset, most)
            words = [(self._x(each.at), each.text) for each in ticks]
            draw_columns(drawing, _WORDS, words, ends)
        return groove

    def _on_value_changed(self, value: int) -> None:
        self.sought.emit(self._began + value / _TENTHS)

    def _go_to(self, x: float) -> None:
        self.setValue(round((self._moment(x) - self._began) * _TENTHS))

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        of = self.size() * self.devicePixelRatioF(), id(self._busy), id(look().theme)
        if self._groove is None or self._groove_of != of:
            self._groove, self._groove_of = self._drawn_groove(), of
        with QPainter(self) as painter:
            painter.drawPixmap(0, 0, self._groove)
            drawing, shown = Drawing(painter), self._time_window.stretch()
            theme, (left, right) = drawing.theme, map(self._x, shown)
            if right - left < self.width() - 2 * _MARGIN - 1:  # what the plots show of it
                seen = QRectF(left, _TOP, max(3.0, right - left), _FLOOR - _TOP)
                painter.fillRect(seen, faded(theme.text, 0.1))
                drawing.outlined(seen, QPen(theme.quiet, 1), 0)
            x = round(self._x(self._session.playhead.now()))
            painter.fillRect(x - 1, _TOP, 2, _MARKS - _TOP, theme.accent)
            drawing.filled(QRectF(x - 6, 0, 12, 10), theme.accent, 5)
            if self.hasFocus():
                drawing.focus_ring(QRectF(self.rect()), CHIP_RADIUS)

    @guarded
    def mousePressEvent(self, event: QMouseEvent) -> None:
        at = event.position()
        here = self._near(at.x()) if at.y() > _FLOOR else ()
        if here:
            self.sought.emit(here[0].at)
        else:
            self._go_to(at.x())

    @guarded
    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        x = event.position().x()
        self.setToolTip(plain_tip(self.told_at(x)))
        if event.buttons() & Qt.MouseButton.LeftButton:
            self._go_to(x)


def _weight(happening: Happening) -> int:
    tone = sign(happening)[1]
    return _TONES.index(tone) if tone in _TONES else 0
