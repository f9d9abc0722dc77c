"""Samples of what is modelled: as many as are measured, and spread as those are."""

from random import Random

SAMPLES = 7
_SPREAD = 0.004


def spread(seconds: float, chance: Random) -> tuple[float, ...]:
    """Samples whose median is what the model says."""
    half = SAMPLES // 2
    below = [-abs(chance.gauss(0.0, _SPREAD)) for _ in range(half)]
    above = [abs(chance.gauss(0.0, _SPREAD)) for _ in range(half)]
    offsets = [*below, 0.0, *above]
    chance.shuffle(offsets)
    return tuple(seconds * (1.0 + offset) for offset in offsets)
