"""Compositing: whether a window may be seen through, so that it can have a soft shadow."""

import ctypes

from PySide6.QtGui import QGuiApplication


def can_see_through() -> bool:
    """On X11 only while something composes its windows: elsewhere there it would be black."""
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
