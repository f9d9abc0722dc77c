"""Topic and Verdict: what the doctor says about one part of the computer."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeAlias

Fact: TypeAlias = "str | int | float | bool | None | Sequence[Fact] | Mapping[str, Fact]"


class Verdict(StrEnum):
    """How a part of the computer is, from good to bad."""

    FINE = "fine"
    LOOK = "look"
    BROKEN = "broken"

    @property
    def rank(self) -> int:
        return list(Verdict).index(self)


@dataclass(frozen=True, slots=True)
class Topic:
    """One part of the computer: a verdict, what it rests on, and what to do about it."""

    title: str
    verdict: Verdict
    sentence: str
    do: str = ""
    details: Sequence[str] = ()  # one thing found each, in words
    facts: Mapping[str, Fact] = field(default_factory=dict)  # the same, for programs

    @property
    def name(self) -> str:
        """What programs call it."""
        return self.title.lower()


def listed(words: Sequence[str], last: str = "and") -> str:
    """`a, b and c`."""
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} {last} {words[-1]}"


def counted(number: int, one: str, many: str = "") -> str:
    """`1 card`, `2 cards`."""
    return f"{number} {one if number == 1 else many or one + 's'}"
