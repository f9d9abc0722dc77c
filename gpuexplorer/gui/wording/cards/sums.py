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
from gpuexplorer.gui.wording.cards.energy_used import EnergyTogether, time_covered
from gpuexplorer.gui.wording.cards.faces import Known, Shown
from gpuexplorer.gui.wording.figure import Figure
from gpuexplorer.gui.wording.figures import NEAR_HEAT_LIMIT
from gpuexplorer.gui.wording.moments import span_words

_NOTHING = (mark("no card reports it"), mark("not reported"))
_NOBODY = (mark("no card is read"), mark("not read"))  # none of them answers


@dataclass(frozen=True, slots=True)
class Sums:
    """For the cards that answer; each figure is that of the cards that report it."""

    busy: Figure
    memory: Figure
    power: Figure
    hottest: Figure
    answering: int
    count: int


def sums(
    cards: Sequence[Shown],
    known: Mapping[CardId, Known],
    units: Units,
    *,
    answering_said: bool = False,
) -> Sums:
    """`answering_said`: it stands beside them how many cards answer."""
    answering = [each for each in cards if known[each.card.id].answers]
    found: Sequence[tuple[Figure, int]] = (
        _busy(answering, known),
        _memory(answering, known, units),
        _power(answering, known),
        _hottest(answering, known, units),
    )
    if not answering:
        absent = tuple(tr(each) for each in _NOBODY)
        found = [(replace(figure, absent=absent), 0) for figure, _ in found]
    busy, memory_used, power, hottest = _with_left_out(
        found, len(cards), len(answering) if answering_said else len(cards)
    )
    return Sums(busy, memory_used, power, hottest, len(answering), len(cards))


def power_together(cards: Sequence[Shown], known: Mapping[CardId, Known]) -> Figure:
    return _power(cards, known)[0]


def _power(cards: Sequence[Shown], known: Mapping[CardId, Known]) -> tuple[Figure, int]:
    told = [values for each in cards if heat.POWER_DRAW in (values := _values(each, known))]
    if not told:
        return _nothing(tr("Power")), 0
    drawn = sum(values[heat.POWER_DRAW] for values in told)
    # What some draw is not compared with the limits of others.
    limited = all(heat.POWER_LIMIT in values for values in told)
    limits = sum(values[heat.POWER_LIMIT] for values in told) if limited else 0.0
    whole, part = watts_together(limits), watts_together(drawn, at_least=limits)
    figure = Figure(
        tr("Power"),
        number=part.number,
        unit=part.unit,
        limit=whole.number if limits else "",
        hint=trn(
            "What {count} card draws, and its limit.",
            "What {count} cards draw together, and the sum of their limits.",
            len(told),
        ),
    )
    return figure, len(told)


def _with_left_out(
    found: Sequence[tuple[Figure, int]], count: int, said: int
) -> Sequence[Figure]:
    """Each says of how many cards it is, where that is not as many as is `said` already; in a
    row only the first of those that are of as many.
    """
    figures, before = [], said
    for figure, told in found:
        if told in (0, said):
            figures.append(figure)
        else:
            words = {"told": told, "count": count}
            label = tr("{label} ({told} of {count} cards)", label=figure.label, **words)
            short = ""
            if figure.short_label:
                short = tr("busy on {told} of {count} cards", **words)
            elif told != before:
                short = tr("on {told} of {count} cards", **words)
            figures.append(replace(figure, label=label, short_label=short))
        before = told or before
    return figures


def energy_together(
    used: EnergyTogether | None,
    span: float,
    count: int | None = None,
    *,
    following: bool = True,
) -> Figure:
    """In the seconds that are shown, as far as the past reaches; `count` is of all cards.
    It says so where what stands beside it is of another time.
    """
    if used is None:
        label = tr("Energy, {span}", span=span_words(span))
        return Figure(label, absent=(tr("with the next readings"), tr("soon")))
    read = energy(used.joules)
    words = span_words(time_covered(used.seconds, span))
    if not following:
        words = tr("the {span} shown", span=words)
    label, short = tr("Energy, {span}", span=words), tr("in {span}", span=words)
    if count is not None and used.cards < count:
        cards = {"told": used.cards, "count": count}
        label = tr("{label} ({told} of {count} cards)", label=label, **cards)
        short = tr("in {span} on {told} of {count} cards", span=words, **cards)
    return Figure(
        label,
        number=read.number,
        unit=read.unit,
        hint=trn(
            "What {count} card used in the time that is shown, as far as it was read.",
            "What {count} cards used in the time that is shown, as far as it was read.",
            used.cards,
        ),
        short_label=short,
    )


def _busy(cards: Sequence[Shown], known: Mapping[CardId, Known]) -> tuple[Figure, int]:
    shares = [
        share
        for each in cards
        if (share := _values(each, known).get(utilization.GPU_UTILIZATION)) is not None
    ]
    label = tr("Busy, average")
    if not shares:
        return _nothing(label), 0
    read = ratio(sum(shares) / len(shares))
    figure = Figure(
        label,
        number=read.number,
        unit=read.unit,
        hint=trn("Mean of {count} card.", "Mean of {count} cards.", len(shares)),
        short_label=tr("busy on average"),
    )
    return figure, len(shares)


def _memory(
    cards: Sequence[Shown], known: Mapping[CardId, Known], units: Units
) -> tuple[Figure, int]:
    used, whole, told = 0.0, 0.0, 0
    for each in cards:
        values = _values(each, known)
        total = values.get(memory.MEMORY_TOTAL) or each.card.memory_bytes
        if memory.MEMORY_USED in values and total:
            told += 1
            used += values[memory.MEMORY_USED]
            whole += total
    if not told:
        return _nothing(tr("Memory")), 0
    all_of_it = quantity(METRICS[memory.MEMORY_TOTAL], whole, units)
    figure = Figure(
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
    return figure, told


def _hottest(
    cards: Sequence[Shown], known: Mapping[CardId, Known], units: Units
) -> tuple[Figure, int]:
    degrees = [
        (values[heat.TEMPERATURE], each)
        for each in cards
        if heat.TEMPERATURE in (values := _values(each, known))
    ]
    if not degrees:
        return _nothing(tr("Hottest")), 0
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
    return replace(found, tone=Tone.WARN) if near else found, len(degrees)


def _values(shown: Shown, known: Mapping[CardId, Known]) -> Mapping[MetricId, float]:
    reading = known[shown.card.id].reading
    return {} if reading is None else reading.values


def _nothing(label: str) -> Figure:
    return Figure(label, absent=tuple(tr(each) for each in _NOTHING))


def _trimmed(number: str) -> str:
    return number.rstrip("0").rstrip(".") if "." in number else number
