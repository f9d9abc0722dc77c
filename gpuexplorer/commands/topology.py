"""gpuexplorer topology: which card is wired to which, and how fast that can be."""

import argparse
from collections.abc import Mapping, Sequence

from gpuexplorer.commands.arguments import HOST, JSON, OK, SOURCE, add_options
from gpuexplorer.commands.snapshot import link_as_json
from gpuexplorer.commands.source import Opened, opened, wiring_of
from gpuexplorer.commands.terminal import NONE, Column, Page, figure, printed, write_json
from gpuexplorer.core.cards import HOST_ID, Card, CardId, CardKind
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
        notes = [each.note for each in source.attempts or source.stream().attempts]
        topology, left_out = wiring_of(source)
        source.check()
        if topology is None:
            hint = "`gpuexplorer snapshot` shows which card does not answer."
            raise Trouble(left_out, hint if source.far is None else "")
        cards = [card for card in source.backend.cards() if card.kind is CardKind.GPU]
        if arguments.json:
            write_json({**_as_json(source, cards, topology), "notes": notes})
            return OK
        with printed() as page:
            if cards:
                _write(page, source, cards, topology)
            else:
                none = Message("No graphics card answers, so there is no wiring to show.")
                page.say(on(source.machine, none), *notes)
    return OK


def _as_json(opened: Opened, cards: Sequence[Card], topology: Topology) -> Mapping[str, object]:
    told = opened.backend.source
    names = ("index", "id", "name", "bus_id")
    return {
        **opened.head,
        "source": told.name,
        "simulated": told.simulated,
        "cards": [
            {name: getattr(card, name) for name in names}
            | {"numa_node": topology.numa_nodes.get(card.id)}
            for card in cards
        ],
        "links": [link_as_json(link) for link in topology.links],
    }


def _write(page: Page, opened: Opened, cards: Sequence[Card], topology: Topology) -> None:
    page.say(on(opened.machine, opened.backend.source.label))
    if opened.backend.source.simulated:
        page.say(Message("SIMULATED: these cards do not exist, their wiring is made up."))
    names = {card.id: str(card.index) for card in cards} | {HOST_ID: tr("host")}

    def letters(card: Card, other: CardId) -> str:
        link = topology.link(card.id, other)
        if other == card.id:
            return PathKind.SELF.value
        return PathKind.UNKNOWN.value if link is None else link.letters

    columns = [
        (name, [letters(card, other) for card in cards]) for other, name in names.items()
    ]
    columns.append(("NUMA", [figure(topology.numa_nodes.get(card.id)) for card in cards]))
    page.gap().matrix([str(card.index) for card in cards], columns, right=False)
    page.gap()
    kinds = {link.path for link in topology.links} | {PathKind.SELF}
    if set(topology.cards) < {card.id for card in cards}:
        kinds.add(PathKind.UNKNOWN)  # a card that does not answer has no links at all
    for kind in filter(kinds.__contains__, PathKind):
        sign = "NV#" if kind is PathKind.NVLINK else kind.value
        page.say(f"{sign:5} {tr(kind.sentence)}")
    if topology.links:
        page.gap().say(Message("Theoretical rates, each direction:"))
        _write_rates(page, names, topology)
    page.gap()
    for card in cards:
        if card.denied is not None:
            reason = card.cuda_reason
            page.say(Message("Card {card}: {reason}.", card=card.index, reason=reason))


def _write_rates(page: Page, names: Mapping[CardId, str], topology: Topology) -> None:
    """Pairs that are wired alike stand in one row."""
    alike: dict[tuple[str, ...], list[str]] = {}
    for link in topology.links:
        speed = Message("unknown") if link.rate is None else str(rate(link.rate))
        key: tuple[str, ...] = (link.letters, speed, link.rate_reason, _peer(link))
        alike.setdefault(key, []).append(f"{names[link.a]}-{names[link.b]}")

    def between(pairs: Sequence[str]) -> str:
        if len(pairs) <= _MANY_PAIRS:
            return ", ".join(pairs)
        return Message(
            "{count} pairs: {first} to {last}",
            count=len(pairs),
            first=", ".join(pairs[:_FIRST_PAIRS]),
            last=pairs[-1],
        )

    page.table(_RATES, [[*key, between(pairs)] for key, pairs in alike.items()])


def _peer(link: Link) -> str:
    if link.b == HOST_ID:
        return NONE
    if link.peer_to_peer is None:
        return link.peer_reason or Message("not reported")
    if link.peer_to_peer:
        return Message("yes")
    return Message("no: {reason}", reason=link.peer_reason)
