"""Rhythm: how far apart samples usually come, and so which distance is a gap."""

from collections import deque

GAP = 2.5  # times the usual distance: beyond it something was not seen


class Rhythm:
    """Learns a new beat after three samples; a single gap does not change it."""

    def __init__(self, period: float) -> None:
        self._distances = deque([period] * 5, maxlen=5)
        # Rounds that somebody asked for in between do not make a second seem long.
        self._shortest = min(period, 1.0)

    @property
    def usual(self) -> float:
        return max(sorted(self._distances)[2], self._shortest)

    def is_gap(self, distance: float) -> bool:
        usual = self.usual
        self._distances.append(distance)
        return distance > GAP * usual
