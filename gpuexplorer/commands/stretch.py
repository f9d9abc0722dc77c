"""Which stretch of a recording is meant: arguments that export and report share."""

import argparse
import re
from pathlib import Path

from gpuexplorer.core.words import tr
from gpuexplorer.recording.export.choosing import moment
from gpuexplorer.recording.recording import Recording


def add_stretch_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar=tr("FILE"), type=Path, help=tr("the recording"))
    parser.add_argument(
        "--from", dest="start", metavar=tr("TIME"), help=tr("leave out what was before")
    )
    parser.add_argument(
        "--to", dest="end", metavar=tr("TIME"), help=tr("leave out what was after")
    )
    # What begins like a negative number is no option: `--from -1h`.
    parser._negative_number_matcher = re.compile(r"-\d")


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


def times_help() -> str:
    return tr(
        "TIME is a time of day (14:05, 14:05:10), a date and time (2026-11-21T14:05), or an"
        " offset: +10m after the beginning, -1h before the end."
    )
