"""Sums: what all cards do together, and what they used in the time that is shown."""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, replace

from gpuexplorer.core import metrics as m
from gpuexplorer.core.cards import CardId
from gpuexplorer.core.metrics import METRICS
from gpuexplorer.core.units import (
    Units,
    part_of_memory,
    quantity,
    ratio,
    trimmed,
    watts,
)
from gpuexplorer.core.words import mark, tr, trn
from gpuexplorer.gui.cards.card_face import CardFace
from gpuexplorer.gui.cards.figure import NEAR_HEAT_LIMIT, Figure
from gpuexplorer.gui.cards.throttling import (
    EnergyTogether,
    EnergyUsed,
    energy_used,
)
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.telemetry.trace import TraceSource

_NOTHING = (mark("no card reports it"), mark("not reported"))
_NOBODY = (mark("no card is read"), mark("not read"))  # none of them answers

# Adding up a card's energy takes as long as to draw its tile, and changes slowly.
_MOST_EACH_TIME, _PASSES = 8, 12
_EVERY = 3  # pictures


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
    cards: Sequence[CardFace],
    units: Units,
    *,
    answering_said: bool = False,
) -> Sums:
    """`answering_said`: it stands beside them how many cards answer."""
    answering = [each for each in cards if each.answers]
    found: Sequence[tuple[Figure, int]] = (
        _busy(answering),
        _memory(answering, units),
        _power(answering),
        _hottest(answering, units),
    )
    if not answering:
        absent = tuple(tr(each) for each in _NOBODY)
        found = [(replace(figure, absent=absent), 0) for figure, _ in found]
    busy, memory_used, power, hottest = _with_left_out(
        found, len(cards), len(answering) if answering_said else len(cards)
    )
    return Sums(busy, memory_used, power, hottest, len(answering), len(cards))


def power_together(cards: Sequence[CardFace]) -> Figure:
    return _power([each for each in cards if each.answers])[0]


def _power(cards: Sequence[CardFace]) -> tuple[Figure, int]:
    told = [each.reading.values for each in cards if m.POWER_DRAW in each.reading.values]
    if not told:
        return _nothing(tr("Power")), 0
    drawn = sum(values[m.POWER_DRAW] for values in told)
    # What some draw is not compared with the limits of others.
    limited = all(m.POWER_LIMIT in values for values in told)
    limits = sum(values[m.POWER_LIMIT] for values in told) if limited else 0.0
    whole, part = watts(limits), watts(drawn, at_least=limits)
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


def _busy(cards: Sequence[CardFace]) -> tuple[Figure, int]:
    shares = [each.busy_share for each in cards if each.busy_share is not None]
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


def _memory(cards: Sequence[CardFace], units: Units) -> tuple[Figure, int]:
    told = [each for each in cards if each.memory.used is not None]
    whole = sum(each.memory.total_bytes or 0.0 for each in told)
    used = sum(each.reading.values[m.MEMORY_USED] for each in told)
    if not told:
        return _nothing(tr("Memory")), 0
    part = part_of_memory(used, whole, units)
    figure = Figure(
        tr("Memory"),
        number=part.number,
        unit=part.unit,
        limit=trimmed(part_of_memory(whole, whole, units).number),
        hint=trn(
            "Used of all the memory of {count} card.",
            "Used of all the memory of {count} cards.",
            len(told),
        ),
    )
    return figure, len(told)


def _hottest(cards: Sequence[CardFace], units: Units) -> tuple[Figure, int]:
    degrees = [
        (each.reading.values[m.TEMPERATURE], each)
        for each in cards
        if m.TEMPERATURE in each.reading.values
    ]
    if not degrees:
        return _nothing(tr("Hottest")), 0
    most, card = max(degrees, key=lambda pair: pair[0])
    values = card.reading.values
    limit = values.get(m.TEMPERATURE_MAX, values.get(m.TEMPERATURE_SLOWDOWN))
    near = limit is not None and most >= limit - NEAR_HEAT_LIMIT
    read = quantity(METRICS[m.TEMPERATURE], most, units)
    unit, brief = read.unit, ""
    if len(degrees) > 1:
        unit = tr("{unit}, card {number}", unit=read.unit, number=card.number)
        brief = tr("hottest")
    found = Figure(tr("Hottest"), number=read.number, unit=unit, brief=brief)
    return replace(found, tone=Tone.WARN) if near else found, len(degrees)


def _nothing(label: str) -> Figure:
    return Figure(label, absent=tuple(tr(each) for each in _NOTHING))


class EnergyFeed:
    """After the stretch has changed, all are asked one after the other, and then again and
    again, each now and then.
    """

    def __init__(self, past: TraceSource) -> None:
        self._past = past
        self._used: dict[CardId, EnergyUsed | None] = {}
        self._asked: tuple[float, tuple[CardId, ...]] = (0.0, ())
        self._end = 0.0
        self._due: deque[CardId] = deque()
        self._pictures = 0

    def bring_up(self, ids: tuple[CardId, ...], start: float, end: float) -> None:
        span = end - start
        jumped = not 0 <= end - self._end < max(2.0, span / 60)
        if (round(span, 3), ids) != self._asked or jumped:
            self._asked = (round(span, 3), ids)
            self._used = {}
            self._due = deque(ids)
        self._end = end
        self._pictures += 1
        whole = len(self._used) == len(ids)
        if whole and self._pictures % _EVERY:
            return
        count = -(-len(ids) // _PASSES) if whole else _MOST_EACH_TIME
        for _ in range(min(count, len(ids))):
            if not self._due:
                self._due.extend(ids)
            card = self._due.popleft()
            self._used[card] = energy_used(self._past, card, start, end)

    def total(self) -> EnergyTogether | None:
        """None before all were asked, or where none of them told."""
        told = [used for used in self._used.values() if used is not None]
        if not told or len(self._used) < len(self._asked[1]):
            return None
        joules = sum(used.joules for used in told)
        return EnergyTogether(joules, max(used.seconds for used in told), len(told))
