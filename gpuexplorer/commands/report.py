"""gpuexplorer report: a recording as a page that opens anywhere, to hand on."""

import argparse
import sys
from pathlib import Path

from gpuexplorer.commands.arguments import OK, WrongArgumentsError
from gpuexplorer.commands.stretch import add_stretch_arguments, stretch, times_help
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import tr
from gpuexplorer.recording.export.choosing import Choice, chosen
from gpuexplorer.recording.recording import Recording, open_recording
from gpuexplorer.recording.report.page import write_report
from gpuexplorer.telemetry.whole_file import refuse_unwritable


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = tr(
        "Write what a recording holds as one HTML page: the machine, what stood out, plots of"
        " all cards, each card's figures, programs and events. The page needs no network and"
        " loads nothing; a browser prints it."
    )
    exit_status = tr(
        "The exit status is 0 when it was written; 1 when it could not be; 2 when the command"
        " was not understood; 130 after Ctrl-C."
    )
    parser.epilog = f"{times_help()} {exit_status}"
    add_stretch_arguments(parser)
    parser.add_argument(
        "--output",
        type=Path,
        metavar=tr("FILE"),
        help=tr(
            "where it is written, in place of what is there; else a file named like the"
            " recording in this folder, if there is none yet"
        ),
    )


def run(arguments: argparse.Namespace) -> int:
    recording = open_recording(arguments.file)
    try:
        choice = _chosen(arguments, recording)
        output = _output(arguments)
        refuse_unwritable(output)
        write_report(choice, output)
    finally:
        recording.close()
    sys.stdout.write(f"{tr('{file} was written.', file=output)}\n")
    return OK


def _chosen(arguments: argparse.Namespace, recording: Recording) -> Choice:
    try:
        return chosen(recording, *stretch(arguments, recording))
    except Trouble as trouble:
        raise WrongArgumentsError(trouble.sentence, trouble.hint) from trouble


def _output(arguments: argparse.Namespace) -> Path:
    output: Path | None = arguments.output
    if output is None:
        output = Path(f"{arguments.file.stem}.html")
        if output.exists():
            raise WrongArgumentsError(
                "{file} is there already.", "Say with --output where it goes.", file=output
            )
    elif output.exists() and output.samefile(arguments.file):
        raise WrongArgumentsError(
            "{file} is the recording itself, and is left as it is.",
            "Name another file after --output.",
            file=output.name,
        )
    return output
