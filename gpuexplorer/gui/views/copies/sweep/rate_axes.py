"""RateAxes: where sizes and rates lie on two logarithmic axes."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF

from gpuexplorer.copies.plan import SWEEP_LEAST, SWEEP_MOST
from gpuexplorer.core.units import plain
from gpuexplorer.gui.wording.copies.sizes import size_words
from gpuexplorer.gui.wording.copies.sweep.rows import SweepRow

_HEADROOM = 1.4  # above the fastest, for the words that stand there
_ROOM_BELOW = 0.6
_EMPTY = (1e5, 100e9)  # bytes per second, where nothing is known yet
_LEAST_DECADES = 3.0
_TICK_APART = 60.0
_MOST_LINES = 4


@dataclass(frozen=True, slots=True)
class RateAxes:
    """`area` is where the curves are; rates in bytes per second, sizes in bytes."""

    area: QRectF
    lowest: float
    highest: float

    def x(self, size: float) -> float:
        share = math.log(size / SWEEP_LEAST) / math.log(SWEEP_MOST / SWEEP_LEAST)
        return self.area.left() + share * self.area.width()

    def y(self, rate: float) -> float:
        share = math.log(rate / self.lowest) / math.log(self.highest / self.lowest)
        return self.area.bottom() - share * self.area.height()

    def point(self, size: float, seconds: float) -> QPointF:
        return QPointF(self.x(size), self.y(size / seconds))

    def size_at(self, x: float, sizes: Sequence[int]) -> int:
        """Of these the nearest."""
        return min(sizes, key=lambda size: abs(self.x(size) - x))

    def rate_lines(self) -> list[tuple[float, str]]:
        """At most four powers of ten, as GB/s."""
        first = math.ceil(math.log10(self.lowest) - 1e-9)
        last = math.floor(math.log10(self.highest) + 1e-9)
        step = max(1, math.ceil((last - first + 1) / _MOST_LINES))
        # From 1 GB/s, so that these are figures people know.
        at = first + (9 - first) % step
        return [(10.0**power, plain_rate(power)) for power in range(at, last + 1, step)]

    def size_ticks(self) -> list[tuple[int, str]]:
        factor = 16
        per_octave = self.area.width() / math.log2(SWEEP_MOST / SWEEP_LEAST)
        while per_octave * math.log2(factor) < _TICK_APART and factor < 1 << 16:
            factor *= factor
        ticks = []
        size = SWEEP_LEAST
        while size <= SWEEP_MOST:
            ticks.append((size, size_words(size)))
            size *= factor
        return ticks


def rate_axes(area: QRectF, rows: Sequence[SweepRow]) -> RateAxes:
    """Wide enough for all that was measured and for every limit."""
    rates = [size / seconds for row in rows for size, seconds in row.times]
    limits = [row.limit.rate for row in rows if row.limit is not None]
    highest = max([*rates, *limits], default=_EMPTY[1]) * _HEADROOM
    lowest = min(rates, default=_EMPTY[0]) * _ROOM_BELOW
    lowest = min(lowest, highest / 10.0**_LEAST_DECADES)
    return RateAxes(area, lowest, highest)


def plain_rate(power: int) -> str:
    """A power of ten of bytes per second as GB/s, without an exponent."""
    if power >= 9:
        return plain(10.0 ** (power - 9))
    return "0." + "0" * (8 - power) + "1"
