"""`gpuexplorer doctor`: look at everything the program needs here, and say what to do."""

import argparse
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TextIO

from gpuexplorer.commands.arguments import OK, WrongArgumentsError, add_host_arguments, one_host
from gpuexplorer.commands.checkup.bundle import check_target, write_bundle
from gpuexplorer.commands.checkup.examining import examine
from gpuexplorer.commands.checkup.paper import wrapped
from gpuexplorer.commands.checkup.probe import Probe, this_computer
from gpuexplorer.commands.checkup.report import Report
from gpuexplorer.commands.terminal import Terminal
from gpuexplorer.core.clock import Clock, SystemClock
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import tr
from gpuexplorer.telemetry.backend import Backend

# Longer lines are hard to read; and what is not a terminal may be printed.
_WIDEST = 110
_PAPER = 80


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = tr(
        "Look at everything GPU Explorer needs on a computer, say how it is, and what to do"
        " about it. Sleeping cards are not woken."
    )
    parser.epilog = tr(
        "The exit status is 0 when the check was made, whatever it found; 1 when the bundle"
        " could not be written, or the other computer not be asked; 2 when the command was not"
        " understood."
    )
    parser.add_argument("--json", action="store_true", help=tr("print it for programs to read"))
    parser.add_argument(
        "--bundle",
        metavar=tr("FILE"),
        type=Path,
        help=tr(
            "also write a .zip to send to somebody, without the names of you and the computer"
        ),
    )
    parser.add_argument(
        "--deep",
        action="store_true",
        help=tr(
            "also load PyTorch in each Python that has it, and ask for its cards and its cuDNN"
        ),
    )
    add_host_arguments(parser)


def run(
    arguments: argparse.Namespace, open_backend: Callable[[], Backend] | None = None
) -> int:
    host = one_host(arguments)
    if host is not None:
        return _check_other(host, arguments, sys.stdout)
    probe = this_computer(open_backend or _nvidia)
    return check(probe, arguments, SystemClock(), sys.stdout, sys.stderr)


def check(
    probe: Probe, arguments: argparse.Namespace, clock: Clock, out: TextIO, complaints: TextIO
) -> int:
    if arguments.bundle is not None:
        check_target(arguments.bundle)
    report = examine(probe, clock, deep=arguments.deep)
    _show(report, arguments, out)
    if arguments.bundle is not None:
        # What programs read must stay JSON and nothing else.
        terminal = Terminal(complaints if arguments.json else out)
        sentence = write_bundle(arguments.bundle, report, probe)
        terminal.show("\n".join(["", *wrapped(tr(sentence), _width(terminal))]))
    return OK


def _check_other(host: str, arguments: argparse.Namespace, out: TextIO) -> int:
    if arguments.bundle is not None:
        raise WrongArgumentsError(
            "A bundle can only be made of this computer.",
            "Run the doctor on {host} itself, or leave out --bundle.",
            host=host,
        )
    # Whoever looks at this computer needs no ssh.
    from gpuexplorer.commands.far_doctor import examined  # noqa: PLC0415 - as just said

    _show(examined(host, arguments), arguments, out)
    return OK


def _show(report: Report, arguments: argparse.Namespace, out: TextIO) -> None:
    if arguments.json:
        out.write(report.as_json())
    else:
        terminal = Terminal(out)
        terminal.show(report.as_text(_width(terminal), colour=terminal.colour))


def _width(terminal: Terminal) -> int:
    columns = os.environ.get("COLUMNS", "")
    if columns.isdecimal() and int(columns) > 0:
        return int(columns)
    if terminal.interactive:
        return min(shutil.get_terminal_size((_PAPER, 24)).columns, _WIDEST)
    return _PAPER


def _nvidia() -> Backend:
    try:
        # Imported here, so that the doctor can say that this very part is missing.
        from gpuexplorer.telemetry.backends.nvml.backend import NvmlBackend  # noqa: PLC0415
    except ImportError as absence:
        raise Trouble(
            "The package nvidia-ml-py, through which cards are read, is not installed.",
            "Run: pip install nvidia-ml-py",
        ) from absence
    return NvmlBackend()
