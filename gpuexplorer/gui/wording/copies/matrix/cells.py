"""PairCell: what stands in one cell of a matrix, and how it got there."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

from gpuexplorer.copies.result import CopyResult
from gpuexplorer.copies.result_json import direct_of
from gpuexplorer.copies.route import Route
from gpuexplorer.core.units import gigabytes_per_second
from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.wording.copies.matrix.question import Question

_LEAST_SPAN = 4.0  # a hair's difference must not look like day and night
_MOST_TICKS = 5


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


EMPTY = PairCell(CellState.EMPTY)
NONE = PairCell(CellState.NONE)
FAILED = PairCell(CellState.FAILED, "–")
_WRONG = mark("WRONG")


def wrong_cell(below: str = "") -> PairCell:
    return PairCell(CellState.WRONG, tr(_WRONG), below=below)


def measured_cell(question: Question, result: CopyResult | None, below: str = "") -> PairCell:
    if result is None:
        return PairCell(CellState.EMPTY, below=below)
    if question.hides(direct_of(result), result.route):
        return NONE
    if result.wrong:
        return wrong_cell(below)
    value = figure_of(question, result)
    if value is None:
        return PairCell(CellState.FAILED, FAILED.text, below=below)
    state = CellState.LOCAL if result.job.local else CellState.FIGURE
    return PairCell(state, figure_words(question, value), value, below)


def figure_of(question: Question, result: CopyResult) -> float | None:
    """GB/s, or µs where latency is asked."""
    if question.latency:
        return None if result.seconds is None else result.seconds * 1e6
    return None if result.rate is None else result.rate / 1e9


def figure_words(question: Question, value: float) -> str:
    if question.latency:
        return f"{value:.0f}" if value >= 100 else f"{value:.1f}"
    return gigabytes_per_second(value * 1e9)


def promised_cell(route: Route | None, limit: float | None) -> PairCell:
    """What the narrowest wire could carry."""
    if limit is None:
        return FAILED if route is not None else NONE
    local = route is not None and route.source == route.target
    state = CellState.LOCAL if local else CellState.FIGURE
    return PairCell(state, gigabytes_per_second(limit), limit / 1e9)


def share_cell(result: CopyResult | None, limit: float | None) -> PairCell:
    """Measured, of what is promised, in percent."""
    if result is None:
        return EMPTY
    if result.wrong:
        return wrong_cell()
    if result.rate is None or not limit:
        return FAILED
    share = result.rate / limit * 100
    state = CellState.LOCAL if result.job.local else CellState.FIGURE
    return PairCell(state, f"{share:.0f}", share)


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
