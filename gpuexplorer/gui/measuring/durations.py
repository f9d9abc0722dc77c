"""Durations: how long many things took, in fixed memory however many there are."""

import math

_STEP = math.log(1.02)
_SHORTEST = 1e-6
_SLOTS = 1000  # up to 400 s


class Spread:
    """Knows any percentile to within 2 %, and the longest and the sum exactly."""

    def __init__(self) -> None:
        self.count = 0
        self.longest = 0.0
        self.sum = 0.0
        self._slots = [0] * _SLOTS

    def add(self, seconds: float) -> None:
        self.count += 1
        self.sum += seconds
        self.longest = max(self.longest, seconds)
        slot = int(math.log(max(seconds, _SHORTEST) / _SHORTEST) / _STEP)
        self._slots[min(slot, _SLOTS - 1)] += 1

    def percentile(self, percent: float) -> float:
        """So many percent took no longer than this; 0 where there is nothing yet."""
        below = 0
        for slot, count in enumerate(self._slots):
            below += count
            if below and below * 100 >= self.count * percent:
                middle = _SHORTEST * math.exp((slot + 0.5) * _STEP)
                return min(middle, self.longest)
        return 0.0
