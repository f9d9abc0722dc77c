"""ErrorFaces: which failed line is explained, and what its ways on would cost."""

from collections.abc import Sequence

from gpuexplorer.gui.state.lab.lab_state import LabState
from gpuexplorer.gui.views.lab.code.error_panel import ErrorFace
from gpuexplorer.gui.views.lab.code.line_notes import LineNotes
from gpuexplorer.gui.wording.lab.code.cure_face import cure_face
from gpuexplorer.lab.cure import Copying, Cure
from gpuexplorer.lab.cures import cures
from gpuexplorer.lab.events import Failed
from gpuexplorer.lab.expected import Expected, expected_copy
from gpuexplorer.lab.ledger import Entry
from gpuexplorer.telemetry.backends.simulated import SimulatedBackend

# Nothing about the line itself was wrong.
_NOT_EXPLAINED_UNASKED = frozenset({"cancelled", "worker lost"})

_WORTH_DELETING = 64 << 20


class ErrorFaces:
    """The selected line where it failed, else the newest that failed and was not cured."""

    def __init__(self, lab: LabState, notes: LineNotes) -> None:
        self._lab = lab
        self._notes = notes

    def face(self, selected: int | None) -> ErrorFace | None:
        entry = self._entry(selected)
        if entry is None or entry.failed is None:
            return None
        failed = entry.failed
        found = () if entry.cured_by is not None else self.cures(entry)
        backend = self._lab.machine.session.backend
        units = self._lab.machine.settings.choices.units
        faces = tuple(cure_face(each, self._expected, units) for each in found)
        timed = any(each.copies for each in found) and isinstance(backend, SimulatedBackend)
        return ErrorFace(
            entry.id, _said(failed), self._notes.of(entry.id).meaning, faces, timed
        )

    def cures(self, entry: Entry) -> Sequence[Cure]:
        """As things lie on the shelf now."""
        ledger = self._lab.ledger
        if entry.failed is None or entry not in ledger.entries[ledger.first :]:
            return ()
        return _best_first(cures(entry.failed, entry.code, ledger))

    def _entry(self, selected: int | None) -> Entry | None:
        ledger = self._lab.ledger
        chosen = None if selected is None else ledger.entry(selected)
        if chosen is not None and chosen.failed is not None:
            return chosen
        current = ledger.entries[ledger.first :]
        tried = {each.cures for each in current if each.state != "failed"}
        for entry in reversed(current):
            failed = entry.failed
            if failed is not None and failed.cause not in _NOT_EXPLAINED_UNASKED:
                return None if entry.id in tried else entry
        return None

    def _expected(self, copying: Copying) -> Expected | None:
        """None for real cards: nothing is claimed about them."""
        backend = self._lab.machine.session.backend
        if not isinstance(backend, SimulatedBackend):
            return None
        return expected_copy(
            backend.machine.spec,
            self._lab.switches.visible,
            copying.source,
            copying.target,
            copying.bytes,
        )


def _best_first(found: Sequence[Cure]) -> Sequence[Cure]:
    """At most one deletion that is not enough alone: the largest, and that at the end."""
    short = [each for each in found if not each.enough]
    worth = [each for each in short[:1] if each.frees_bytes >= _WORTH_DELETING]
    return [*(each for each in found if each not in short), *worth]


def _said(failed: Failed) -> str:
    if failed.message:
        return f"{failed.error}: {failed.message}"
    return "" if failed.error in ("", "Trouble", "Cancelled") else failed.error
