"""Verdict: how a part of the computer is."""

from gpuexplorer.core.newer_python import StrEnum
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
