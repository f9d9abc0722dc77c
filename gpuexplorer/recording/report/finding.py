"""Finding: one thing that stands out in a recording."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from gpuexplorer.core.cards import CardId
from gpuexplorer.core.words import Message


class Matter(StrEnum):
    """What a finding is about; the gravest first."""

    GONE = "gone"  # a card or the driver did not answer any more
    FAULT = "fault"  # an Xid, or memory that could not be repaired
    SLOWED = "slowed"  # by heat, by the power supply, by its own hardware
    LINK = "link"  # a link with fewer lanes than it could have
    FULL = "full"  # hardly any memory left
    IDLE = "idle"  # while others worked
    NOT_KEPT = "not kept"  # times of which there are no readings
    ENERGY = "energy"


@dataclass(frozen=True, slots=True)
class Finding:
    """`title` says what and of which cards, `sentence` has the figures."""

    matter: Matter
    title: Message
    sentence: Message
    why: Message  # it matters
    cure: Message
    cards: Sequence[CardId] = ()  # the worst first
    figures: Mapping[str, float] = field(default_factory=dict)
    at: float | None = None  # of the axis: when it began

    @property
    def grave(self) -> bool:
        return self.matter in (Matter.GONE, Matter.FAULT)
