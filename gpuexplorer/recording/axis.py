"""Axis: the seconds that a recording counts in, whatever sleep and the time of day do."""

import sys
import time

from gpuexplorer.core.clock import Clock

# The time of day drifts against a steady clock, and is set by a little now and then.
_STEP = 0.5
_NAP = 1.0
_AT_ONCE = 0.1


def slept() -> float:
    """Seconds for which the computer slept since it started; 0.0 where no clock tells. Only
    too little where this very program was held up.
    """
    if sys.platform != "linux":
        return 0.0
    with_sleep = time.clock_gettime(time.CLOCK_BOOTTIME)
    return with_sleep - time.clock_gettime(time.CLOCK_MONOTONIC)


class Axis:
    """From the steady seconds of a clock to the axis. For one thread."""

    def __init__(self, clock: Clock, not_before: float, asleep: float) -> None:
        now, wall = clock.now(), clock.wall()
        self._clock = clock
        self._asleep = asleep
        self.began = max(wall, not_before)
        self._shift = self.began - now
        self.to_wall = wall - self.began

    def of(self, steady: float) -> float:
        return max(self.began, steady + self._shift)

    def now(self) -> float:
        return self.of(self._clock.now())

    def woke(self, asleep: float) -> float:
        """For how long the computer slept since the last look, which the axis goes on by."""
        nap = asleep - self._asleep
        if nap < _NAP:
            return 0.0
        self._asleep = asleep
        self._shift += nap
        return nap

    def stepped(self) -> bool:
        """Whether the time of day is another than counted; then `to_wall` is as it is now."""
        before = self._clock.now()
        wall, now = self._clock.wall(), self._clock.now()
        to_wall = wall - (now + self._shift)
        if now - before > _AT_ONCE or abs(to_wall - self.to_wall) < _STEP:
            return False
        self.to_wall = to_wall
        return True
