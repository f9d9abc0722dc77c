"""What stands in a cell of the matrix: a figure measured, promised, or a share of both."""

from collections.abc import Iterable

from gpuexplorer.copies.result import CopyResult
from gpuexplorer.copies.result_json import direct_of
from gpuexplorer.copies.route import Route
from gpuexplorer.core.units import gigabytes_per_second
from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.copies.matrix.pair_question import MatrixQuestion
from gpuexplorer.gui.widgets.pair_grid import (
    NONE,
    CellState,
    HeatScale,
    PairCell,
    scale_of,
)

EMPTY = PairCell(CellState.EMPTY)
FAILED = PairCell(CellState.FAILED, "–")
_WRONG = mark("WRONG")


def wrong_cell(below: str = "") -> PairCell:
    return PairCell(CellState.WRONG, tr(_WRONG), below=below)


def measured_cell(
    question: MatrixQuestion, result: CopyResult | None, below: str = ""
) -> PairCell:
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


def figure_of(question: MatrixQuestion, result: CopyResult) -> float | None:
    """GB/s, or µs where latency is asked."""
    if question.latency:
        return None if result.seconds is None else result.seconds * 1e6
    return None if result.rate is None else result.rate / 1e9


def figure_words(question: MatrixQuestion, value: float) -> str:
    if question.latency:
        return f"{value:.0f}" if value >= 100 else f"{value:.1f}"
    return gigabytes_per_second(value * 1e9)


def unit_words(question: MatrixQuestion, result: CopyResult) -> str:
    """Of its figure."""
    return "µs" if question.latency else tr(result.unit)


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


def scale_of_cells(cells: Iterable[PairCell]) -> HeatScale | None:
    """What is inside one device is another matter than a wire, and has no shade."""
    return scale_of(
        cell.value
        for cell in cells
        if cell.state is CellState.FIGURE and cell.value is not None
    )
