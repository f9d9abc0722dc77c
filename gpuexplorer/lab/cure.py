"""Cure: cells that may help where one failed, made of changes of its text, and what they cost
before they are pressed.
"""

import ast
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from gpuexplorer.core.words import NOTHING, Message
from gpuexplorer.lab.cell_source import Edit
from gpuexplorer.lab.failing import Operand, Site
from gpuexplorer.lab.ledger import Cell


@dataclass(frozen=True)
class Copying:
    """Bytes that a cure would move."""

    name: str
    source: str
    target: str
    bytes: int
    stays: bool = False  # a model moves as a whole, and is there afterwards too


@dataclass(frozen=True)
class Cure:
    """Cells to run in place of, or before, the one that failed."""

    cells: "tuple[str, ...]"
    shown: "tuple[str, ...]"  # the lines of them that are other than before
    label: Message = NOTHING  # what it changes; empty where copies or memory say it
    copies: "tuple[Copying, ...]" = ()
    again: bool = False  # the copies are made each time that line runs
    frees_bytes: int = 0
    halves: bool = False  # it takes half the bytes for each number

    @property
    def copied_bytes(self) -> int:
        return sum(each.bytes for each in self.copies)


def changed(
    site: Site,
    edits: "Sequence[Edit]",
    cell: Cell,
    *,
    label: Message = NOTHING,
    copies: "tuple[Copying, ...]" = (),
    halves: bool = False,
) -> "list[Cure]":
    """One, or none where the text would be no Python. A function of an earlier cell is made
    anew before the cell that failed runs again.
    """
    text = site.changed(edits)
    try:
        ast.parse(text)
    except (SyntaxError, ValueError):
        return []
    before, after = site.code.split("\n"), text.split("\n")
    shown = tuple(new.strip() for old, new in zip(before, after, strict=True) if old != new)
    cells = (text,) if site.cell is cell else (text, cell.code)
    again = site.again and bool(copies)
    return [Cure(cells, shown, label, copies, again, halves=halves)] if shown else []


def moving(site: Site, operand: Operand, target: str, after: "Operand | None" = None) -> Edit:
    """Behind the words that stand for it. `after`: a model that is another in each round."""
    _, end = site.span(operand.node)
    if after is not None:
        return Edit(end, end, f".to(next({after.name}.parameters()).device)")
    kind, _, number = target.partition(":")
    text = f".cuda({number})" if kind == "cuda" else f".to({target!r})"
    return Edit(end, end, ".cpu()" if kind == "cpu" else text)


def moved(operands: "Iterable[Operand]", target: str) -> "tuple[Copying, ...]":
    return tuple(
        Copying(each.name, each.device, target, each.bytes, stays=each.kind == "model")
        for each in operands
    )
