"""Selection: the one thing that is chosen on every part of the lab at once."""

from collections.abc import Collection

from PySide6.QtCore import QObject, Signal

from gpuexplorer.lab.ledger import Ledger


class Selection(QObject):
    """A cell and the things it is about: its code, blocks, flags and rows light up together.

    Cells are named by the number of their command.
    """

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.cell: int | None = None
        self.things: frozenset[str] = frozenset()

    @property
    def thing(self) -> str | None:
        """The name, where it is about one thing."""
        return next(iter(self.things)) if len(self.things) == 1 else None

    def cell_in(self, ledger: Ledger) -> int | None:
        """Where only a thing is selected, the cell that placed it last."""
        if self.cell is not None or self.thing is None:
            return self.cell
        placed = (each.id for each in reversed(ledger.cells) if self.thing in each.placed)
        return next(placed, None)

    def choose(self, cell: int | None = None, things: Collection[str] = ()) -> None:
        chosen = (cell, frozenset(things))
        if chosen != (self.cell, self.things):
            self.cell, self.things = chosen
            self.changed.emit()
