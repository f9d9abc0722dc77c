"""Takes pictures of the machine and shows them: once, or again and again."""

import argparse
import itertools
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from typing import TYPE_CHECKING

from gpuexplorer.commands.arguments import in_the_words
from gpuexplorer.commands.snapshot_needs import NEEDS
from gpuexplorer.commands.source import opened, wiring_of
from gpuexplorer.core.cards import Card
from gpuexplorer.core.words import NOTHING, Message
from gpuexplorer.telemetry.local import PATIENCE
from gpuexplorer.telemetry.processor_time import ProcessorTime
from gpuexplorer.telemetry.session import Session, check_interval
from gpuexplorer.telemetry.topology import Topology

if TYPE_CHECKING:
    from gpuexplorer.commands.picture import Picture

# Once, a slow driver is given time; in a loop the next picture is better than a late one.
_PATIENCE_ONCE = 2.0
_FIRST_ANSWERS = 6.0


def show_pictures(
    arguments: argparse.Namespace, count: int | None, before: ProcessorTime | None
) -> None:
    """So many, or as many as the person likes. `before` is the first look at the processor."""
    again = count != 1
    interval = _interval(arguments.loop)
    form = "json" if arguments.json else "csv" if arguments.csv else "table"
    needs = NEEDS[form]
    source = opened(arguments)
    patience = PATIENCE if again else _PATIENCE_ONCE
    session = Session(
        source.stream(patience, before, faults=False), interval, host=source.far is not None
    )
    session.want_metrics(needs.metrics, needs.processes)
    session.start()
    try:
        # The first rates take two looks at counters: meanwhile the rest is imported and asked.
        show: Callable[..., None] = import_module(f"gpuexplorer.commands.snapshot_{form}").show
        topology, left_out = wiring_of(source) if needs.wiring else (None, NOTHING)
        session.wait_for_sweeps(1, _FIRST_ANSWERS)
        source.check()
        chosen = source.chosen(session.cards(), arguments.cards)
        notes = [left_out] if left_out else []
        newcomers = arguments.cards is None
        pictures = _pictures(session, chosen, count, topology, notes, newcomers=newcomers)
        show(pictures, again=again)
    finally:
        session.stop()


def _interval(loop: float | None) -> float:
    with in_the_words():
        return 1.0 if loop is None else check_interval(loop)


def _pictures(
    session: Session,
    cards: Sequence[Card],
    count: int | None,
    topology: Topology | None,
    notes: Sequence[Message],
    *,
    newcomers: bool,
) -> "Iterator[Picture]":
    from gpuexplorer.commands.picture import take  # noqa: PLC0415 - while the cards answer

    source = None if session.bare else session.source
    for shown in itertools.count(1):
        still_there = {card.id: card for card in session.cards()}
        current = [still_there.get(card.id, card) for card in cards]
        if newcomers:
            current += [card for card in still_there.values() if card not in current]
        beats = session.beats() if count != 1 else None
        picture = take(session, current, topology, source, beats)
        yield picture._replace(notes=[*picture.notes, *notes])
        if shown == count:
            return
        # Until all cards were asked once more; a driver that hangs delays it by one interval.
        session.wait_for_fast_sweep(shown + 1, session.interval + PATIENCE)
