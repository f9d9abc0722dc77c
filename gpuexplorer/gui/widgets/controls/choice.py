"""Choice: one of those that a list offers."""

from collections.abc import Hashable
from dataclasses import dataclass

from gpuexplorer.core.words import tr


@dataclass(frozen=True, slots=True)
class Choice:
    """`chip` is where it lies: a card's number, or H for the host, which has no colour."""

    key: Hashable
    words: str
    remark: str = ""
    chip: str = ""
    colour: int | None = None
    outlined: bool = False  # a chip without a card's colour
    refused: str = ""  # why it cannot be chosen
    typed: bool = True  # words of code, in letters of one width

    @property
    def said(self) -> str:
        """For screen readers."""
        on = tr("on {place}", place=self.chip) if self.chip else ""
        return ", ".join(each for each in (self.words, on, self.remark, self.refused) if each)
