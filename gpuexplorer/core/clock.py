"""Time as an argument, so that a test may move it by hand."""

import threading
import time


class Clock:
    """The computer's own: steady seconds for measuring, and the time of day for people."""

    def now(self) -> float:
        """Seconds on a clock that never jumps."""
        return time.monotonic()

    def wall(self) -> float:
        """Seconds since 1970, which may jump when somebody sets the computer's clock."""
        return time.time()

    def wait(self, event: threading.Event, seconds: float) -> bool:
        """Wait until the event is set or the seconds are over; True if it was set."""
        return event.wait(seconds)


SystemClock = Clock
