"""Callouts: the numbers that tie cells to sentences, and what happens to be said last."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from gpuexplorer.copies.findings import Cell, Finding, Matter

_MOST_NUMBERS = 2  # on the cells of one finding: a whole row of them would say nothing
MOST_SAID = 12


@dataclass(frozen=True, slots=True)
class Callout:
    """One finding under its number."""

    number: int
    finding: Finding
    cells: Sequence[Cell]  # those that carry the number

    @property
    def wrong(self) -> bool:
        return self.finding.matter is Matter.WRONG


def callouts_of(found: Iterable[Finding]) -> list[Callout]:
    """The gravest are told; beyond a dozen nobody reads on."""
    taken: set[Cell] = set()
    told = []
    for number, finding in enumerate(list(found)[:MOST_SAID], 1):
        cells = _numbered(finding, taken)
        taken |= set(cells)
        told.append(Callout(number, finding, cells))
    return told


def by_cell(callouts: Iterable[Callout]) -> Mapping[Cell, Callout]:
    return {cell: each for each in callouts for cell in each.cells}


def _numbered(finding: Finding, taken: set[Cell]) -> Sequence[Cell]:
    free = [cell for cell in finding.cells if cell not in taken]
    # What is about a card shows best on its way from and to the host.
    free.sort(key=lambda cell: not finding.devices or "cpu" not in cell)
    return tuple(free[:_MOST_NUMBERS])
