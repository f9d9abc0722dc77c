"""Options as tables, those that several commands share, and sentences for wrong ones."""

import argparse
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, NamedTuple, NoReturn, TypeVar

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import Message, mark, told, tr

T = TypeVar("T")
OK, TROUBLE, WRONG_ARGUMENTS, INTERRUPTED = 0, 1, 2, 130


class WrongArgumentsError(Trouble):
    """The person's words were wrong, not the world."""


@contextmanager
def in_the_words(*more: str) -> Iterator[None]:
    """Whatever is wrong in there is so with the person's words: raises WrongArgumentsError, and
    says `more`.
    """
    try:
        yield
    except Trouble as trouble:
        raise WrongArgumentsError(trouble.sentence, told(trouble.hint, *more)) from trouble


# Whichever command has them: what each adds to, and what it leaves no sense to.
_NEEDS = {
    "--count": "--loop",
    "--host-python": "--host",
    "--fault": "--simulate",
    "--match": "--prometheus",
    "--prometheus-login": "--prometheus",
    "--host-label": "--prometheus",
    "--after": "--screenshot",
    "--into": "--get-pytorch",
    "--unless-found": "--into",
}
_EXCLUDES = (
    *(("--json", "--csv"), ("--open", "recording"), ("--screenshot", "--quit-after")),
    *(("--bundle", other) for other in ("--host", "--get-pytorch")),
    *(("--get-pytorch", other) for other in ("--host", "--json", "--deep")),
)


class SentenceParser(argparse.ArgumentParser):
    """Says what is wrong, and the right form, without repeating the whole usage."""

    # Any: as it is declared; here and below.
    def __init__(self, **known: Any) -> None:
        super().__init__(formatter_class=_Help, add_help=False, **known)
        self._positionals.title = tr("arguments")
        self._optionals.title = tr("options")
        self.add_argument("-h", "--help", action="help", help=tr("show this help and exit"))

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Raises WrongArgumentsError for options that lack another or do not go together."""
        found, unknown = super().parse_known_args(args, namespace)
        given = {
            action.option_strings[-1] if action.option_strings else action.dest
            for action in self._actions
            if getattr(found, action.dest, None) != action.default
        }
        for one, other in _NEEDS.items():
            if one in given and other not in given:
                raise WrongArgumentsError(
                    "{one} goes with {other}.", "Add {other}.", one=one, other=other
                )
        for one, other in _EXCLUDES:
            if {one, other} <= given:
                raise WrongArgumentsError(
                    "{one} and {other} exclude each other.",
                    "Choose one of them.",
                    one=one,
                    other=other,
                )
        return found, unknown

    def understood(self, words: Sequence[str]) -> argparse.Namespace:
        """As parse_args, with a sentence of ours for what nobody knows."""
        arguments: argparse.Namespace
        arguments, unknown = self.parse_known_args(words)
        self.refuse(unknown)
        return arguments

    def refuse(self, unknown: Sequence[str]) -> None:
        if unknown:
            self._leave(tr("There is no argument {argument}.", argument=unknown[0]))

    def error(self, message: str) -> NoReturn:
        """What argparse refuses, in its own words or in those of a `type` function."""
        self._leave(tr("That is not understood: {reason}.", reason=message))

    def _leave(self, sentence: str) -> NoReturn:
        usage = self.format_usage().removeprefix(tr("usage: ")).strip()
        self.exit(2, f"{sentence}\n{tr('The right form: {usage}', usage=usage)}\n")


class _Help(argparse.HelpFormatter):
    # Any: argparse keeps the class of the groups for itself.
    def add_usage(self, usage: Any, actions: Any, groups: Any, prefix: Any = None) -> None:
        super().add_usage(usage, actions, groups, tr("usage: ") if prefix is None else prefix)

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        """Lines that were laid out stay as they are."""
        return text if "\n" in text else super()._fill_text(text, width, indent)


class Option(NamedTuple):
    """A row of a table of options and of what stands without one, under its name."""

    metavar: str  # what follows it; empty: nothing, it is a switch
    help: str
    type: Callable[[str], object] = str
    default: object = None
    again: bool = False  # it may be given several times
    choices: Sequence[str] | None = None
    nargs: str | None = None
    const: object = None  # where nothing follows it


def add_options(parser: argparse._ActionsContainer, options: Mapping[str, Option]) -> None:
    """To a parser, or to a group of one."""
    for name, each in options.items():
        said = tr(each.help)
        if not each.metavar:
            parser.add_argument(name, action="store_true", help=said)
            continue
        parser.add_argument(
            name,
            action="append" if each.again else "store",
            nargs=each.nargs,
            const=each.const,
            type=each.type,
            choices=each.choices,
            default=[] if each.again else each.default,
            metavar=tr(each.metavar),
            help=said,
        )


def _read(kind: Callable[[str], T], said: str, text: str) -> T:
    """What stands there, or words that a person understands."""
    try:
        return kind(text)
    except ValueError:
        raise argparse.ArgumentTypeError(tr(said, text=text)) from None


number = partial(_read, float, mark("{text!r} is not a number"))
whole_number = partial(_read, int, mark("{text!r} is not a whole number"))

SOURCE = {
    "--simulate": Option(
        "SPEC", "read simulated cards instead: 2xTitanRTX+idle, 8xH100+nvlink, 1xH100,1xT4"
    ),
    "--fault": Option(
        "FAULTS",
        "let simulated cards fail, such as lost:1@20s, slow:0@10s, driver@30s",
        default="",
    ),
    "--seed": Option("N", "another course of the simulation", whole_number, 0),
}
HOST = {
    "--host": Option(
        "NAME",
        "another computer, over ssh: user@server, or a name of ~/.ssh/config; in the window"
        " several times for several",
        again=True,
    ),
    "--host-python": Option(
        "PATH", "the Python that is to be used there, 3.10 or newer; python3 if not given"
    ),
}
JSON = {"--json": Option("", "as JSON, schema 1")}
CARDS = {"--cards": Option("LIST", "only these: numbers, UUIDs or bus addresses")}


def reading_options(interval: float) -> Mapping[str, Option]:
    """Which cards are read again and again, and how often."""
    said = Message("between two readings, 0.1 to 60; {usual:g} if not given", usual=interval)
    every = Option("SECONDS", said, number, interval)
    return {"--interval": every, **CARDS, **SOURCE}


def one_host(arguments: argparse.Namespace) -> str | None:
    """The other computer that a command is to read; None for this one."""
    hosts: Sequence[str] = arguments.host
    if len(hosts) > 1:
        raise WrongArgumentsError(
            "This command reads one computer at a time, and --host names {count}.",
            "The window shows several: gpuexplorer --host {first} --host {second}.",
            count=len(hosts),
            first=hosts[0],
            second=hosts[1],
        )
    return hosts[0] if hosts else None
