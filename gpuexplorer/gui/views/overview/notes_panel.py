"""NotesPanel: sentences about this machine that a person should read once."""

from collections.abc import Sequence

from PySide6.QtWidgets import QWidget

from gpuexplorer.gui.paint.look import Look
from gpuexplorer.gui.widgets.panel import Panel
from gpuexplorer.gui.widgets.remark import Remark


class NotesPanel(Panel):
    """Not there at all where there is nothing to say."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, "Good to know", parent=parent)
        self._look = look
        self._notes: list[str] = []
        self._remarks: list[Remark] = []
        self.body.addStretch(1)
        self.hide()

    def show_notes(self, notes: Sequence[str]) -> None:
        if list(notes) == self._notes:
            return
        self._notes = list(notes)
        for remark in self._remarks:
            self.body.removeWidget(remark)
            remark.hide()
            remark.deleteLater()
        self._remarks = [Remark(self._look, note) for note in notes]
        for remark in self._remarks:
            self.body.insertWidget(self.body.count() - 1, remark)
        self.setVisible(bool(notes))
