"""NotesPanel: sentences about this machine that a person should read once."""

from collections.abc import Sequence

from PySide6.QtCore import QRect
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QWidget

from gpuexplorer.core.words import tr
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.widgets.remark import Remark

_BETWEEN, _BELOW = 32, 4


class NotesPanel(QWidget):
    """Beside each other as far as they fit. Not there at all where there is nothing to say."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._notes: list[str] = []
        self._remarks: list[Remark] = []
        self.setAccessibleName(tr("Good to know"))
        self.hide()

    def show_notes(self, notes: Sequence[str]) -> bool:
        """True when it takes another height than before."""
        if list(notes) == self._notes:
            return False
        self._notes = list(notes)
        for remark in self._remarks:
            remark.hide()
            remark.deleteLater()
        self._remarks = [Remark(self._look, note) for note in notes]
        for remark in self._remarks:
            remark.setParent(self)
            remark.show()
        self.setVisible(bool(notes))
        self._place()
        return True

    def least_height(self, width: float) -> float:
        places = self._places(round(width))
        return float(max((place.bottom() + 1 for place in places), default=0))

    def most_height(self, width: float) -> float:
        return self.least_height(width)

    def _places(self, width: int) -> list[QRect]:
        places: list[QRect] = []
        x = top = bottom = 0
        for remark, note in zip(self._remarks, self._notes, strict=True):
            wanted = round(self._look.letters.body.width(note)) + 40
            if x and x + wanted > width:
                x, top = 0, bottom + _BELOW
            wide = min(wanted, width - x)
            place = QRect(x, top, wide, max(24, remark.heightForWidth(wide)))
            bottom = max(bottom, place.bottom() + 1)
            x = place.right() + 1 + _BETWEEN
            places.append(place)
        return places

    def _place(self) -> None:
        for remark, place in zip(self._remarks, self._places(self.width()), strict=True):
            remark.setGeometry(place)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place()
