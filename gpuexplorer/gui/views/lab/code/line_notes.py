"""LineNotes: what was true when a line was carried out, and is no longer later."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from gpuexplorer.core.units import Units
from gpuexplorer.gui.state.lab.lab_state import LabState
from gpuexplorer.gui.wording.lab.meaning.meaning import meaning
from gpuexplorer.lab.events import Event, Failed, Held, Placed


@dataclass
class Note:
    """Of one line."""

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
            owner = self._owner(event)
            if owner:
                note.shares[event.name] = owner
        else:
            note.meaning = meaning(event, entry.code, self._lab.ledger, units)

    def _owner(self, placed: Placed) -> str:
        """The name that had this memory before; empty where it is new."""
        things: Mapping[str, Placed] = self._lab.ledger.things
        mine = _stretches(placed.holds)
        for name, thing in things.items():
            if name != placed.name and mine & _stretches(thing.holds):
                return name
        return ""


def _stretches(holds: Sequence[Held]) -> set[tuple[str, int]]:
    return {(each.device, each.storage) for each in holds if each.storage}
