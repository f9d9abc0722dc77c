"""Route: the way of the bytes between two devices, and what its narrowest wire could carry."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from gpuexplorer.core.words import NOTHING, Message, mark, told


class Wire(StrEnum):
    """What a leg of the way is made of."""

    NVLINK = "NVLink"
    PCIE = "PCIe"
    SOCKETS = "between sockets"
    MEMORY = "memory"


class Way(StrEnum):
    """What kind of way it is."""

    HOST_MEMORY = "host memory"
    CARD_MEMORY = "card memory"
    TO_HOST = "to host"  # or from it: the card's own link
    NVLINK = "NVLink"
    BOARD = "board"  # from here on direct, over PCIe
    SWITCH = "switch"
    SWITCHES = "switches"
    HOST_BRIDGE = "host bridge"
    NODE = "node"
    SYSTEM = "system"
    DIRECT = "direct"
    UNSURE = "unsure"  # over PCIe, and nobody tells whether directly
    STAGED = "staged"
    UNKNOWN = "unknown"


_WORDS = {
    Way.HOST_MEMORY: mark("inside host memory"),
    Way.CARD_MEMORY: mark("inside the card"),
    Way.BOARD: mark("direct on one board"),
    Way.SWITCH: mark("direct over one PCIe switch"),
    Way.SWITCHES: mark("direct over several PCIe switches"),
    Way.HOST_BRIDGE: mark("direct over the host bridge"),
    Way.NODE: mark("direct between host bridges"),
    Way.SYSTEM: mark("direct across the sockets"),
    Way.DIRECT: mark("direct over PCIe"),
    Way.UNSURE: mark("PCIe: the driver does not say whether direct"),
    Way.STAGED: mark("staged through host memory"),
    Way.UNKNOWN: "",
}


@dataclass(frozen=True, slots=True)
class Leg:
    """From one place of the machine's drawing to the next."""

    wire: Wire
    words: Message  # "PCIe 4 x16", "NVLink x4"
    rate: float | None  # theoretical bytes per second, this direction; None: nobody tells
    reason: str = ""  # what the rate follows from, or why there is none
    # Places: a device, "memory 0", "socket 0", "junction 2", "hub 0"; see machine_shape.
    begins: str = ""
    ends: str = ""


@dataclass(frozen=True, slots=True)
class Narrow:
    """A device that runs on fewer lanes, or at a lower generation, than it could."""

    device: str
    runs: str  # "x8", "PCIe 1.0"
    could: str  # "x16", "PCIe 3.0"
    slot: bool  # the slot could, too; False: it does not say

    @property
    def sentence(self) -> Message:
        values = {"device": self.device, "runs": self.runs, "could": self.could}
        if self.slot:
            return Message("{device} runs at {runs}: card and slot could do {could}.", **values)
        return Message("{device} runs at {runs}: the card could do {could}.", **values)


@dataclass(frozen=True, slots=True)
class Route:
    """In the order in which the bytes travel."""

    source: str  # "cpu", "cuda:0"
    target: str
    legs: Sequence[Leg]
    way: Way
    direct: bool | None  # card to card without host memory; None: it cannot be told
    limit: float | None  # of the narrowest leg
    limit_reason: str = ""  # to stand behind a colon
    narrow: Sequence[Narrow] = ()
    why_staged: Message = NOTHING  # a sentence

    @property
    def words(self) -> Message:
        """ "NVLink x4", "direct over one PCIe switch"; empty where nothing is known."""
        if self.way in (Way.NVLINK, Way.TO_HOST):
            own = Wire.NVLINK if self.way is Way.NVLINK else Wire.PCIE
            return next(
                (leg.words for leg in self.legs if leg.wire is own and leg.rate), NOTHING
            )
        return Message(_WORDS[self.way])

    @property
    def notes(self) -> Sequence[Message]:
        """Sentences."""
        staged = (self.why_staged,) if self.why_staged else ()
        return (*(each.sentence for each in self.narrow), *staged)

    @property
    def note(self) -> Message:
        """All of them."""
        return told(*self.notes)
