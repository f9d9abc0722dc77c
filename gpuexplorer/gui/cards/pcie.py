"""A card's links, PCIe and NVLink: what they do, what they could do, what to make of it."""

from dataclasses import dataclass

from gpuexplorer.core import metrics as m
from gpuexplorer.core.cards import Card, CardKind
from gpuexplorer.core.metrics import MetricId
from gpuexplorer.core.words import mark, tr, trn
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.telemetry.card_course import at_work, in_virtual_machine
from gpuexplorer.telemetry.facts import Reading
from gpuexplorer.telemetry.topology import pcie_rate

BESIDE_THE_PROCESSOR = mark(
    "This chip sits beside the processor and shares its memory: what it says of a PCIe link "
    "is a placeholder, and is not shown."
)


@dataclass(frozen=True, slots=True)
class LinkSpeed:
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


@dataclass(frozen=True, slots=True)
class LinkWords:
    """One sentence on the link; `tone` warns where something can be mended."""

    sentence: str
    tone: Tone = Tone.QUIET


def link_speed(
    reading: Reading, generation: MetricId, lanes: MetricId | None = None
) -> LinkSpeed:
    values = [reading.values.get(each) for each in (generation, lanes) if each is not None]
    return LinkSpeed(*(None if value is None else int(value) for value in values))


def link_now(reading: Reading) -> LinkSpeed:
    return link_speed(reading, m.PCIE_GENERATION, m.PCIE_WIDTH)


def link_of_card(reading: Reading) -> LinkSpeed:
    return link_speed(reading, m.PCIE_GENERATION_CARD, m.PCIE_WIDTH_MAX)


def link_of_slot(reading: Reading) -> LinkSpeed:
    return link_speed(reading, m.PCIE_GENERATION_SLOT, m.PCIE_WIDTH_SLOT)


def link_words(card: Card, reading: Reading) -> LinkWords:
    """What a person should make of these figures; empty where there are none."""
    if card.memory_shared:
        return LinkWords(tr(BESIDE_THE_PROCESSOR))
    if card.kind is CardKind.MIG:
        return LinkWords(
            tr(
                "The driver reports this for the whole card, not per MIG instance: look at the "
                "card it is a part of."
            )
        )
    now = link_now(reading)
    if now.generation is None and now.lanes is None:
        return LinkWords("")
    busy = at_work(reading.values)  # at rest a link is slow by design, to save power
    said = [*_on_lanes(reading, now, busy), *_on_generation(reading, now, busy)]
    if not said:
        return LinkWords(tr("Runs at full speed: {link}.", link=_spelled(now)))
    warns = any(words.tone is Tone.WARN for words in said)
    return LinkWords(
        " ".join(words.sentence for words in said), Tone.WARN if warns else Tone.QUIET
    )


def _on_lanes(reading: Reading, now: LinkSpeed, busy: bool) -> list[LinkWords]:
    most, slot = link_of_card(reading).lanes, link_of_slot(reading).lanes
    # A card of eight lanes in a slot of sixteen is as it should be.
    if now.lanes is None or most is None or now.lanes >= most:
        return []
    tone = Tone.WARN if busy else Tone.QUIET
    if in_virtual_machine(reading.values):
        tone = Tone.QUIET
        words = mark("Runs at ×{lanes} of ×{most}: this virtual machine was given no more.")
    elif slot is None:
        words = mark(
            "Runs at ×{lanes} of ×{most}: the slot or a riser gives no more, check the slot."
        )
    elif slot <= now.lanes:
        words = mark("Runs at ×{lanes}: the slot gives no more, the card could do ×{most}.")
    else:
        most = min(most, slot)
        words = mark(
            "Runs at ×{lanes} although card and slot could do ×{most}: check the slot, and a "
            "riser if there is one."
        )
    return [LinkWords(tr(words, lanes=now.lanes, most=most), tone)]


def _on_generation(reading: Reading, now: LinkSpeed, busy: bool) -> list[LinkWords]:
    generation = now.generation
    if generation is None:
        return []
    here = reading.values.get(m.PCIE_GENERATION_MAX)
    own, slot = link_of_card(reading).generation, link_of_slot(reading).generation
    if here is None:
        known = [each for each in (own, slot) if each is not None]
        here = min(known, default=None)
    if here is not None and generation < here:
        if busy:
            words = mark(
                "Generation {now} of {most:.0f} under load: check the slot, a riser, and what "
                "the computer's firmware sets for it."
            )
            return [LinkWords(tr(words, now=generation, most=here), Tone.WARN)]
        words = mark(
            "Generation {now} now: sleeping to save power, not broken; under load it goes up "
            "to {most:.0f}."
        )
        return [LinkWords(tr(words, now=generation, most=here))]
    if here is not None and own is not None and own > here:
        words = mark("The card could do generation {own}, this slot does {slot:.0f}.")
        return [LinkWords(tr(words, own=own, slot=here))]
    return []


def _spelled(speed: LinkSpeed) -> str:
    generation, lanes = speed.generation, speed.lanes
    if lanes is None:
        return tr("generation {generation}", generation=generation)
    if generation is None:
        return trn("{count} lane", "{count} lanes", lanes)
    return trn(
        "generation {generation} on {count} lane",
        "generation {generation} on {count} lanes",
        lanes,
        generation=generation,
    )


def slow_link(reading: Reading) -> tuple[int, int] | None:
    """How many lanes it has, and how many it could have, while the card is busy."""
    value = reading.values.get
    width, widest = value(m.PCIE_WIDTH), value(m.PCIE_WIDTH_MAX)
    if width is None or widest is None or width >= widest:
        return None
    if value(m.PCIE_GENERATION) is None:
        return None
    if not at_work(reading.values) or in_virtual_machine(reading.values):
        return None
    return int(width), int(widest)
