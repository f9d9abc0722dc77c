"""Scale: from which value to which a plot reaches, and where its grid lines are."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from gpuexplorer.core.axes import round_steps
from gpuexplorer.core.metric import Unit
from gpuexplorer.core.units import Measure, Units, measure
from gpuexplorer.core.words import tr
from gpuexplorer.gui.plots.content import PlotContent
from gpuexplorer.gui.plots.summary import Summary

_COUNTED = frozenset({Unit.COUNT, Unit.LANES, Unit.GENERATION, Unit.FLAG, Unit.STATE})
# How far a plot reaches that has seen nothing but zero.
_LEAST_REACH = {
    Unit.RATIO: 1.0,
    Unit.BYTES: 2.0**30,
    Unit.WATTS: 100.0,
    Unit.HERTZ: 1e9,
    Unit.BYTES_PER_SECOND: 1e9,
}


@dataclass(frozen=True, slots=True)
class Tick:
    """A grid line and what it is called."""

    value: float
    text: str


@dataclass(frozen=True, slots=True)
class Scale:
    """In the catalogue's units; `measure` is how people read them here."""

    lowest: float
    highest: float
    ticks: tuple[Tick, ...]  # from the lowest up, without the floor
    measure: Measure
    decimals: int

    def holds(self, value: float) -> bool:
        return self.lowest <= value <= self.highest

    def number(self, value: float) -> str:
        """Without its unit, which stands at the topmost grid line."""
        shown = self.measure.shown(value)
        # What rounds to nothing is not nothing.
        return "0" if shown == 0 else f"{shown:.{self.decimals}f}"


def scale_of(content: PlotContent, seen: Sequence[Summary], lines: int, units: Units) -> Scale:
    """At most `lines` grid lines, which hold all that is seen and every limit."""
    most = [one.most for one in seen if one.most is not None]
    least = [one.least for one in seen if one.least is not None]
    limits = [limit.value for limit in content.limits]
    highest = content.highest
    if highest is None:
        highest = max((*most, *limits), default=0.0)
    lowest = content.lowest
    if lowest is None:
        lowest = min((*least, *limits), default=0.0)
    reach = _LEAST_REACH.get(content.unit, 1.0)
    if content.lowest is not None and highest <= lowest:
        highest = lowest + reach
    gauge = measure(content.unit, max(abs(highest), abs(lowest)), units)
    low, high = gauge.shown(lowest), gauge.shown(highest)
    if high - low < 1e-9 * max(1.0, abs(high)):
        # One figure all the time: a little room on either side of it.
        low, high = low - 1.0, high + 1.0
    floor, ceiling, step = round_steps(low, high, lines, whole=content.unit in _COUNTED)
    places = [step * at for at in range(floor + 1, ceiling + 1)]
    names = [_name(content, gauge, place) for place in places]
    if names and gauge.name:
        names[-1] = f"{names[-1]} {gauge.name}"
    ticks = tuple(Tick(gauge.value(p), name) for p, name in zip(places, names, strict=True))
    return Scale(
        gauge.value(step * floor),
        gauge.value(step * ceiling),
        ticks,
        gauge,
        _decimals(gauge, step * ceiling),
    )


def _name(content: PlotContent, gauge: Measure, shown: float) -> str:
    for line in content.lines[:1]:
        word = line.metric.text_of(gauge.value(shown))
        if word is not None:
            return tr(word)
    return f"{shown:g}" if abs(shown) < 1e6 else f"{shown:.3g}"


def _decimals(gauge: Measure, most: float) -> int:
    if gauge.whole:
        return 1 if gauge.name == "W" and most < 10 else 0
    return max(0, min(2, 2 - math.floor(math.log10(max(abs(most), 1e-9)))))
