"""gpuexplorer export: a recording as a file that other programs read. And what it shares with
report: which stretch of a recording is written, and where.
"""

import argparse
import re
import sys
from contextlib import closing
from pathlib import Path

from gpuexplorer.commands.arguments import (
    OK,
    Option,
    WrongArgumentsError,
    add_options,
    in_the_words,
)
from gpuexplorer.commands.source import choose
from gpuexplorer.core.cards import HOST_ID, CardId
from gpuexplorer.core.metrics import METRICS
from gpuexplorer.core.words import Message, tr
from gpuexplorer.recording.door import refuse_own
from gpuexplorer.recording.export import (
    FORMS,
    Choice,
    chosen,
    exported,
    metrics_named,
    moment,
    recorded,
)
from gpuexplorer.recording.recording import Recording, open_recording
from gpuexplorer.telemetry.whole_file import write_whole

_FORMS = ", ".join(FORMS)
_OPTIONS = {
    "--format": Option("FORMAT", _FORMS, choices=[*FORMS]),
    "--metrics": Option(
        "LIST", "only these, such as power_draw,temperature; help lists those there are"
    ),
    "--cards": Option("LIST", "only these, by number, UUID or bus address, or host"),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = tr(
        "Write a recording, or a stretch of it, for other programs: csv is a table for"
        " spreadsheets, a row for each beat of the readings; jsonl has a line of JSON for each"
        " reading and for whatever else was recorded; perfetto is a trace for ui.perfetto.dev"
        " and chrome://tracing."
    )
    add_stretch_arguments(parser, Message("the terminal"))
    add_options(parser, _OPTIONS)


def add_stretch_arguments(parser: argparse.ArgumentParser, otherwise: str) -> None:
    """`otherwise`: what becomes of it where --output says nothing."""
    stretch = {
        "file": Option("FILE", "the recording", Path),
        "--from": Option("TIME", "leave out what was before"),
        "--to": Option("TIME", "leave out what was after"),
        "--output": Option(
            "FILE",
            Message(
                "where it is written, in place of what is there; else {place}", place=otherwise
            ),
            Path,
        ),
    }
    add_options(parser, stretch)
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
            forms=_FORMS,
        )
    with closing(open_recording(arguments.file)) as recording:
        if arguments.metrics == "help":
            for each in map(METRICS.__getitem__, recorded(recording)):
                sys.stdout.write(f"{each.id:36} {each.unit:10} {tr(each.label)}\n")
        else:
            written = exported(choice_of(arguments, recording), arguments.format)
            if arguments.output is None:
                sys.stdout.flush()
                sys.stdout.buffer.writelines(written)
                sys.stdout.buffer.flush()
            else:
                write_whole(arguments.output, written, private=True)
        # Damage is found where it is read.
        for note in recording.notes():
            sys.stderr.write(f"{tr(note)}\n")
    return OK


def choice_of(arguments: argparse.Namespace, recording: Recording) -> Choice:
    """What these arguments mean. Raises WrongArgumentsError."""
    asked = {"metrics": None, "cards": None} | vars(arguments)
    begin, until, metrics, cards = (asked[each] for each in ("from", "to", "metrics", "cards"))
    with in_the_words():
        if arguments.output is not None:
            refuse_own(arguments.output, arguments.file)
        start = begin and moment(begin, recording)
        return chosen(
            recording,
            start,
            until and moment(until, recording, start),
            metrics and metrics_named(metrics, recorded(recording)),
            cards and _cards(cards, recording),
        )


def _cards(text: str, recording: Recording) -> list[CardId]:
    words = [word.strip() for word in text.split(",")]
    named = ",".join(word for word in words if word.lower() != "host")
    host = [HOST_ID] if any(word.lower() == "host" for word in words) else []
    return [*(card.id for card in choose(recording.cards(), named) if named), *host]
