"""gpuexplorer topology: which card is wired to which, and how fast that can be."""

import argparse
import json
import sys
from collections.abc import Sequence

from gpuexplorer.commands.arguments import OK, add_host_arguments, add_source_arguments
from gpuexplorer.commands.page import NONE, Column, Page, figure
from gpuexplorer.commands.snapshot import link_as_json
from gpuexplorer.commands.source import Opened, opened, wiring_of
from gpuexplorer.commands.terminal import Terminal
from gpuexplorer.core.cards import HOST_ID, Card, CardId, CardKind
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.units import rate
from gpuexplorer.core.words import Message, on, tr
from gpuexplorer.telemetry.topology import Link, PathKind, Topology

_MANY_PAIRS, _FIRST_PAIRS = 6, 4
_HOST = Message("host")
_RATES = (
    Column(Message("Path"), 90),
    Column(Message("Rate"), 95, right=True),
    Column(Message("Over"), 50),
    Column(Message("Peer to peer"), 60),
    Column(Message("Between"), 100, elastic=True),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = tr("Show which card is wired to which, and how fast that can be.")
    parser.add_argument("--json", action="store_true", help=tr("as JSON, schema 1"))
    add_source_arguments(parser)
    add_host_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    source = opened(arguments)
    attempts = source.attempts or source.stream().attempts
    notes = [attempt.note for attempt in attempts]
    try:
        topology, left_out = wiring_of(source)
        source.check()
        if topology is None:
            hint = "`gpuexplorer snapshot` shows which card does not answer."
            raise Trouble(left_out, hint if source.far is None else "")
        cards = [card for card in source.backend.cards() if card.kind is CardKind.GPU]
        if arguments.json:
            told = _as_json(source, cards, topology, notes)
            sys.stdout.write(json.dumps(told, indent=2) + "\n")
            return OK
        terminal = Terminal()
        page = Page(terminal.width())
        if cards:
            _write(page, source, cards, topology)
        else:
            none = Message("No graphics card answers, so there is no wiring to show.")
            page.say(on(source.machine, none), *notes)
        terminal.show(str(page))
    finally:
        source.backend.close()
    return OK


def _as_json(
    opened: Opened, cards: Sequence[Card], topology: Topology, notes: Sequence[Message]
) -> dict[str, object]:
    return {
        "schema": 1,
        **({} if opened.machine is None else {"machine": opened.machine}),
        "source": opened.backend.source.name,
        "simulated": opened.backend.source.simulated,
        "cards": [
            {
                "index": card.index,
                "id": card.id,
                "name": card.name,
                "bus_id": card.bus_id,
                "numa_node": topology.numa_nodes.get(card.id),
            }
            for card in cards
        ],
        "links": [link_as_json(link) for link in topology.links],
        "notes": notes,
    }


def _write(page: Page, opened: Opened, cards: Sequence[Card], topology: Topology) -> None:
    page.say(on(opened.machine, opened.backend.source.label))
    if opened.backend.source.simulated:
        page.say(Message("SIMULATED: these cards do not exist, their wiring is made up."))
    page.gap()
    ends = [*((str(card.index), card.id) for card in cards), (_HOST, HOST_ID)]
    columns: list[tuple[str, Sequence[str]]] = [
        (name, [_letters(topology, card, other) for card in cards]) for name, other in ends
    ]
    columns.append(("NUMA", [figure(topology.numa_nodes.get(card.id)) for card in cards]))
    page.matrix([str(card.index) for card in cards], columns, right=False)
    page.gap()
    kinds = {link.path for link in topology.links} | {PathKind.SELF}
    if set(topology.cards) < {card.id for card in cards}:
        kinds.add(PathKind.UNKNOWN)  # a card that does not answer has no links at all
    for kind in PathKind:
        if kind in kinds:
            letters = "NV#" if kind is PathKind.NVLINK else kind.value
            page.say(f"{letters:5} {tr(kind.sentence)}")
    if topology.links:
        page.gap()
        page.say(Message("Theoretical rates, each direction:"))
        _write_rates(page, {other: tr(name) for name, other in ends}, topology)
    page.gap()
    for card in cards:
        if card.denied is not None:
            reason = card.cuda_reason
            page.say(Message("Card {card}: {reason}.", card=card.index, reason=reason))


def _letters(topology: Topology, card: Card, other: CardId) -> str:
    if other == card.id:
        return PathKind.SELF.value
    link = topology.link(card.id, other)
    return PathKind.UNKNOWN.value if link is None else link.letters


def _write_rates(page: Page, names: dict[str, str], topology: Topology) -> None:
    """Pairs that are wired alike stand in one row."""
    alike: dict[tuple[str, ...], list[str]] = {}
    for link in topology.links:
        speed = Message("unknown") if link.rate is None else str(rate(link.rate))
        key: tuple[str, ...] = (link.letters, speed, link.rate_reason, _peer(link))
        alike.setdefault(key, []).append(f"{names[link.a]}-{names[link.b]}")
    rows = []
    for key, pairs in alike.items():
        between = ", ".join(pairs)
        if len(pairs) > _MANY_PAIRS:
            between = tr(
                "{count} pairs: {first} to {last}",
                count=len(pairs),
                first=", ".join(pairs[:_FIRST_PAIRS]),
                last=pairs[-1],
            )
        rows.append([*key, between])
    page.table(_RATES, rows)


def _peer(link: Link) -> str:
    if link.b == HOST_ID:
        return NONE
    if link.peer_to_peer is None:
        return link.peer_reason or Message("not reported")
    if link.peer_to_peer:
        return Message("yes")
    return Message("no: {reason}", reason=link.peer_reason)
