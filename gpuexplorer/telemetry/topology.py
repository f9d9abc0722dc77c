"""Which card is wired to which, how, and what that wire could carry in theory; and the shape of
the machine: no driver lists what stands between the cards, the kinds of their paths tell most.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from gpuexplorer.core.absence import Told
from gpuexplorer.core.cards import HOST_ID, Card, CardId, CardKind
from gpuexplorer.core.newer_python import StrEnum
from gpuexplorer.core.words import NOTHING, Message, mark


class PathKind(Told):
    """The way between two cards, in nvidia-smi's letters; `sentence` spells it out."""

    SELF = "X", Message("the card itself")
    NVLINK = "NV", Message("NVLink, the number says how many links work together")
    C2C = "C2C", Message("NVLink-C2C, from the card straight to its processor")
    BOARD = "INT", Message("two processors on one board")
    SWITCH = "PIX", Message("one PCIe switch")
    SWITCHES = "PXB", Message("several PCIe switches, without touching the processor")
    HOST_BRIDGE = "PHB", Message("the PCIe host bridge of a processor")
    NODE = "NODE", Message("between host bridges of one NUMA node")
    SYSTEM = "SYS", Message("across processor sockets")
    UNKNOWN = "?", Message("the driver does not say")


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


@dataclass(frozen=True)
class Topology:
    """The machine as the driver sees it."""

    cards: Sequence[CardId]
    links: Sequence[Link]
    numa_nodes: dict[CardId, int]
    # The numbers of the processors close to a card, as the kernel lists them: "0-31,64-95".
    cpu_affinity: Mapping[CardId, str] = field(default_factory=dict)
    node_memory: Mapping[int, int] = field(default_factory=dict)  # bytes close to each node

    @cached_property
    def by_pair(self) -> Mapping[frozenset[CardId], Link]:
        return {frozenset((link.a, link.b)): link for link in self.links}

    def link(self, a: CardId, b: CardId) -> Link | None:
        return self.by_pair.get(frozenset((a, b)))


def with_what_was(before: Topology, now: Topology, cards: Sequence[Card]) -> Topology:
    """What is told now, and of cards that fell silent since what was told before."""
    listed = {card.id for card in cards} | {HOST_ID}
    links = dict(now.by_pair)
    for pair, link in before.by_pair.items():
        told = links.get(pair, link._replace(path=PathKind.UNKNOWN))
        unrated = told.rate is None and link.rate is not None
        if pair <= listed and (told.path is PathKind.UNKNOWN or unrated):
            links[pair] = link
    return Topology(
        [card for card in dict.fromkeys((*now.cards, *before.cards)) if card in listed],
        list(links.values()),
        before.numa_nodes | now.numa_nodes,
        {**before.cpu_affinity, **now.cpu_affinity},
        {**before.node_memory, **now.node_memory},
    )


# Of one PCIe lane, each direction, by its generation: transfers per second.
_TRANSFERS = {1: 2.5e9, 2: 5e9, 3: 8e9, 4: 16e9, 5: 32e9, 6: 64e9, 7: 128e9}
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


def nvlink_of(generation: int | None, line: float | None) -> OneNvlink:
    """Of a rate that is that of another generation the rate holds: it was measured when the
    link came up, and the number of the generation is one of a list that drivers changed. A
    rate beyond the generation that is that of no other is not believed.
    """
    if line is None:
        return OneNvlink(generation, nvlink_rate(generation))
    full, usable = _LINE_RATES.get(generation or 0), nvlink_rate(generation)
    if full and usable and line <= full * _STILL_OF_IT:
        # A link may run with fewer lanes, or more slowly, than its generation can.
        return OneNvlink(generation, min(line / full, 1.0) * usable)
    same = [each for each, rate in _LINE_RATES.items() if abs(line / rate - 1) < _SAME_LINE]
    if full is None:
        # A generation that came after this program may have the line of one before.
        return OneNvlink(generation, _NVLINK_RATES[same[0]] if same else line)
    return OneNvlink(None, _NVLINK_RATES[same[0]]) if same else OneNvlink(generation, None)


def pcie_rate(generation: int, lanes: int) -> float | None:
    """What a PCIe link could carry each way; None for a generation nobody knows yet."""
    transfers = _TRANSFERS.get(generation)
    # What its coding leaves of them.
    usable = 8 / 10 if generation < 3 else 128 / 130 if generation < 6 else 242 / 256
    return None if transfers is None else transfers / 8 * usable * lanes


def nvlink_rate(generation: int | None) -> float | None:
    """What one NVLink of a data centre card carries each way; None where that is unknown."""
    return _NVLINK_RATES.get(generation or 0)


def pcie_words(generation: int, lanes: int) -> Message:
    return Message("PCIe {generation}.0 x{lanes}", generation=generation, lanes=lanes)


def c2c_words(count: int, *, known: bool) -> Message:
    links = Message.counted("{count} link of NVLink-C2C", "{count} links of NVLink-C2C", count)
    return links if known else Message(_UNKNOWN_SPEED, links=links)


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
    return Message(_UNKNOWN_SPEED, links=links) if one.rate is None else links


_UNKNOWN_SPEED = mark("{links}, of unknown speed")


class Socket(NamedTuple):
    """A processor, or a part of one, with the memory close to it: what Linux calls a node."""

    number: int | None  # of its NUMA node; None where there is only one, or nobody tells
    cards: tuple[CardId, ...]


class Junction(NamedTuple):
    """A PCIe switch or a host bridge: where the ways of several cards meet."""

    number: int
    kind: PathKind  # SWITCH, SWITCHES or HOST_BRIDGE
    cards: tuple[CardId, ...]


class HubKind(StrEnum):
    """How the NVLinks of three cards or more lead to each other."""

    SWITCH = "switch"  # they share their links, so chips of their own must stand between
    ALL = "all"  # every card has links to every other
    SOME = "some"  # not every card reaches every other


class Hub(NamedTuple):
    """Three cards or more that NVLinks join."""

    number: int
    kind: HubKind
    cards: tuple[CardId, ...]


class Spoke(NamedTuple):
    """All NVLinks of one card of a hub."""

    nvlinks: int
    generation: int | None
    rate: float | None  # bytes per second, each direction
    hub: int


@dataclass(frozen=True, slots=True)
class MachineShape:
    """Cards stand in an order in which neighbours are close to each other."""

    topology: Topology
    sockets: Sequence[Socket]
    junctions: Sequence[Junction]
    hubs: Sequence[Hub]
    bridges: Sequence[Link]  # NVLinks between two cards that reach no third
    spokes: Mapping[CardId, Spoke]
    loose: Sequence[CardId]  # of whose wiring nothing is known
    home: Mapping[CardId, int]  # the place of its processor in `sockets`
    above: Mapping[CardId, Sequence[Junction]]  # from the card to its processor

    def link(self, a: CardId, b: CardId) -> Link | None:
        return self.topology.link(a, b)

    def host_link(self, card: CardId) -> Link | None:
        return self.topology.link(card, HOST_ID)

    def hub_of(self, card: CardId) -> Hub | None:
        spoke = self.spokes.get(card)
        return None if spoke is None else self.hubs[spoke.hub]


# Away from a card: whoever is reached by one of them is reached by all that follow.
_STEPS = (PathKind.BOARD, PathKind.SWITCH, PathKind.SWITCHES, PathKind.HOST_BRIDGE)
_Together = Callable[[CardId, CardId], bool]


def shape_of(topology: Topology, cards: Sequence[Card]) -> MachineShape:
    """Of whole cards; MIG instances are where their card is."""
    nodes, link = topology.numa_nodes, topology.link
    whole = {card.id: card.nvlinks for card in cards if card.kind is CardKind.GPU}
    up = {card: way for card in whole if (way := link(card, HOST_ID))}

    def one_socket(a: CardId, b: CardId) -> bool:
        if a in nodes and b in nodes:
            return nodes[a] == nodes[b]
        way = link(a, b)
        return way is None or way.beside_nvlink is not PathKind.SYSTEM

    def within(step: PathKind) -> _Together:
        kinds = _STEPS[: _STEPS.index(step) + 1]
        return lambda a, b: (way := link(a, b)) is not None and way.beside_nvlink in kinds

    sockets = []
    for near in _groups([*up], one_socket):
        group = near  # those that share a bridge or a switch stand side by side
        for step in reversed(_STEPS[1:]):
            group = [card for close in _groups(group, within(step)) for card in close]
        number = next((nodes[card] for card in group if card in nodes), None)
        sockets.append(Socket(number, tuple(group)))
    sockets.sort(key=lambda each: (each.number is None, each.number or 0))
    # One that joins no more cards than a closer one is left out: nothing tells that it is.
    found: dict[frozenset[CardId], Junction] = {}
    for step in _STEPS[1:]:
        for socket in sockets:
            on_the_bus = [card for card in socket.cards if up[card].path is not PathKind.C2C]
            for group in _groups(on_the_bus, within(step)):
                if len(group) > 1:
                    junction = Junction(len(found), step, tuple(group))
                    found.setdefault(frozenset(group), junction)
    home = {card: at for at, socket in enumerate(sockets) for card in socket.cards}
    above = {
        card: tuple(each for each in found.values() if card in each.cards) for card in home
    }
    loose = tuple(card for card in whole if card not in up)
    woven = _woven(topology, {card: whole[card] for card in home})
    return MachineShape(
        topology, tuple(sockets), tuple(found.values()), *woven, loose, home, above
    )


def _woven(
    topology: Topology, nvlinks: Mapping[CardId, int]
) -> tuple[Sequence[Hub], Sequence[Link], Mapping[CardId, Spoke]]:
    """What NVLinks make of cards, of which each has so many."""
    hubs, bridges, spokes = list[Hub](), list[Link](), dict[CardId, Spoke]()
    ours = nvlinks.keys()
    direct = [x for x in topology.by_pair.values() if x.nvlinks and {x.a, x.b} <= ours]
    joined = {(link.a, link.b) for link in direct}
    for group in _groups([*nvlinks], lambda a, b: (a, b) in joined or (b, a) in joined):
        ends = {card: [link for link in direct if card in link[:2]] for card in group}
        if len(group) < 3:
            bridges += ends[group[0]]
            continue
        sums = {card: sum(link.nvlinks for link in ends[card]) for card in group}
        everybody = all(len(ways) == len(group) - 1 for ways in ends.values())
        kind = HubKind.ALL if everybody else HubKind.SOME
        if any(0 < nvlinks[card] < sums[card] for card in group):
            kind = HubKind.SWITCH
        for card, ways in ends.items():
            count = min(sums[card], nvlinks[card] or max(link.nvlinks for link in ways))
            rate, one = ways[0].rate, ways[0].nvlink_generation
            each = None if rate is None else rate / ways[0].nvlinks * count
            spokes[card] = Spoke(count, one, each, len(hubs))
        hubs.append(Hub(len(hubs), kind, tuple(group)))
    return tuple(hubs), tuple(bridges), spokes


def _groups(cards: Sequence[CardId], together: _Together) -> list[list[CardId]]:
    """Cards that belong together, also through others; in the order of their first ones."""
    groups: list[list[CardId]] = []
    left = list(cards)
    while left:
        group = [left.pop(0)]
        for member in group:
            close = [card for card in left if together(member, card)]
            left = [card for card in left if card not in close]
            group += close
        groups.append(sorted(group, key=cards.index))
    return groups
