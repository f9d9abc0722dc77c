"""MachineShape: sockets, host bridges and switches, as the paths between cards tell them.

No driver lists what stands between the cards; the kinds of their paths tell most of it.
"""

from collections.abc import Callable, Mapping, Sequence
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


# Away from a card: whoever is reached by one of them is reached by all that follow.
_STEPS = (PathKind.BOARD, PathKind.SWITCH, PathKind.SWITCHES, PathKind.HOST_BRIDGE)
_Together = Callable[[CardId, CardId], bool]
_Links = Mapping[frozenset[CardId], Link]


def shape_of(topology: Topology, cards: Sequence[Card]) -> MachineShape:
    """Of whole cards; MIG instances are where their card is."""
    links, nodes = topology.by_pair, topology.numa_nodes
    whole = [card for card in cards if card.kind is CardKind.GPU]
    wired = [card.id for card in whole if frozenset((card.id, HOST_ID)) in links]

    def one_socket(a: CardId, b: CardId) -> bool:
        if a in nodes and b in nodes:
            return nodes[a] == nodes[b]
        link = links.get(frozenset((a, b)))
        return link is None or link.beside_nvlink is not PathKind.SYSTEM

    sockets = []
    for near in _groups(wired, one_socket):
        group = near  # those that share a bridge or a switch stand side by side
        for step in reversed(_STEPS[1:]):
            group = [card for close in _groups(group, _within(links, step)) for card in close]
        number = next((nodes[card] for card in group if card in nodes), None)
        sockets.append(Socket(number, tuple(group)))
    sockets.sort(key=lambda each: (each.number is None, each.number or 0))
    order = [card for socket in sockets for card in socket.cards]
    bridges, hubs, spokes = _nvlinks(order, links, {card.id: card.nvlinks for card in whole})
    junctions = _junctions(sockets, links)
    return MachineShape(
        sockets=tuple(sockets),
        junctions=junctions,
        hubs=tuple(hubs),
        bridges=tuple(bridges),
        spokes=spokes,
        loose=tuple(card.id for card in whole if card.id not in wired),
        links=links,
        home={card: at for at, socket in enumerate(sockets) for card in socket.cards},
        above={card: tuple(each for each in junctions if card in each.cards) for card in order},
    )


def _junctions(sockets: Sequence[Socket], links: _Links) -> tuple[Junction, ...]:
    """One that joins no more cards than a closer one is left out: nothing tells that it is."""
    found: dict[frozenset[CardId], Junction] = {}
    for step in _STEPS[1:]:
        for socket in sockets:
            ways = {card: links.get(frozenset((card, HOST_ID))) for card in socket.cards}
            on_the_bus = [
                c for c, way in ways.items() if not way or way.path is not PathKind.C2C
            ]
            for group in _groups(on_the_bus, _within(links, step)):
                if len(group) > 1:
                    junction = Junction(len(found), step, tuple(group))
                    found.setdefault(frozenset(group), junction)
    return tuple(found.values())


def _nvlinks(
    cards: Sequence[CardId], links: _Links, nvlinks: Mapping[CardId, int]
) -> tuple[list[Link], list[Hub], dict[CardId, Spoke]]:
    direct = {
        pair: link for pair, link in links.items() if link.nvlinks and HOST_ID not in pair
    }
    bridges: list[Link] = []
    hubs: list[Hub] = []
    spokes: dict[CardId, Spoke] = {}
    for group in _groups(cards, lambda a, b: frozenset((a, b)) in direct):
        if len(group) == 2:
            bridges.append(direct[frozenset(group)])
        if len(group) < 3:
            continue
        ends = {card: [link for pair, link in direct.items() if card in pair] for card in group}
        sums = {card: sum(link.nvlinks for link in ways) for card, ways in ends.items()}
        kind = HubKind.SOME
        if any(0 < nvlinks[card] < sums[card] for card in group):
            kind = HubKind.SWITCH
        elif all(len(ways) == len(group) - 1 for ways in ends.values()):
            kind = HubKind.ALL
        for card, (first, *more) in ends.items():
            most = nvlinks[card] or max(link.nvlinks for link in (first, *more))
            count = min(sums[card], most)
            rate = None if first.rate is None else first.rate / first.nvlinks * count
            spokes[card] = Spoke(count, first.nvlink_generation, rate, len(hubs))
        hubs.append(Hub(len(hubs), kind, tuple(group)))
    return bridges, hubs, spokes


def _within(links: _Links, step: PathKind) -> _Together:
    kinds = _STEPS[: _STEPS.index(step) + 1]

    def close(a: CardId, b: CardId) -> bool:
        link = links.get(frozenset((a, b)))
        return link is not None and link.beside_nvlink in kinds

    return close


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
