"""Where no window can open: a sentence that says why, and the table in the terminal instead."""

import argparse
import os
import sys

from gpuexplorer.commands.checkup.probe import BROKEN, FINE, this_computer
from gpuexplorer.commands.checkup.program import display
from gpuexplorer.commands.source import open_source
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import Message, paragraph, told, tr
from gpuexplorer.telemetry.backends.no_cards import NoCards
from gpuexplorer.telemetry.sources import MAKE_BELIEVE


def why_no_window() -> Message | None:
    """The reason; None where a window can be tried."""
    topic = display(this_computer(NoCards))
    if topic.verdict is FINE or os.environ.get("QT_QPA_PLATFORM"):
        return None
    return told(topic.sentence, topic.do) if topic.verdict is BROKEN else topic.sentence


def do_without_display(*, pictures: bool) -> None:
    """Let Qt draw where nobody looks: pictures always, so that no window flashes up, and what
    is only measured where there is no display.
    """
    if sys.platform != "linux" or os.environ.get("QT_QPA_PLATFORM"):
        return
    if pictures or not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        os.environ["QT_QPA_PLATFORM"] = "offscreen"


def show_table(arguments: argparse.Namespace, why: Message) -> int:
    """The live table, or one picture of it where nobody looks at a terminal. Raises Trouble
    where a table cannot show what was asked for.
    """
    if arguments.fleet is not None or len(arguments.host) > 1:
        raise Trouble(
            why, "In the terminal one machine is shown: `gpuexplorer snapshot --host NAME`."
        )
    from gpuexplorer.commands import snapshot  # noqa: PLC0415 - a window needs none

    instead = tr("Here is the table in the terminal instead.")
    sys.stderr.write(f"{paragraph((why, instead))}\n")
    sys.stderr.flush()
    spec: str | None = arguments.simulate
    if spec is None and arguments.or_simulate:
        backend, attempts = open_source(arguments)
        if backend is None:
            spec = MAKE_BELIEVE
            for attempt in attempts:
                sys.stderr.write(f"{tr(attempt.note)}\n")
            sys.stderr.write(f"{tr('So these are two simulated cards.')}\n")
        else:
            backend.close()
    table = argparse.Namespace(
        json=False,
        csv=False,
        loop=1.0 if sys.stdout.isatty() else None,
        count=None,
        cards=None,
        simulate=spec,
        fault=arguments.fault,
        seed=arguments.seed,
        host=arguments.host,
        host_python=arguments.host_python,
    )
    return snapshot.run(table)
