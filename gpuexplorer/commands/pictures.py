"""Takes pictures of the machine and shows them: once, or again and again."""

import argparse
import itertools
from collections.abc import Iterator, Sequence
from dataclasses import replace
from importlib import import_module
from typing import Protocol

from gpuexplorer.commands.arguments import WrongArgumentsError
from gpuexplorer.commands.picture import Picture, take
from gpuexplorer.commands.source import choose, open_source
from gpuexplorer.commands.wiring import NOT_ANSWERED, wiring_of
from gpuexplorer.core.cards import Card
from gpuexplorer.core.metrics import MetricId
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.telemetry.backends.no_cards import NoCards
from gpuexplorer.telemetry.process_names import ProcessNames
from gpuexplorer.telemetry.processor_time import ProcessorTime
from gpuexplorer.telemetry.sampler import PATIENCE, check_interval
from gpuexplorer.telemetry.session import Session

# Once, a slow driver is given time; in a loop the next picture is better than a late one.
_PATIENCE_ONCE = 2.0
_FIRST_ANSWERS = 6.0


class Form(Protocol):
    """A module that shows pictures, and says what it shows of them: nothing else is asked."""

    READ: frozenset[MetricId]
    PROCESSES: bool
    WIRING: bool

    def show(self, pictures: Iterator[Picture], *, again: bool) -> None: ...


def show_pictures(
    arguments: argparse.Namespace, count: int | None, before: ProcessorTime | None
) -> None:
    """So many, or as many as the person likes. `before` is the first look at the processor."""
    again = count != 1
    interval = _interval(arguments.loop)
    # Of the forms only the one that is shown is imported.
    kind = "json" if arguments.json else "csv" if arguments.csv else "table"
    form: Form = import_module(f"gpuexplorer.commands.snapshot_{kind}")
    backend, attempts = open_source(arguments)
    session = Session(
        backend or NoCards(),
        attempts,
        interval,
        patience=PATIENCE if again else _PATIENCE_ONCE,
        watch_faults=False,
        processor_before=before,
    )
    session.sampler.want(form.READ, form.PROCESSES)
    session.start()
    try:
        session.sampler.wait_for_sweeps(1, _FIRST_ANSWERS)
        chosen = choose(session.cards(), arguments.cards)
        newcomers = arguments.cards is None
        pictures = _pictures(session, chosen, count, newcomers=newcomers, wiring=form.WIRING)
        form.show(pictures, again=again)
    finally:
        session.stop()


def _interval(loop: float | None) -> float:
    try:
        return 1.0 if loop is None else check_interval(loop)
    except Trouble as trouble:
        raise WrongArgumentsError(trouble.sentence, trouble.hint) from trouble


def _pictures(
    session: Session, cards: Sequence[Card], count: int | None, *, newcomers: bool, wiring: bool
) -> Iterator[Picture]:
    names = ProcessNames()
    topology = wiring_of(session.backend) if wiring else None
    source = None if isinstance(session.backend, NoCards) else session.source
    for shown in itertools.count(1):
        still_there = {card.id: card for card in session.cards()}
        current = [still_there.get(card.id, card) for card in cards]
        if newcomers:
            current += [card for card in still_there.values() if card not in current]
        beats = session.beats() if count != 1 else None
        picture = take(session, current, names, topology, source, beats)
        if wiring and topology is None:
            picture = replace(picture, notes=[*picture.notes, NOT_ANSWERED])
        yield picture
        if shown == count:
            return
        # Until all cards were asked once more; a driver that hangs delays it by one interval.
        session.sampler.wait_for_fast_sweep(shown + 1, session.sampler.interval + PATIENCE)
