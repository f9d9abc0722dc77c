"""Popup: a panel with a soft shadow below what it was opened from, until a click elsewhere."""

import ctypes

from PySide6.QtCore import QMargins, QPoint, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QBitmap,
    QColor,
    QGuiApplication,
    QHideEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QWidget

from gpuexplorer.gui.guard import guarded
from gpuexplorer.gui.paint.drawing import TILE_RADIUS
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.widgets.controls.buttons import pressed_by_enter
from gpuexplorer.gui.widgets.laid_out import column

_SHADOW, _SHADOW_DOWN, _STEPS = 24, 8, 12
_GAP, _EDGE = 6, 8
_SEE_THROUGH = QMargins(_SHADOW, _SHADOW - _SHADOW_DOWN, _SHADOW, _SHADOW + _SHADOW_DOWN)
_SOLID = QMargins(1, 1, 1, 1)


class Popup(QWidget):
    """Fill `panel`. Made when it is opened, gone when it is closed: by Escape, or by a click
    beside it, which does no more than it does beside a menu of the system.
    """

    closed = Signal()

    def __init__(self, width: int, height: int, anchor: QWidget) -> None:
        window, flag = anchor.window(), Qt.WindowType
        super().__init__(
            window, flag.Popup | flag.FramelessWindowHint | flag.NoDropShadowWindowHint
        )
        self.look = look()
        self.anchor = anchor
        self._size = QSize(width, height)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        # Letters and colours are the window's.
        self.setAttribute(Qt.WidgetAttribute.WA_WindowPropagation)
        self._see_through = _can_see_through()
        if self._see_through:
            self.setAttribute(Qt.WidgetAttribute.WA_TranslucentBackground)
        self._around = _SEE_THROUGH if self._see_through else _SOLID
        self.setContentsMargins(self._around)
        self.panel = column(within=self, gap=0)

    def open(self) -> None:
        self.arrange(self._size)
        self.show()

    def arrange(self, size: QSize) -> None:
        """As large as this, where there is so much room."""
        edges = QMargins(_EDGE, _EDGE, _EDGE, _EDGE)
        room = self.anchor.screen().availableGeometry().marginsRemoved(edges)
        place = self.place(size.boundedTo(room.size()), room)
        place.moveLeft(max(room.left(), min(place.left(), room.right() + 1 - place.width())))
        place.moveTop(max(room.top(), min(place.top(), room.bottom() + 1 - place.height())))
        self.setGeometry(place.marginsAdded(self._around))

    def place(self, size: QSize, room: QRect) -> QRect:
        """Below the anchor, or above it where there is more room, and never over it; towards
        the middle of the window.
        """
        anchor = QRect(self.anchor.mapToGlobal(QPoint()), self.anchor.size())
        above, below = anchor.top() - _GAP - room.top(), room.bottom() - _GAP - anchor.bottom()
        place = QRect(QPoint(), size.boundedTo(QSize(size.width(), max(above, below))))
        if below >= min(size.height(), above):
            place.moveTop(anchor.bottom() + 1 + _GAP)
        else:
            place.moveBottom(anchor.top() - 1 - _GAP)
        place.moveLeft(anchor.left())
        if anchor.center().x() > self.anchor.window().frameGeometry().center().x():
            place.moveRight(anchor.right())
        return place

    @guarded
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

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not pressed_by_enter(self, event):
            super().keyPressEvent(event)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        if not event.spontaneous():
            self.closed.emit()


def _can_see_through() -> bool:
    """So that it can have a soft shadow. On X11 only while something composes its windows:
    elsewhere there it would be black.
    """
    if QGuiApplication.platformName() != "xcb":
        return True
    try:
        x11 = ctypes.CDLL("libX11.so.6")
    except OSError:
        return False
    x11.XOpenDisplay.restype = ctypes.c_void_p
    x11.XInternAtom.restype = x11.XGetSelectionOwner.restype = ctypes.c_ulong
    display = x11.XOpenDisplay(None)
    if display is None:
        return False
    display = ctypes.c_void_p(display)
    compositor = ctypes.c_ulong(x11.XInternAtom(display, b"_NET_WM_CM_S0", 0))
    owner = x11.XGetSelectionOwner(display, compositor)
    x11.XCloseDisplay(display)
    return bool(owner)
