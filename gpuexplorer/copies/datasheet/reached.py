"""Reached: what was measured, as the rows of a sheet count it."""

from collections.abc import Mapping
from dataclasses import dataclass

from gpuexplorer.copies.datasheet.figure import Figure, Origin
from gpuexplorer.copies.datasheet.power_log import PowerLog
from gpuexplorer.copies.datasheet.product_result import ProductResult
from gpuexplorer.copies.result import CopyResult
from gpuexplorer.core.cards import CardId
from gpuexplorer.core.words import Message
from gpuexplorer.lab.copy_job import CopyJob
from gpuexplorer.lab.product_job import ProductJob

NOT_YET = Message("it was not measured yet")
_TOO_SHORT = Message("a copy is over too soon for its power to be read")
_TRAFFIC = Message("Each byte is read and written, so it counts twice.")
_WRONG_COPY = Message("what arrived was WRONG, and a wrong copy has no rate")
_WRONG_PRODUCT = Message("what came out was WRONG, and a wrong product has no rate")
_CACHED = Message("so few bytes as fit into the free memory fit into the card's cache, too")
_ABOVE = Message("More than promised: the card ran above the clock that its maker counts with.")


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
    notes: tuple[Message, ...] = ()  # sentences


def copy_reached(
    job: CopyJob | None,
    results: Mapping[CopyJob, CopyResult],
    why_not: Message,
    *,
    traffic: bool,
) -> Reached:
    """`traffic`: reading and writing counted each for itself, as memory is sold."""
    if job is None:
        return _nothing(why_not)
    result = results.get(job)
    if result is None:
        return _nothing(NOT_YET, Origin.NOT_YET)
    told = result.measured
    if told is None:
        return _nothing(result.why)
    if result.wrong or result.rate is None:
        missing = Figure.missing(_WRONG_COPY)
        return Reached(missing, missing, wrong=result.wrong, modelled=told.modelled)
    if result.in_cache:
        return _nothing(_CACHED)
    factor = 2.0 if traffic else 1.0
    rates = [factor * result.bytes / each for each in told.samples_s]
    figure = Figure(factor * result.rate, _samples_in_words(len(rates)))
    watts = Figure.missing(_TOO_SHORT)
    if told.modelled:
        wires = Message("modelled from its wires")
        figure = Figure(factor * result.rate, wires, origin=Origin.MODELLED)
        nothing = Message("modelled: nothing was copied")
        watts = Figure.missing(nothing, origin=Origin.MODELLED)
    return Reached(
        figure,
        watts,
        min(rates),
        max(rates),
        result.variation,
        modelled=told.modelled,
        notes=(*((_TRAFFIC,) if traffic else ()), *told.notes, *_busy(result)),
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
        return _nothing(NOT_YET, Origin.NOT_YET)
    told = result.measured
    if told is None:
        return _nothing(result.why)
    if result.rate is None:
        missing = Figure.missing(_WRONG_PRODUCT)
        return Reached(missing, missing, wrong=True, notes=told.notes)
    figure = Figure(
        result.rate,
        Message(
            "measured here: the median of {count}, {size} x {size}",
            count=len(result.rates),
            size=job.size,
        ),
    )
    if told.modelled:
        could = Message("modelled from what the card could do")
        figure = Figure(result.rate, could, origin=Origin.MODELLED)
    above = (_ABOVE,) if promised.value and result.rate > promised.value else ()
    return Reached(
        figure,
        _watts(result, power, card),
        min(result.rates),
        max(result.rates),
        result.variation,
        modelled=told.modelled,
        notes=(*told.notes, *_busy(result), *above),
    )


def most_drawn(reached: Mapping[object, Reached]) -> Figure:
    """Of all that was measured."""
    drawn = [each.watts for each in reached.values() if each.watts.value is not None]
    if not drawn:
        return Figure.missing(Message("no power was read while it was measured"))
    return max(drawn, key=lambda watts: watts.value or 0.0)


def _watts(result: ProductResult, power: PowerLog | None, card: CardId | None) -> Figure:
    if result.watts is not None:
        limit = Message("modelled from its power limit")
        return Figure(result.watts, limit, origin=Origin.MODELLED)
    if card is None:
        return Figure.missing(Message("it is not known what the processor draws"))
    if power is None or result.loaded is None:
        return Figure.missing(Message("the power was not read while it was measured"))
    return power.mean(card, *result.loaded)


def _nothing(reason: Message, origin: Origin = Origin.NONE) -> Reached:
    missing = Figure.missing(reason, origin=origin)
    return Reached(missing, missing)


def _busy(result: CopyResult | ProductResult) -> tuple[Message, ...]:
    return tuple(each.sentence for each in result.busy)


def _samples_in_words(count: int) -> Message:
    return Message("measured here: the median of {count}", count=count)
