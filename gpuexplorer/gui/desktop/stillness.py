"""Stillness: whether the system asks programs to move as little as they can."""

import ctypes
import sys
from collections.abc import Sequence

from PySide6.QtCore import QObject, QProcess, Signal

from gpuexplorer.gui.desktop.notifications import answer_of, bus_caller, end

_PORTAL, _PATH = "org.freedesktop.portal.Desktop", "/org/freedesktop/portal/desktop"
_ASKED = ("org.gnome.desktop.interface", "enable-animations")
_CLIENT_AREA_ANIMATION = 0x1042  # of Windows


class Stillness(QObject):
    """Asked once, at the start, and answered when the system likes; `told` then."""

    told = Signal(bool)

    def __init__(
        self, question: Sequence[str] | None = None, parent: QObject | None = None
    ) -> None:
        """`question` is the command whose answer ends in the words of somebody who wants it."""
        super().__init__(parent)
        self._question = _question() if question is None else question
        self._process = QProcess(self)
        self._process.finished.connect(self._on_finished)

    def ask(self) -> None:
        if sys.platform == "win32":
            moves, user = ctypes.c_int(1), ctypes.windll.user32
            user.SystemParametersInfoW(_CLIENT_AREA_ANIMATION, 0, ctypes.byref(moves), 0)
            self.told.emit(not moves.value)
        elif self._question:
            self._process.start(self._question[0], self._question[1:])

    def stop(self) -> None:
        """Harmless when called twice, and when nothing was asked."""
        end(self._process)

    def _on_finished(self, status: int) -> None:
        words = answer_of(self._process)
        if not status and words:
            self.told.emit(words[-1] == ("1" if sys.platform == "darwin" else "false"))


def _question() -> Sequence[str]:
    if sys.platform == "darwin":
        return "defaults", "read", "com.apple.universalaccess", "reduceMotion"
    words = "--user", "--timeout=5", "call", "--", _PORTAL, _PATH
    method = "org.freedesktop.portal.Settings", "ReadOne", "ss", *_ASKED
    caller = bus_caller()
    return (caller, *words, *method) if caller else ()
