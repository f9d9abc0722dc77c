"""AnonymousTables: a recording to be handed on, that does not say who, where and with what."""

import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from gpuexplorer.core.cards import HOST_ID, NAMELESS, Card, CardId, Sample
from gpuexplorer.core.words import Message
from gpuexplorer.recording.tables import Tables
from gpuexplorer.recording.told import Machine, Topic, Writer
from gpuexplorer.telemetry.happenings import Happening, Kind
from gpuexplorer.telemetry.processes import NamedProcess
from gpuexplorer.telemetry.topology import Topology

T = TypeVar("T")
# In place of the sentences that name a program.
_PROGRAMS = {
    Kind.PROCESS_APPEARED: "Process {pid} uses the card",
    Kind.PROCESS_ENDED: "Process {pid} no longer uses the card",
}


class AnonymousTables(Tables):
    """Cards get other ids, always the same in one file. Neither the computer's name nor users,
    commands, containers and what started a program are kept, and nothing that the lab said.
    """

    def __init__(
        self, database: sqlite3.Connection, began: float, writer: Writer, machine: Machine
    ) -> None:
        self._ids = {HOST_ID: HOST_ID}
        super().__init__(database, began, writer, replace(machine, name="", notes=()))

    def sample(self, at: float, sample: Sample) -> None:
        super().sample(at, sample._replace(card=self._id(sample.card)))

    def processes(self, at: float, card: CardId, named: Sequence[NamedProcess] | None) -> None:
        other = self._id(card)
        nameless = named and [_nameless(each, other) for each in named]
        super().processes(at, other, nameless)

    def happening(self, at: float, happening: Happening) -> None:
        card, template = happening.card, _PROGRAMS.get(happening.kind)
        sentence = happening.sentence
        if template is not None:
            sentence = Message(template, pid=happening.about)
        other = None if card is None else self._id(card)
        super().happening(at, happening._replace(card=other, sentence=sentence))

    def cards(self, at: float, cards: Sequence[Card]) -> None:
        super().cards(at, [self._card(each) for each in cards])

    def topology(self, at: float, topology: Topology) -> None:
        links = [
            each._replace(a=self._id(each.a), b=self._id(each.b)) for each in topology.links
        ]
        other = Topology(
            [self._id(each) for each in topology.cards],
            links,
            self._by_id(topology.numa_nodes),
            self._by_id(topology.cpu_affinity),
            topology.node_memory,
        )
        super().topology(at, other)

    def said(self, at: float, what: Topic, text: str) -> None:
        """Code, and what came of it."""

    def _card(self, card: Card) -> Card:
        parent = None if card.parent is None else self._id(card.parent)
        return replace(card, id=self._id(card.id), parent=parent)

    def _by_id(self, known: Mapping[CardId, T]) -> dict[CardId, T]:
        return {self._id(card): value for card, value in known.items()}

    def _id(self, card: CardId) -> CardId:
        other = self._ids.get(card)
        if other is None:
            nameless = NAMELESS if card.startswith(NAMELESS) else ""
            kind = "MIG" if card.startswith("MIG-") else "GPU"
            other = CardId(f"{nameless}{kind}-anonymous-{len(self._ids) - 1}")
            self._ids[card] = other
        return other


def _nameless(named: NamedProcess, card: CardId) -> NamedProcess:
    process = named.process._replace(
        card=card, simulated_command="" if named.simulated else None, simulated_user=None
    )
    return replace(
        named, process=process, user=None, command=None, container=None, ancestors=()
    )
