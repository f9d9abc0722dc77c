"""gpuexplorer report: a recording as a page that opens anywhere, to hand on."""

import argparse
import sys
from contextlib import closing
from pathlib import Path

from gpuexplorer.commands.arguments import OK, WrongArgumentsError
from gpuexplorer.commands.export import add_stretch_arguments, choice_of
from gpuexplorer.core.words import Message, tr
from gpuexplorer.recording.recording import open_recording
from gpuexplorer.recording.report import write_report


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = tr(
        "Write what a recording holds as one HTML page: the machine, what stood out, plots of"
        " all cards, each card's figures, programs and events. The page needs no network and"
        " loads nothing; a browser prints it."
    )
    otherwise = Message("a file named like the recording in this folder, if there is none yet")
    add_stretch_arguments(parser, otherwise)


def run(arguments: argparse.Namespace) -> int:
    with closing(open_recording(arguments.file)) as recording:
        choice = choice_of(arguments, recording)
        output = arguments.output or Path(f"{arguments.file.stem}.html")
        if arguments.output is None and output.exists():
            raise WrongArgumentsError(
                "{file} is there already.", "Say with --output where it goes.", file=output
            )
        write_report(choice, output)
    sys.stdout.write(f"{tr('{file} was written.', file=output)}\n")
    return OK
