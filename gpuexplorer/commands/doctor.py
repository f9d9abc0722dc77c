"""`gpuexplorer doctor`: look at everything the program needs here, and say what to do."""

import argparse
import os
import shutil
import sys
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TextIO

from gpuexplorer.commands.arguments import (
    INTERRUPTED,
    OK,
    WrongArgumentsError,
    add_host_arguments,
    one_host,
)
from gpuexplorer.commands.checkup.bundle import check_target, write_bundle
from gpuexplorer.commands.checkup.examining import examine
from gpuexplorer.commands.checkup.paper import wrapped
from gpuexplorer.commands.checkup.probe import Probe, this_computer
from gpuexplorer.commands.checkup.report import Report
from gpuexplorer.commands.progress_line import ProgressLine
from gpuexplorer.commands.terminal import Terminal
from gpuexplorer.core.cards import Card, CardKind
from gpuexplorer.core.clock import Clock, SystemClock
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import Message, tr
from gpuexplorer.lab.get_pytorch import CANCELLED, get, plan_for, there_already
from gpuexplorer.lab.pythons import candidates, own_environment
from gpuexplorer.telemetry.backend import Backend
from gpuexplorer.telemetry.patience import Asked

# Longer lines are hard to read; and what is not a terminal may be printed.
_WIDEST = 110
_PAPER = 80
_PATIENCE = 10.0  # for a driver that hangs


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
    parser.add_argument(
        "--get-pytorch",
        action="store_true",
        help=tr(
            "download the PyTorch that suits driver and cards, after saying how large it is and"
            " where it goes; does nothing where one is there already"
        ),
    )
    parser.add_argument(
        "--into",
        metavar=tr("FOLDER"),
        type=Path,
        help=tr(
            "with --get-pytorch: into this environment, which is made where there is none;"
            " else into one of GPU Explorer's own"
        ),
    )
    parser.add_argument(
        "--unless-found",
        action="store_true",
        help=tr("with --into: do nothing where another Python here has one that suits"),
    )
    add_host_arguments(parser)


def run(
    arguments: argparse.Namespace, open_backend: Callable[[], Backend] | None = None
) -> int:
    host = one_host(arguments)
    if arguments.into is not None and not arguments.get_pytorch:
        raise WrongArgumentsError("--into goes with --get-pytorch.")
    if arguments.unless_found and arguments.into is None:
        raise WrongArgumentsError("--unless-found goes with --into.")
    if arguments.get_pytorch:
        if host is not None or arguments.json or arguments.bundle or arguments.deep:
            raise WrongArgumentsError(
                "--get-pytorch goes with --into alone.",
                "Run it on the computer that is to have PyTorch.",
            )
        return _get_pytorch(
            arguments.into, arguments.unless_found, open_backend or _nvidia, sys.stdout
        )
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


def _get_pytorch(
    into: Path | None,
    unless_found: bool,
    open_backend: Callable[[], Backend],
    out: TextIO,
) -> int:
    terminal = Terminal(out)

    def say(*sentences: str) -> None:
        for each in sentences:
            terminal.show("\n".join(wrapped(tr(each), _width(terminal))))

    cards, driver_version = _cards_here(open_backend)
    folder = own_environment(os.environ, Path.home()) if into is None else into.absolute()
    others = candidates(os.environ, Path.home()) if into is None or unless_found else []
    for each in [folder, *others]:
        there = there_already(each, cards, driver_version)
        if there is not None:
            say(Message("{python} is there already, and suits.", python=there.label))
            return OK
    say(Message("Finding the build of PyTorch that suits, and its size…"))
    plan = None
    try:
        plan = plan_for(folder, cards, driver_version, threading.Event())
        say(*plan.sentences)
        with ProgressLine(sys.stderr) as line:
            got = get(plan, lambda progress: line.show(tr(progress.said)), threading.Event())
    except KeyboardInterrupt:
        if plan is not None:
            plan.give_up()
        say(Message(CANCELLED))
        return INTERRUPTED
    say(Message("PyTorch was loaded, and works: {python}.", python=got.label))
    return OK


def _cards_here(open_backend: Callable[[], Backend]) -> tuple[Sequence[Card], str | None]:
    """NVIDIA's driver, and the cards it lists; nobody where none answers."""

    def opened() -> tuple[Sequence[Card], str | None]:
        backend = open_backend()
        backend.open()
        try:
            cards = [card for card in backend.cards() if card.kind is CardKind.GPU]
            return cards, backend.source.driver_version
        finally:
            backend.close()

    asking = Asked(opened)
    try:
        return asking.result() if asking.answered_within(_PATIENCE) else ((), None)
    except Trouble:
        return (), None


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
