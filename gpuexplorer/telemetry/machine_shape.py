"""MachineShape: sockets, host bridges and switches, as the paths between cards tell them.

No driver lists what stands between the cards; the kinds of their paths tell most of it.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from gpuexplorer.core.cards import HOST_ID, Card, CardId, CardKind
from gpuexplorer.core.newer_python import StrEnum
from gpuexplorer.telemetry.topology import Link, PathKind, Topology


@dataclass(frozen=True, slots=True)
class Socket:
    """A processor, or a part of one, with the memory close to it: what Linux calls a node."""

    number: int | None  # of its NUMA node; None where there is only one, or nobody tells
    cards: tuple[CardId, ...]


@dataclass(frozen=True, slots=True)
class Junction:
    """A PCIe switch or a host bridge: where the ways of several cards meet."""

    number: int
    kind: PathKind  # SWITCH, SWITCHES or HOST_BRIDGE
    cards: tuple[CardId, ...]


class HubKind(StrEnum):
    """How the NVLinks of three cards or more lead to each other."""

    SWITCH = "switch"  # they share their links, so chips of their own must stand between
    ALL = "all"  # every card has links to every other
    SOME = "some"  # not every card reaches every other


@dataclass(frozen=True, slots=True)
class Hub:
    """Three cards or more that NVLinks join."""

    number: int
    kind: HubKind
    cards: tuple[CardId, ...]


@dataclass(frozen=True, slots=True)
class Spoke:
    """All NVLinks of one card of a hub."""

    nvlinks: int
    generation: int | None
    rate: float | None  # bytes per second, each direction
    hub: int


@dataclass(frozen=True, slots=True)
class MachineShape:
    """Cards stand in an order in which neighbours are close to each other."""

    sockets: tuple[Socket, ...]
    junctions: tuple[Junction, ...]
    hubs: tuple[Hub, ...]
    bridges: tuple[Link, ...]  # NVLinks between two cards that reach no third
    spokes: Mapping[CardId, Spoke]
    loose: tuple[CardId, ...]  # of whose wiring nothing is known
    links: Mapping[frozenset[CardId], Link]
    home: Mapping[CardId, int]  # the place of its processor in `sockets`
    above: Mapping[CardId, tuple[Junction, ...]]  # from the card to its processor

    def link(self, a: CardId, b: CardId) -> Link | None:
        return self.links.get(frozenset((a, b)))

    def host_link(self, card: CardId) -> Link | None:
        return self.link(card, HOST_ID)

    def hub_of(self, card: CardId) -> Hub | None:
        spoke = self.spokes.get(card)
        return None if spoke is None else self.hubs[spoke.hub]


_STEPS = (PathKind.SWITCH, PathKind.SWITCHES, PathKind.HOST_BRIDGE)
# Each step away from a card, and what is closer is reached as well.
_CLOSER = {
    PathKind.SWITCH: {PathKind.BOARD, PathKind.SWITCH},
    PathKind.SWITCHES: {PathKind.BOARD, PathKind.SWITCH, PathKind.SWITCHES},
    PathKind.HOST_BRIDGE: {
        PathKind.BOARD,
        PathKind.SWITCH,
        PathKind.SWITCHES,
        PathKind.HOST_BRIDGE,
    },
}


def shape_of(topology: Topology, cards: Sequence[Card]) -> MachineShape:
    """Of whole cards; MIG instances are where their card is."""
    links = topology.by_pair
    whole = [card for card in cards if card.kind is CardKind.GPU]
    wired = [card.id for card in whole if frozenset((card.id, HOST_ID)) in links]
    sockets = _sockets(wired, links, topology.numa_nodes)
    order = [card for socket in sockets for card in socket.cards]
    bridges, hubs, spokes = _nvlinks(order, links, {card.id: card.nvlinks for card in whole})
    junctions = _junctions(sockets, links)
    return MachineShape(
        sockets=sockets,
        junctions=junctions,
        hubs=hubs,
        bridges=bridges,
        spokes=spokes,
        loose=tuple(card.id for card in whole if card.id not in wired),
        links=links,
        home={card: at for at, socket in enumerate(sockets) for card in socket.cards},
        above={card: tuple(each for each in junctions if card in each.cards) for card in order},
    )


def _sockets(
    cards: Sequence[CardId],
    links: Mapping[frozenset[CardId], Link],
    nodes: Mapping[CardId, int],
) -> tuple[Socket, ...]:
    def together(a: CardId, b: CardId) -> bool:
        if a in nodes and b in nodes:
            return nodes[a] == nodes[b]
        link = links.get(frozenset((a, b)))
        return link is None or link.beside_nvlink is not PathKind.SYSTEM

    def number(group: Iterable[CardId]) -> int | None:
        return next((nodes[card] for card in group if card in nodes), None)

    groups = _groups(cards, together)
    found = [Socket(number(group), tuple(_neighbours(group, links))) for group in groups]
    numbered = [socket for socket in found if socket.number is not None]
    rest = [socket for socket in found if socket.number is None]
    return (*sorted(numbered, key=lambda socket: socket.number or 0), *rest)


def _neighbours(
    cards: Sequence[CardId], links: Mapping[frozenset[CardId], Link]
) -> list[CardId]:
    """Those that share a bridge or a switch side by side, else in the order they came in."""
    groups = [list(cards)]
    for step in reversed(_STEPS):
        groups = [inner for group in groups for inner in _joined(group, links, _CLOSER[step])]
    return [card for group in groups for card in group]


def _junctions(
    sockets: Sequence[Socket], links: Mapping[frozenset[CardId], Link]
) -> tuple[Junction, ...]:
    """One that joins no more cards than a closer one is left out: nothing tells that it is."""

    def on_the_bus(card: CardId) -> bool:
        link = links.get(frozenset((card, HOST_ID)))
        return link is None or link.path is not PathKind.C2C

    found: list[Junction] = []
    for step in _STEPS:
        for socket in sockets:
            cards = list(filter(on_the_bus, socket.cards))
            for group in _joined(cards, links, _CLOSER[step]):
                known = any(set(each.cards) == set(group) for each in found)
                if len(group) > 1 and not known:
                    found.append(Junction(len(found), step, tuple(group)))
    return tuple(found)


def _joined(
    cards: Sequence[CardId],
    links: Mapping[frozenset[CardId], Link],
    kinds: Collection[PathKind],
) -> list[list[CardId]]:
    def close(a: CardId, b: CardId) -> bool:
        link = links.get(frozenset((a, b)))
        return link is not None and link.beside_nvlink in kinds

    return _groups(cards, close)


def _nvlinks(
    cards: Sequence[CardId],
    links: Mapping[frozenset[CardId], Link],
    nvlinks: Mapping[CardId, int],
) -> tuple[tuple[Link, ...], tuple[Hub, ...], Mapping[CardId, Spoke]]:
    def ways(card: CardId, others: Iterable[CardId]) -> list[Link]:
        found = (links.get(frozenset((card, other))) for other in others if other != card)
        return [link for link in found if link is not None and link.nvlinks]

    bridges: list[Link] = []
    hubs: list[Hub] = []
    spokes: dict[CardId, Spoke] = {}
    for group in _groups(cards, lambda a, b: bool(ways(a, [b]))):
        if len(group) == 2:
            bridges += ways(group[0], group)
        if len(group) < 3:
            continue
        ends = {card: ways(card, group) for card in group}
        hub = Hub(len(hubs), _hub_kind(ends, nvlinks), tuple(group))
        hubs.append(hub)
        spokes |= {card: _spoke(ends[card], nvlinks[card], hub.number) for card in group}
    return tuple(bridges), tuple(hubs), spokes


def _hub_kind(ends: Mapping[CardId, Sequence[Link]], nvlinks: Mapping[CardId, int]) -> HubKind:
    shared = any(
        0 < nvlinks[card] < sum(link.nvlinks for link in ways) for card, ways in ends.items()
    )
    if shared:
        return HubKind.SWITCH
    complete = all(len(ways) == len(ends) - 1 for ways in ends.values())
    return HubKind.ALL if complete else HubKind.SOME


def _spoke(ways: Sequence[Link], most: int, hub: int) -> Spoke:
    count = sum(link.nvlinks for link in ways)
    count = min(count, most) if most else max(link.nvlinks for link in ways)
    first = ways[0]
    one = None if first.rate is None else first.rate / first.nvlinks
    return Spoke(count, first.nvlink_generation, None if one is None else one * count, hub)


def _groups(
    cards: Sequence[CardId], together: Callable[[CardId, CardId], bool]
) -> list[list[CardId]]:
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
