"""A clock that a test moves by hand."""

import threading

from gpuexplorer.core.clock import Clock


class ManualClock(Clock):
    """Stands still until `advance` is called; waiting on it moves it on."""

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
