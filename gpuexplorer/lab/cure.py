"""Cure: lines that may help where one failed, and what they cost before they are pressed."""

from dataclasses import dataclass

from gpuexplorer.core.words import NOTHING, Message


@dataclass(frozen=True)
class Copying:
    """Bytes that a cure would move."""

    name: str
    source: str
    target: str
    bytes: int


@dataclass(frozen=True)
class Cure:
    """Lines to run in place of, or before, the one that failed."""

    lines: "tuple[str, ...]"
    label: Message = NOTHING  # what it changes; empty where copies or memory say it
    copies: "tuple[Copying, ...]" = ()
    frees_bytes: int = 0
    enough: bool = True  # what it frees is as much as was wanted, or nobody knows
    halves: bool = False  # it takes half the bytes for each number

    @property
    def copied_bytes(self) -> int:
        return sum(each.bytes for each in self.copies)
