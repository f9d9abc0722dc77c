"""Fact: one thing that is known of a card, or the words that say why it is not."""

from collections.abc import Sequence
from dataclasses import dataclass

from gpuexplorer.core.metrics import MetricId
from gpuexplorer.gui.theme.palette import Tone


@dataclass(frozen=True, slots=True)
class TerminalCommand:
    """What a person may type into a terminal, and what it does."""

    what: str
    line: str


@dataclass(frozen=True, slots=True)
class HowTo:
    """How what a fact says can be changed."""

    title: str
    sentences: tuple[str, ...]
    commands: tuple[TerminalCommand, ...]


@dataclass(frozen=True, slots=True)
class Fact:
    """`value` is empty where it is missing: then `absent` says why, at falling length."""

    key: str  # lasting: what is selected stays selected
    label: str
    value: str = ""
    unit: str = ""
    absent: tuple[str, ...] = ()
    hint: str = ""  # what it means, its unit, where nvidia-smi shows the same
    tone: Tone = Tone.TEXT
    metrics: tuple[MetricId, ...] = ()
    how: HowTo | None = None

    @property
    def read(self) -> str:
        """The value with its unit, or the reason in full."""
        if self.value:
            return f"{self.value} {self.unit}".rstrip()
        return self.absent[0] if self.absent else ""

    @property
    def line(self) -> str:
        """ "Power limit: 280 W" """
        return f"{self.label}: {self.read}"

    def found_by(self, words: Sequence[str]) -> bool:
        """Whether all of these lower-case words stand somewhere in it."""
        if not words:
            return True  # as always until somebody searches
        text = f"{self.label} {self.read} {self.hint}".lower()
        return all(word in text for word in words)


@dataclass(frozen=True, slots=True)
class FactGroup:
    """Facts under one heading; `note` is a sentence on all of them."""

    key: str  # lasting, in every language
    title: str
    facts: tuple[Fact, ...]
    note: str | None = None  # None: it never has one
    note_tone: Tone = Tone.QUIET
    folded: bool = False  # long and rarely read: opened on asking


def as_text(heading: str, groups: Sequence[FactGroup]) -> str:
    """All of it, to be pasted anywhere."""
    lines = [heading]
    for group in groups:
        lines += ["", group.title, *(f"  {fact.line}" for fact in group.facts)]
        if group.note:
            lines.append(f"  {group.note}")
    return "\n".join(lines) + "\n"
