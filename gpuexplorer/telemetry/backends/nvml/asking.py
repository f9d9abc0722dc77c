"""Asking one card, a call each or many fields in one; and Belief: which of its answers cannot
be true, whatever the driver says.
"""

import math
import operator
import struct
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import pynvml

from gpuexplorer.core import metrics as m
from gpuexplorer.core.absence import Absence
from gpuexplorer.core.clock import Clock
from gpuexplorer.core.metrics import METRICS, MetricId, Unit
from gpuexplorer.telemetry.backends.nvml.library import GONE, absence_of
from gpuexplorer.telemetry.topology import pcie_rate

Figure = float | Absence
Pair = tuple[int | None, int | None]  # numbers that belong together, as far as they are known
# What a field says: its figure, and when that was so, in seconds.
Told = tuple[float, float] | Absence
# c_nvmlFieldValue_t, and what it holds by the number of its type. Asking the binding for each
# member takes three times as long, and some cards have eighty fields.
_FIELD, _HELD = struct.Struct("IIqqII8s"), [*map(struct.Struct, "dILQqiH")]


class Asking:
    """The two ways to ask one card. Both raise NVMLError where it or its driver is gone; any
    other refusal is a reason.
    """

    def __init__(self, handle: object, clock: Clock) -> None:
        self.handle, self.clock = handle, clock
        self.heard = 0.0  # when the card last answered

    # Any: what the binding hands back is a number, several, or a structure.
    def call(self, function: Callable[..., Any], *passed: object) -> Any:
        try:
            return function(self.handle, *passed)
        except pynvml.NVMLError as error:
            if error.value in GONE:
                raise
            return absence_of(error.value)
        finally:
            self.heard = self.clock.now()

    def fields(self, asked: Sequence[tuple[int, int]]) -> list[Told]:
        told = self.call(fields, asked, self.clock.now())
        return [told] * len(asked) if isinstance(told, Absence) else told


def fields(handle: object, asked: Sequence[tuple[int, int]], now: float = 0.0) -> list[Told]:
    """Many of one card in one call. Raises NVMLError when the whole call is refused."""
    told = pynvml.nvmlDeviceGetFieldValues(handle, asked) if asked else ()
    rows = _FIELD.iter_unpack(bytes(told))
    return [_told(code, kind, raw, at * 1e-6 or now) for _, _, at, _, kind, code, raw in rows]


def _told(code: int, kind: int, raw: bytes, at: float) -> Told:
    # A driver that is older than a field calls its number an invalid argument.
    if code == pynvml.NVML_ERROR_INVALID_ARGUMENT:
        return Absence.NOT_IN_DRIVER
    if code:
        return absence_of(code)
    return _HELD[kind].unpack_from(raw)[0] if kind < len(_HELD) else math.nan, at


MEMORY = (m.MEMORY_USED, m.MEMORY_FREE, m.MEMORY_RESERVED, m.MEMORY_TOTAL)
# What drivers write where they know no count.
_NO_COUNT = (float(2**32 - 1), float(2**64 - 1))
_COUNTERS = frozenset(metric.id for metric in METRICS.values() if metric.counter)
_STEADY = _COUNTERS | {m.MEMORY_TOTAL}
# The first is no more than so many times the second, which may be of an earlier reading.
_AT_MOST = (
    (m.CLOCK_GRAPHICS, m.CLOCK_GRAPHICS_MAX, 2.0),
    (m.CLOCK_SM, m.CLOCK_SM_MAX, 2.0),
    (m.CLOCK_MEMORY, m.CLOCK_MEMORY_MAX, 2.0),
    (m.CLOCK_VIDEO, m.CLOCK_VIDEO_MAX, 2.0),
    (m.PCIE_GENERATION, m.PCIE_GENERATION_CARD, 1.0),
    (m.PCIE_GENERATION_MAX, m.PCIE_GENERATION_CARD, 1.0),
)
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
LANES = frozenset({1, 2, 4, 8, 12, 16, 32})  # all that PCIe has


def memory_fits(total: float, *parts: float) -> bool:
    """Whether the parts can be of that whole. They may fall short of it: where programs share a
    card, the driver may be made to say only what this one uses.
    """
    return sum(parts) <= total * (1 + _SHARE_OF_MEMORY_ASTRAY) and max(parts) <= total


# Of these metrics no other figure can be.
_ONLY: Mapping[MetricId, Collection[float]] = {
    **{x.id: x.choices or (0, 1) for x in METRICS.values() if x.choices or x.unit is Unit.FLAG},
    **dict.fromkeys((m.PCIE_WIDTH, m.PCIE_WIDTH_MAX, m.PCIE_WIDTH_SLOT), LANES),
}


def _can_be(metric: MetricId, value: float) -> bool:
    if metric in _ONLY:
        return value in _ONLY[metric]
    wrong_count = metric in _COUNTERS and value in _NO_COUNT
    return METRICS[metric].plausible(value) and not wrong_count


class Belief:
    """Remembers of one card what its next answers are held against.

    Only hard bounds, impossible combinations and counters that run backwards count. What is
    merely unlikely stays: it may be the very thing that a person is looking for.
    """

    def __init__(self, memory_total: float | None) -> None:
        self._known = {} if memory_total is None else {m.MEMORY_TOTAL: memory_total}
        self._doubted: dict[MetricId, float] = {}

    @property
    def pcie_most(self) -> float:
        """Bytes per second that no PCIe link of this card can exceed."""
        generation = self._known.get(m.PCIE_GENERATION_CARD, 0.0)
        return pcie_rate(int(generation), _MOST_LANES) or _FASTEST_PCIE

    def impossible(self, values: Mapping[MetricId, float]) -> Collection[MetricId]:
        """Those of them that cannot be."""
        impossible = {x for x, value in values.items() if not _can_be(x, value)}
        for metric, yardstick, times in _AT_MOST:
            if yardstick in values and yardstick not in impossible:
                self._known[yardstick] = values[yardstick]
            if values.get(metric, 0.0) > times * self._known.get(yardstick, math.inf):
                impossible.add(metric)
        for less, more in _IN_ORDER:
            if values.get(less, -math.inf) > values.get(more, math.inf):
                impossible |= {less, more}
        for metric in (m.PCIE_RECEIVE, m.PCIE_TRANSMIT):
            if values.get(metric, 0.0) > self.pcie_most * _PCIE_TOLERANCE:
                impossible.add(metric)
        for metric in (_STEADY & values.keys()) - impossible:
            if self._doubts(metric, values[metric]):
                impossible |= {metric} if metric in _COUNTERS else set(MEMORY)
        return impossible & values.keys()

    def _doubts(self, metric: MetricId, value: float) -> bool:
        """A counter that goes back is wrong once; begun anew, it goes on from there. Memory
        does not grow or shrink, unless two readings in a row say the same.
        """
        goes_on = operator.ge if metric in _COUNTERS else operator.eq
        doubted = self._doubted.pop(metric, math.inf)
        if goes_on(value, self._known.get(metric, value)) or goes_on(value, doubted):
            self._known[metric] = value
            return False
        self._doubted[metric] = value
        return True
