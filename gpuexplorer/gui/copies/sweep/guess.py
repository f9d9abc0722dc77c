"""Guessing how long a copy takes: from where to where one may guess."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

SIZES = (4, 4 << 10, 64 << 10, 1 << 20, 16 << 20, 256 << 20, 1 << 30)
USUAL_SIZE = 256 << 20
_FASTEST = 268e9  # bytes per second at the left end, where size is all that counts
_SHORTEST = 1e-6
_DECADES = 3


@dataclass(frozen=True, slots=True)
class GuessRange:
    """Seconds; both are powers of ten."""

    least: float
    most: float

    @property
    def decades(self) -> int:
        return round(math.log10(self.most / self.least))

    def share(self, seconds: float) -> float:
        """Where it stands, from 0 to 1."""
        at = math.log10(seconds / self.least) / math.log10(self.most / self.least)
        return min(1.0, max(0.0, at))

    def seconds(self, share: float) -> float:
        return self.least * math.pow(self.most / self.least, min(1.0, max(0.0, share)))

    def ticks(self) -> Sequence[float]:
        return [self.least * 10.0**step for step in range(self.decades + 1)]


def guess_range(size: int, truth: float | None) -> GuessRange:
    """By the size alone, so that it does not give the answer away, unless it would not fit."""
    least = max(_SHORTEST, _decade(size / _FASTEST))
    most = least * 10.0**_DECADES
    if truth is not None:
        least = min(least, _decade(truth))
        most = max(most, 10.0 * _decade(truth))
    return GuessRange(least, most)


def _decade(seconds: float) -> float:
    return 10.0 ** math.floor(math.log10(seconds) + 1e-9)
