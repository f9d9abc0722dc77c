"""ReplayBar: plays a recording, and moves through the whole of it."""

from functools import partial

from PySide6.QtCore import QTimer
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QMenu, QSizePolicy

from gpuexplorer.core.units import plain
from gpuexplorer.core.words import tr
from gpuexplorer.gui.recording.outline import outline_of
from gpuexplorer.gui.recording.scrubber import Scrubber
from gpuexplorer.gui.recording.words import day_and_time
from gpuexplorer.gui.state.replay_state import SPEEDS, ReplayState
from gpuexplorer.gui.state.time_window import TimeWindow
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.controls.buttons import IconButton, MenuButton
from gpuexplorer.gui.widgets.laid_out import GROWS, column, label, row
from gpuexplorer.telemetry.patience import Asked

PLAY_KEYS, NEXT_KEYS, BEFORE_KEYS = "Space", "F9", "F7"
_LOOK_EVERY = 60  # milliseconds, until the outline was read
_AROUND_SPEED = 38
_NARROW = 620  # below, the marks are stepped through by their keys alone


class ReplayBar(QFrame):
    """One for each recording that is shown."""

    def __init__(self, replay: ReplayState, time_window: TimeWindow) -> None:
        super().__init__()
        self._replay = replay
        self.setProperty("panel", "banner")
        self.setAccessibleName(tr("Replay"))
        self._play = IconButton(Icon.PLAY)
        self._play.clicked.connect(replay.toggle)
        self._before = IconButton(Icon.BEFORE, tr("Event before"), BEFORE_KEYS)
        self._before.clicked.connect(replay.mark_before)
        self._next = IconButton(Icon.AFTER, tr("Next event"), NEXT_KEYS)
        self._next.clicked.connect(replay.next_mark)
        self._speed = MenuButton(tr("Speed"))
        widest = look().letters.body.width(_speed_words(SPEEDS[-1]))
        self._speed.setMinimumWidth(round(widest) + _AROUND_SPEED)
        self._speed.about_to_open.connect(self._on_speed_asked)
        self._scrubber = Scrubber(replay, time_window)
        self._time = label("", look().letters.title)
        self._day = label("", look().letters.caption, Tone.QUIET)
        # Figures of one width: the scrubber beside them stays where it is.
        widest = max(
            look().letters.title.width("00:00:00"), look().letters.caption.width("00 Mmm 0000")
        )
        for each in (self._time, self._day):
            each.setMinimumWidth(round(widest) + 2)
            each.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        said = column(self._time, self._day, gap=1)
        buttons = (self._before, self._play, self._next, self._speed)
        parts = (row(*buttons, gap=2), self._scrubber, GROWS, said)
        row(*parts, within=self, gap=12, margins=(20, 6, 24, 4))
        self._outline = Asked(partial(outline_of, replay.recording, replay.session.past))
        self._timer = QTimer(self, interval=_LOOK_EVERY)
        self._timer.timeout.connect(self._on_timeout)
        self._timer.start()
        replay.moved.connect(self._on_moved)
        replay.playing_changed.connect(self._on_playing_changed)
        self._on_moved()
        self._on_playing_changed()

    def _on_timeout(self) -> None:
        if self._outline.answered:
            self._timer.stop()
            self._scrubber.show_outline(self._outline.result())

    def _on_moved(self) -> None:
        day, time = day_and_time(self._replay.wall(self._replay.at))
        self._time.setText(time)
        self._day.setText(day)

    def _on_playing_changed(self) -> None:
        if self._replay.playing:
            self._play.show_meaning(Icon.PAUSE, tr("Pause the recording"), PLAY_KEYS)
        else:
            self._play.show_meaning(Icon.PLAY, tr("Play the recording"), PLAY_KEYS)
        self._speed.show_words(_speed_words(self._replay.speed))

    def _on_speed_asked(self, menu: QMenu) -> None:
        for speed in SPEEDS:
            action = menu.addAction(_speed_words(speed))
            action.setCheckable(True)
            action.setChecked(speed == self._replay.speed)
            action.triggered.connect(partial(self._choose, speed))

    def _choose(self, speed: float, _checked: bool = False) -> None:
        self._replay.choose_speed(speed)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        for each in (self._before, self._next):
            each.setVisible(self.width() >= _NARROW)


def _speed_words(speed: float) -> str:
    return tr("{speed}×", speed=plain(speed))
