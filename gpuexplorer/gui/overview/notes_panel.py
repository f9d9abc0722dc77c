"""NotesPanel: sentences about this machine that a person should read once."""

from collections.abc import Sequence

from PySide6.QtWidgets import QWidget

from gpuexplorer.core.words import tr
from gpuexplorer.gui.widgets.laid_out import add, column
from gpuexplorer.gui.widgets.live_view import Remark


class NotesPanel(QWidget):
    """One below the other. Not there at all where there is nothing to say."""

    def __init__(self) -> None:
        super().__init__()
        self._notes: list[str] = []
        self._rows = column(within=self, gap=0)
        self.setAccessibleName(tr("Good to know"))
        self.hide()

    def show_notes(self, notes: Sequence[str]) -> bool:
        """True when it takes another height than before."""
        if list(notes) == self._notes:
            return False
        self._notes = list(notes)
        for remark in self.findChildren(Remark):
            self._rows.removeWidget(remark)
            remark.hide()
            remark.deleteLater()
        add(self._rows, *(Remark(note) for note in notes))
        self.setVisible(bool(notes))
        return True

    def least_height(self, width: float) -> float:
        return float(max(0, self._rows.heightForWidth(round(width))))

    def most_height(self, width: float) -> float:
        return self.least_height(width)
