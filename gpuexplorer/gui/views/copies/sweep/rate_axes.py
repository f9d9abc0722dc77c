"""What the axes of rate over size reach, and where their ticks are. Both are logarithmic."""

import math
from collections.abc import Sequence

from gpuexplorer.copies.plan import SWEEP_LEAST, SWEEP_MOST
from gpuexplorer.core.units import plain
from gpuexplorer.gui.wording.copies.sizes import size_words
from gpuexplorer.gui.wording.copies.sweep.rows import SweepRow

_HEADROOM = 1.4  # above the fastest, for the words that stand there
_ROOM_BELOW = 0.6
_EMPTY = (1e5, 100e9)  # bytes per second, where nothing is known yet
_LEAST_DECADES = 3.0
_TICK_APART, _PILL_APART = 60.0, 48.0
_MOST_LINES = 4


def reach(rows: Sequence[SweepRow]) -> tuple[float, float]:
    """Lowest and highest as powers of ten: wide enough for all rates and every limit."""
    rates = [size / seconds for row in rows for size, seconds in row.times]
    limits = [row.limit.rate for row in rows if row.limit is not None]
    highest = max([*rates, *limits], default=_EMPTY[1]) * _HEADROOM
    lowest = min(rates, default=_EMPTY[0]) * _ROOM_BELOW
    lowest = min(lowest, highest / 10.0**_LEAST_DECADES)
    return math.log10(lowest), math.log10(highest)


def rate_ticks(lowest: float, highest: float) -> list[tuple[float, str]]:
    """At most four powers of ten, as GB/s."""
    first, last = math.ceil(lowest - 1e-9), math.floor(highest + 1e-9)
    step = max(1, math.ceil((last - first + 1) / _MOST_LINES))
    # From 1 GB/s, so that these are figures people know.
    at = first + (9 - first) % step
    return [(float(power), plain_rate(power)) for power in range(at, last + 1, step)]


def size_ticks(width: float, pointed: int | None) -> list[tuple[float, str]]:
    """Powers of two, as many as there is room for beside the one that is pointed at."""
    least, most = math.log2(SWEEP_LEAST), math.log2(SWEEP_MOST)
    doubling, step = width / (most - least), 4
    while doubling * step < _TICK_APART and step < 16:
        step *= 2
    powers = range(round(least), round(most) + 1, step)
    at = -math.inf if pointed is None else math.log2(pointed)
    return [
        (float(power), size_words(2.0**power))
        for power in powers
        if abs(power - at) * doubling > _PILL_APART
    ]


def plain_rate(power: int) -> str:
    """A power of ten of bytes per second as GB/s, without an exponent."""
    if power >= 9:
        return plain(10.0 ** (power - 9))
    return "0." + "0" * (8 - power) + "1"
