"""Arguments that several commands share, and sentences for those that are wrong."""

import argparse
import sys
from collections.abc import Sequence
from typing import NoReturn

from gpuexplorer.core.cards import Card
from gpuexplorer.core.trouble import Trouble
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

    def error(self, message: str) -> NoReturn:
        sentence = message[:1].upper() + message[1:]
        sys.stderr.write(f"{sentence}.\nThe right form: {self.format_usage()[7:].strip()}\n")
        raise SystemExit(WRONG_ARGUMENTS)


def add_source_arguments(parser: argparse.ArgumentParser) -> None:
    """Which cards are read."""
    parser.add_argument(
        "--simulate",
        metavar="SPEC",
        help="read make-believe cards instead: 2xTitanRTX, 8xH100+nvlink, 1xH100,1xT4, …",
    )
    parser.add_argument(
        "--fault",
        metavar="FAULTS",
        default="",
        help="let simulated cards fail, such as lost:1@20s, slow:0@10s, driver@30s",
    )
    parser.add_argument(
        "--seed",
        type=whole_number,
        default=0,
        metavar="N",
        help="another course of the simulation",
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
                f"--cards names {word!r}, and no card is called so.",
                f"There are: {offered}; a UUID or a bus address will do too.",
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
        raise argparse.ArgumentTypeError(f"{text!r} is not a number") from None


def whole_number(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number") from None
