"""Leaving: asks before what lies in the lab goes with the session it was made in."""

from collections.abc import Callable, Sequence

from PySide6.QtWidgets import QWidget

from gpuexplorer.core.words import tr
from gpuexplorer.gui.state.lab.lab_state import LabState
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.sheets.release_dialog import lost
from gpuexplorer.gui.widgets.sheets.sheet import ROLE, Sheet


class Leaving:
    """Another session has other devices: the lab begins anew there."""

    def __init__(self, look: Look, window: QWidget) -> None:
        self._look = look
        self._window = window

    def leave(self, lab: LabState | None, words: str, then: Callable[[], object]) -> None:
        """At once where nothing is lost. `words`: what is done then, for the button."""
        lines = 0 if lab is None else len(lab.ledger.entries)
        if lab is None or not lines:
            then()
            return
        dialog = LeavingDialog(self._look, list(lab.ledger.things), words, self._window)
        dialog.accepted.connect(then)
        dialog.open()


class LeavingDialog(Sheet):
    """Accepted: it may go."""

    def __init__(self, look: Look, names: Sequence[str], words: str, parent: QWidget) -> None:
        super().__init__(look, tr("Leave what is in the lab?"), parent)
        if names:
            self.add_sentence(lost(names))
        self.add_sentence(
            tr(
                "Its lines go too. “Save as” in the lab keeps them as a program that makes all "
                "of it again."
            ),
            Tone.QUIET,
        )
        self.add_button(tr("Stay"), ROLE.RejectRole, default=True)
        self.add_button(words, ROLE.AcceptRole)
