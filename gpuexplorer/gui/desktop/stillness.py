"""Stillness: whether the system asks programs to move as little as they can."""

import ctypes
import sys
from collections.abc import Sequence

from PySide6.QtCore import QObject, QProcess, Signal

from gpuexplorer.gui.desktop.session_bus import bus_caller

_PORTAL = "org.freedesktop.portal.Desktop"
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
            self.told.emit(_windows_is_still())
        elif self._question:
            self._process.start(self._question[0], list(self._question[1:]))

    def stop(self) -> None:
        """Harmless when called twice, and when nothing was asked."""
        if self._process.state() is not QProcess.ProcessState.NotRunning:
            self._process.kill()
            self._process.waitForFinished(200)

    def _on_finished(self, status: int) -> None:
        answer = bytes(self._process.readAllStandardOutput().data()).decode("utf-8", "replace")
        words = answer.split()
        if not status and words:
            self.told.emit(words[-1] == ("1" if sys.platform == "darwin" else "false"))


def _question() -> Sequence[str]:
    if sys.platform == "darwin":
        return ("defaults", "read", "com.apple.universalaccess", "reduceMotion")
    caller = bus_caller()
    if not caller:
        return ()
    interface = "org.freedesktop.portal.Settings"
    asked = ("org.gnome.desktop.interface", "enable-animations")
    path = "/org/freedesktop/portal/desktop"
    return (
        *(caller, "--user", "--timeout=5", "call", "--"),
        *(_PORTAL, path, interface, "ReadOne", "ss", *asked),
    )


def _windows_is_still() -> bool:
    moves = ctypes.c_int(1)
    if sys.platform == "win32":
        system = ctypes.windll.user32
        system.SystemParametersInfoW(_CLIENT_AREA_ANIMATION, 0, ctypes.byref(moves), 0)
    return not moves.value
