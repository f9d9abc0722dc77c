"""Time as an argument: the real clock, and one that a test moves by hand."""

import threading
import time
from typing import Protocol


class Clock(Protocol):
    """Steady seconds for measuring, and the time of day for people."""

    def now(self) -> float:
        """Seconds on a clock that never jumps."""
        ...

    def wall(self) -> float:
        """Seconds since 1970, which may jump when somebody sets the computer's clock."""
        ...

    def wait(self, event: threading.Event, seconds: float) -> bool:
        """Wait until the event is set or the seconds are over; True if it was set."""
        ...


class SystemClock:
    """The computer's own clock."""

    def now(self) -> float:
        return time.monotonic()

    def wall(self) -> float:
        return time.time()

    def wait(self, event: threading.Event, seconds: float) -> bool:
        return event.wait(seconds)


class ManualClock:
    """A clock that stands still until `advance` is called; waiting on it moves it on."""

    def __init__(self, now: float = 1000.0, wall: float = 1_700_000_000.0) -> None:
        self._now = now
        self._wall = wall

    def now(self) -> float:
        return self._now

    def wall(self) -> float:
        return self._wall

    def wait(self, event: threading.Event, seconds: float) -> bool:
        if event.is_set():
            return True
        self.advance(max(0.0, seconds))
        return False

    def advance(self, seconds: float) -> None:
        self._now += seconds
        self._wall += seconds

    def step(self, seconds: float) -> None:
        """Somebody sets the time of day."""
        self._wall += seconds
