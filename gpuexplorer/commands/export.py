"""gpuexplorer export: a recording as a file that other programs read."""

import argparse
import sys
from collections.abc import Sequence
from contextlib import closing

from gpuexplorer.commands.arguments import OK, OneOf, WrongArgumentsError, in_the_words
from gpuexplorer.commands.source import choose
from gpuexplorer.commands.stretch import add_stretch_arguments, check_output, stretch
from gpuexplorer.core.cards import HOST_ID, CardId
from gpuexplorer.core.metrics import METRICS, MetricId
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import tr
from gpuexplorer.recording.export.choosing import Choice, chosen, metrics_named, recorded
from gpuexplorer.recording.export.exporting import Form, pieces
from gpuexplorer.recording.recording import Recording, open_recording
from gpuexplorer.telemetry.whole_file import write_whole

_HELP, _HOST = "help", "host"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = tr(
        "Write a recording, or a stretch of it, for other programs: csv is a table for"
        " spreadsheets, a row for each beat of the readings; jsonl has a line of JSON for each"
        " reading and for whatever else was recorded; perfetto is a trace for ui.perfetto.dev"
        " and chrome://tracing."
    )
    add_stretch_arguments(parser, tr("the terminal"))
    parser.add_argument(
        "--format",
        type=OneOf([*Form]),
        metavar=tr("FORMAT"),
        help=", ".join(Form),
    )
    parser.add_argument(
        "--metrics",
        metavar=tr("LIST"),
        help=tr("only these, such as power_draw,temperature; help lists those there are"),
    )
    parser.add_argument(
        "--cards",
        metavar=tr("LIST"),
        help=tr("only these, by number, UUID or bus address, or host"),
    )


def run(arguments: argparse.Namespace) -> int:
    if arguments.format is None and arguments.metrics != _HELP:
        raise WrongArgumentsError(
            "Which format is it to be written in?",
            "Say --format and one of these: {forms}.",
            forms=", ".join(Form),
        )
    with closing(open_recording(arguments.file)) as recording:
        if arguments.metrics == _HELP:
            _list_metrics(recorded(recording))
        else:
            _write(arguments, _understood(arguments, recording))
        # Damage is found where it is read.
        for note in recording.notes():
            sys.stderr.write(f"{tr(note)}\n")
    return OK


def _understood(arguments: argparse.Namespace, recording: Recording) -> Choice:
    with in_the_words():
        start, end = stretch(arguments, recording)
        metrics = None
        if arguments.metrics is not None:
            metrics = metrics_named(arguments.metrics, recorded(recording))
        cards = None if arguments.cards is None else _cards(arguments.cards, recording)
        return chosen(recording, start, end, metrics, cards)


def _cards(text: str, recording: Recording) -> Sequence[CardId]:
    words = [word.strip() for word in text.split(",")]
    named = [word for word in words if word.lower() != _HOST]
    if named and not recording.cards():
        raise Trouble("No card was recorded.", "Say --cards host for what is of the computer.")
    cards = [card.id for card in choose(recording.cards(), ",".join(named))] if named else []
    return cards if named == words else [*cards, HOST_ID]


def _write(arguments: argparse.Namespace, choice: Choice) -> None:
    form, output = Form(arguments.format), arguments.output
    if output is None:
        sys.stdout.flush()
        sys.stdout.buffer.writelines(pieces(choice, form))
        sys.stdout.buffer.flush()
        return
    check_output(output, arguments.file)
    write_whole(output, pieces(choice, form))


def _list_metrics(metrics: Sequence[MetricId]) -> None:
    for each in metrics:
        about = METRICS[each]
        sys.stdout.write(f"{each:36} {about.unit:10} {tr(about.label)}\n")
