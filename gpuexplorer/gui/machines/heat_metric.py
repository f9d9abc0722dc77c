"""HeatMetric: what cells are shaded by; where its scale begins and ends, and how it reads."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gpuexplorer.core.catalogue import heat_and_power as heat
from gpuexplorer.core.catalogue import memory, utilization
from gpuexplorer.core.metrics import METRICS, MetricId
from gpuexplorer.core.units import Quantity, Units, quantity, ratio, trimmed
from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.state.groups.group import CardCell

_STEP = 50.0  # watts, or the top of the scale would change at every beat


@dataclass(frozen=True, slots=True)
class HeatMetric:
    """`value` is None where there is no figure, and `metric` then says why."""

    name: str
    title: str
    metric: MetricId
    value: Callable[[CardCell], float | None]
    words: Callable[[float, Units], Quantity]
    lowest: float
    top: float  # of the scale, unless something lies beyond
    limit: MetricId | None = None
    high_word: str = "{high}"
    meaning: str = ""

    def values(self, cells: Sequence[CardCell]) -> NDArray[np.float64]:
        """NaN where there is no figure."""
        value = self.value
        return np.array([value(cell) for cell in cells], np.float64)

    def highest(self, values: NDArray[np.float64], cells: Sequence[CardCell]) -> float:
        """No figure lies beyond, and no card's limit."""
        most = max(self.top, float(np.fmax.reduce(values, initial=0.0)))
        if self.limit is None:
            return most
        most = max([most, *(cell.values.get(self.limit, 0.0) for cell in cells)])
        return float(np.ceil(most / _STEP) * _STEP)

    def ends(self, highest: float, units: Units) -> tuple[str, str]:
        """Of the legend."""
        low, high = self.words(self.lowest, units), self.words(highest, units)
        return f"{trimmed(low.number)} {low.unit}", tr(self.high_word, high=high)


def _of(metric: MetricId) -> Callable[[CardCell], float | None]:
    return lambda cell: cell.values.get(metric)


def _used(cell: CardCell) -> float | None:
    used, total = cell.values.get(memory.MEMORY_USED), cell.memory_total
    return used / total if used is not None and total else None


def _in_words(metric: MetricId) -> Callable[[float, Units], Quantity]:
    return lambda value, units: quantity(METRICS[metric], value, units)


def _share(value: float, _: Units) -> Quantity:
    return ratio(value)


HEAT_METRICS = (
    HeatMetric(
        "utilisation",
        mark("Utilisation"),
        utilization.GPU_UTILIZATION,
        _of(utilization.GPU_UTILIZATION),
        _share,
        lowest=0.0,
        top=1.0,
        high_word=mark("{high} busy"),
        meaning=mark("The share of the last moment in which the card computed."),
    ),
    HeatMetric(
        "memory",
        mark("Memory"),
        memory.MEMORY_USED,
        _used,
        _share,
        lowest=0.0,
        top=1.0,
        high_word=mark("{high} used"),
        meaning=mark("The share of the card's memory that is used."),
    ),
    HeatMetric(
        "temperature",
        mark("Temperature"),
        heat.TEMPERATURE,
        _of(heat.TEMPERATURE),
        _in_words(heat.TEMPERATURE),
        lowest=20.0,
        top=90.0,
        meaning=mark("The temperature of the card's chip."),
    ),
    HeatMetric(
        "power",
        mark("Power"),
        heat.POWER_DRAW,
        _of(heat.POWER_DRAW),
        _in_words(heat.POWER_DRAW),
        lowest=0.0,
        top=_STEP,
        limit=heat.POWER_LIMIT,
        meaning=mark("What the card draws, up to the highest limit of all cards."),
    ),
)
