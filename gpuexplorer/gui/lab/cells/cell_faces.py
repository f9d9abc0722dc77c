"""CellFaces: the faces of all cells; one that did not change stays the very same object."""

from collections.abc import Sequence

from gpuexplorer.core.words import NOTHING, tr
from gpuexplorer.gui.lab.cells.cell_face import CellFace, cell_face
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.lab.events import Printed
from gpuexplorer.lab.ledger import Cell
from gpuexplorer.lab.session_files import OpenedCell

_MOST_OPENED = 200  # that stand there before they run

# All by which a face can differ from the one before.
_Stamp = tuple[object, ...]


class CellFaces:
    def __init__(self, lab: Lab) -> None:
        self._lab = lab
        self._known: dict[int, tuple[_Stamp, CellFace]] = {}
        self._numbers: dict[OpenedCell, int] = {}  # by which those are called here
        self._unfolded: set[int] = set()

    def meaning(self, command: int) -> str:
        """What the failure of a cell means; empty where nothing certain can be said."""
        return tr(self._lab.course.meanings.get(command, NOTHING))

    def forget(self) -> None:
        """Figures are read in other units now."""
        self._known.clear()

    def unfold(self, command: int) -> None:
        """All of what a cell printed, or its beginning and end."""
        self._unfolded ^= {command}

    def faces(self) -> Sequence[CellFace]:
        """The next of opened files, which have not run, stand last, by numbers below 0."""
        ledger, units = self._lab.ledger, self._lab.machine.settings.choices.units
        found = []
        for at, cell in enumerate(ledger.cells):
            released = at < ledger.first or ledger.gone(cell)
            stamp = (*_stamp(cell), released, cell.id in self._unfolded)
            known = self._known.get(cell.id)
            if known is None or known[0] != stamp:
                opened = cell.id in self._unfolded
                face = cell_face(cell, ledger, units, released=released, opened=opened)
                known = self._known[cell.id] = (stamp, face)
            found.append(known[1])
        for each in self._lab.opened[:_MOST_OPENED]:
            number = self._numbers.setdefault(each, -1 - len(self._numbers))
            if number not in self._known:
                face = CellFace(number, None, each.code, "opened", "")
                self._known[number] = ((), face)
            found.append(self._known[number][1])
        return found


def _stamp(cell: Cell) -> _Stamp:
    last = cell.outputs[-1:]
    letters = sum(len(each.text) for each in last if isinstance(each, Printed))
    said = (len(cell.outputs), letters, len(cell.transfers))
    return (cell.state, *said, cell.cured_by, cell.life, cell.finished is None)
