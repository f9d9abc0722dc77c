"""RowList: rows of one height, as many as there is room for."""

from collections.abc import Sequence

from PySide6.QtCore import QSize
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget


class RowList(QWidget):
    """The rows are made once; who owns them says how many have something to show."""

    def __init__(
        self, rows: Sequence[QWidget], row_height: int, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._rows = rows
        self._row_height = row_height
        self._count = 0
        for row in rows:
            row.setParent(self)
            row.hide()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Ignored)

    def fitting(self) -> int:
        """How many rows are seen at most."""
        return min(len(self._rows), max(0, self.height() // self._row_height))

    def show_count(self, count: int) -> None:
        if count != self._count:
            self._count = count
            self._arrange()

    def _arrange(self) -> None:
        seen = min(self._count, self.fitting())
        for at, row in enumerate(self._rows):
            row.setGeometry(0, at * self._row_height, self.width(), self._row_height)
            row.setVisible(at < seen)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def sizeHint(self) -> QSize:
        return QSize(300, self._row_height * max(1, self._count))

    def minimumSizeHint(self) -> QSize:
        return QSize(0, 0)
