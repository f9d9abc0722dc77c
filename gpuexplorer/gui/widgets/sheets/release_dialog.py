"""ReleaseDialog: which things go when the cards are released, before they go."""

from collections.abc import Sequence

from PySide6.QtWidgets import QWidget

from gpuexplorer.core.verdict import counted, listed
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.sheets.confirm_dialog import ConfirmDialog

_NAMED = 12


class ReleaseDialog(ConfirmDialog):
    """Opened only where something would be lost. Accepted: they may go."""

    def __init__(
        self,
        look: Look,
        names: Sequence[str],
        busy: bool,
        then: str = "",
        parent: QWidget | None = None,
    ) -> None:
        """`then`: what else is done afterwards, for the button."""
        super().__init__(look, "Release the cards?", parent)
        if names:
            self.add_sentence(f"This is lost: {named(names)}.")
        if busy:
            self.add_sentence("The line that runs is given up.", Tone.WARN)
        self.add_sentence(
            "The worker ends and gives back all memory it holds. The lines stay to be read and "
            "to be run again.",
            Tone.QUIET,
        )
        keep = self.add_button("Keep them")
        release = self.add_button(then or "Release the cards", "primary")
        keep.clicked.connect(self.reject)
        release.clicked.connect(self.accept)
        keep.setFocus()


def named(names: Sequence[str]) -> str:
    if len(names) <= _NAMED:
        return listed(list(names))
    rest = counted(len(names) - _NAMED + 1, "more thing")
    return listed([*names[: _NAMED - 1], rest])
