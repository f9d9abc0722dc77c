"""Playhead: the moment of a recording that is looked at, as a clock."""

import threading
import time
from collections.abc import Callable
from typing import NamedTuple


class _Course(NamedTuple):
    """It stood there at that steady second, and has moved at that speed since."""

    at: float
    since: float = 0.0
    speed: float = 0.0


class Playhead:
    """A Clock: `now` is on the recording's axis, and stands still until somebody plays it. It
    stops at the end by itself, and begins there. For any thread.
    """

    def __init__(
        self,
        began: float,
        ended: float,
        wall_at: Callable[[float], float],
        steady: Callable[[], float] = time.monotonic,
    ) -> None:
        self.began, self.ended = began, ended
        self.wall_at = wall_at  # the time of day of any moment of the axis
        self._steady = steady
        self._lock = threading.Lock()
        self._course = _Course(ended)  # replaced whole
        self._listeners: tuple[Callable[[], None], ...] = ()

    def now(self) -> float:
        at, since, speed = self._course
        return min(self.ended, at + (self._steady() - since) * speed) if speed else at

    def wall(self) -> float:
        return self.wall_at(self.now())

    def wait(self, event: threading.Event, seconds: float) -> bool:
        """In seconds of whoever waits."""
        return event.wait(seconds)

    @property
    def playing(self) -> bool:
        return bool(self._course.speed) and self.now() < self.ended

    def listen(self, on_moved: Callable[[], None]) -> None:
        """Called when somebody plays, pauses or seeks, in their thread."""
        self._listeners = (*self._listeners, on_moved)

    def play(self, speed: float) -> None:
        """From the end it begins anew."""
        with self._lock:
            at = self.now()
            self._go(self.began if at >= self.ended else at, speed)
        self._tell()

    def pause(self) -> None:
        with self._lock:
            self._go(self.now(), 0.0)
        self._tell()

    def seek(self, at: float) -> None:
        """To the nearest there is; it plays on if it did."""
        with self._lock:
            speed = self._course.speed if self.playing else 0.0
            self._go(min(max(at, self.began), self.ended), speed)
        self._tell()

    def _go(self, at: float, speed: float) -> None:
        self._course = _Course(at, self._steady(), speed)

    def _tell(self) -> None:
        for listener in self._listeners:
            listener()
