"""A past for simulated cards, lived through quickly: make-believe needs no waiting."""

import threading
import time

from gpuexplorer.core.clock import Clock
from gpuexplorer.core.metrics import Cadence
from gpuexplorer.telemetry.local import Local

# Of what is older than this only an outline is kept, so it is read less often.
_CLOSELY, _WIDE_STEP = 3600.0, 10.0
_SELDOM = {Cadence.SLOW: 5, Cadence.ON_DEMAND: 2}


class PastClock(Clock):
    """Stands where it is put, in the past, until it becomes the computer's own clock."""

    def __init__(self, seconds: float) -> None:
        self._stands: float | None = time.monotonic() - seconds

    def now(self) -> float:
        return time.monotonic() if self._stands is None else self._stands

    def wall(self) -> float:
        return time.time() - time.monotonic() + self.now()

    def wait(self, event: threading.Event, seconds: float) -> bool:
        """In the past nobody waits: whoever wants to is told to give up."""
        if self._stands is not None:
            return seconds > 0
        return event.wait(seconds)

    def put(self, now: float) -> None:
        self._stands = now

    def catch_up(self) -> None:
        self._stands = None


def live_through(stream: Local, clock: PastClock) -> None:
    """Read everything as it would have been read since the clock's time. The stream, which was
    not started yet, and its cards both go by this clock.
    """
    at, seconds = clock.now(), 0
    while (left := time.monotonic() - at) > 0:
        clock.put(at)
        closely = left <= _CLOSELY
        due = [x for x in Cadence if not closely or seconds % _SELDOM.get(x, 1) == 0]
        stream.read_now(due, users=Cadence.ON_DEMAND in due)
        at += 1.0 if closely else _WIDE_STEP
        seconds += 1
    clock.catch_up()
