"""What is larger than its place scrolls there, without a frame and without the Tab key."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QScrollArea, QWidget


def scrolled(content: QWidget, panel: str = "clear", *, sideways: bool = False) -> QScrollArea:
    """As wide as there is room, and never wider; `sideways` as high as there is room."""
    area = QScrollArea()
    area.setProperty("panel", panel)
    area.setWidgetResizable(True)
    area.setFrameShape(QFrame.Shape.NoFrame)
    fixed = area.setVerticalScrollBarPolicy if sideways else area.setHorizontalScrollBarPolicy
    fixed(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    area.setWidget(content)
    return area
