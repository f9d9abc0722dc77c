"""Reached: what was measured, as the rows of a sheet count it."""

from collections.abc import Mapping
from dataclasses import dataclass

from gpuexplorer.copies.datasheet.figure import Figure
from gpuexplorer.copies.datasheet.power_log import PowerLog
from gpuexplorer.copies.datasheet.product_result import ProductResult
from gpuexplorer.copies.result import CopyResult
from gpuexplorer.core.cards import CardId
from gpuexplorer.lab.copy_job import CopyJob
from gpuexplorer.lab.product_job import ProductJob

NOT_YET = "it was not measured yet"
_TOO_SHORT = "a copy is over too soon for its power to be read"
_TRAFFIC = "each byte is read and written, so it counts twice"
_WRONG_COPY = "what arrived was WRONG, and a wrong copy has no rate"
_WRONG_PRODUCT = "what came out was WRONG, and a wrong product has no rate"
_ABOVE = "more than promised: the card ran above the clock that its maker counts with"


@dataclass(frozen=True, slots=True)
class Reached:
    """The part of a row that a measurement fills."""

    figure: Figure
    watts: Figure
    lowest: float | None = None
    highest: float | None = None
    variation: float | None = None
    wrong: bool = False
    modelled: bool = False
    notes: tuple[str, ...] = ()


def copy_reached(
    job: CopyJob | None, results: Mapping[CopyJob, CopyResult], why_not: str, *, traffic: bool
) -> Reached:
    """`traffic`: reading and writing counted each for itself, as memory is sold."""
    if job is None:
        return _nothing(why_not)
    result = results.get(job)
    if result is None:
        return _nothing(NOT_YET)
    told = result.measured
    if told is None:
        return _nothing(f"{result.failure} {result.hint}".strip())
    if result.wrong or result.rate is None:
        missing = Figure.missing(_WRONG_COPY)
        return Reached(missing, missing, wrong=result.wrong, modelled=told.modelled)
    factor = 2.0 if traffic else 1.0
    rates = [factor * job.bytes / each for each in told.samples_s]
    source = "modelled from its wires" if told.modelled else _samples_in_words(len(rates))
    return Reached(
        Figure(factor * result.rate, source),
        Figure.missing("modelled: nothing was copied" if told.modelled else _TOO_SHORT),
        min(rates),
        max(rates),
        result.variation,
        modelled=told.modelled,
        notes=(*((_TRAFFIC,) if traffic else ()), *told.notes),
    )


def product_reached(
    job: ProductJob,
    products: Mapping[ProductJob, ProductResult],
    promised: Figure,
    power: PowerLog | None,
    card: CardId | None,
) -> Reached:
    result = products.get(job)
    if result is None:
        return _nothing(NOT_YET)
    told = result.measured
    if told is None:
        return _nothing(f"{result.failure} {result.hint}".strip())
    if result.rate is None:
        missing = Figure.missing(_WRONG_PRODUCT)
        return Reached(missing, missing, wrong=True, notes=told.notes)
    source = (
        "modelled from what the card could do"
        if told.modelled
        else f"{_samples_in_words(len(result.rates))}, {job.size} x {job.size}"
    )
    above = (_ABOVE,) if promised.value and result.rate > promised.value else ()
    return Reached(
        Figure(result.rate, source),
        _watts(result, power, card),
        min(result.rates),
        max(result.rates),
        result.variation,
        modelled=told.modelled,
        notes=(*told.notes, *above),
    )


def most_drawn(reached: Mapping[object, Reached]) -> Figure:
    """Of all that was measured."""
    drawn = [each.watts for each in reached.values() if each.watts.value is not None]
    if not drawn:
        return Figure.missing("no power was read while it was measured")
    return max(drawn, key=lambda watts: watts.value or 0.0)


def _watts(result: ProductResult, power: PowerLog | None, card: CardId | None) -> Figure:
    if result.watts is not None:
        return Figure(result.watts, "modelled from its power limit")
    if card is None:
        return Figure.missing("nobody tells what the processor draws")
    if power is None or result.loaded is None:
        return Figure.missing("nobody read the power while it was measured")
    return power.mean(card, *result.loaded)


def _nothing(reason: str) -> Reached:
    return Reached(Figure.missing(reason), Figure.missing(reason))


def _samples_in_words(count: int) -> str:
    return f"measured here: the median of {count}"
