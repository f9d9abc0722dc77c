"""Which card is wired to which, how, and what that wire could carry in theory."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from gpuexplorer.core.cards import HOST_ID, Card, CardId
from gpuexplorer.core.newer_python import StrEnum
from gpuexplorer.core.words import NOTHING, Message


class PathKind(StrEnum):
    """The way between two cards, in nvidia-smi's letters; `sentence` spells it out."""

    SELF = "X"
    NVLINK = "NV"
    C2C = "C2C"
    BOARD = "INT"
    SWITCH = "PIX"
    SWITCHES = "PXB"
    HOST_BRIDGE = "PHB"
    NODE = "NODE"
    SYSTEM = "SYS"
    UNKNOWN = "?"

    @property
    def sentence(self) -> Message:
        return _SENTENCES[self]


_SENTENCES = {
    PathKind.SELF: Message("the card itself"),
    PathKind.NVLINK: Message("NVLink, the number says how many links work together"),
    PathKind.C2C: Message("NVLink-C2C, from the card straight to its processor"),
    PathKind.BOARD: Message("two processors on one board"),
    PathKind.SWITCH: Message("one PCIe switch"),
    PathKind.SWITCHES: Message("several PCIe switches, without touching the processor"),
    PathKind.HOST_BRIDGE: Message("the PCIe host bridge of a processor"),
    PathKind.NODE: Message("between host bridges of one NUMA node"),
    PathKind.SYSTEM: Message("across processor sockets"),
    PathKind.UNKNOWN: Message("the driver does not say"),
}


class Link(NamedTuple):
    """The way from one card to another, or to the host where `b` is HOST_ID."""

    a: CardId
    b: CardId
    path: PathKind
    nvlinks: int = 0  # how many NVLinks work together on it
    nvlink_generation: int | None = None
    peer_to_peer: bool | None = None  # None: the driver does not say
    peer_reason: Message = NOTHING  # why peer-to-peer does not work
    rate: float | None = None  # theoretical bytes per second, each direction
    rate_reason: Message = NOTHING  # what the rate follows from, or why there is none
    # The way there would be without NVLink; UNKNOWN where nobody told it apart.
    pcie_path: PathKind = PathKind.UNKNOWN

    @property
    def letters(self) -> str:
        """As nvidia-smi writes it: "NV4", "PIX"."""
        return f"NV{self.nvlinks}" if self.nvlinks else self.path.value

    @property
    def beside_nvlink(self) -> PathKind:
        """How the PCIe bus joins the two, whatever else does."""
        return self.pcie_path if self.path is PathKind.NVLINK else self.path


@dataclass(frozen=True, slots=True)
class Topology:
    """The machine as the driver sees it."""

    cards: Sequence[CardId]
    links: Sequence[Link]
    numa_nodes: dict[CardId, int]
    # The numbers of the processors close to a card, as the kernel lists them: "0-31,64-95".
    cpu_affinity: Mapping[CardId, str] = field(default_factory=dict)
    node_memory: Mapping[int, int] = field(default_factory=dict)  # bytes close to each node
    by_pair: Mapping[frozenset[CardId], Link] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        by_pair = {frozenset((link.a, link.b)): link for link in self.links}
        object.__setattr__(self, "by_pair", by_pair)

    def link(self, a: CardId, b: CardId) -> Link | None:
        return self.by_pair.get(frozenset((a, b)))


def with_what_was(before: Topology, now: Topology, cards: Sequence[Card]) -> Topology:
    """What is told now, and of cards that fell silent since what was told before."""
    listed = {card.id for card in cards} | {HOST_ID}
    links = dict(now.by_pair)
    for pair, link in before.by_pair.items():
        other = links.get(pair)
        told = other is not None and other.path is not PathKind.UNKNOWN
        rated = other is not None and other.rate is not None
        if pair <= listed and (not told or (link.rate is not None and not rated)):
            links[pair] = link
    return Topology(
        [card for card in dict.fromkeys((*now.cards, *before.cards)) if card in listed],
        list(links.values()),
        before.numa_nodes | now.numa_nodes,
        {**before.cpu_affinity, **now.cpu_affinity},
        {**before.node_memory, **now.node_memory},
    )


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
# Bytes per second of one NVLink, each direction, by its generation: what copies can have of
# it, and what its line carries, coding and all, which is what the driver reports.
_NVLINK_RATES = {1: 20e9, 2: 25e9, 3: 25e9, 4: 25e9, 5: 50e9}
_LINE_RATES = {1: 20e9, 2: 25.78125e9, 3: 25e9, 4: 26.5625e9, 5: 53.125e9}
_SAME_LINE = 0.01
_STILL_OF_IT = 1.05  # some lines of one generation are a little faster than others


class OneNvlink(NamedTuple):
    """What can be relied on of what the driver reports of a link."""

    generation: int | None
    rate: float | None  # bytes per second that copies can have, each direction
    disagree: bool = False  # its generation and its rate cannot both be true


def nvlink_of(generation: int | None, line: float | None) -> OneNvlink:
    """Of a rate that is that of another generation the rate holds: it was measured when the
    link came up, and the number of the generation is one of a list that drivers changed. A
    rate beyond the generation that is that of no other is not believed.
    """
    if line is None:
        return OneNvlink(generation, nvlink_rate(generation))
    full = _LINE_RATES.get(generation or 0)
    if full is not None and line <= full * _STILL_OF_IT:
        # A link may run with fewer lanes, or more slowly, than its generation can.
        return OneNvlink(generation, min(line / full, 1.0) * _NVLINK_RATES[generation or 0])
    same = [each for each, rate in _LINE_RATES.items() if abs(line / rate - 1) < _SAME_LINE]
    if full is None:
        # A generation that came after this program may have the line of one before.
        return OneNvlink(generation, _NVLINK_RATES[same[0]] if same else line)
    if same:
        return OneNvlink(None, _NVLINK_RATES[same[0]], disagree=True)
    return OneNvlink(generation, None, disagree=True)


def pcie_rate(generation: int, lanes: int) -> float | None:
    """What a PCIe link could carry each way; None for a generation nobody knows yet."""
    lane = _LANE_RATES.get(generation)
    return None if lane is None else lane * lanes


def nvlink_rate(generation: int | None) -> float | None:
    """What one NVLink of a data centre card carries each way; None where that is unknown."""
    return _NVLINK_RATES.get(generation or 0)


def pcie_words(generation: int, lanes: int) -> Message:
    return Message("PCIe {generation}.0 x{lanes}", generation=generation, lanes=lanes)


def c2c_words(count: int, *, known: bool) -> Message:
    links = Message.counted("{count} link of NVLink-C2C", "{count} links of NVLink-C2C", count)
    return links if known else Message("{links}, of unknown speed", links=links)


def nvlinks_words(count: int, one: OneNvlink) -> Message:
    """What their rate follows from, or why there is none."""
    links = Message.counted("{count} NVLink", "{count} NVLinks", count)
    if one.generation is not None:
        links = Message.counted(
            "{count} NVLink of generation {generation}",
            "{count} NVLinks of generation {generation}",
            count,
            generation=one.generation,
        )
    if one.disagree and one.rate is None:
        return Message("{links}, with an impossible speed", links=links)
    if one.disagree:
        return Message(
            "{links}, faster than the generation that the driver reports", links=links
        )
    return Message("{links}, of unknown speed", links=links) if one.rate is None else links
