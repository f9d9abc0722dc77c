"""Verdict: how a part of the computer is; and lists and counts as people write them."""

from collections.abc import Sequence
from enum import StrEnum

from gpuexplorer.core.words import Message


class Verdict(StrEnum):
    """How a part of the computer is, from good to bad."""

    FINE = "fine"
    LOOK = "look"
    BROKEN = "broken"

    @property
    def rank(self) -> int:
        return list(Verdict).index(self)

    @property
    def word(self) -> Message:
        return _WORDS[self]


_WORDS = {
    Verdict.FINE: Message("fine"),
    Verdict.LOOK: Message("look"),
    Verdict.BROKEN: Message("broken"),
}


def listed(words: Sequence[str], last: str = "and") -> str:
    """`a, b and c`."""
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} {last} {words[-1]}"


def counted(number: int, one: str, many: str = "") -> str:
    """`1 card`, `2 cards`."""
    return f"{number} {one if number == 1 else many or one + 's'}"
