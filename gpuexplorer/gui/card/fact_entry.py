"""FactEntry: a row of the list of facts: a heading, a fact, or the note below its facts."""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from gpuexplorer.gui.cards.facts import Fact, FactGroup
from gpuexplorer.gui.tables.cell import Cell, Column
from gpuexplorer.gui.theme.palette import Tone


@dataclass(frozen=True)
class FactEntry:
    """`checked` is None where there is nothing to choose."""

    key: Hashable
    what: FactGroup | Fact | str
    tone: Tone = Tone.QUIET  # of a note
    checked: bool | None = None
    under: tuple["FactEntry", ...] = ()

    @property
    def said(self) -> str:
        match self.what:
            case FactGroup():
                return self.what.title
            case Fact():
                return self.what.line
            case str():
                return self.what

    @cached_property
    def cell(self) -> Cell:
        """For everybody but the one who draws it."""
        if isinstance(self.what, Fact):
            return Cell(
                self.said, tone=self.what.tone, hint=self.what.hint, checked=self.checked
            )
        return Cell(self.said, tone=self.tone)


FACT_COLUMN: Column[FactEntry] = Column(
    "fact", "", lambda entry: entry.cell, spoken=lambda entry: entry.said
)


def entries(
    groups: Iterable[FactGroup], words: Sequence[str], chosen: frozenset[str] | None
) -> list[FactEntry]:
    """Only what has all of these lower-case words, and the headings above it; all below a
    heading that has them itself. A heading without anything below it is left out.
    """
    found = []
    for group in groups:
        named = bool(words) and _has(group.title, words)
        under = [
            FactEntry((group.title, fact.key), fact, checked=_checked(fact, chosen))
            for fact in group.facts
            if named or fact.found_by(words)
        ]
        if group.note and (named or _has(group.note, words)):
            under.append(FactEntry((group.title, "note"), group.note, group.note_tone))
        if under:
            found.append(FactEntry(group.title, group, under=tuple(under)))
    return found


def _checked(fact: Fact, chosen: frozenset[str] | None) -> bool | None:
    return None if chosen is None else fact.key in chosen


def _has(text: str, words: Sequence[str]) -> bool:
    return all(word in text.lower() for word in words)
