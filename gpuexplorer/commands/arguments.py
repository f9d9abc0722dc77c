"""Arguments that several commands share, and sentences for those that are wrong."""

import argparse
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

from gpuexplorer.core.cards import Card
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import tr
from gpuexplorer.telemetry.backend import Backend
from gpuexplorer.telemetry.pci_bus import plain_bus_id
from gpuexplorer.telemetry.session import Attempt, card_numbers
from gpuexplorer.telemetry.sources import first_that_answers, simulated

OK = 0
TROUBLE = 1
WRONG_ARGUMENTS = 2
INTERRUPTED = 130


class SentenceParser(argparse.ArgumentParser):
    """Says what is wrong, and the right form, without repeating the whole usage."""

    def __init__(self, *, prog: str, description: str | None = None, epilog: str = "") -> None:
        super().__init__(
            prog=prog,
            description=description,
            epilog=epilog,
            formatter_class=_Help,
            add_help=False,
        )
        self._optionals.title = tr("options")
        self.add_argument("-h", "--help", action="help", help=tr("show this help and exit"))

    def understood(self, words: Sequence[str]) -> argparse.Namespace:
        """As parse_args, with a sentence of ours for what nobody knows."""
        arguments, unknown = self.parse_known_args(words)
        if unknown:
            self._refuse(tr("There is no argument {argument}.", argument=unknown[0]))
        return arguments

    def error(self, message: str) -> NoReturn:
        """What argparse refuses, in its own words or in those of a `type` function."""
        self._refuse(tr("That is not understood: {reason}.", reason=message))

    def _refuse(self, sentence: str) -> NoReturn:
        usage = self.format_usage().removeprefix(tr("usage: ")).strip()
        sys.stderr.write(f"{sentence}\n{tr('The right form: {usage}', usage=usage)}\n")
        raise SystemExit(WRONG_ARGUMENTS)


class _Help(argparse.HelpFormatter):
    def add_usage(
        self,
        usage: str | None,
        actions: Iterable[argparse.Action],
        groups: Iterable[Any],  # argparse names their class, and keeps it for itself
        prefix: str | None = None,
    ) -> None:
        super().add_usage(usage, actions, groups, tr("usage: ") if prefix is None else prefix)


class LaidOutHelp(_Help, argparse.RawDescriptionHelpFormatter):
    """Leaves the lines of description and epilog as they are."""


@dataclass(frozen=True, slots=True)
class OneOf:
    """For `type`: one of these words, and a sentence of ours where it is another."""

    words: Sequence[str]

    def __call__(self, text: str) -> str:
        if text not in self.words:
            raise argparse.ArgumentTypeError(
                tr("{word!r} is none of {words}", word=text, words=", ".join(self.words))
            )
        return text


def add_source_arguments(parser: argparse.ArgumentParser) -> None:
    """Which cards are read."""
    parser.add_argument(
        "--simulate",
        metavar=tr("SPEC"),
        help=tr("read simulated cards instead: 2xTitanRTX, 8xH100+nvlink, 1xH100,1xT4, …"),
    )
    parser.add_argument(
        "--fault",
        metavar=tr("FAULTS"),
        default="",
        help=tr("let simulated cards fail, such as lost:1@20s, slow:0@10s, driver@30s"),
    )
    parser.add_argument(
        "--seed",
        type=whole_number,
        default=0,
        metavar="N",
        help=tr("another course of the simulation"),
    )


def open_source(arguments: argparse.Namespace) -> tuple[Backend | None, Sequence[Attempt]]:
    """The source these arguments ask for, opened. Raises Trouble for a wrong simulation."""
    if arguments.simulate is not None:
        return simulation(arguments.simulate, arguments.fault, arguments.seed), ()
    if arguments.fault:
        raise WrongArgumentsError(
            "Only simulated cards fail on order.",
            "Say which with --simulate, such as --simulate 2xH100.",
        )
    return first_that_answers()


def simulation(spec: str, faults: str, seed: int = 0) -> Backend:
    """The cards a person made up. Raises WrongArgumentsError that names the wrong part."""
    try:
        return simulated(spec, faults, seed)
    except Trouble as trouble:
        raise WrongArgumentsError(trouble.sentence, trouble.hint) from trouble


class WrongArgumentsError(Trouble):
    """The person's words were wrong, not the world."""


def choose(cards: Sequence[Card], text: str | None) -> list[Card]:
    """The cards a person named by number, UUID, start of a UUID, or bus address."""
    if text is None:
        return list(cards)
    if not cards:
        raise Trouble(
            "No graphics card answers, so none can be chosen.", "`gpuexplorer doctor` says why."
        )
    numbers = card_numbers(cards)
    chosen: list[Card] = []
    for word in (part.strip() for part in text.split(",")):
        matches = [card for card in cards if _is_called(card, numbers[card.id], word)]
        if not word or not matches:
            offered = ", ".join(numbers.values())
            raise WrongArgumentsError(
                "--cards names {word!r}, and no card is called so.",
                "There are: {offered}; a UUID or a bus address will do too.",
                word=word,
                offered=offered,
            )
        chosen += [card for card in matches if card not in chosen]
    return chosen


def _is_called(card: Card, number: str, word: str) -> bool:
    if word == number:
        return True
    long_enough = len(word) > 4
    return (
        card.id == word
        or (long_enough and card.id.lower().startswith(word.lower()))
        or (card.bus_id is not None and long_enough and card.bus_id.endswith(word.lower()))
        or (card.bus_id is not None and plain_bus_id(word) == card.bus_id)
    )


def number(text: str) -> float:
    """An argument's number, or words that a person understands."""
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(tr("{text!r} is not a number", text=text)) from None


def whole_number(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(
            tr("{text!r} is not a whole number", text=text)
        ) from None
