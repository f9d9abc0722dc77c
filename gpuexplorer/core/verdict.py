"""Verdict: how a part of the computer is."""

from gpuexplorer.core.newer_python import StrEnum
from gpuexplorer.core.words import Message


class Verdict(StrEnum):
    """From good to bad, by the names that programs know them by."""

    FINE = "fine"
    LOOK = "look"
    BROKEN = "broken"

    @property
    def rank(self) -> int:
        return list(Verdict).index(self)

    @property
    def word(self) -> Message:
        words = {
            Verdict.FINE: Message("OK"),
            Verdict.LOOK: Message("warning"),
            Verdict.BROKEN: Message("broken"),
        }
        return words[self]
