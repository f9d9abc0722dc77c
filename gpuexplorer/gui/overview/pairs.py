"""Two parts of the overview beside each other, or below each other where it is narrow."""

from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QWidget

from gpuexplorer.gui.overview.now_panel import NowPanel
from gpuexplorer.gui.overview.side_panel import (
    LEAST_HEIGHT,
    LYING_HEIGHT,
    SIDE_WIDTH,
    SidePanel,
)

GAP = 16
_LISTS_FROM, _LEAST, _MOST = 820, 180, 4000
_CELLS_FROM = 980
_ANY = 16_777_215  # Qt's own number for "as much as it likes"


class Lists(QWidget):
    """Who uses the cards, and what took place."""

    def __init__(self, processes: QWidget, events: QWidget) -> None:
        super().__init__()
        self._box = _box(self, processes, events)

    def least_height(self, width: float) -> float:
        return _LEAST if width >= _LISTS_FROM else 2 * _LEAST + GAP

    def most_height(self, width: float) -> float:
        del width
        return _MOST

    def resizeEvent(self, event: QResizeEvent) -> None:
        beside = _turn(self._box, event.size().width() >= _LISTS_FROM)
        for at, stretch in enumerate((52, 34) if beside else (1, 1)):
            self._box.setStretch(at, stretch)
        super().resizeEvent(event)


class CellsWithSide(QWidget):
    """The cells of very many cards, and what is worth a look."""

    def __init__(self, now: NowPanel, side: SidePanel) -> None:
        super().__init__()
        self._now, self._side = now, side
        self._box = _box(self, now, side)
        self._box.setStretch(0, 1)

    def least_height(self, width: float) -> float:
        if width >= _CELLS_FROM:
            return max(self._now.least_height(width - SIDE_WIDTH - GAP), LEAST_HEIGHT)
        return self._now.least_height(width) + GAP + LYING_HEIGHT

    def most_height(self, width: float) -> float:
        if width >= _CELLS_FROM:
            return max(self._now.most_height(width - SIDE_WIDTH - GAP), LEAST_HEIGHT)
        return self._now.most_height(width) + GAP + LYING_HEIGHT

    def resizeEvent(self, event: QResizeEvent) -> None:
        beside = _turn(self._box, event.size().width() >= _CELLS_FROM)
        self._side.setMinimumSize(SIDE_WIDTH if beside else 0, 0 if beside else LYING_HEIGHT)
        self._side.setMaximumSize(
            SIDE_WIDTH if beside else _ANY, _ANY if beside else LYING_HEIGHT
        )
        super().resizeEvent(event)


def _box(within: QWidget, *widgets: QWidget) -> QBoxLayout:
    box = QBoxLayout(QBoxLayout.Direction.LeftToRight, within)
    box.setContentsMargins(0, 0, 0, 0)
    box.setSpacing(GAP)
    for each in widgets:
        box.addWidget(each)
    return box


def _turn(box: QBoxLayout, beside: bool) -> bool:
    direction = QBoxLayout.Direction
    box.setDirection(direction.LeftToRight if beside else direction.TopToBottom)
    return beside
