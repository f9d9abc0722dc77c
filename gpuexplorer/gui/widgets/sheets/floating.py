"""Floating: a panel over the window, with the one soft shadow there is; Escape closes it."""

import shiboken6
from PySide6.QtCore import QEvent, QObject, QRect, QRectF, Qt
from PySide6.QtGui import (
    QColor,
    QHideEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import QApplication, QVBoxLayout, QWidget

from gpuexplorer.gui.paint.drawing import TILE_RADIUS
from gpuexplorer.gui.theme.look import Look

_SHADOW, _SHADOW_DOWN = 24, 8
_MARGIN = 16


class Floating(QWidget):
    """Covers its window, so that a click beside the panel closes it. Fill `panel`.

    Whoever had the keyboard before gets it back.
    """

    def __init__(self, look: Look, width: int, height: int, window: QWidget) -> None:
        super().__init__(window)
        self.look = look
        self.window_below = window
        self._wanted = (width, height)
        self._before: QWidget | None = None
        self._panel = QWidget(self)
        self.panel = QVBoxLayout(self._panel)
        self.panel.setContentsMargins(0, 0, 0, 0)
        self.panel.setSpacing(0)
        self.hide()
        window.installEventFilter(self)

    def open(self) -> None:
        if not self.isVisible():
            self._before = QApplication.focusWidget()
        self._arrange()
        self.raise_()
        self.show()

    def wanted_height(self) -> int:
        """As high as it is made, unless what it holds needs less."""
        return self._wanted[1]

    def arrange(self) -> None:
        """Again, after what it holds has become more or less."""
        self._arrange()
        self.update()

    def _arrange(self) -> None:
        window = self.window_below.rect()
        self.setGeometry(window)
        width = min(self._wanted[0], window.width() - 2 * _MARGIN)
        height = min(self.wanted_height(), window.height() - 2 * _MARGIN)
        # A little above the middle, where eyes look first, and steady while it grows.
        top = max(_MARGIN, min(96, (window.height() - self._wanted[1]) // 3))
        top = min(top, window.height() - _MARGIN - height)
        self._panel.setGeometry(QRect((window.width() - width) // 2, top, width, height))

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            theme = self.look.theme
            place = QRectF(self._panel.geometry())
            painter.setPen(Qt.PenStyle.NoPen)
            steps = 12
            for step in range(steps):
                spread = _SHADOW * (1 - step / steps)
                painter.setBrush(QColor(0, 0, 0, 7 if theme.dark else 3))
                around = place.adjusted(-spread, -spread, spread, spread).translated(
                    0, _SHADOW_DOWN
                )
                painter.drawRoundedRect(around, TILE_RADIUS + spread, TILE_RADIUS + spread)
            painter.setBrush(theme.raised)
            painter.setPen(QPen(theme.line, 1))
            painter.drawRoundedRect(
                place.adjusted(-0.5, -0.5, 0.5, 0.5), TILE_RADIUS, TILE_RADIUS
            )

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and event.type() is QEvent.Type.ShortcutOverride:
            # Letters, digits and the space bar are for what floats, not for the window below.
            modifier = Qt.KeyboardModifier
            beyond = modifier.ControlModifier | modifier.AltModifier | modifier.MetaModifier
            if event.text() and not event.modifiers() & beyond:
                event.accept()
                return True
        return super().event(event)

    def focusNextPrevChild(self, forward: bool) -> bool:
        """The keyboard stays here as long as it is open."""
        del forward
        return True

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if not self._panel.geometry().contains(event.position().toPoint()):
            self.hide()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.hide()
        # What is pressed here is not meant for the window below.
        event.accept()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        before, self._before = self._before, None
        if before is not None and shiboken6.isValid(before) and before.isVisible():
            before.setFocus(Qt.FocusReason.OtherFocusReason)
        else:
            self.window_below.setFocus(Qt.FocusReason.OtherFocusReason)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.Resize and self.isVisible():
            self._arrange()
        return False
