"""Ending: why a link ended, or never began."""

from typing import NamedTuple

from gpuexplorer.core.words import NOTHING, Message


class Ending(NamedTuple):
    why: Message
    hint: Message = NOTHING
    again: bool = True  # whether it makes sense to try again without a person


class Course(NamedTuple):
    """All that is known of a connection when it is over."""

    host: str
    status: "int | None" = None  # None: we ended it
    ready: bool = False  # the mark came
    logged_in: bool = False  # ssh said so
    late: "float | None" = None  # seconds after which we gave up
    heard: bytes = b""  # the last of what came before the mark
    complained: bytes = b""  # the last of standard error
