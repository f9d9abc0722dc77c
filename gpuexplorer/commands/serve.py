"""gpuexplorer serve: the readings for Prometheus, until it is ended."""

import argparse
import re
import signal
import sys
from contextlib import suppress

from gpuexplorer.commands.arguments import (
    OK,
    WrongArgumentsError,
    add_reading_arguments,
    in_the_words,
)
from gpuexplorer.commands.source import choose, open_source
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import paragraph, tr
from gpuexplorer.telemetry.backend import MADE_UP
from gpuexplorer.telemetry.session import check_interval, session_on

_HERE = "127.0.0.1"
_USUAL = f"{_HERE}:9410"
# Only an address of IPv6 stands in brackets.
_ADDRESS = re.compile(r"(?:([^:\[\]]+|\[[^\[\]]*:[^\[\]]*\]):)?(\d{1,5})", re.ASCII)
_FORMS = "127.0.0.1:9410, [::1]:9410, 0.0.0.0:9410, 9410"
_FIRST_ANSWERS = 6.0
# Prometheus looks every 15 to 60 seconds.
_INTERVAL = 5.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = tr(
        "Show the readings to Prometheus: read only, and on this computer alone unless another"
        " address is chosen. Ctrl-C or SIGTERM ends it."
    )
    parser.add_argument(
        "--prometheus",
        nargs="?",
        const=_USUAL,
        metavar=tr("ADDRESS:PORT"),
        help=tr("where to listen; {usual} unless said otherwise", usual=_USUAL),
    )
    add_reading_arguments(parser, _INTERVAL)


def run(arguments: argparse.Namespace) -> int:
    host, port = _address(arguments.prometheus)
    with in_the_words():
        check_interval(arguments.interval)
    for ending in (signal.SIGINT, signal.SIGTERM):
        signal.signal(ending, signal.default_int_handler)
    with suppress(KeyboardInterrupt):
        _serve(arguments, host, port)
    return OK


def _serve(arguments: argparse.Namespace, host: str, port: int) -> None:
    from gpuexplorer.serving.readings import Readings  # noqa: PLC0415 - not for a wrong word
    from gpuexplorer.serving.server import Server  # noqa: PLC0415 - as above

    backend, attempts = open_source(arguments)
    if backend is None:
        raise Trouble(
            "No graphics card answers, so there is nothing to show. {why}",
            "`gpuexplorer doctor` looks for the cause.",
            why=paragraph([each.note for each in attempts]),
        )
    session = session_on(backend, attempts, arguments.interval)
    session.want(processes=False)
    session.start()
    try:
        session.wait_for_sweeps(1, _FIRST_ANSWERS)
        chosen = arguments.cards and {
            card.id for card in choose(session.cards(), arguments.cards)
        }
        with Server(host, port, Readings(session, chosen, port)) as server:
            _say(tr("Readings for Prometheus: {url}", url=server.url))
            if session.simulated:
                _say(tr(MADE_UP))
            if not server.local:
                _say(
                    tr(
                        "Anybody who can reach this computer at that port can read them: no"
                        " password is asked for, and nothing is encrypted."
                    )
                )
            server.serve_forever()
    finally:
        for ending in (signal.SIGINT, signal.SIGTERM):
            signal.signal(ending, signal.SIG_IGN)
        session.stop()


def _say(sentence: str) -> None:
    sys.stdout.write(f"{sentence}\n")
    sys.stdout.flush()


def _address(text: str | None) -> tuple[str, int]:
    """A host and a port. Raises WrongArgumentsError."""
    if text is None:
        raise WrongArgumentsError(
            "Say which program the readings are for.", "Such as: gpuexplorer serve --prometheus"
        )
    found = _ADDRESS.fullmatch(text)
    if found is None or int(found[2]) > 65535:
        raise WrongArgumentsError(
            "{text!r} is no address with a port.", "Such as: {forms}", text=text, forms=_FORMS
        )
    return (found[1] or _HERE).strip("[]"), int(found[2])
