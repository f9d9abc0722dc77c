"""ManyRow: the cells of very many cards, and beside them what is worth a look."""

from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QWidget

from gpuexplorer.gui.views.overview.now_panel import NowPanel
from gpuexplorer.gui.views.overview.side_panel import (
    LEAST_HEIGHT,
    LYING_HEIGHT,
    SIDE_WIDTH,
    SidePanel,
)

_GAP = 16
_BESIDE_FROM = 980


class ManyRow(QWidget):
    """Below the cells where there is no room beside them."""

    def __init__(self, now: NowPanel, side: SidePanel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._now, self._side = now, side
        now.setParent(self)
        side.setParent(self)

    def least_height(self, width: float) -> float:
        if width >= _BESIDE_FROM:
            cells = self._now.least_height(width - SIDE_WIDTH - _GAP)
            return max(cells, LEAST_HEIGHT)
        return self._now.least_height(width) + _GAP + LYING_HEIGHT

    def most_height(self, width: float) -> float:
        if width >= _BESIDE_FROM:
            return max(self._now.most_height(width - SIDE_WIDTH - _GAP), LEAST_HEIGHT)
        return self._now.most_height(width) + _GAP + LYING_HEIGHT

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        width, height = self.width(), self.height()
        if width >= _BESIDE_FROM:
            cells = width - SIDE_WIDTH - _GAP
            self._now.setGeometry(0, 0, cells, height)
            self._side.setGeometry(cells + _GAP, 0, SIDE_WIDTH, height)
        else:
            cells = height - LYING_HEIGHT - _GAP
            self._now.setGeometry(0, 0, width, cells)
            self._side.setGeometry(0, cells + _GAP, width, LYING_HEIGHT)
