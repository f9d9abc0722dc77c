"""Everything that can be typed after `gpuexplorer`, taken from the program's own parsers."""

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto
from importlib import import_module

from gpuexplorer.__main__ import VERBS
from gpuexplorer.commands.arguments import OneOf, SentenceParser, add_source_arguments
from gpuexplorer.commands.window_arguments import add_window_arguments
from gpuexplorer.copies.plan import Kind


class Follows(Enum):
    """What stands after an option."""

    NOTHING = auto()
    WORD = auto()
    FILE = auto()
    FOLDER = auto()


@dataclass(frozen=True)
class Option:
    """`values`: what may follow, as far as it can be listed."""

    names: tuple[str, ...]
    meaning: str
    follows: Follows
    placeholder: str = ""
    values: tuple[str, ...] = ()


@dataclass(frozen=True)
class Verb:
    """One command with its options; the window's has no name."""

    name: str
    meaning: str
    options: tuple[Option, ...]


# What may follow these has more forms than a parser lists; these are the usual ones.
_USUAL = {
    "--simulate": ("2xTitanRTX", "4xRTX4090", "8xH100+nvlink", "1xH100,1xT4"),
    "--mode": (*Kind, "all"),
    "--sizes": ("sweep", "256M", "4B-1G"),
}
_BY_PLACEHOLDER = {"FILE": Follows.FILE, "DIR": Follows.FOLDER}


def verbs() -> Iterator[Verb]:
    """The window first, then its commands in the order of the help."""
    window = SentenceParser(prog="gpuexplorer")
    window.add_argument("--version", action="version", help="the version, and nothing else")
    add_window_arguments(window)
    add_source_arguments(window)
    yield Verb("", "open the window", tuple(_options(window)))
    for name, module, meaning in VERBS:
        parser = SentenceParser(prog=f"gpuexplorer {name}")
        import_module(module).add_arguments(parser)
        yield Verb(name, meaning, tuple(_options(parser)))


def _options(parser: argparse.ArgumentParser) -> Iterator[Option]:
    # argparse has no public way to ask a parser for its options.
    for action in parser._actions:
        names = tuple(action.option_strings)
        meaning = action.help or ""
        if action.nargs == 0:
            yield Option(names, meaning, Follows.NOTHING)
            continue
        placeholder = action.metavar if isinstance(action.metavar, str) else ""
        words = action.type.words if isinstance(action.type, OneOf) else action.choices
        values = words or _USUAL.get(names[-1], ())
        yield Option(
            names,
            meaning,
            _BY_PLACEHOLDER.get(placeholder, Follows.WORD),
            placeholder,
            tuple(str(value) for value in values),
        )
