"""Which stretch of a recording is written, and where: what export and report share."""

import argparse
import re
from pathlib import Path

from gpuexplorer.commands.arguments import in_the_words
from gpuexplorer.core.words import tr
from gpuexplorer.recording.export.choosing import moment
from gpuexplorer.recording.opening import refuse_own
from gpuexplorer.recording.recording import Recording
from gpuexplorer.telemetry.whole_file import refuse_unwritable


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


def stretch(
    arguments: argparse.Namespace, recording: Recording
) -> tuple[float | None, float | None]:
    """Of its axis; None where nothing was said. Raises Trouble."""
    start = end = None
    if arguments.start is not None:
        start = moment(arguments.start, recording)
    if arguments.end is not None:
        end = moment(arguments.end, recording, recording.began if start is None else start)
    return start, end


def check_output(output: Path, recording: Path) -> None:
    """Raises Trouble where nothing can, or should, be written."""
    with in_the_words():
        refuse_own(output, recording)
    refuse_unwritable(output)
