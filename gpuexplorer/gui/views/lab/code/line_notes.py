"""LineNotes: what was true when a line was carried out, and is no longer later."""

from dataclasses import dataclass, field

from gpuexplorer.core.units import Units
from gpuexplorer.gui.state.lab.lab_state import LabState
from gpuexplorer.gui.wording.lab.meaning.meaning import meaning
from gpuexplorer.lab.events import Event, Failed, Placed


@dataclass
class Note:
    """What was true for one line."""

    placed: list[Placed] = field(default_factory=list)
    shares: dict[str, str] = field(default_factory=dict)  # its memory, with whom
    meaning: str = ""


_NOTHING = Note()


class LineNotes:
    """Told of every event, when the ledger knows of it."""

    def __init__(self, lab: LabState) -> None:
        self._lab = lab
        self._of: dict[int, Note] = {}

    def of(self, command: int) -> Note:
        return self._of.get(command, _NOTHING)

    def hear(self, event: Event, units: Units) -> None:
        if not isinstance(event, Placed | Failed):
            return
        entry = self._lab.ledger.entry(event.id)
        if entry is None:
            return
        note = self._of.setdefault(event.id, Note())
        if isinstance(event, Placed):
            note.placed.append(event)
            # The name that had this memory before; empty where it is new.
            owner = self._lab.ledger.held.first_beside(event.name)
            if owner:
                note.shares[event.name] = owner
        else:
            note.meaning = meaning(event, entry.code, self._lab.ledger, units)
