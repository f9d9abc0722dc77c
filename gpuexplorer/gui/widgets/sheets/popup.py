"""Popup: a panel with a soft shadow below what it was opened from, until a click elsewhere."""

from PySide6.QtCore import QMargins, QPoint, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QBitmap,
    QColor,
    QHideEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QVBoxLayout, QWidget

from gpuexplorer.gui.desktop.compositing import can_see_through
from gpuexplorer.gui.paint.drawing import TILE_RADIUS
from gpuexplorer.gui.theme.look import Look

_SHADOW, _SHADOW_DOWN, _STEPS = 24, 8, 12
_GAP, _EDGE = 6, 8
_SEE_THROUGH = QMargins(_SHADOW, _SHADOW - _SHADOW_DOWN, _SHADOW, _SHADOW + _SHADOW_DOWN)
_SOLID = QMargins(1, 1, 1, 1)


class Popup(QWidget):
    """Fill `panel`. Made when it is opened, gone when it is closed: by Escape, or by a click
    beside it, which does no more than it does beside a menu of the system.
    """

    closed = Signal()

    def __init__(self, look: Look, width: int, height: int, anchor: QWidget) -> None:
        window, flag = anchor.window(), Qt.WindowType
        super().__init__(
            window, flag.Popup | flag.FramelessWindowHint | flag.NoDropShadowWindowHint
        )
        self.look = look
        self.anchor = anchor
        self._size = QSize(width, height)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        # Letters and colours are the window's.
        self.setAttribute(Qt.WidgetAttribute.WA_WindowPropagation)
        self._see_through = can_see_through()
        if self._see_through:
            self.setAttribute(Qt.WidgetAttribute.WA_TranslucentBackground)
        self._around = _SEE_THROUGH if self._see_through else _SOLID
        self.setContentsMargins(self._around)
        self.panel = QVBoxLayout(self)
        self.panel.setContentsMargins(0, 0, 0, 0)
        self.panel.setSpacing(0)

    def open(self) -> None:
        self.arrange(self._size)
        self.show()

    def arrange(self, size: QSize) -> None:
        """Of this size, where there is so much room."""
        room = (
            self.anchor.screen()
            .availableGeometry()
            .marginsRemoved(QMargins(_EDGE, _EDGE, _EDGE, _EDGE))
        )
        place = QRect(QPoint(), size.boundedTo(room.size()))
        place.moveTopLeft(self.corner(place.size()))
        place.moveLeft(max(room.left(), min(place.left(), room.right() + 1 - place.width())))
        place.moveTop(max(room.top(), min(place.top(), room.bottom() + 1 - place.height())))
        self.setGeometry(place.marginsAdded(self._around))

    def corner(self, size: QSize) -> QPoint:
        """Below the anchor, and towards the middle of the window."""
        below = self.anchor.mapToGlobal(QPoint(0, self.anchor.height() + _GAP))
        middle = self.anchor.window().frameGeometry().center().x()
        if below.x() + self.anchor.width() / 2 > middle:
            below.setX(below.x() + self.anchor.width() - size.width())
        return below

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = self.look.theme
        place = QRectF(self.rect().marginsRemoved(self._around))
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            if not self._see_through:
                painter.fillRect(self.rect(), theme.line)
            painter.setPen(Qt.PenStyle.NoPen)
            for step in range(_STEPS if self._see_through else 0):
                spread = _SHADOW * (1 - step / _STEPS)
                painter.setBrush(QColor(0, 0, 0, 7 if theme.dark else 3))
                around = place.adjusted(-spread, -spread, spread, spread)
                round_ = TILE_RADIUS + spread
                painter.drawRoundedRect(around.translated(0, _SHADOW_DOWN), round_, round_)
            painter.setBrush(theme.raised)
            painter.setPen(QPen(theme.line, 1))
            edge = place.adjusted(-0.5, -0.5, 0.5, 0.5)
            painter.drawRoundedRect(edge, TILE_RADIUS, TILE_RADIUS)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if not (self._see_through or self.size().isEmpty()):
            mask = QBitmap(self.size())
            mask.clear()
            with QPainter(mask) as painter:
                painter.setBrush(Qt.GlobalColor.color1)
                edge = self.rect().adjusted(0, 0, -1, -1)
                painter.drawRoundedRect(edge, TILE_RADIUS, TILE_RADIUS)
            self.setMask(mask)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        # Some systems pass the click on, and what opened it would open it again.
        at = self.anchor.mapFromGlobal(event.globalPosition().toPoint())
        again = self.anchor.rect().contains(at)
        self.setAttribute(Qt.WidgetAttribute.WA_NoMouseReplay, again)
        inside = self.rect().marginsRemoved(self._around).contains(event.position().toPoint())
        if inside or not self.rect().contains(event.position().toPoint()):
            super().mousePressEvent(event)
        else:
            self.close()  # in its shadow

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        if not event.spontaneous():
            self.closed.emit()
