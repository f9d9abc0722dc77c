"""Round steps: where the grid lines of a plot are, in steps that people count in."""

import math

# From one grid line to the next.
_STEPS = (1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0)
_MANY = 4


def round_steps(
    low: float, high: float, lines: int, *, whole: bool = False
) -> tuple[int, int, float]:
    """The first and the last multiple of a step, and that step.

    What begins at zero reads best in halves or quarters; else it is as close around as it gets.
    """
    counts = range(2, lines + 1)
    if low == 0:
        counts = range(_MANY, _MANY + 1) if lines >= _MANY else range(2, 3)
    found = []
    for count in counts:
        step = _step(low, high, count, whole=whole)
        floor, ceiling = _multiples(low, high, step)
        waste = round((ceiling - floor) * step / (high - low), 6)
        found.append((waste, count, floor, ceiling, step))
    return min(found)[2:]


def _step(low: float, high: float, lines: int, *, whole: bool) -> float:
    power = math.floor(math.log10((high - low) / lines))
    while True:
        for factor in _STEPS:
            step = factor * 10.0**power
            if whole and step != round(step):
                continue
            floor, ceiling = _multiples(low, high, step)
            if ceiling - floor <= lines:
                return step
        power += 1


def _multiples(low: float, high: float, step: float) -> tuple[int, int]:
    return math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
