"""gpuexplorer topology: which card is wired to which, and how fast that can be."""

import argparse
from collections.abc import Sequence

from gpuexplorer.commands.arguments import HOST, JSON, OK, SOURCE, add_options
from gpuexplorer.commands.snapshot import link_as_json
from gpuexplorer.commands.snapshot_table import grouped
from gpuexplorer.commands.source import opened, wiring_of
from gpuexplorer.commands.terminal import NONE, Column, Page, figure, printed, write_json
from gpuexplorer.core.cards import HOST_ID, Card, CardKind
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.units import rate
from gpuexplorer.core.words import Message, on, tr
from gpuexplorer.telemetry.topology import Link, PathKind, Topology

_MANY_PAIRS, _FIRST_PAIRS = 6, 4
_RATES = (
    Column(Message("Path"), 90),
    Column(Message("Rate"), 95, right=True),
    Column(Message("Over"), 50),
    Column(Message("Peer to peer"), 60),
    Column(Message("Between"), 100, elastic=True),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = tr("Show which card is wired to which, and how fast that can be.")
    add_options(parser, JSON | SOURCE | HOST)


def run(arguments: argparse.Namespace) -> int:
    with opened(arguments) as source:
        notes = [each.note for each in source.stream.attempts]
        topology, left_out = wiring_of(source)
        source.check()
        if topology is None:
            hint = "`gpuexplorer snapshot` shows which card does not answer."
            raise Trouble(left_out, hint if source.far is None else "")
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
                page.say(
                    Message("SIMULATED: these cards do not exist, their wiring is made up.")
                )
            _write(page, cards, topology)
    return OK


def _write(page: Page, cards: Sequence[Card], topology: Topology) -> None:
    names = {card.id: str(card.index) for card in cards} | {HOST_ID: tr("host")}
    kinds = {PathKind.SELF, *(link.path for link in topology.links)}
    columns: list[tuple[str, list[str]]] = []
    for other, name in names.items():
        links = [topology.link(card.id, other) for card in cards]
        letters = ["?" if link is None else link.letters for link in links]
        if other != HOST_ID:
            letters[len(columns)] = PathKind.SELF.value
        if PathKind.UNKNOWN in letters:  # a card that does not answer has no links
            kinds.add(PathKind.UNKNOWN)
        columns.append((name, letters))
    columns.append(("NUMA", [figure(topology.numa_nodes.get(card.id)) for card in cards]))
    page.gap().matrix([str(card.index) for card in cards], columns, right=False)
    page.gap()
    for kind in filter(kinds.__contains__, PathKind):
        sign = "NV#" if kind is PathKind.NVLINK else kind.value
        page.say(f"{sign:5} {tr(kind.sentence)}")
    if topology.links:
        page.gap().say(Message("Theoretical rates, each direction:"))
        pairs = ((_facts(each), f"{names[each.a]}-{names[each.b]}") for each in topology.links)
        page.table(
            _RATES, [[*facts, _between(those)] for facts, those in grouped(pairs).items()]
        )
    page.gap()
    for card in cards:
        if card.denied is not None:
            reason = card.cuda_reason
            page.say(Message("Card {card}: {reason}.", card=card.index, reason=reason))


def _facts(link: Link) -> tuple[str, ...]:
    """What pairs that are wired alike have in common."""
    speed = Message("unknown") if link.rate is None else str(rate(link.rate))
    peer: str = Message("yes")
    if link.b == HOST_ID:
        peer = NONE
    elif link.peer_to_peer is None:
        peer = link.peer_reason or Message("not reported")
    elif not link.peer_to_peer:
        peer = Message("no: {reason}", reason=link.peer_reason)
    return link.letters, speed, link.rate_reason, peer


def _between(pairs: Sequence[str]) -> str:
    if len(pairs) <= _MANY_PAIRS:
        return ", ".join(pairs)
    first = ", ".join(pairs[:_FIRST_PAIRS])
    return Message(
        "{count} pairs: {first} to {last}", count=len(pairs), first=first, last=pairs[-1]
    )
