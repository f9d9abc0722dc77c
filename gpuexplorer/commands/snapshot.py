"""gpuexplorer snapshot: every reading of every card, once or again and again."""

import argparse

from gpuexplorer.commands.arguments import (
    OK,
    WrongArgumentsError,
    add_host_arguments,
    add_source_arguments,
    number,
    whole_number,
)
from gpuexplorer.core.words import tr
from gpuexplorer.telemetry.processor_time import processor_time


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = tr("Read everything of every card, once or again and again.")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help=tr("as JSON, schema 1"))
    form.add_argument("--csv", action="store_true", help=tr("as CSV, one row per card"))
    parser.add_argument(
        "--loop",
        type=number,
        metavar=tr("SECONDS"),
        help=tr("again and again, 0.1 to 60 s apart"),
    )
    parser.add_argument(
        "--count", type=whole_number, metavar="N", help=tr("stop after N pictures")
    )
    parser.add_argument(
        "--cards", metavar=tr("LIST"), help=tr("only these: numbers, UUIDs or bus addresses")
    )
    add_source_arguments(parser)
    add_host_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    count = _check(arguments)
    # The processor's share takes two looks. What lies between is what a snapshot takes anyway:
    # importing the rest, and asking the cards.
    before = processor_time()
    from gpuexplorer.commands.pictures import show_pictures  # noqa: PLC0415 - as just said

    show_pictures(arguments, count, before)
    return OK


def _check(arguments: argparse.Namespace) -> int | None:
    """How many pictures; None for as long as the person likes."""
    if arguments.count is not None and arguments.count < 1:
        raise WrongArgumentsError(
            "--count {count} is not a number of pictures.",
            "It may be 1 or more.",
            count=arguments.count,
        )
    if arguments.loop is None:
        if arguments.count not in (None, 1):
            raise WrongArgumentsError(
                "--count needs to know how far apart the pictures are.",
                "Add --loop SECONDS, such as --loop 1.",
            )
        return 1
    count: int | None = arguments.count
    return count
