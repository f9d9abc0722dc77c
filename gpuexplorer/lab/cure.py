"""Cure: lines that may help where one failed, and what they cost before they are pressed."""

from dataclasses import dataclass


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
    label: str
    copies: "tuple[Copying, ...]" = ()
    frees_bytes: int = 0

    @property
    def copied_bytes(self) -> int:
        return sum(each.bytes for each in self.copies)
