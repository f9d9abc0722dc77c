"""LineFaces: the faces of all lines; one that did not change stays the very same object."""

from collections.abc import Sequence

from gpuexplorer.gui.state.lab.lab_state import LabState
from gpuexplorer.gui.views.lab.code.line_notes import LineNotes
from gpuexplorer.gui.wording.lab.code.line_face import LineFace, line_face
from gpuexplorer.lab.events import Event
from gpuexplorer.lab.ledger import Entry

# All by which a face can differ from the one before.
_Stamp = tuple[str, int, int, int | None, bool]


class LineFaces:
    """Has to be told of every event, since it remembers what was true at that moment."""

    def __init__(self, lab: LabState) -> None:
        self._lab = lab
        self.notes = LineNotes(lab)
        self._stamps: list[_Stamp] = []
        self._faces: list[LineFace] = []
        self._numbers: dict[int, int] = {}  # by the lines' commands; lines never go

    def hear(self, event: Event) -> None:
        self.notes.hear(event, self._lab.machine.settings.choices.units)

    def forget(self) -> None:
        """Figures are read in other units now."""
        self._stamps = []

    def faces(self) -> Sequence[LineFace]:
        ledger = self._lab.ledger
        entries, first = ledger.entries, ledger.first
        stamps = [_stamp(entry, at < first) for at, entry in enumerate(entries)]
        if stamps != self._stamps:
            known = len(self._stamps)
            for at in range(len(self._numbers), len(entries)):
                self._numbers[entries[at].id] = at + 1
            self._faces = [
                self._faces[at]
                if at < known and stamps[at] == self._stamps[at]
                else self._face(entry, at, released=at < first)
                for at, entry in enumerate(entries)
            ]
            self._stamps = stamps
        return self._faces

    def _face(self, entry: Entry, at: int, *, released: bool) -> LineFace:
        note = self.notes.of(entry.id)
        units = self._lab.machine.settings.choices.units
        return line_face(
            entry, at + 1, self._numbers, note.placed, note.shares, units, released=released
        )


def _stamp(entry: Entry, released: bool) -> _Stamp:
    said = len(entry.printed) + len(entry.placement)
    return (entry.state, said, len(entry.losses), entry.cured_by, released)
