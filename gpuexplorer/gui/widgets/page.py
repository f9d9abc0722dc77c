"""Page: what a screen stands on; it scrolls where the window is too small for it."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QWidget

from gpuexplorer.gui.widgets.laid_out import column


class Page(QScrollArea):
    """Add what it holds to `body`."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        # Not a stop for the Tab key, but where arrow keys scroll when nothing else has them.
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        content = QWidget()
        content.setProperty("panel", "page")
        self.body = column(within=content, gap=16, margins=(24, 20, 24, 20))
        self.setWidget(content)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            # It never scrolls sideways, and a screen may go by these from card to card.
            event.ignore()
        else:
            super().keyPressEvent(event)
