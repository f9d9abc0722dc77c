"""A card's PCIe link: what it does, what it could do, what to make of it."""

from typing import NamedTuple

from gpuexplorer.core import metrics as m
from gpuexplorer.core.cards import Card, CardKind
from gpuexplorer.core.metrics import MetricId
from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.telemetry.card_course import at_work, in_virtual_machine
from gpuexplorer.telemetry.facts import Reading
from gpuexplorer.telemetry.topology import pcie_rate


class LinkSpeed(NamedTuple):
    """A generation, a number of lanes, or both; a part is None where it is not told."""

    generation: int | None
    lanes: int | None = None

    @property
    def text(self) -> str:
        """ "3.0 ×16" """
        generation = "" if self.generation is None else f"{self.generation}.0"
        lanes = "" if self.lanes is None else f"×{self.lanes}"
        return " ".join(part for part in (generation, lanes) if part)

    @property
    def rate(self) -> float | None:
        """Bytes per second each way, in theory."""
        if self.generation is None or self.lanes is None:
            return None
        return pcie_rate(self.generation, self.lanes)


def link_speed(
    reading: Reading, generation: MetricId, lanes: MetricId | None = None
) -> LinkSpeed:
    values = [reading.values.get(each) for each in (generation, lanes) if each is not None]
    return LinkSpeed(*(None if value is None else int(value) for value in values))


def link_now(reading: Reading) -> LinkSpeed:
    return link_speed(reading, m.PCIE_GENERATION, m.PCIE_WIDTH)


def link_of_card(reading: Reading) -> LinkSpeed:
    return link_speed(reading, m.PCIE_GENERATION_CARD, m.PCIE_WIDTH_MAX)


def slow_link(reading: Reading) -> tuple[int, int] | None:
    """How many lanes it has, and how many it could have, while the card is busy."""
    now, widest = link_now(reading), link_of_card(reading).lanes
    if now.generation is None or now.lanes is None or widest is None or now.lanes >= widest:
        return None
    if not at_work(reading.values) or in_virtual_machine(reading.values):
        return None
    return now.lanes, widest


class LinkWords(NamedTuple):
    """What to make of the link; `tone` warns where something can be mended."""

    sentence: str
    tone: Tone = Tone.QUIET


def link_words(card: Card, reading: Reading) -> LinkWords:
    """The gravest that there is to say of it; empty where there are no figures."""
    if card.memory_shared:
        return LinkWords(
            tr(
                "This chip sits beside the processor and shares its memory: what it says of a "
                "PCIe link is a placeholder, and is not shown."
            )
        )
    if card.kind is CardKind.MIG:
        return LinkWords(tr("The driver reports the link for the whole card only."))
    now = link_now(reading)
    slot = link_speed(reading, m.PCIE_GENERATION_SLOT, m.PCIE_WIDTH_SLOT)
    own, most = link_of_card(reading).generation, link_of_card(reading).lanes
    if now == LinkSpeed(None):
        return LinkWords("")
    known = [each for each in (own, slot.generation) if each is not None]
    here = reading.values.get(m.PCIE_GENERATION_MAX, min(known, default=0))
    slower = now.generation is not None and now.generation < here
    # A card of eight lanes in a slot of sixteen is as it should be.
    narrow = now.lanes is not None and most is not None and now.lanes < most
    given = in_virtual_machine(reading.values)
    # At rest a link is slow by design, to save power.
    busy = at_work(reading.values)
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
    warns = busy and (slower or (narrow and not given))
    sentence = tr(words, link=now.text, most=most, here=here, own=own)
    return LinkWords(sentence, Tone.WARN if warns else Tone.QUIET)
