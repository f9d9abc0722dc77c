"""Popup: a floating panel that belongs to what it was opened from, and stands below it."""

from PySide6.QtCore import QPoint, QRect, Qt, Signal
from PySide6.QtGui import QHideEvent
from PySide6.QtWidgets import QWidget

from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.widgets.sheets.floating import Floating

_GAP, _EDGE = 6, 8


class Popup(Floating):
    """Made when it is opened, and gone when it is closed: by Escape or by a click beside it."""

    closed = Signal()

    def __init__(self, look: Look, width: int, height: int, anchor: QWidget) -> None:
        super().__init__(look, width, height, anchor.window())
        self._anchor = anchor
        self._window = anchor.window()
        self._size = (width, height)

    def _arrange(self) -> None:
        """Below the anchor, towards the middle of the window, and within it."""
        window = self._window.rect()
        self.setGeometry(window)
        width = min(self._size[0], window.width() - 2 * _EDGE)
        height = min(self._size[1], window.height() - 2 * _EDGE)
        corner = self._anchor.mapTo(self._window, QPoint(0, self._anchor.height() + _GAP))
        left = corner.x()
        if left + self._anchor.width() / 2 > window.width() / 2:
            left += self._anchor.width() - width
        left = max(_EDGE, min(left, window.width() - _EDGE - width))
        top = max(_EDGE, min(corner.y(), window.height() - _EDGE - height))
        self._panel.setGeometry(QRect(left, top, width, height))

    def _stops(self) -> list[QWidget]:
        return [
            widget
            for widget in self.findChildren(QWidget)
            if widget.focusPolicy() & Qt.FocusPolicy.TabFocus
            and widget.isVisible()
            and widget.isEnabled()
        ]

    def focusNextPrevChild(self, forward: bool) -> bool:
        """Round and round: the keyboard stays here as long as it is open."""
        stops = self._stops()
        here = next((at for at, stop in enumerate(stops) if stop.hasFocus()), -1)
        if stops:
            there = (here + (1 if forward else -1)) % len(stops)
            stops[there].setFocus(Qt.FocusReason.TabFocusReason)
        return True

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self.closed.emit()
        self.deleteLater()
