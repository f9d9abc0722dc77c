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
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.wording.cards.faces import Known, Shown
from gpuexplorer.gui.wording.figure import Figure
from gpuexplorer.gui.wording.figures import NEAR_HEAT_LIMIT

_NOTHING = ("no card tells", "not told")


@dataclass(frozen=True, slots=True)
class Sums:
    """Of the cards that answer; each figure of those that tell it."""

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
        return Figure("Power", absent=_NOTHING)
    whole, part = watts_together(limits), watts_together(drawn, at_least=limits)
    return Figure(
        "Power",
        number=part.number,
        unit=part.unit,
        of=f"of {whole.number}" if limits else "",
        hint=f"What {_cards(told)} draw together, and the sum of their limits.",
    )


def energy_together(joules: float | None, span: str, counted: int) -> Figure:
    """`span` is the time that is shown, in words."""
    label = f"Energy, {span}"
    if joules is None:
        return Figure(label, absent=("with the next readings", "soon"))
    read = energy(joules)
    hint = f"What {_cards(counted)} used in the time that is shown."
    return Figure(
        label, number=read.number, unit=read.unit, hint=hint, short_label=f"in {span}"
    )


def _busy(cards: Sequence[Shown], known: Mapping[CardId, Known]) -> Figure:
    shares = [
        share
        for each in cards
        if (share := _values(each, known).get(utilization.GPU_UTILIZATION)) is not None
    ]
    label = "Busy, average"
    if not shares:
        return Figure(label, absent=_NOTHING)
    read = ratio(sum(shares) / len(shares))
    return Figure(
        label,
        number=read.number,
        unit=read.unit,
        hint=f"Mean of {_cards(len(shares))}.",
        short_label="busy on average",
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
        return Figure("Memory", absent=_NOTHING)
    all_of_it = quantity(METRICS[memory.MEMORY_TOTAL], whole, units)
    return Figure(
        "Memory",
        number=part_of_memory(used, whole, units),
        unit=all_of_it.unit,
        of=f"of {_trimmed(all_of_it.number)}",
        hint=f"Used of all the memory of {_cards(told)}.",
    )


def _hottest(cards: Sequence[Shown], known: Mapping[CardId, Known], units: Units) -> Figure:
    degrees = [
        (values[heat.TEMPERATURE], each)
        for each in cards
        if heat.TEMPERATURE in (values := _values(each, known))
    ]
    if not degrees:
        return Figure("Hottest", absent=_NOTHING)
    most, card = max(degrees, key=lambda pair: pair[0])
    values = _values(card, known)
    limit = values.get(heat.TEMPERATURE_MAX, values.get(heat.TEMPERATURE_SLOWDOWN))
    near = limit is not None and most >= limit - NEAR_HEAT_LIMIT
    read = quantity(METRICS[heat.TEMPERATURE], most, units)
    which = f", card {card.number}" if len(degrees) > 1 else ""
    brief = "hottest" if which else ""
    found = Figure("Hottest", number=read.number, unit=f"{read.unit}{which}", brief=brief)
    return replace(found, tone=Tone.WARN) if near else found


def _values(shown: Shown, known: Mapping[CardId, Known]) -> Mapping[MetricId, float]:
    reading = known[shown.card.id].reading
    return {} if reading is None else reading.values


def _cards(count: int) -> str:
    return "1 card" if count == 1 else f"{count} cards"


def _trimmed(number: str) -> str:
    return number.rstrip("0").rstrip(".") if "." in number else number
