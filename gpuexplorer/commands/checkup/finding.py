"""Topic: what the doctor says about one part of the computer."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from gpuexplorer.core.verdict import Verdict
from gpuexplorer.core.words import NOTHING, Message

__all__ = ["Fact", "Topic", "Verdict"]

Fact: TypeAlias = "str | int | float | bool | None | Sequence[Fact] | Mapping[str, Fact]"


@dataclass(frozen=True, slots=True)
class Topic:
    """One part of the computer: a verdict, what it rests on, and what to do about it."""

    title: Message
    verdict: Verdict
    sentence: Message
    do: Message = NOTHING
    details: Sequence[str] = ()  # one thing found each
    facts: Mapping[str, Fact] = field(default_factory=dict)  # the same, for programs

    @property
    def name(self) -> str:
        """What programs call it."""
        return self.title.lower()
