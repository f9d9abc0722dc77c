"""Beat: when the next reading is due, without drift, and how many were missed."""

from typing import NamedTuple

SHORTEST = 0.1
LONGEST = 60.0


class BeatCount(NamedTuple):
    """How many readings were taken, and how many moments passed without one."""

    taken: int = 0
    missed: int = 0


class Beat:
    """Moments at whole multiples of the period after the start. One thread at a time."""

    def __init__(self, period: float, start: float) -> None:
        self.period = period
        self._start = start
        self._next = 0
        self.count = BeatCount()

    def due(self) -> float:
        """When the next reading is to be taken."""
        return self._start + self._next * self.period

    def take(self, now: float) -> None:
        """A reading begins now. Moments that have passed unused are counted, never made up."""
        late = max(0, int((now - self.due()) / self.period + 1e-9))
        self.count = BeatCount(self.count.taken + 1, self.count.missed + late)
        self._next += late + 1

    def change(self, period: float, now: float) -> None:
        """Go on from now with another period."""
        self.period = period
        self._start = now
        self._next = 0
