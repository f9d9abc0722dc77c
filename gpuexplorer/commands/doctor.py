"""`gpuexplorer doctor`: look at everything the program needs here, and say what to do."""

import argparse
import shutil
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TextIO

from gpuexplorer.commands.checkup.answer import ask
from gpuexplorer.commands.checkup.bundle import write_bundle
from gpuexplorer.commands.checkup.container import container
from gpuexplorer.commands.checkup.display import display
from gpuexplorer.commands.checkup.driver import driver
from gpuexplorer.commands.checkup.memory import memory
from gpuexplorer.commands.checkup.parts import parts
from gpuexplorer.commands.checkup.pci import cards
from gpuexplorer.commands.checkup.permissions import permissions
from gpuexplorer.commands.checkup.probe import Probe, this_computer
from gpuexplorer.commands.checkup.pythons import pythons
from gpuexplorer.commands.checkup.report import Report
from gpuexplorer.commands.checkup.toolkits import toolkits
from gpuexplorer.core.clock import Clock, SystemClock
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.telemetry.backend import Backend
from gpuexplorer.telemetry.looked_for import looked_for

_EXIT_CODES = """\
The exit code is 0 when the check was made, whatever it found; 1 when the bundle could not be
written; 2 when the command was misspelt."""


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = subparsers.add_parser(
        "doctor",
        help="look at driver, cards, PyTorch and display, and say what to do",
        description="Look at everything GPU Explorer needs on this computer, say how it is,"
        " and what to do about it. Sleeping cards are not woken.",
        epilog=_EXIT_CODES,
    )
    parser.add_argument("--json", action="store_true", help="print it for programs to read")
    parser.add_argument(
        "--bundle",
        metavar="FILE",
        type=Path,
        help="also write a .zip to send to somebody, without the names of you and the computer",
    )
    parser.add_argument(
        "--deep",
        action="store_true",
        help="also start each Python that has PyTorch and ask which cards it was built for",
    )
    parser.set_defaults(run=run)


def run(
    arguments: argparse.Namespace, open_backend: Callable[[], Backend] | None = None
) -> int:
    probe = this_computer(open_backend or _nvidia)
    return check(probe, arguments, SystemClock(), sys.stdout, sys.stderr)


def check(
    probe: Probe, arguments: argparse.Namespace, clock: Clock, out: TextIO, complaints: TextIO
) -> int:
    report = examine(probe, clock, deep=arguments.deep)
    if arguments.json:
        out.write(report.as_json())
    else:
        terminal = out.isatty()
        colour = terminal and not probe.environment.get("NO_COLOR")
        width = shutil.get_terminal_size().columns if terminal else 80
        _say(out, report.as_text(min(width, 110), colour=colour))
    if arguments.bundle is None:
        return 0
    try:
        sentence = write_bundle(arguments.bundle, report, probe)
    except Trouble as trouble:
        _say(complaints, f"{trouble}\n")
        return 1
    # What programs read must stay JSON and nothing else.
    _say(complaints if arguments.json else out, f"\n{sentence}\n")
    return 0


def examine(probe: Probe, clock: Clock, *, deep: bool = False) -> Report:
    answer = ask(probe)
    topics = [
        cards(probe, answer),
        driver(probe, answer),
        permissions(probe),
        container(probe, answer),
        pythons(probe, answer, deep=deep),
        toolkits(probe, answer),
        display(probe),
        parts(probe),
        memory(probe),
    ]
    taken_at = datetime.fromtimestamp(clock.wall(), UTC).isoformat(timespec="seconds")
    return Report(taken_at, topics, () if answer.cards else looked_for(probe))


def _nvidia() -> Backend:
    raise Trouble("NVIDIA's library was not asked.")


def _say(out: TextIO, text: str) -> None:
    """Names of folders may hold letters that this terminal has not."""
    encoding = out.encoding or "utf-8"
    out.write(text.encode(encoding, "backslashreplace").decode(encoding))
