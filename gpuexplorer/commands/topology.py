"""gpuexplorer topology: which card is wired to which, and how fast that can be."""

import argparse
import json
import sys
from collections.abc import Sequence

from gpuexplorer.commands.arguments import OK, add_source_arguments
from gpuexplorer.commands.grid import Column, grid, wrap
from gpuexplorer.commands.snapshot_json import Json, link_as_json
from gpuexplorer.commands.source import open_source
from gpuexplorer.commands.terminal import Terminal
from gpuexplorer.commands.wiring import NOT_ANSWERED, wiring_of
from gpuexplorer.core.cards import HOST_ID, Card, CardKind
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.units import rate
from gpuexplorer.core.words import tr, trn
from gpuexplorer.telemetry.backend import Backend, Source
from gpuexplorer.telemetry.backends.no_cards import NoCards
from gpuexplorer.telemetry.session import Attempt
from gpuexplorer.telemetry.topology import Link, PathKind, Topology


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = tr("Show which card is wired to which, and how fast that can be.")
    parser.add_argument("--json", action="store_true", help=tr("as JSON, schema 1"))
    add_source_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    found, attempts = open_source(arguments)
    backend: Backend = found or NoCards()
    try:
        topology = wiring_of(backend)
        if topology is None:
            raise Trouble(
                NOT_ANSWERED, "`gpuexplorer snapshot` shows which card does not answer."
            )
        whole = [card for card in backend.cards() if card.kind is CardKind.GPU]
        if arguments.json:
            sys.stdout.write(
                json.dumps(_as_json(backend.source, whole, topology, attempts), indent=2)
            )
            sys.stdout.write("\n")
        else:
            terminal = Terminal()
            terminal.show(_text(backend.source, whole, topology, attempts, terminal.width()))
    finally:
        backend.close()
    return OK


def _as_json(
    source: Source, cards: list[Card], topology: Topology, attempts: Sequence[Attempt]
) -> dict[str, Json]:
    return {
        "schema": 1,
        "source": source.name,
        "simulated": source.simulated,
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
        "notes": [attempt.note for attempt in attempts],
    }


def _text(
    source: Source,
    cards: list[Card],
    topology: Topology,
    attempts: Sequence[Attempt],
    width: int,
) -> str:
    if not cards:
        nothing = tr("No graphics card answers, so there is no wiring to show.")
        told = (nothing, *(tr(attempt.note) for attempt in attempts))
        return "\n".join(line for text in told for line in wrap(text, width))
    lines = wrap(tr(source.label), width)
    if source.simulated:
        made_up = tr("SIMULATED: these cards do not exist, their wiring is made up.")
        lines += wrap(made_up, width)
    lines += ["", *_matrix(cards, topology, width), ""]
    lines += [line for text in _legend(cards, topology) for line in wrap(text, width)]
    if topology.links:
        lines += [
            "",
            *wrap(tr("Theoretical rates, each direction:"), width),
            *_rates(cards, topology, width),
        ]
    silent = [card for card in cards if card.denied is not None]
    lines += [""] if silent else []
    for card in silent:
        why = tr("Card {card}: {reason}.", card=card.index, reason=card.cuda_reason)
        lines += wrap(why, width)
    return "\n".join(lines)


def _matrix(cards: list[Card], topology: Topology, width: int) -> list[str]:
    """Cards in rows and columns, in several blocks where one would be too wide."""
    columns: list[tuple[str, list[str]]] = [
        (
            str(other.index),
            [
                PathKind.SELF.value
                if other is card
                else _cell(topology.link(card.id, other.id))
                for card in cards
            ],
        )
        for other in cards
    ]
    columns.append((tr("host"), [_cell(topology.link(card.id, HOST_ID)) for card in cards]))
    nodes = [topology.numa_nodes.get(card.id) for card in cards]
    columns.append(("NUMA", ["-" if node is None else str(node) for node in nodes]))
    lines: list[str] = []
    for block in _blocks(columns, width - 4):
        lines += [""] if lines else []
        lines += grid(
            [Column("", 100), *(Column(title, 90) for title, _ in block)],
            [
                [str(card.index), *(cells[row] for _, cells in block)]
                for row, card in enumerate(cards)
            ],
            width,
        )
    return lines


def _blocks(
    columns: list[tuple[str, list[str]]], width: int
) -> list[list[tuple[str, list[str]]]]:
    blocks: list[list[tuple[str, list[str]]]] = [[]]
    used = 0
    for column in columns:
        needed = max(len(column[0]), *(len(cell) for cell in column[1])) + 2
        if blocks[-1] and used + needed > width:
            blocks.append([])
            used = 0
        blocks[-1].append(column)
        used += needed
    return blocks


def _cell(link: Link | None) -> str:
    if link is None:
        return PathKind.UNKNOWN.value
    return link.letters


def _legend(cards: list[Card], topology: Topology) -> list[str]:
    kinds = {link.path for link in topology.links}
    if set(topology.cards) < {card.id for card in cards}:
        kinds.add(PathKind.UNKNOWN)  # a card that does not answer has no links at all
    return [
        f"{'NV#' if kind is PathKind.NVLINK else kind.value:5} {tr(kind.sentence)}"
        for kind in PathKind
        if kind in kinds or kind is PathKind.SELF
    ]


def _rates(cards: list[Card], topology: Topology, width: int) -> list[str]:
    """Pairs that are wired alike stand in one row."""
    numbers = {card.id: str(card.index) for card in cards} | {HOST_ID: tr("host")}
    alike: dict[tuple[str, str, str, str], list[str]] = {}
    for link in topology.links:
        speed = tr("unknown") if link.rate is None else str(rate(link.rate))
        key = (_cell(link), speed, tr(link.rate_reason), _peer(link))
        alike.setdefault(key, []).append(f"{numbers[link.a]}-{numbers[link.b]}")
    columns = (
        Column(tr("Path"), 90),
        Column(tr("Rate"), 95, right=True),
        Column(tr("Over"), 50),
        Column(tr("Peer to peer"), 60),
        Column(tr("Between"), 100, elastic=True),
    )
    return grid(columns, [[*key, _between(pairs)] for key, pairs in alike.items()], width)


def _between(pairs: list[str]) -> str:
    if len(pairs) <= 6:
        return ", ".join(pairs)
    return trn(
        "{count} pair: {first} to {last}",
        "{count} pairs: {first} to {last}",
        len(pairs),
        first=", ".join(pairs[:4]),
        last=pairs[-1],
    )


def _peer(link: Link) -> str:
    if link.b == HOST_ID:
        return "-"
    if link.peer_to_peer is None:
        return tr(link.peer_reason) or tr("not reported")
    return tr("yes") if link.peer_to_peer else tr("no: {reason}", reason=link.peer_reason)
