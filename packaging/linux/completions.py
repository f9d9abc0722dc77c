"""What a shell offers after `gpuexplorer` when Tab is pressed; written by shtab.

The program makes a parser for each command when it is used; here they are put together.
"""

import argparse
from importlib import import_module
from pathlib import Path

import shtab

from gpuexplorer.__main__ import VERBS
from gpuexplorer.commands.window_arguments import add_window_arguments
from gpuexplorer.copies.jobs import Kind

# Where each shell looks below a `share`.
_PLACES = {
    "bash": "bash-completion/completions/gpuexplorer",
    "zsh": "zsh/vendor-completions/_gpuexplorer",
    "fish": "fish/vendor_completions.d/gpuexplorer.fish",
}
# What may follow these has more forms than a parser lists; these are the usual ones.
_USUAL = {
    "--simulate": [
        *("2xTitanRTX", "2xTitanRTX+idle", "4xRTX4090", "8xH100+nvlink", "1xH100,1xT4")
    ],
    "--mode": [*Kind, "all"],
    "--sizes": ["sweep", "256M", "4B-1G"],
}
_PATHS = {"FILE": shtab.FILE, "DIR": shtab.DIRECTORY}


def write_completions(share: Path) -> None:
    parser = typed()
    for shell, place in _PLACES.items():
        path = share / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(shtab.complete(parser, shell), encoding="utf-8")


def parsers() -> dict[str, argparse.ArgumentParser]:
    """Everything that can be typed: the window's parser under no name, each command's, and that
    of each of its actions, such as "lesson run".
    """
    window = typed()
    found = {"": window}
    for name, command in _below(window).items():
        found[name] = command
        found |= {f"{name} {action}": each for action, each in _below(command).items()}
    return found


def actions(parser: argparse.ArgumentParser) -> list[argparse.Action]:
    """argparse has no public way to ask a parser for its arguments."""
    return parser._actions


def _below(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    groups = (each for each in actions(parser) if isinstance(each, argparse._SubParsersAction))
    return {name: below for group in groups for name, below in group.choices.items()}


def typed() -> argparse.ArgumentParser:
    window = _parser(argparse.ArgumentParser(prog="gpuexplorer", add_help=False))
    window.add_argument("--version", action="version", help="show the version and exit")
    add_window_arguments(window)
    _offer(window)
    # Where a file may stand, shtab would offer no command.
    for action in [each for each in actions(window) if not each.option_strings]:
        window._actions.remove(action)
    commands = window.add_subparsers(metavar="COMMAND")
    for name, meaning in VERBS.items():
        command = _parser(commands.add_parser(name, help=meaning, add_help=False))
        import_module(f"gpuexplorer.commands.{name}").add_arguments(command)
        _offer(command)
        for each in _below(command).values():
            _offer(each)
    return window


def _parser(plain: argparse.ArgumentParser) -> argparse.ArgumentParser:
    plain.add_argument("-h", "--help", action="help", help="show this help and exit")
    return plain


def _offer(parser: argparse.ArgumentParser) -> None:
    for action in actions(parser):
        name = action.option_strings[-1] if action.option_strings else ""
        if name in _USUAL:
            action.choices = _USUAL[name]
        elif action.metavar in _PATHS:
            action.complete = _PATHS[str(action.metavar)]  # type: ignore[attr-defined] # shtab's
