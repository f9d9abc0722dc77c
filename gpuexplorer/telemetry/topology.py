"""Which card is wired to which, how, and what that wire could carry in theory."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from gpuexplorer.core.cards import CardId


class PathKind(StrEnum):
    """The way between two cards, in nvidia-smi's letters; `sentence` spells it out."""

    SELF = "X"
    NVLINK = "NV"
    BOARD = "INT"
    SWITCH = "PIX"
    SWITCHES = "PXB"
    HOST_BRIDGE = "PHB"
    NODE = "NODE"
    SYSTEM = "SYS"
    UNKNOWN = "?"

    @property
    def sentence(self) -> str:
        return _SENTENCES[self]


_SENTENCES = {
    PathKind.SELF: "the card itself",
    PathKind.NVLINK: "NVLink, the number says how many links work together",
    PathKind.BOARD: "two processors on one board",
    PathKind.SWITCH: "one PCIe switch",
    PathKind.SWITCHES: "several PCIe switches, without touching the processor",
    PathKind.HOST_BRIDGE: "the PCIe host bridge of a processor",
    PathKind.NODE: "between host bridges of one NUMA node",
    PathKind.SYSTEM: "across processor sockets",
    PathKind.UNKNOWN: "the driver does not say",
}


@dataclass(frozen=True, slots=True)
class Link:
    """The way from one card to another, or to the host where `b` is HOST_ID."""

    a: CardId
    b: CardId
    path: PathKind
    nvlinks: int = 0  # how many NVLinks work together on it
    nvlink_generation: int | None = None
    peer_to_peer: bool | None = None  # None: the driver does not say
    peer_reason: str = ""  # why peer-to-peer does not work, in words
    rate: float | None = None  # theoretical bytes per second, each direction
    rate_reason: str = ""  # what the rate follows from, or why there is none


@dataclass(frozen=True, slots=True)
class Topology:
    """The machine as the driver sees it."""

    cards: Sequence[CardId]
    links: Sequence[Link]
    numa_nodes: dict[CardId, int]

    def link(self, a: CardId, b: CardId) -> Link | None:
        for link in self.links:
            if (link.a, link.b) in ((a, b), (b, a)):
                return link
        return None


# Usable bytes per second of one PCIe lane, each direction, after line coding.
_LANE_RATES = {
    1: 2.5e9 * 8 / 10 / 8,
    2: 5.0e9 * 8 / 10 / 8,
    3: 8.0e9 * 128 / 130 / 8,
    4: 16.0e9 * 128 / 130 / 8,
    5: 32.0e9 * 128 / 130 / 8,
    6: 64.0e9 * 242 / 256 / 8,
    7: 128.0e9 * 242 / 256 / 8,
}
# Bytes per second of one NVLink, each direction, by its generation.
_NVLINK_RATES = {1: 20e9, 2: 25e9, 3: 25e9, 4: 25e9, 5: 50e9}


def pcie_rate(generation: int, lanes: int) -> float | None:
    """What a PCIe link could carry each way; None for a generation nobody knows yet."""
    lane = _LANE_RATES.get(generation)
    return None if lane is None else lane * lanes


def nvlink_rate(generation: int) -> float | None:
    """What one NVLink of a data centre card carries each way; None where that is unknown."""
    return _NVLINK_RATES.get(generation)
