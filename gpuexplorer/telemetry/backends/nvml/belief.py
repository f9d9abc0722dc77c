"""Belief: which of a card's answers cannot be true, whatever the driver says.

Only hard bounds, impossible combinations and counters that run backwards count. What is merely
unlikely stays: it may be the very thing that a person is looking for.
"""

from collections.abc import Callable, Collection, Iterable
from functools import lru_cache
from typing import NamedTuple

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.catalogue import clocks as c
from gpuexplorer.core.catalogue import health as s
from gpuexplorer.core.catalogue import heat_and_power as h
from gpuexplorer.core.catalogue import links as k
from gpuexplorer.core.catalogue import memory as m
from gpuexplorer.core.metrics import METRICS, MetricId, Unit
from gpuexplorer.telemetry.backends.nvml.questions import Missing, Values
from gpuexplorer.telemetry.topology import pcie_rate

# NVML's bit for each reason, from its header.
REASON_BITS = {
    "gpu_idle": 0x1,
    "applications_clocks_setting": 0x2,
    "sw_power_cap": 0x4,
    "hw_slowdown": 0x8,
    "sync_boost": 0x10,
    "sw_thermal_slowdown": 0x20,
    "hw_thermal_slowdown": 0x40,
    "hw_power_brake_slowdown": 0x80,
    "display_clock_setting": 0x100,
}
_SLOWDOWNS = sum(bit for reason, bit in REASON_BITS.items() if reason not in c.HARMLESS_REASONS)
# Older headers also have board limit, reliability, and "some other unspecified factor".
_DEFINED_REASONS = sum(REASON_BITS.values()) | 0x200 | 0x400 | 1 << 63

_THROTTLE_FLAGS = frozenset(c.throttle(reason) for reason in c.THROTTLE_REASONS)
_WIDTHS = frozenset({1, 2, 4, 8, 12, 16, 32})
_LANES = (k.PCIE_WIDTH, k.PCIE_WIDTH_MAX, k.PCIE_WIDTH_SLOT)
# What drivers write where they know no count.
_NO_COUNT = frozenset({float(2**32 - 1), float(2**64 - 1)})
_COUNTERS = frozenset(
    {
        s.ECC_CORRECTED,
        s.ECC_UNCORRECTED,
        s.ECC_CORRECTED_EVER,
        s.ECC_UNCORRECTED_EVER,
        s.RETIRED_PAGES_CORRECTED,
        s.RETIRED_PAGES_UNCORRECTED,
        s.REMAPPED_ROWS_CORRECTED,
        s.REMAPPED_ROWS_UNCORRECTED,
        k.PCIE_REPLAYS,
        h.ENERGY,
        *(metric.id for metric in c.METRICS if metric.unit is Unit.SECONDS),
    }
)
MEMORY = (m.MEMORY_USED, m.MEMORY_FREE, m.MEMORY_RESERVED, m.MEMORY_TOTAL)
_CLOCKS = {
    c.CLOCK_GRAPHICS: c.CLOCK_GRAPHICS_MAX,
    c.CLOCK_SM: c.CLOCK_SM_MAX,
    c.CLOCK_MEMORY: c.CLOCK_MEMORY_MAX,
    c.CLOCK_VIDEO: c.CLOCK_VIDEO_MAX,
}
# What other figures are held against, also those of a later reading.
_YARDSTICKS = frozenset({*_CLOCKS.values(), k.PCIE_GENERATION_CARD})
# Parts of memory are read a moment apart from each other.
_SHARE_OF_MEMORY_ASTRAY = 0.01
# A rate over 20 ms is as exact as the moments at which its two readings were taken.
_PCIE_TOLERANCE = 1.25
_NVLINK_TOLERANCE = 1.05
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


def reasons_can_be(mask: int, supported: Callable[[], int]) -> bool:
    """Whether clocks can be held back for just these reasons.

    Resting goes together with a slowdown: the header says that one is also reported while the
    performance state changes. `supported` says which reasons this driver knows; it is asked
    only about bits that came after this program.
    """
    if mask & _SLOWDOWNS == _SLOWDOWNS:
        return False  # every one of them at once
    return not mask & ~_DEFINED_REASONS or not mask & ~(_DEFINED_REASONS | supported())


def pcie_can_carry(rate: float, most: float) -> bool:
    return rate <= most * _PCIE_TOLERANCE


def nvlink_can_carry(rate: float, most: float | None) -> bool:
    return rate <= (k.MOST_NVLINK_RATE if most is None else most * _NVLINK_TOLERANCE)


class Scale(NamedTuple):
    """What a set of metrics is held against, worked out once."""

    bounds: tuple[tuple[MetricId, float, float], ...]
    choices: tuple[tuple[MetricId, Collection[int]], ...]
    counters: tuple[MetricId, ...]
    checks: tuple[Callable[[Values, Values], Iterable[MetricId]], ...]
    yardsticks: tuple[MetricId, ...]

    @staticmethod
    @lru_cache(maxsize=64)
    def of(metrics: frozenset[MetricId]) -> "Scale":
        """The same for all cards."""
        # The reasons are bits of a mask: 0 or 1, whatever the driver says.
        known = [METRICS[metric] for metric in metrics if metric not in _THROTTLE_FLAGS]
        choices: list[tuple[MetricId, Collection[int]]] = []
        for metric in known:
            if metric.choices:
                choices.append((metric.id, metric.choices))
            elif metric.unit is Unit.FLAG:
                choices.append((metric.id, (0, 1)))
            elif metric.id in _LANES:
                choices.append((metric.id, _WIDTHS))
        chosen = {metric for metric, _ in choices}
        return Scale(
            tuple((x.id, x.lowest, x.highest) for x in known if x.id not in chosen),
            tuple(choices),
            tuple(metric for metric in metrics if metric in _COUNTERS),
            tuple(check for about, check in _CHECKS if not about.isdisjoint(metrics)),
            tuple(metric for metric in metrics if metric in _YARDSTICKS),
        )


class Belief:
    """Remembers of one card what its next answers are held against."""

    def __init__(self, memory_total: float | None = None) -> None:
        self._known: Values = {}
        self._doubted: Values = {}
        if memory_total is not None:
            self._known[m.MEMORY_TOTAL] = memory_total

    def sift(self, scale: Scale, values: Values, missing: Missing) -> None:
        """Take out of the values what cannot be."""
        known, get = self._known, values.get
        for metric, low, high in scale.bounds:
            if not low <= get(metric, low) <= high:
                _reject((metric,), values, missing)
        for metric, choices in scale.choices:
            value = get(metric)
            if value is not None and value not in choices:
                _reject((metric,), values, missing)
        for check in scale.checks:
            _reject(check(values, known), values, missing)
        if scale.counters:
            _reject(self._ran_back(scale.counters, values), values, missing)
        total = get(m.MEMORY_TOTAL)
        if total is not None and total != known.get(m.MEMORY_TOTAL):
            self._doubt_memory(total, values, missing)
        elif self._doubted:
            self._doubted.pop(m.MEMORY_TOTAL, None)
        for metric in scale.yardsticks:
            if metric in values:
                known[metric] = values[metric]

    @property
    def pcie_most(self) -> float:
        """Bytes per second that no PCIe link of this card can exceed."""
        return _pcie_most(self._known)

    def _ran_back(self, counters: Iterable[MetricId], values: Values) -> list[MetricId]:
        """A counter that goes back is wrong once; begun anew, it goes on from there."""
        wrong = []
        for metric in counters:
            value = values.get(metric)
            if value is None:
                continue
            before = self._known.get(metric)
            doubted = self._doubted.pop(metric, None)
            if value in _NO_COUNT:
                wrong.append(metric)
            elif before is not None and value < before and (doubted is None or value < doubted):
                self._doubted[metric] = value
                wrong.append(metric)
            else:
                self._known[metric] = value
        return wrong

    def _doubt_memory(self, total: float, values: Values, missing: Missing) -> None:
        """Memory does not grow or shrink, unless two readings in a row say the same."""
        if m.MEMORY_TOTAL in self._known and self._doubted.get(m.MEMORY_TOTAL) != total:
            self._doubted[m.MEMORY_TOTAL] = total
            _reject(MEMORY, values, missing)
        else:
            self._known[m.MEMORY_TOTAL] = total


def _reject(metrics: Iterable[MetricId], values: Values, missing: Missing) -> None:
    for metric in metrics:
        if values.pop(metric, None) is not None:
            missing[metric] = Absence.IMPOSSIBLE


def _clocks(values: Values, known: Values) -> Iterable[MetricId]:
    for metric, highest in _CLOCKS.items():
        most = values.get(highest) or known.get(highest, float("inf"))
        if values.get(metric, 0.0) > 2 * most:
            yield metric


def _power(values: Values, known: Values) -> Iterable[MetricId]:
    """The limit in force may lie outside the range that can be set: a laptop on its battery or
    the management of a server sets it from elsewhere.
    """
    if values.get(h.POWER_LIMIT_MIN, 0.0) > values.get(h.POWER_LIMIT_MAX, float("inf")):
        yield from (h.POWER_LIMIT_MIN, h.POWER_LIMIT_MAX)


def _heat(values: Values, known: Values) -> Iterable[MetricId]:
    slowdown = values.get(h.TEMPERATURE_SLOWDOWN)
    shutdown = values.get(h.TEMPERATURE_SHUTDOWN)
    if slowdown is not None and shutdown is not None and slowdown > shutdown:
        yield from (h.TEMPERATURE_SLOWDOWN, h.TEMPERATURE_SHUTDOWN)


def _generation(values: Values, known: Values) -> Iterable[MetricId]:
    most = values.get(k.PCIE_GENERATION_CARD) or known.get(k.PCIE_GENERATION_CARD)
    for metric in (k.PCIE_GENERATION, k.PCIE_GENERATION_MAX):
        if most is not None and values.get(metric, 0.0) > most:
            yield metric


def _traffic(values: Values, known: Values) -> Iterable[MetricId]:
    """What is known of the link now may be more than when its traffic was looked at."""
    most = _pcie_most(known | values)
    for metric in (k.PCIE_RECEIVE, k.PCIE_TRANSMIT):
        if not pcie_can_carry(values.get(metric, 0.0), most):
            yield metric


def _pcie_most(known: Values) -> float:
    generation = known.get(k.PCIE_GENERATION_CARD, 0.0)
    return pcie_rate(int(generation), _MOST_LANES) or _FASTEST_PCIE


def _window(values: Values, known: Values) -> Iterable[MetricId]:
    if values.get(m.BAR1_USED, 0.0) > values.get(m.BAR1_TOTAL, float("inf")):
        yield from (m.BAR1_USED, m.BAR1_TOTAL)


_CHECKS = (
    (frozenset(_CLOCKS), _clocks),
    (frozenset({h.POWER_LIMIT_MIN, h.POWER_LIMIT_MAX}), _power),
    (frozenset({h.TEMPERATURE_SLOWDOWN, h.TEMPERATURE_SHUTDOWN}), _heat),
    (frozenset({k.PCIE_GENERATION, k.PCIE_GENERATION_MAX}), _generation),
    (frozenset({k.PCIE_RECEIVE, k.PCIE_TRANSMIT}), _traffic),
    (frozenset({m.BAR1_USED, m.BAR1_TOTAL}), _window),
)
