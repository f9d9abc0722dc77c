"""A clock that goes as the computer's own does, and that a test sets forward."""

import threading
import time

from gpuexplorer.core.clock import SystemClock


class LeapingClock(SystemClock):
    """Nobody who waits on it sleeps through a leap."""

    def __init__(self) -> None:
        self.ahead = 0.0

    def now(self) -> float:
        return time.monotonic() + self.ahead

    def wait(self, event: threading.Event, seconds: float) -> bool:
        return event.wait(min(seconds, 0.1))
