"""Choice: one of the things that a dropdown offers."""

from collections.abc import Hashable
from dataclasses import dataclass


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
        """For readers of screens."""
        parts = (self.words, self.chip and f"on {self.chip}", self.remark, self.refused)
        return ", ".join(part for part in parts if part)
