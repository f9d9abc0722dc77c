"""Notices: sentences above the rows that are to be known while they hold."""

from collections.abc import Sequence

from PySide6.QtWidgets import QVBoxLayout, QWidget

from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.widgets.remark import Remark
from gpuexplorer.gui.wording.processes.nobody_words import Notice


class Notices(QWidget):
    """Takes no room while there are none."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._notices: Sequence[Notice] = ()
        self._remarks: list[Remark] = []
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(0)
        self.hide()

    def show_notices(self, notices: Sequence[Notice]) -> None:
        if notices == self._notices:
            return
        self._notices = notices
        for remark in self._remarks:
            self._column.removeWidget(remark)
            remark.deleteLater()
        self._remarks = [
            Remark(self._look, each.sentence, each.icon, each.tone) for each in notices
        ]
        for remark in self._remarks:
            self._column.addWidget(remark)
        self.setVisible(bool(notices))
