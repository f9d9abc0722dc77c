"""Near: a thread runs on the processors close to a card, and so lies what it takes."""

import contextlib
import os
from collections.abc import Iterator, Set


def processors(listed: str) -> "frozenset[int]":
    """As Linux lists them: "0-3,8". Empty for what is no such list."""
    found: set[int] = set()
    for part in listed.split(","):
        first, _, last = part.strip().partition("-")
        if not first.isdigit() or not (last or first).isdigit():
            return frozenset()
        found.update(range(int(first), int(last or first) + 1))
    return frozenset(found)


@contextlib.contextmanager
def on_processors(numbers: "Set[int]") -> "Iterator[bool]":
    """Of this thread, and of those it starts. False: the system lets it run on none of them, or
    has no such call; it stays where it is.
    """
    if not hasattr(os, "sched_setaffinity"):
        yield False
        return
    before = os.sched_getaffinity(0)
    allowed = before & numbers
    moved = False
    if allowed:
        with contextlib.suppress(OSError):
            os.sched_setaffinity(0, allowed)
            moved = True
    try:
        yield moved
    finally:
        if moved:
            os.sched_setaffinity(0, before)
