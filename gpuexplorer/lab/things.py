"""Things by their names and paths, and the cells that made and read them."""

import re
from collections.abc import Sequence

from gpuexplorer.lab.cell_source import names_made, names_read
from gpuexplorer.lab.events import Placed
from gpuexplorer.lab.ledger import Cell, Ledger


def thing_called(ledger: Ledger, path: str) -> "Placed | None":
    """By its name on the shelf, or by its path in a container: "nets[0]"."""
    thing = ledger.things.get(path)
    if thing is not None:
        return thing
    for each in ledger.things.values():
        for part in each.elements if path.startswith(each.name) else ():
            if part.path == path:
                return Placed(
                    each.id, path, part.kind, part.device, part.text, bytes=part.bytes
                )
    return None


def root_of(path: str) -> str:
    """The name that a path begins with."""
    return re.split(r"[.\[]", path, maxsplit=1)[0]


def made_by(ledger: Ledger, name: str) -> "int | None":
    """The number of the cell that made this name stand for what it does."""
    made = [each for each in _cells(ledger) if name in each.placed]
    named = [each for each in made if name in names_made(each.code)]
    return (named or made)[-1].number if made else None


def read_by(ledger: Ledger, name: str) -> "Sequence[int]":
    """The numbers of the cells that used it since."""
    since = made_by(ledger, name) or 0
    cells = [each for each in _cells(ledger) if each.number > since]
    return [each.number for each in cells if name in names_read(each.code)]


def _cells(ledger: Ledger) -> "Sequence[Cell]":
    return [each for each in ledger.cells if each.state == "done"]
