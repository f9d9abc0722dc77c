"""Topic: what the doctor says about one part of the computer."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from gpuexplorer.core.newer_python import StrEnum
from gpuexplorer.core.verdict import Verdict
from gpuexplorer.core.words import NOTHING, Message

__all__ = ["Fact", "Subject", "Topic", "Verdict"]

Fact: TypeAlias = "str | int | float | bool | None | Sequence[Fact] | Mapping[str, Fact]"


class Subject(StrEnum):
    """A part of the computer, by the name that programs know it by."""

    CARDS = "cards"
    DRIVER = "driver"
    PERMISSIONS = "permissions"
    CONTAINER = "container"
    PYTORCH = "pytorch"
    TOOLKITS = "toolkits"
    DISPLAY = "display"
    PARTS = "parts"
    MEMORY = "memory"


_TITLES = {
    Subject.CARDS: Message("Cards"),
    Subject.DRIVER: Message("Driver"),
    Subject.PERMISSIONS: Message("Permissions"),
    Subject.CONTAINER: Message("Container"),
    Subject.PYTORCH: Message("PyTorch"),
    Subject.TOOLKITS: Message("Toolkits"),
    Subject.DISPLAY: Message("Display"),
    Subject.PARTS: Message("Parts"),
    Subject.MEMORY: Message("Memory"),
}


@dataclass(frozen=True, slots=True)
class Topic:
    """One part of the computer: a verdict, what it rests on, and what to do about it."""

    subject: Subject
    details: Sequence[str] = ()  # one thing found each
    facts: Mapping[str, Fact] = field(default_factory=dict)  # the same, for programs
    verdict: Verdict = Verdict.FINE
    sentence: Message = NOTHING
    do: Message = NOTHING

    @property
    def title(self) -> Message:
        return _TITLES[self.subject]

    def fine(self, sentence: Message, do: Message = NOTHING) -> "Topic":
        return replace(self, verdict=Verdict.FINE, sentence=sentence, do=do)

    def look(self, sentence: Message, do: Message) -> "Topic":
        return replace(self, verdict=Verdict.LOOK, sentence=sentence, do=do)

    def broken(self, sentence: Message, do: Message = NOTHING) -> "Topic":
        return replace(self, verdict=Verdict.BROKEN, sentence=sentence, do=do)
