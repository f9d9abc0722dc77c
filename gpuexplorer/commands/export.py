"""gpuexplorer export: a recording as a file that other programs read. And what it shares with
report: which stretch of a recording is written, and where.
"""

import argparse
import re
import sys
from contextlib import closing
from pathlib import Path

from gpuexplorer.commands.arguments import OK, OneOf, WrongArgumentsError, in_the_words
from gpuexplorer.commands.source import choose
from gpuexplorer.core.cards import HOST_ID, CardId
from gpuexplorer.core.metrics import METRICS
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import tr
from gpuexplorer.recording.choice import Choice, chosen, metrics_named, moment, recorded
from gpuexplorer.recording.door import refuse_own
from gpuexplorer.recording.export import FORMS, exported
from gpuexplorer.recording.recording import Recording, open_recording
from gpuexplorer.telemetry.whole_file import refuse_unwritable, write_whole


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = tr(
        "Write a recording, or a stretch of it, for other programs: csv is a table for"
        " spreadsheets, a row for each beat of the readings; jsonl has a line of JSON for each"
        " reading and for whatever else was recorded; perfetto is a trace for ui.perfetto.dev"
        " and chrome://tracing."
    )
    add_stretch_arguments(parser, tr("the terminal"))
    parser.add_argument(
        "--format", type=OneOf([*FORMS]), metavar=tr("FORMAT"), help=", ".join(FORMS)
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


def add_stretch_arguments(parser: argparse.ArgumentParser, otherwise: str) -> None:
    """`otherwise`: what becomes of it where --output says nothing."""
    parser.add_argument("file", metavar=tr("FILE"), type=Path, help=tr("the recording"))
    parser.add_argument(
        "--from", dest="start", metavar=tr("TIME"), help=tr("leave out what was before")
    )
    parser.add_argument(
        "--to", dest="end", metavar=tr("TIME"), help=tr("leave out what was after")
    )
    parser.add_argument(
        "--output",
        type=Path,
        metavar=tr("FILE"),
        help=tr(
            "where it is written, in place of what is there; else {place}", place=otherwise
        ),
    )
    # What begins like a negative number is no option: `--from -1h`.
    parser._negative_number_matcher = re.compile(r"-\d")
    parser.epilog = tr(
        "TIME is a time of day (14:05, 14:05:10), a date and time (2026-11-21T14:05), or an"
        " offset: +10m after the beginning, -1h before the end. The exit status is 0 when it"
        " was written; 1 when it could not be; 2 when the command was not understood; 130"
        " after Ctrl-C."
    )


def run(arguments: argparse.Namespace) -> int:
    if arguments.format is None and arguments.metrics != "help":
        raise WrongArgumentsError(
            "Which format is it to be written in?",
            "Say --format and one of these: {forms}.",
            forms=", ".join(FORMS),
        )
    with closing(open_recording(arguments.file)) as recording:
        if arguments.metrics == "help":
            for each in map(METRICS.__getitem__, recorded(recording)):
                sys.stdout.write(f"{each.id:36} {each.unit:10} {tr(each.label)}\n")
        else:
            _write(arguments, choice_of(arguments, recording))
        # Damage is found where it is read.
        for note in recording.notes():
            sys.stderr.write(f"{tr(note)}\n")
    return OK


def choice_of(arguments: argparse.Namespace, recording: Recording) -> Choice:
    """What these arguments mean. Raises WrongArgumentsError."""
    start = end = metrics = cards = None
    with in_the_words():
        if arguments.start is not None:
            start = moment(arguments.start, recording)
        if arguments.end is not None:
            after = recording.began if start is None else start
            end = moment(arguments.end, recording, after)
        if "metrics" in arguments and arguments.metrics is not None:
            metrics = metrics_named(arguments.metrics, recorded(recording))
        if "cards" in arguments and arguments.cards is not None:
            cards = _cards(arguments.cards, recording)
        return chosen(recording, start, end, metrics, cards)


def check_output(output: Path, recording: Path) -> None:
    """Raises Trouble where nothing can, or should, be written."""
    with in_the_words():
        refuse_own(output, recording)
    refuse_unwritable(output)


def _cards(text: str, recording: Recording) -> list[CardId]:
    words = [word.strip() for word in text.split(",")]
    named = ",".join(word for word in words if word.lower() != "host")
    host = [HOST_ID] if any(word.lower() == "host" for word in words) else []
    if named and not recording.cards():
        raise Trouble("No card was recorded.", "Say --cards host for what is of the computer.")
    return [*(card.id for card in choose(recording.cards(), named) if named), *host]


def _write(arguments: argparse.Namespace, choice: Choice) -> None:
    written = exported(choice, arguments.format)
    if arguments.output is None:
        sys.stdout.flush()
        sys.stdout.buffer.writelines(written)
        sys.stdout.buffer.flush()
        return
    check_output(arguments.output, arguments.file)
    write_whole(arguments.output, written, private=True)
