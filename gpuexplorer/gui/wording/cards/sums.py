"""Sums: what all cards do together."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from gpuexplorer.core.cards import CardId
from gpuexplorer.core.catalogue import heat_and_power as heat
from gpuexplorer.core.catalogue import memory, utilization
from gpuexplorer.core.metrics import METRICS, MetricId
from gpuexplorer.core.units import (
    Units,
    energy,
    part_of_memory,
    quantity,
    ratio,
    watts_together,
)
from gpuexplorer.core.words import mark, tr, trn
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.wording.cards.faces import Known, Shown
from gpuexplorer.gui.wording.figure import Figure
from gpuexplorer.gui.wording.figures import NEAR_HEAT_LIMIT

_NOTHING = (mark("no card reports it"), mark("not reported"))


@dataclass(frozen=True, slots=True)
class Sums:
    """For the cards that answer; each figure is that of the cards that report it."""

    busy: Figure
    memory: Figure
    power: Figure
    hottest: Figure
    answering: int
    count: int


def sums(cards: Sequence[Shown], known: Mapping[CardId, Known], units: Units) -> Sums:
    answering = [each for each in cards if known[each.card.id].answers]
    return Sums(
        busy=_busy(answering, known),
        memory=_memory(answering, known, units),
        power=power_together(answering, known),
        hottest=_hottest(answering, known, units),
        answering=len(answering),
        count=len(cards),
    )


def power_together(cards: Sequence[Shown], known: Mapping[CardId, Known]) -> Figure:
    drawn, limits, told = 0.0, 0.0, 0
    for each in cards:
        values = _values(each, known)
        if heat.POWER_DRAW in values:
            told += 1
            drawn += values[heat.POWER_DRAW]
            limits += values.get(heat.POWER_LIMIT, 0.0)
    if not told:
        return _nothing(tr("Power"))
    whole, part = watts_together(limits), watts_together(drawn, at_least=limits)
    return Figure(
        tr("Power"),
        number=part.number,
        unit=part.unit,
        limit=whole.number if limits else "",
        hint=trn(
            "What {count} card draws, and its limit.",
            "What {count} cards draw together, and the sum of their limits.",
            told,
        ),
    )


def energy_together(joules: float | None, span: str, counted: int) -> Figure:
    """`span` is the time that is shown, in words."""
    label = tr("Energy, {span}", span=span)
    if joules is None:
        return Figure(label, absent=(tr("with the next readings"), tr("soon")))
    read = energy(joules)
    return Figure(
        label,
        number=read.number,
        unit=read.unit,
        hint=trn(
            "What {count} card used in the time that is shown.",
            "What {count} cards used in the time that is shown.",
            counted,
        ),
        short_label=tr("in {span}", span=span),
    )


def _busy(cards: Sequence[Shown], known: Mapping[CardId, Known]) -> Figure:
    shares = [
        share
        for each in cards
        if (share := _values(each, known).get(utilization.GPU_UTILIZATION)) is not None
    ]
    label = tr("Busy, average")
    if not shares:
        return _nothing(label)
    read = ratio(sum(shares) / len(shares))
    return Figure(
        label,
        number=read.number,
        unit=read.unit,
        hint=trn("Mean of {count} card.", "Mean of {count} cards.", len(shares)),
        short_label=tr("busy on average"),
    )


def _memory(cards: Sequence[Shown], known: Mapping[CardId, Known], units: Units) -> Figure:
    used, whole, told = 0.0, 0.0, 0
    for each in cards:
        values = _values(each, known)
        total = values.get(memory.MEMORY_TOTAL) or each.card.memory_bytes
        if memory.MEMORY_USED in values and total:
            told += 1
            used += values[memory.MEMORY_USED]
            whole += total
    if not told:
        return _nothing(tr("Memory"))
    all_of_it = quantity(METRICS[memory.MEMORY_TOTAL], whole, units)
    return Figure(
        tr("Memory"),
        number=part_of_memory(used, whole, units),
        unit=all_of_it.unit,
        limit=_trimmed(all_of_it.number),
        hint=trn(
            "Used of all the memory of {count} card.",
            "Used of all the memory of {count} cards.",
            told,
        ),
    )


def _hottest(cards: Sequence[Shown], known: Mapping[CardId, Known], units: Units) -> Figure:
    degrees = [
        (values[heat.TEMPERATURE], each)
        for each in cards
        if heat.TEMPERATURE in (values := _values(each, known))
    ]
    if not degrees:
        return _nothing(tr("Hottest"))
    most, card = max(degrees, key=lambda pair: pair[0])
    values = _values(card, known)
    limit = values.get(heat.TEMPERATURE_MAX, values.get(heat.TEMPERATURE_SLOWDOWN))
    near = limit is not None and most >= limit - NEAR_HEAT_LIMIT
    read = quantity(METRICS[heat.TEMPERATURE], most, units)
    unit, brief = read.unit, ""
    if len(degrees) > 1:
        unit = tr("{unit}, card {number}", unit=read.unit, number=card.number)
        brief = tr("hottest")
    found = Figure(tr("Hottest"), number=read.number, unit=unit, brief=brief)
    return replace(found, tone=Tone.WARN) if near else found


def _values(shown: Shown, known: Mapping[CardId, Known]) -> Mapping[MetricId, float]:
    reading = known[shown.card.id].reading
    return {} if reading is None else reading.values


def _nothing(label: str) -> Figure:
    return Figure(label, absent=tuple(tr(each) for each in _NOTHING))


def _trimmed(number: str) -> str:
    return number.rstrip("0").rstrip(".") if "." in number else number
