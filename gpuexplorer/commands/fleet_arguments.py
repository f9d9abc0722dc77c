"""What the window can be told of a Prometheus, and sentences for what it cannot be told."""

import argparse
import getpass
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from gpuexplorer.commands.arguments import WrongArgumentsError
from gpuexplorer.core.words import tr

if TYPE_CHECKING:
    from gpuexplorer.fleet.fleet import Fleet

_BESIDE = ("match", "prometheus_login", "host_label", "rack_label")


def add_fleet_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--prometheus",
        metavar=tr("URL"),
        help=tr("show the cards that this Prometheus knows, by host and rack"),
    )
    parser.add_argument(
        "--match",
        metavar=tr("SELECTOR"),
        help=tr("of these only those whose labels fit, such as: 'cluster=\"a\"'"),
    )
    parser.add_argument(
        "--prometheus-login",
        metavar=tr("FILE"),
        help=tr("a file that says who asks, in which words, and which certificates are used"),
    )
    parser.add_argument(
        "--host-label",
        metavar=tr("LABEL"),
        help=tr("the label that names the host, where it is not found by itself"),
    )
    parser.add_argument(
        "--rack-label", metavar=tr("LABEL"), help=tr("the label by which hosts are grouped")
    )


def check_fleet_arguments(arguments: argparse.Namespace) -> None:
    """And makes the fleet of them, as `arguments.fleet`. Raises WrongArgumentsError, or Trouble
    for an address, a selector or a login that cannot be used.
    """
    arguments.fleet = None
    if arguments.prometheus is None:
        for each in _BESIDE:
            if getattr(arguments, each) is not None:
                raise WrongArgumentsError(
                    "{word} is about a Prometheus, and none was named.",
                    "Name one with --prometheus URL.",
                    word=f"--{each.replace('_', '-')}",
                )
        return
    arguments.fleet = _fleet(arguments)


def _fleet(arguments: argparse.Namespace) -> "Fleet":
    from gpuexplorer.fleet.address import address  # noqa: PLC0415 - rarely needed
    from gpuexplorer.fleet.client import Prometheus  # noqa: PLC0415 - as above
    from gpuexplorer.fleet.fleet import Fleet  # noqa: PLC0415 - as above
    from gpuexplorer.fleet.identity import Chosen  # noqa: PLC0415 - as above
    from gpuexplorer.fleet.login import read_login  # noqa: PLC0415 - as above
    from gpuexplorer.fleet.selector import is_label, match  # noqa: PLC0415 - as above

    for label in (arguments.host_label, arguments.rack_label):
        if label is not None and not is_label(label):
            raise WrongArgumentsError(
                "{text!r} is no name of a label.",
                "Such names have letters, figures and _, as in: node",
                text=label,
            )
    login, where = None, address(arguments.prometheus)
    if arguments.prometheus_login is not None:
        terminal = sys.stdin is not None and sys.stdin.isatty()
        login = read_login(Path(arguments.prometheus_login), _ask if terminal else None)
        login.header()
        if where.secure:
            login.tls()
    return Fleet(
        Prometheus(where, login),
        "" if arguments.match is None else match(arguments.match),
        Chosen(arguments.host_label or "", arguments.rack_label or ""),
    )


def _ask(user: str) -> str:
    return getpass.getpass(tr("Password of {user} for Prometheus: ", user=user))
