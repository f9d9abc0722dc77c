"""gpuexplorer snapshot: every reading of every card, once or again and again."""

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import replace

from gpuexplorer.commands import snapshot_csv
from gpuexplorer.commands.arguments import (
    OK,
    WrongArgumentsError,
    add_source_arguments,
    choose,
    number,
    open_source,
    whole_number,
)
from gpuexplorer.commands.picture import Picture, take
from gpuexplorer.commands.snapshot_json import as_json
from gpuexplorer.commands.snapshot_table import READ, text_of
from gpuexplorer.commands.terminal import Terminal
from gpuexplorer.commands.wiring import NOT_ANSWERED, wiring_of
from gpuexplorer.core.cards import Card
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import tr
from gpuexplorer.telemetry.backends.no_cards import NoCards
from gpuexplorer.telemetry.process_names import ProcessNames
from gpuexplorer.telemetry.sampler import PATIENCE, check_interval
from gpuexplorer.telemetry.session import Session

# Once, a slow driver is given time; in a loop the next picture is better than a late one.
_PATIENCE_ONCE = 2.0
_FIRST_ANSWERS = 6.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = tr("Read everything of every card, once or again and again.")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help=tr("as JSON, schema 1"))
    form.add_argument("--csv", action="store_true", help=tr("as CSV, one row per card"))
    parser.add_argument(
        "--loop",
        type=number,
        metavar=tr("SECONDS"),
        help=tr("again and again, 0.1 to 60 s apart"),
    )
    parser.add_argument(
        "--count", type=whole_number, metavar="N", help=tr("stop after N pictures")
    )
    parser.add_argument(
        "--cards", metavar=tr("LIST"), help=tr("only these: numbers, UUIDs or bus addresses")
    )
    add_source_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    count = _check(arguments)
    interval = _interval(arguments.loop)
    backend, attempts = open_source(arguments)
    looping = count != 1
    session = Session(
        backend or NoCards(),
        attempts,
        interval,
        patience=PATIENCE if looping else _PATIENCE_ONCE,
        watch_faults=False,
    )
    if arguments.json or arguments.csv:
        session.want()
    else:
        session.sampler.want(READ, processes=True)
    # The processor's share needs a look before the one that is shown.
    session.read_host()
    session.start()
    try:
        session.sampler.wait_for_sweeps(1, _FIRST_ANSWERS)
        _show(arguments, session, choose(session.cards(), arguments.cards), count)
    finally:
        session.stop()
    return OK


def _interval(loop: float | None) -> float:
    try:
        return 1.0 if loop is None else check_interval(loop)
    except Trouble as trouble:
        raise WrongArgumentsError(trouble.sentence, trouble.hint) from trouble


def _check(arguments: argparse.Namespace) -> int | None:
    """How many pictures; None for as long as the person likes."""
    if arguments.count is not None and arguments.count < 1:
        raise WrongArgumentsError(
            "--count {count} is not a number of pictures.",
            "It may be 1 or more.",
            count=arguments.count,
        )
    if arguments.loop is None:
        if arguments.count not in (None, 1):
            raise WrongArgumentsError(
                "--count needs to know how far apart the pictures are.",
                "Add --loop SECONDS, such as --loop 1.",
            )
        return 1
    count: int | None = arguments.count
    return count


def _show(
    arguments: argparse.Namespace, session: Session, cards: Sequence[Card], count: int | None
) -> None:
    terminal = Terminal()
    names = ProcessNames()
    topology = wiring_of(session.backend) if arguments.json else None
    source = None if isinstance(session.backend, NoCards) else session.source
    columns = snapshot_csv.columns_for(cards)
    if arguments.csv:
        sys.stdout.write(snapshot_csv.header(columns))
    in_place = count != 1 and not (arguments.json or arguments.csv)
    shown = 0

    def show() -> None:
        still_there = {card.id: card for card in session.cards()}
        current = [still_there.get(card.id, card) for card in cards]
        if arguments.cards is None:
            current += [card for card in still_there.values() if card not in current]
        beats = session.beats() if count != 1 else None
        picture = take(session, current, names, topology, source, beats)
        if arguments.json and topology is None:
            picture = replace(picture, notes=[*picture.notes, NOT_ANSWERED])
        if arguments.json:
            _write_json(picture, one_line=count != 1)
        elif arguments.csv:
            sys.stdout.write(snapshot_csv.rows(picture, columns))
            sys.stdout.flush()
        elif in_place:
            terminal.redraw(text_of(picture, terminal))
        else:
            terminal.show(text_of(picture, terminal))

    if not in_place:
        while True:
            show()
            shown += 1
            if shown == count:
                return
            _wait_for_next(session, shown)
    with terminal.drawing():
        while shown != count:
            show()
            shown += 1
            _wait_for_next(session, shown)


def _wait_for_next(session: Session, shown: int) -> None:
    """Until all cards were asked once more; a driver that hangs delays it by one interval."""
    session.sampler.wait_for_fast_sweep(shown + 1, session.sampler.interval + PATIENCE)


def _write_json(picture: Picture, one_line: bool) -> None:
    text = json.dumps(as_json(picture), ensure_ascii=True, indent=None if one_line else 2)
    sys.stdout.write(text + "\n")
    sys.stdout.flush()
