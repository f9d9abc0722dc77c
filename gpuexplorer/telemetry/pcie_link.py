"""The PCIe link of a card: how fast it runs, how fast it could, and what to make of that."""

from collections.abc import Mapping
from typing import NamedTuple

from gpuexplorer.core import metrics as m
from gpuexplorer.core.cards import Card, CardKind, Sample
from gpuexplorer.core.metrics import MetricId
from gpuexplorer.core.words import NOTHING, Message, mark
from gpuexplorer.telemetry.topology import pcie_rate

_BUSY, _LAST_FAST_STATE = 0.5, 2.0
_IN_VIRTUAL_MACHINE = frozenset({1.0, 2.0})  # handed through, or a part of a card


class LinkSpeed(NamedTuple):
    """A PCIe generation, a number of lanes, or both; a part is None where it is not told."""

    generation: "int | None"
    lanes: "int | None" = None

    @property
    def text(self) -> str:
        """ "3.0 ×16" """
        generation = "" if self.generation is None else f"{self.generation}.0"
        return f"{generation} ×{self.lanes}".lstrip() if self.lanes is not None else generation

    @property
    def rate(self) -> "float | None":
        """Bytes per second each way, in theory."""
        known = self.generation is not None and self.lanes is not None
        return pcie_rate(self.generation or 0, self.lanes or 0) if known else None


def link_speed(reading: Sample, *metrics: MetricId) -> LinkSpeed:
    """Of a generation, and of lanes where they are told too."""
    values = map(reading.values.get, metrics)
    return LinkSpeed(*(None if value is None else int(value) for value in values))


def link_now(reading: Sample) -> LinkSpeed:
    return link_speed(reading, m.PCIE_GENERATION, m.PCIE_WIDTH)


def link_of_card(reading: Sample) -> LinkSpeed:
    return link_speed(reading, m.PCIE_GENERATION_CARD, m.PCIE_WIDTH_MAX)


def at_work(values: Mapping[MetricId, float]) -> bool:
    """Whether a card is under load, so that its link should be at its fastest.

    Drawing a desktop on several displays keeps one busy too, but in a low performance state.
    """
    busy = values.get(m.GPU_UTILIZATION, 0.0) >= _BUSY
    return busy and values.get(m.PERFORMANCE_STATE, 0.0) <= _LAST_FAST_STATE


def lanes_missing(reading: Sample) -> "tuple[int, int] | None":
    """How many lanes it has, and how many it could have. None where it has them all, or where
    somebody else decides that: some machines of a cloud have eight for a card of sixteen, and
    no slot to look at.
    """
    lanes, most = link_now(reading).lanes, link_of_card(reading).lanes
    if lanes is None or most is None or lanes >= most or _given(reading):
        return None
    return lanes, most


def _given(reading: Sample) -> bool:
    return reading.values.get(m.VIRTUALIZATION_MODE) in _IN_VIRTUAL_MACHINE


def slow_link(reading: Sample) -> Message:
    """How it falls short of what card and slot can do; empty where it does not."""
    if missing := lanes_missing(reading):
        slow = mark("The PCIe link runs at x{now:.0f} of x{most:.0f}: look at the slot")
        return Message(slow, now=missing[0], most=missing[1])
    most = reading.values.get(m.PCIE_GENERATION_MAX, 0.0)
    if (now := reading.values.get(m.PCIE_GENERATION, most)) < most:
        slow = mark("The PCIe link runs at generation {now:.0f} of {most:.0f} under load")
        return Message(slow, now=now, most=most)
    return NOTHING


def link_words(card: Card, reading: Sample) -> "tuple[Message, bool]":
    """The gravest that there is to say of it, and whether that can be mended; empty where there
    are no figures.
    """
    if card.memory_shared:
        words = mark(
            "This chip sits beside the processor and shares its memory: what it says of a "
            "PCIe link is a placeholder, and is not shown."
        )
        return Message(words), False
    if card.kind is CardKind.MIG:
        return Message("The driver reports the link for the whole card only."), False
    now, (own, most) = link_now(reading), link_of_card(reading)
    slot = link_speed(reading, m.PCIE_GENERATION_SLOT, m.PCIE_WIDTH_SLOT)
    if now == LinkSpeed(None):
        return NOTHING, False
    known = [each for each in (own, slot.generation) if each is not None]
    here = reading.values.get(m.PCIE_GENERATION_MAX, min(known, default=0))
    slower = now.generation is not None and now.generation < here
    # A card of eight lanes in a slot of sixteen is as it should be.
    narrow = now.lanes is not None and most is not None and now.lanes < most
    # At rest a link is slow by design, to save power.
    given, busy = _given(reading), at_work(reading.values)
    words = mark("Runs at full speed: {link}.")
    if narrow and given:
        words = mark("Runs at {link} of ×{most}: this virtual machine was given no more.")
    elif narrow and slot.lanes == now.lanes:
        words = mark("Runs at {link}: the slot gives no more, the card could do ×{most}.")
    elif narrow:
        words = mark("Runs at {link} of ×{most}: check the slot or its riser.")
    elif slower and busy:
        words = mark(
            "Runs at {link} under load, and could at {here:.0f}.0: check the slot, its riser, "
            "and what the computer's firmware sets for it."
        )
    elif slower:
        words = mark(
            "Runs at {link}: sleeping to save power, not broken; under load it goes up to "
            "{here:.0f}.0."
        )
    elif here and own is not None and own > here:
        words = mark("Runs at {link}: the card could do {own}.0, this slot does {here:.0f}.0.")
    mendable = busy and (slower or (narrow and not given))
    return Message(words, link=now.text, most=most, here=here, own=own), mendable
