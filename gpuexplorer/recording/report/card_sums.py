"""CardSums: what one card did in all of a stretch, in figures."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import Card, CardKind
from gpuexplorer.core.catalogue import clocks, links
from gpuexplorer.core.catalogue.heat_and_power import (
    ENERGY,
    POWER_DRAW,
    POWER_LIMIT,
    TEMPERATURE,
    TEMPERATURE_MAX,
)
from gpuexplorer.core.catalogue.memory import MEMORY_TOTAL, MEMORY_USED
from gpuexplorer.core.catalogue.utilization import GPU_UTILIZATION
from gpuexplorer.core.metrics import MetricId
from gpuexplorer.recording.report.courses import Courses, Sums, growth, time_above
from gpuexplorer.telemetry.session import card_numbers

MUCH = 0.9  # of what a card can do, or hold
HEAT = tuple(clocks.throttle(f"{by}_thermal_slowdown") for by in ("sw", "hw"))
# What slows a card down and should not; a busy card stands at its power limit as a rule.
HARMFUL = (*HEAT, clocks.throttle("hw_power_brake_slowdown"), clocks.throttle("hw_slowdown"))
AT_LIMIT = (clocks.throttle("sw_power_cap"),)
PCIE = (links.PCIE_RECEIVE, links.PCIE_TRANSMIT)
_SUMMED = (
    *(GPU_UTILIZATION, MEMORY_USED, MEMORY_TOTAL, POWER_DRAW, POWER_LIMIT, TEMPERATURE),
    *(TEMPERATURE_MAX, clocks.CLOCK_SM, links.PCIE_WIDTH, links.PCIE_WIDTH_MAX),
)
_TABLED = (
    GPU_UTILIZATION,
    MEMORY_USED,
    POWER_DRAW,
    ENERGY,
    TEMPERATURE,
    *PCIE,
    *HEAT,
    *AT_LIMIT,
)


@dataclass(frozen=True, slots=True)
class CardSums:
    card: Card
    number: str
    of: Mapping[MetricId, Sums]
    missing: Mapping[MetricId, Absence]  # of what people ask for first
    pcie: Sums | None  # in and out together
    busy_seconds: float  # at MUCH of what it can do
    full_seconds: float  # with MUCH of its memory in use
    joules: float | None
    counted: bool  # by the card; else its power was summed up
    held: Mapping[MetricId, float]  # seconds for which a reason slowed it down
    flags_seconds: float  # for which such reasons were read

    @property
    def memory_bytes(self) -> float | None:
        total = self.of.get(MEMORY_TOTAL)
        return self.card.memory_bytes if total is None else total.most

    def slowed(self, reasons: Sequence[MetricId]) -> float | None:
        """Seconds; None where nobody could tell. Two reasons at once count as the longer."""
        known = [self.held[each] for each in reasons if each in self.held]
        return max(known) if known else None


def card_sums(courses: Courses) -> Sequence[CardSums]:
    """Of every card that was ever listed, in the order people know."""
    cards = [e for e in courses.recording.cards() if e.kind is not CardKind.HOST]
    numbers = card_numbers(cards)
    return [_sums(courses, each, numbers[each.id]) for each in cards]


def _sums(courses: Courses, card: Card, number: str) -> CardSums:
    of = {m: sums for m in _SUMMED if (sums := courses.sums(card.id, m)) is not None}
    flags = {reason: courses.of(card.id, reason) for reason in (*HARMFUL, *AT_LIMIT)}
    energy = courses.of(card.id, ENERGY)
    power = of.get(POWER_DRAW)
    total = of[MEMORY_TOTAL].most if MEMORY_TOTAL in of else card.memory_bytes
    joules = growth(energy) if energy else None
    if joules is None and power is not None:
        joules = power.mean * power.seconds
    wanted = [each for each in _TABLED if not courses.of(card.id, each)]
    if joules is not None and ENERGY in wanted:
        wanted.remove(ENERGY)
    return CardSums(
        card=card,
        number=number,
        of=of,
        missing=courses.recording.sample(card.id, wanted, courses.end).missing,
        pcie=courses.sums(card.id, *PCIE),
        busy_seconds=time_above(courses.of(card.id, GPU_UTILIZATION), MUCH),
        full_seconds=time_above(courses.of(card.id, MEMORY_USED), MUCH * (total or 1e30)),
        joules=joules,
        counted=bool(energy),
        held={
            reason: sum(each.mean * each.seconds for each in steps)
            for reason, steps in flags.items()
            if steps
        },
        flags_seconds=max(sum(each.seconds for each in steps) for steps in flags.values()),
    )
