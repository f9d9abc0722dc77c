"""`gpuexplorer doctor`: look at everything the program needs here, or on another computer where
the same code looks, and say what to do.
"""

import argparse
import os
import shutil
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TextIO

from gpuexplorer.commands.arguments import (
    HOST,
    INTERRUPTED,
    OK,
    Option,
    WrongArgumentsError,
    add_options,
    one_host,
)
from gpuexplorer.commands.checkup.probe import Probe, Subject, Topic, this_computer
from gpuexplorer.commands.checkup.report import (
    Report,
    check_target,
    examine,
    wrapped,
    write_bundle,
)
from gpuexplorer.commands.terminal import ProgressLine, Terminal
from gpuexplorer.core.cards import Card, CardKind
from gpuexplorer.core.clock import Clock, SystemClock
from gpuexplorer.core.harmless import json_of
from gpuexplorer.core.records import UNREADABLE, reader
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.verdict import Verdict
from gpuexplorer.core.words import Message, tr
from gpuexplorer.lab.get_pytorch import CANCELLED, get, plan_for, there_already
from gpuexplorer.lab.pythons import candidates, own_environment
from gpuexplorer.telemetry.backend import Backend
from gpuexplorer.telemetry.looked_for import Looked
from gpuexplorer.telemetry.patience import Asked

# Longer lines are hard to read; and what is not a terminal may be printed.
_WIDEST = 110
_PAPER = 80
_PATIENCE = 10.0  # for a driver that hangs
_FAR_PATIENCE, _DEEP_PATIENCE = 60.0, 180.0


_OPTIONS = {
    "--json": Option("", "print it for programs to read"),
    "--bundle": Option(
        "FILE",
        "also write a .zip to send to somebody, without the names of you and the computer",
        Path,
    ),
    "--deep": Option(
        "", "also load PyTorch in each Python that has it, and ask for its cards and its cuDNN"
    ),
    "--get-pytorch": Option(
        "",
        "download the PyTorch that suits driver and cards, after saying how large it is and"
        " where it goes; does nothing where one is there already",
    ),
    "--into": Option(
        "FOLDER",
        "with --get-pytorch: into this environment, which is made where there is none; else"
        " into one of GPU Explorer's own",
        Path,
    ),
    "--unless-found": Option(
        "", "with --into: do nothing where another Python here has one that suits"
    ),
}


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
    add_options(parser, _OPTIONS | HOST)


def run(arguments: argparse.Namespace) -> int:
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
        return _get_pytorch(arguments.into, unless_found=arguments.unless_found)
    if host is None:
        probe = this_computer(_nvidia, deep=arguments.deep)
        return check(probe, arguments, SystemClock(), sys.stdout, sys.stderr)
    if arguments.bundle is not None:
        raise WrongArgumentsError(
            "A bundle can only be made of this computer.",
            "Run the doctor on {host} itself, or leave out --bundle.",
            host=host,
        )
    _show(_examined(host, arguments), arguments, sys.stdout)
    return OK


def check(
    probe: Probe, arguments: argparse.Namespace, clock: Clock, out: TextIO, complaints: TextIO
) -> int:
    if arguments.bundle is not None:
        check_target(arguments.bundle)
    report = examine(probe, clock)
    _show(report, arguments, out)
    if arguments.bundle is not None:
        # What programs read must stay JSON and nothing else.
        terminal = Terminal(complaints if arguments.json else out)
        terminal.show("")
        _say(terminal, write_bundle(arguments.bundle, report, probe))
    return OK


def _show(report: Report, arguments: argparse.Namespace, out: TextIO) -> None:
    if arguments.json:
        out.write(report.as_json())
    else:
        terminal = Terminal(out)
        terminal.show(report.as_text(_width(terminal), colour=terminal.colour))


def _say(terminal: Terminal, *sentences: Message) -> None:
    for each in sentences:
        terminal.show("\n".join(wrapped(tr(each), _width(terminal))))


def _width(terminal: Terminal) -> int:
    columns = os.environ.get("COLUMNS", "")
    if columns.isdecimal() and int(columns) > 0:
        return int(columns)
    if terminal.interactive:
        return min(shutil.get_terminal_size((_PAPER, 24)).columns, _WIDEST)
    return _PAPER


def _examined(host: str, arguments: argparse.Namespace) -> Report:
    """Raises Trouble where there is no connection, or no report that can be read."""
    # Whoever looks at this computer needs no ssh.
    from gpuexplorer.commands.source import connected  # noqa: PLC0415 - as just said
    from gpuexplorer.remote.wire import CheckUp  # noqa: PLC0415

    far = connected(host, arguments)
    try:
        patience = _DEEP_PATIENCE if arguments.deep else _FAR_PATIENCE
        told = far.asked(CheckUp(arguments.deep), patience)
    finally:
        far.stop(1.0)
    try:
        return _report(json_of(told), far.stream.computer)
    except UNREADABLE:
        raise Trouble("What {host} said of itself cannot be read.", host=host) from None


# Any: JSON that is checked field by field; facts are whatever JSON there is, for programs.
def _report(told: Any, computer: str) -> Report:
    topics = [
        Topic(
            Subject(each["topic"]),
            Verdict(each["verdict"]),
            reader(Message)(each["sentence"]),
            reader(Message)(each["do"]),
            reader(tuple[str, ...])(each["details"]),
            dict(each["facts"]),
        )
        for each in told["topics"]
    ]
    looked_for = reader(tuple[Looked, ...])(told["looked_for"])
    return Report(reader(str)(told["taken_at"]), topics, looked_for, computer)


def _get_pytorch(into: Path | None, *, unless_found: bool) -> int:
    terminal = Terminal(sys.stdout)
    cards, driver_version = _cards_here()
    folder = own_environment(os.environ, Path.home()) if into is None else into.absolute()
    others = candidates(os.environ, Path.home()) if into is None or unless_found else []
    for each in [folder, *others]:
        there = there_already(each, cards, driver_version)
        if there is not None:
            _say(terminal, Message("{python} is there already, and suits.", python=there.label))
            return OK
    _say(terminal, Message("Finding the build of PyTorch that suits, and its size…"))
    plan = None
    try:
        plan = plan_for(folder, cards, driver_version, threading.Event())
        _say(terminal, *plan.sentences)
        with ProgressLine(sys.stderr) as line:
            got = get(plan, lambda progress: line.show(tr(progress.said)), threading.Event())
    except KeyboardInterrupt:
        if plan is not None:
            plan.give_up()
        _say(terminal, Message(CANCELLED))
        return INTERRUPTED
    _say(terminal, Message("PyTorch was loaded, and works: {python}.", python=got.label))
    return OK


def _cards_here() -> tuple[Sequence[Card], str | None]:
    """NVIDIA's driver, and the cards it lists; nobody where none answers."""

    def opened() -> tuple[Sequence[Card], str | None]:
        backend = _nvidia()
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
