"""Picture: everything a snapshot shows, put together once for table, JSON and CSV alike."""

import datetime
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from gpuexplorer.core.cards import Card, CardId
from gpuexplorer.core.words import Message
from gpuexplorer.telemetry.backend import Source
from gpuexplorer.telemetry.facts import Attempt
from gpuexplorer.telemetry.latest import Reading
from gpuexplorer.telemetry.processes import NamedProcess
from gpuexplorer.telemetry.session import BeatCount, Session, card_numbers
from gpuexplorer.telemetry.topology import Topology


class Picture(NamedTuple):
    """The machine at one moment."""

    taken_at: datetime.datetime
    host_name: str
    source: Source | None  # None: no card's source answered
    attempts: Sequence[Attempt]
    host: Card
    host_reading: Reading
    cards: Sequence[Card]
    numbers: Mapping[CardId, str]
    readings: Mapping[CardId, Reading | None]
    states: Mapping[CardId, Message]
    processes: Sequence[NamedProcess]
    topology: Topology | None
    notes: Sequence[Message]
    processes_unknown: Sequence[CardId] = ()  # cards of which that is not known just now
    beats: BeatCount | None = None  # only where the same picture is taken again and again

    @property
    def simulated(self) -> bool:
        return self.source is not None and self.source.simulated


def take(
    session: Session,
    chosen: Sequence[Card],
    topology: Topology | None,
    source: Source | None,
    beats: BeatCount | None = None,
) -> Picture:
    """Look at what the session knows now. Asks no driver."""
    ids = {card.id for card in chosen}
    return Picture(
        taken_at=datetime.datetime.now(datetime.UTC).astimezone(),
        host_name=session.computer,
        source=source,
        attempts=session.attempts,
        host=session.host,
        host_reading=session.read_host(),
        cards=chosen,
        numbers=card_numbers(session.cards()),
        readings={card.id: session.reading(card.id) for card in chosen},
        states={card.id: session.state_sentence(card.id) for card in chosen},
        processes=[named for named in session.named_processes() if named.process.card in ids],
        topology=topology,
        notes=session.notes(),
        processes_unknown=[card for card in session.processes_unknown() if card in ids],
        beats=beats,
    )
