"""FarClock: what another machine's clocks say in seconds of ours."""

from collections import deque
from typing import NamedTuple

from gpuexplorer.core.clock import Clock

# So many knocks are compared, since two steady clocks drift apart by seconds a day.
_COMPARED = 60
_WORTH_SAYING = 1.0


class _Look(NamedTuple):
    round_trip: float
    offset: float  # what is to be added to their steady seconds
    differs: float  # by how much their time of day is ahead of ours


class FarClock:
    """Begins anew with each connection. One thread at a time; may be read from any."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._began = clock.now()
        self._looks: deque[_Look] = deque(maxlen=_COMPARED)
        self._best: _Look | None = None

    def greeted(self, now: float, wall: float) -> None:
        """What it said when it was ready; how long that was under way nobody knows."""
        self._began = self._clock.now()
        self._looks.clear()
        self._best = _Look(float("inf"), self._began - now, wall - self._clock.wall())

    def knocked(self, sent_at: float, now: float, wall: float) -> None:
        """Answered just now. What took the shortest tells best."""
        here = self._clock.now()
        trip = max(0.0, here - sent_at)
        differs = wall - (self._clock.wall() - trip / 2)
        self._looks.append(_Look(trip, (sent_at + here) / 2 - now, differs))
        self._best = min(self._looks)

    def ours(self, theirs: float) -> float:
        """Their steady seconds as ours: never before they were reached, and never to come."""
        offset = 0.0 if self._best is None else self._best.offset
        return min(max(theirs + offset, self._began), self._clock.now())

    @property
    def round_trip(self) -> float | None:
        """Seconds there and back, at best of late; None before the first knock."""
        return None if not self._looks or self._best is None else self._best.round_trip

    @property
    def differs(self) -> float | None:
        """Seconds by which their time of day is ahead, where that is sure and over a second."""
        best = self._best
        if best is None or abs(best.differs) < _WORTH_SAYING + best.round_trip / 2:
            return None
        return best.differs
