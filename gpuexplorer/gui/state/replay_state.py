"""ReplayState: the playhead of the recording in the window, to be moved and played."""

import math
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from functools import cached_property

from PySide6.QtCore import QObject, QTimer, Signal

from gpuexplorer.recording.recorded_session import RecordedSession

SPEEDS = (1.0, 2.0, 5.0, 10.0, 30.0, 100.0)
_FRAME = 40  # milliseconds: nobody sees more of a playhead
# What happens within this time is one mark to jump to: the cards of one round, say.
_ONE_MARK = 1.0


class ReplayState(QObject):
    """`at` is on the recording's axis. `moved` comes once a frame, however it is dragged."""

    moved = Signal()
    playing_changed = Signal()

    def __init__(self, session: RecordedSession, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.session = session
        self.recording, self._playhead = session.recording, session.playhead
        self.began, self.ended = self.recording.began, self.recording.ended
        self.speed = SPEEDS[0]
        self._playing = False
        self._timer = QTimer(self, interval=_FRAME)
        self._timer.timeout.connect(self._on_timeout)
        self._told = math.nan

    @property
    def at(self) -> float:
        return self._playhead.now()

    @property
    def playing(self) -> bool:
        return self._playing

    @property
    def seconds(self) -> float:
        return max(0.0, self.ended - self.began)

    def wall(self, at: float) -> float:
        return self.recording.wall(at)

    def play(self) -> None:
        self._playhead.play(self.speed)
        self._timer.start()
        self._look()

    def pause(self) -> None:
        self._playhead.pause()
        self._look()

    def toggle(self) -> None:
        (self.pause if self._playing else self.play)()

    def choose_speed(self, speed: float) -> None:
        self.speed = speed
        if self._playing:
            self._playhead.play(speed)
        self.playing_changed.emit()

    def seek(self, at: float) -> None:
        self._playhead.seek(at)
        if not self._timer.isActive():
            self._timer.start()
            self._look()

    def next_mark(self) -> None:
        """To what happened next, or to the end."""
        jumps = self._jumps
        # A playhead that stands on a mark is a hair before or behind it.
        after = bisect_right(jumps, self.at + _ONE_MARK / 2)
        self.seek(jumps[after] if after < len(jumps) else self.ended)

    def mark_before(self) -> None:
        jumps = self._jumps
        before = bisect_left(jumps, self.at - _ONE_MARK / 2) - 1
        self.seek(jumps[before] if before >= 0 else self.began)

    def stop(self) -> None:
        """Harmless when called twice."""
        self._timer.stop()
        self._playhead.pause()

    @cached_property
    def _jumps(self) -> Sequence[float]:
        """When something happened, what came together once."""
        jumps = [-math.inf]
        for each in self.recording.happenings():
            if each.at >= max(self.began, jumps[-1] + _ONE_MARK):
                jumps.append(each.at)
        return jumps[1:]

    def _on_timeout(self) -> None:
        if not self._playhead.playing:
            self._timer.stop()
        self._look()

    def _look(self) -> None:
        at, playing = self.at, self._playhead.playing
        if at != self._told:
            self._told = at
            self.moved.emit()
        if playing is not self._playing:
            self._playing = playing
            self.playing_changed.emit()
