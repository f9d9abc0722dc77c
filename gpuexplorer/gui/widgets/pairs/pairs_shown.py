"""What a table of pairs shows: devices at its heads, cells, and the scale of their shades."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

Pair = tuple[str, str]
# From one more card on, chips have no colours, and a row of outlined boxes would be no help.
MOST_CHIPS = 8
_LEAST_SPAN = 4.0  # a hair's difference must not look like day and night
_MOST_TICKS = 5


@dataclass(frozen=True, slots=True)
class PairHead:
    """A device at the head of a row or a column."""

    name: str  # "cpu", "cuda:0"
    chip: str
    colour: int | None
    titled: str  # "Card 0"
    boxed: bool = True  # False: words


class CellState(Enum):
    """How it is drawn."""

    EMPTY = "empty"  # it can be measured, and was not yet
    NONE = "none"  # there is nothing to be measured
    FIGURE = "figure"
    LOCAL = "local"  # inside one device: another matter than a wire, so without a shade
    FAILED = "failed"
    WRONG = "wrong"


@dataclass(frozen=True, slots=True)
class PairCell:
    """`value` is what its shade follows from, in the unit of the matrix."""

    state: CellState
    text: str = ""
    value: float | None = None
    below: str = ""  # somebody else's figure


NONE = PairCell(CellState.NONE)


@dataclass(frozen=True, slots=True)
class HeatScale:
    """In the unit of the cells: GB/s, or µs."""

    least: float
    most: float

    def share(self, value: float) -> float:
        """From 0 to 1. What lies beyond an end has its shade."""
        if not 0 < value < math.inf:
            return 0.0
        part = math.log(value / self.least) / math.log(self.most / self.least)
        return min(1.0, max(0.0, part))

    def ticks(self) -> list[float]:
        """Powers of two between the ends, few enough to be read."""
        low, high = math.ceil(math.log2(self.least) - 1e-9), math.floor(math.log2(self.most))
        step = max(1, math.ceil((high - low + 1) / _MOST_TICKS))
        return [2.0**power for power in range(low, high + 1, step)]


def scale_of(values: Iterable[float]) -> HeatScale | None:
    """Over all that is shown; None where nothing is."""
    told = [value for value in values if 0 < value < math.inf]
    if not told:
        return None
    most = max(told)
    # The least of them still stands out of the ground.
    below = 2.0 ** math.floor(math.log2(min(told)) - 1)
    return HeatScale(min(below, most / _LEAST_SPAN), most)
