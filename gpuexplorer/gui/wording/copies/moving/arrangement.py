"""Arrangement: which copies are shown."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from gpuexplorer.core.words import tr
from gpuexplorer.gui.wording.copies.moving.moved import Moved


class Which(StrEnum):
    """Whether the line was written for the copy."""

    ALL = "all"
    ASKED = "asked"
    UNASKED = "unasked"


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a person wants to see."""

    which: Which = Which.ALL
    words: str = ""

    def chosen(self, rows: Iterable[Moved]) -> Sequence[Moved]:
        """In their order."""
        words, all_of_them = self.words.lower().split(), self.which is Which.ALL
        return [
            each
            for each in rows
            if (all_of_them or each.row.asked is (self.which is Which.ASKED))
            and (not words or each.found_by(words))
        ]


def counts(rows: Sequence[Moved]) -> dict[Which, int]:
    """How many there are of each."""
    asked = sum(1 for each in rows if each.row.asked)
    return {Which.ALL: len(rows), Which.ASKED: asked, Which.UNASKED: len(rows) - asked}


def count_words(which: Which, count: int) -> str:
    match which:
        case Which.ALL:
            return tr("All {count}", count=count)
        case Which.ASKED:
            return tr("Asked for {count}", count=count)
        case Which.UNASKED:
            return tr("Unasked {count}", count=count)
