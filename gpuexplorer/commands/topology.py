"""gpuexplorer topology: which card is wired to which, and how fast that can be."""

import argparse
from collections.abc import Sequence

from gpuexplorer.commands.arguments import HOST, JSON, OK, SOURCE, add_options
from gpuexplorer.commands.snapshot import link_as_json
from gpuexplorer.commands.source import opened, wiring_of
from gpuexplorer.commands.terminal import (
    NONE,
    SIMULATED,
    Page,
    figure,
    gathered,
    printed,
    write_json,
)
from gpuexplorer.core.cards import HOST_ID, Card, CardKind
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.units import rate
from gpuexplorer.core.words import Message, on, tr
from gpuexplorer.telemetry.topology import PathKind, Topology

_MANY_PAIRS = 6
_RATES: dict[str, int] = {
    Message("Path"): 90,
    Message("Rate"): 96,
    Message("Over"): 50,
    Message("Peer to peer"): 60,
    Message("Between"): 100,
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = tr("Show which card is wired to which, and how fast that can be.")
    add_options(parser, JSON | SOURCE | HOST)


def run(arguments: argparse.Namespace) -> int:
    with opened(arguments) as source:
        notes = [each.note for each in source.stream.attempts]
        topology, left_out = wiring_of(source)
        source.check()
        if topology is None:
            raise Trouble(left_out)
        cards = [card for card in source.backend.cards() if card.kind is CardKind.GPU]
        told = source.backend.source
        if arguments.json:
            numa, facts = topology.numa_nodes, ("index", "id", "name", "bus_id")
            listed = [
                {name: getattr(card, name) for name in facts} | {"numa_node": numa.get(card.id)}
                for card in cards
            ]
            links = [link_as_json(link) for link in topology.links]
            what = {"source": told.name, "simulated": told.simulated}
            write_json({**source.head, **what, "cards": listed, "links": links, "notes": notes})
            return OK
        with printed() as page:
            if not cards:
                none = Message("No graphics card answers, so there is no wiring to show.")
                page.say(on(source.machine, none), *notes)
                return OK
            page.say(on(source.machine, told.label))
            if told.simulated:
                page.say(SIMULATED)
            _write(page, cards, topology)
    return OK


def _write(page: Page, cards: Sequence[Card], topology: Topology) -> None:
    names = {card.id: str(card.index) for card in cards}
    ends = names | {HOST_ID: tr("host")}
    letters = {(each, each): PathKind.SELF.value for each in names}
    pairs = []
    for link in topology.links:
        letters |= dict.fromkeys(((link.a, link.b), (link.b, link.a)), link.letters)
        # What pairs that are wired alike have in common.
        speed = Message("unknown") if link.rate is None else str(rate(link.rate))
        peer: str = Message("yes")
        if link.b == HOST_ID:
            peer = NONE
        elif link.peer_to_peer is None:
            peer = link.peer_reason or Message("not reported")
        elif not link.peer_to_peer:
            peer = Message("no: {reason}", reason=link.peer_reason)
        pair = f"{ends[link.a]}-{ends[link.b]}"
        pairs.append(((link.letters, speed, link.rate_reason, peer), pair))
    columns = [
        (name, [letters.get((card, end), PathKind.UNKNOWN) for card in names])
        for end, name in ends.items()
    ]
    columns.append(("NUMA", [figure(topology.numa_nodes.get(card)) for card in names]))
    page.gap().matrix([*names.values()], columns)
    page.gap()
    kinds = {PathKind.SELF, *(link.path for link in topology.links)}
    for kind in PathKind:
        # A card that does not answer has no links.
        if kind in kinds or any(kind in cells for _, cells in columns):
            sign = "NV#" if kind is PathKind.NVLINK else kind.value
            page.say(f"{sign:5} {tr(kind.sentence)}")
    rows = []
    for facts, those in gathered(pairs).items():
        between = ", ".join(those)
        if len(those) > _MANY_PAIRS:
            many = "{count} pairs: {first} to {last}"
            between = Message(many, count=len(those), first=those[0], last=those[-1])
        rows.append((*facts, between))
    if rows:
        page.gap().say(Message("Theoretical rates, each direction:"))
        page.table(_RATES, rows)
    page.gap()
    for card in cards:
        if card.denied is not None:
            reason = card.cuda_reason
            page.say(Message("Card {card}: {reason}.", card=card.index, reason=reason))
