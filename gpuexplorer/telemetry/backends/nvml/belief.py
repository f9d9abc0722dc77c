"""Belief: which of a card's answers cannot be true, whatever the driver says.

Only hard bounds, impossible combinations and counters that run backwards count. What is merely
unlikely stays: it may be the very thing that a person is looking for.
"""

from collections.abc import Collection, Iterable
from math import inf

from gpuexplorer.core import metrics as m
from gpuexplorer.core.absence import Absence
from gpuexplorer.core.metrics import METRICS, Metric, MetricId, Unit
from gpuexplorer.telemetry.topology import pcie_rate

Values = dict[MetricId, float]
Missing = dict[MetricId, Absence]

MEMORY = (m.MEMORY_USED, m.MEMORY_FREE, m.MEMORY_RESERVED, m.MEMORY_TOTAL)
# What drivers write where they know no count.
_NO_COUNT = (float(2**32 - 1), float(2**64 - 1))
_COUNTERS = frozenset(metric.id for metric in METRICS.values() if metric.counter)
# The first is no more than so many times the second, which may be of an earlier reading.
_AT_MOST = (
    (m.CLOCK_GRAPHICS, m.CLOCK_GRAPHICS_MAX, 2.0),
    (m.CLOCK_SM, m.CLOCK_SM_MAX, 2.0),
    (m.CLOCK_MEMORY, m.CLOCK_MEMORY_MAX, 2.0),
    (m.CLOCK_VIDEO, m.CLOCK_VIDEO_MAX, 2.0),
    (m.PCIE_GENERATION, m.PCIE_GENERATION_CARD, 1.0),
    (m.PCIE_GENERATION_MAX, m.PCIE_GENERATION_CARD, 1.0),
)
_YARDSTICKS = frozenset(yardstick for _, yardstick, _ in _AT_MOST)
# Of these nobody knows which is wrong. The power limit in force may lie outside the range: a
# laptop on its battery or the management of a server sets it from elsewhere.
_IN_ORDER = (
    (m.POWER_LIMIT_MIN, m.POWER_LIMIT_MAX),
    (m.TEMPERATURE_SLOWDOWN, m.TEMPERATURE_SHUTDOWN),
    (m.BAR1_USED, m.BAR1_TOTAL),
)
# Parts of memory are read a moment apart from each other.
_SHARE_OF_MEMORY_ASTRAY = 0.01
# A rate over 20 ms is as exact as the moments at which its two readings were taken.
_PCIE_TOLERANCE = 1.25
# The fastest link there is today, where a card does not say what its own is.
_FASTEST_PCIE = 121e9
# No card has more. How many a link has is not held against it: virtual machines make it up.
_MOST_LANES = 16


def memory_fits(total: float, *parts: float) -> bool:
    """Whether the parts can be of that whole.

    They may fall short of it: where programs share a card, the driver may be made to say only
    what this one uses.
    """
    return sum(parts) <= total * (1 + _SHARE_OF_MEMORY_ASTRAY) and max(parts) <= total


def pcie_can_carry(rate: float, most: float) -> bool:
    return rate <= most * _PCIE_TOLERANCE


def _choices(metric: Metric) -> Collection[float]:
    if metric.id in (m.PCIE_WIDTH, m.PCIE_WIDTH_MAX, m.PCIE_WIDTH_SLOT):
        return {1, 2, 4, 8, 12, 16, 32}
    return metric.choices or ({0, 1} if metric.unit is Unit.FLAG else ())


_CHOICES = {metric.id: found for metric in METRICS.values() if (found := _choices(metric))}


def _can_be(metric: MetricId, value: float) -> bool:
    choices = _CHOICES.get(metric)
    return METRICS[metric].plausible(value) if choices is None else value in choices


class Belief:
    """Remembers of one card what its next answers are held against."""

    def __init__(self, memory_total: float | None = None) -> None:
        self._known: Values = {}
        self._doubted: Values = {}
        if memory_total is not None:
            self._known[m.MEMORY_TOTAL] = memory_total

    @property
    def pcie_most(self) -> float:
        """Bytes per second that no PCIe link of this card can exceed."""
        generation = self._known.get(m.PCIE_GENERATION_CARD, 0.0)
        return pcie_rate(int(generation), _MOST_LANES) or _FASTEST_PCIE

    def sift(self, values: Values, missing: Missing) -> None:
        """Take out of the values what cannot be."""

        def reject(metrics: Iterable[MetricId]) -> None:
            for metric in metrics:
                if values.pop(metric, None) is not None:
                    missing[metric] = Absence.IMPOSSIBLE

        reject([metric for metric, value in values.items() if not _can_be(metric, value)])
        for metric, yardstick, times in _AT_MOST:
            most = values.get(yardstick) or self._known.get(yardstick, inf)
            if values.get(metric, 0.0) > times * most:
                reject([metric])
        for pair in _IN_ORDER:
            if values.get(pair[0], -inf) > values.get(pair[1], inf):
                reject(pair)
        reject(
            [metric for metric in _COUNTERS & values.keys() if self._ran_back(metric, values)]
        )
        if m.MEMORY_TOTAL in values and self._changed(m.MEMORY_TOTAL, values):
            reject(MEMORY)
        for metric in _YARDSTICKS & values.keys():
            self._known[metric] = values[metric]
        # What is known of the link now may be more than when its traffic was looked at.
        for metric in (m.PCIE_RECEIVE, m.PCIE_TRANSMIT):
            if not pcie_can_carry(values.get(metric, 0.0), self.pcie_most):
                reject([metric])

    def _ran_back(self, counter: MetricId, values: Values) -> bool:
        """A counter that goes back is wrong once; begun anew, it goes on from there."""
        value, before = values[counter], self._known.get(counter)
        doubted = self._doubted.pop(counter, None)
        if value in _NO_COUNT:
            return True
        if before is not None and value < before and (doubted is None or value < doubted):
            self._doubted[counter] = value
            return True
        self._known[counter] = value
        return False

    def _changed(self, metric: MetricId, values: Values) -> bool:
        """Memory does not grow or shrink, unless two readings in a row say the same."""
        value, doubted = values[metric], self._doubted.pop(metric, None)
        if self._known.get(metric, value) == value or value == doubted:
            self._known[metric] = value
            return False
        self._doubted[metric] = value
        return True
