"""GonePage: a thing that was looked into and is no longer on the shelf."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QVBoxLayout, QWidget

from gpuexplorer.core.words import tr
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.widgets.empty_state import EmptyState


class GonePage(QFrame):
    """Also what stands there where nothing is opened."""

    back_asked = Signal()

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("panel", "card")
        self._empty = EmptyState(look, Icon.MISSING)
        self._empty.way_on_chosen.connect(self.back_asked)
        column = QVBoxLayout(self)
        column.addWidget(self._empty)

    def show_gone(self, name: str) -> None:
        if not name:
            self._empty.show_words(tr("Nothing is opened."), "", tr("Back to the bench"))
            return
        self._empty.show_words(
            tr("{name} is no longer on the shelf.", name=name),
            tr("What stands under this name again is shown here."),
            tr("Back to the bench"),
        )
