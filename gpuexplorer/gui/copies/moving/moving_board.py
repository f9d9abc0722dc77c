"""MovingBoard: the way and the table side by side over the timeline; below each other where
there is little room, and while nothing was copied: the machine is all there is to see then.
"""

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QFrame, QScrollArea, QWidget

from gpuexplorer.gui.copies.moving.copies_panel import CopiesPanel
from gpuexplorer.gui.copies.moving.timeline_panel import TimelinePanel
from gpuexplorer.gui.copies.moving.travel_panel import TravelPanel
from gpuexplorer.gui.widgets.laid_out import GROWS, column

_WIDE = 1080
_GAP = 16
_LEFT, _RIGHT = 42, 58
_LEAST_TOP, _LEAST_WAY, _LEAST_TABLE = 380, 400, 340
_LEAST_WORDS = 240
_LEAST_AXIS, _MOST_AXIS = 240, 0.45  # pixels, and of the height


class MovingBoard(QScrollArea):
    """Scrolls only where the three do not fit."""

    def __init__(self, travel: TravelPanel, panel: CopiesPanel, axis: TimelinePanel) -> None:
        super().__init__()
        self._travel, self._panel, self._axis = travel, panel, axis
        self._beside = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._beside.setContentsMargins(0, 0, 0, 0)
        self._beside.setSpacing(_GAP)
        self._beside.addWidget(travel, _LEFT)
        self._beside.addWidget(panel, _RIGHT)
        inside = QWidget()
        inside.setProperty("panel", "page")
        column(self._beside, GROWS, axis, within=inside, gap=_GAP)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setWidget(inside)
        self.arrange()

    def arrange(self) -> None:
        """Again, after the timeline got more rows, or its first ones."""
        began = bool(self._axis.timeline.tracks)
        wide = self.width() >= _WIDE and began
        direction = QBoxLayout.Direction
        self._beside.setDirection(direction.LeftToRight if wide else direction.TopToBottom)
        self._travel.setMinimumHeight(_LEAST_TOP if wide else _LEAST_WAY)
        table = _LEAST_TABLE if began else _LEAST_WORDS
        self._panel.setMinimumHeight(_LEAST_TOP if wide else table)
        self._beside.setStretch(0, _LEFT if began else _RIGHT)
        self._beside.setStretch(1, _RIGHT if began else _LEFT)
        self._axis.setVisible(began)
        most = max(_LEAST_AXIS, round(self.height() * _MOST_AXIS))
        self._axis.setFixedHeight(self._axis.wanted_height(most))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.arrange()
