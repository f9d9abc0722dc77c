"""What the past of a card comes to in a stretch of time: the course of a metric, for how long
the card was slowed, and how much energy it used.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpuexplorer.core.cards import CardId
from gpuexplorer.core.metrics import ENERGY, METRICS, POWER_DRAW, MetricId
from gpuexplorer.telemetry.trace import TraceSource

COLUMNS = 400
_WHOLE = 0.97  # rounding of beats is no gap in the recording
_TELLING = 1.0  # seconds of it, the least from which a sum says anything
Floats = NDArray[np.float64]


class Course(NamedTuple):
    """What one metric did, in steps; where nothing was read there is none."""

    begins: Floats  # steady seconds
    lasted: Floats  # seconds
    least: Floats
    most: Floats
    mean: Floats

    @property
    def seconds(self) -> float:
        return float(self.lasted.sum())

    @property
    def total(self) -> float:
        return float(self.mean @ self.lasted)

    @property
    def average(self) -> float:
        return self.total / (self.seconds or 1.0)

    def above(self, value: float) -> float:
        """Seconds, as far as its steps are short enough to tell."""
        return float(self.lasted[self.mean >= value].sum())

    def growth(self) -> float:
        """By how much a counter grew while it was read; it may begin anew."""
        touch = np.diff(self.begins) - self.lasted[:-1] < 1e-3
        between = np.maximum(0.0, self.least[1:] - self.most[:-1])
        return float((self.most - self.least).sum() + between[touch].sum())


def course(
    past: TraceSource,
    card: CardId,
    metric: MetricId,
    start: float,
    end: float,
    columns: int = COLUMNS,
) -> Course:
    """In so many steps at most."""
    read = past.trace(card, metric, start, end, columns)
    begins = np.maximum(read.times, start)
    last = np.minimum(begins[-1:] + read.column_seconds, end)
    lasted = np.diff(begins, append=last)
    about = METRICS[metric]  # a damaged file may hold anything
    some = (about.lowest <= read.minima) & (read.maxima <= about.highest) & (lasted >= 0)
    figures = begins, lasted, read.minima, read.maxima, read.means
    return Course(*(each[some] for each in figures))


def slowed(reasons: Sequence[Course]) -> tuple[float, float]:
    """For how many seconds, of how many that anybody read. Two reasons at once are one slow
    moment.
    """
    longest = max(reasons, key=lambda each: each.seconds)
    alike = [e.mean for e in reasons if np.array_equal(e.begins, longest.begins)]
    return float(np.maximum.reduce(alike) @ longest.lasted), longest.seconds


class EnergyUsed(NamedTuple):
    """Since the first reading there is, in steady seconds; `counted` by the card itself."""

    joules: float
    since: float
    seconds: float  # of how much time, which may be less than was asked for
    counted: bool


def energy_used(
    past: TraceSource, card: CardId, start: float, end: float, columns: int = COLUMNS
) -> EnergyUsed | None:
    """What came before the counter's first reading and after its last is added up from the
    power. None where too little was read to tell.
    """
    counter = course(past, card, ENERGY, start, end, columns)
    power = course(past, card, POWER_DRAW, start, end, columns)
    counted = counter.begins.size > 1
    first, last = counter.begins[[0, -1]] if counted else (end, end)
    within = np.minimum(power.begins + power.lasted, last) - np.maximum(power.begins, first)
    besides = power.lasted - np.maximum(within, 0.0)
    seconds = float(counter.lasted[:-1].sum() + besides.sum())
    if seconds < _TELLING:
        return None
    since = min([*power.begins[:1].tolist(), float(first)])
    return EnergyUsed(float(besides @ power.mean) + counter.growth(), since, seconds, counted)


def time_covered(seconds: float, span: float) -> float:
    """As it is said of a figure for a span of which so many seconds are known."""
    return span if seconds >= span * _WHOLE else seconds
