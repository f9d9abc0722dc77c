"""Notifications: the one on the desktop, replaced by the next; and Tray, the program's icon."""

import os
import shutil
import sys
from collections.abc import Sequence
from enum import Enum
from pathlib import Path

from PySide6.QtCore import QObject, QProcess, Signal
from PySide6.QtGui import QAction, QIcon
from PySide6.QtWidgets import QMenu, QSystemTrayIcon

from gpuexplorer.core.resources import resource

_SERVICE, _PATH = "org.freedesktop.Notifications", "/org/freedesktop/Notifications"
_CALL = ("--user", "--timeout=5", "call", "--", _SERVICE, _PATH, _SERVICE, "Notify")
_ICON = str(resource("icons", "gpuexplorer.svg"))
_SHOWN_FOR = 10_000  # milliseconds
_AT_REST = QProcess.ProcessState.NotRunning


class NotifiedBy(Enum):
    """How a notification reaches the desktop."""

    BUS = "bus"
    TRAY = "tray"
    NONE = "none"


class Notifications(QObject):
    """Never waits: the session bus is called by a program of its own, the `caller`. Where there
    is no bus it stands beside the clock, and where there is no such place nowhere.
    """

    way_changed = Signal()

    def __init__(
        self,
        caller: str | None = None,
        tray: "Tray | None" = None,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._caller = bus_caller() if caller is None else caller
        self._tray = tray
        self._number = "0"  # of the one before
        self._wanted: tuple[str, str] | None = None  # a title and a text
        self._sent: tuple[str, str] | None = None
        self._process = QProcess(self)
        self._process.finished.connect(self._on_finished)
        self._process.errorOccurred.connect(self._on_error)

    @property
    def way(self) -> NotifiedBy:
        """As far as is known: a bus may turn out to have nobody who shows notifications."""
        if self._caller:
            return NotifiedBy.BUS
        there = self._tray is not None and self._tray.takes_messages
        return NotifiedBy.TRAY if there else NotifiedBy.NONE

    def show(self, title: str, text: str) -> None:
        """In place of the one before. One that is not shown yet gives way to this one."""
        self._wanted = title, text
        self._send()

    def stop(self) -> None:
        """Harmless when called twice."""
        self._wanted = self._sent = None
        end(self._process)

    def _send(self) -> None:
        if self._wanted is None or self._process.state() is not _AT_REST:
            return
        self._sent, self._wanted = self._wanted, None
        title, text = self._sent
        if self._caller:
            said = "susssasa{sv}i", "GPU Explorer", self._number, _ICON, title, text
            no_buttons, hints = ["0"], ["1", "urgency", "y", "1"]
            words = [*_CALL, *said, *no_buttons, *hints, str(_SHOWN_FOR)]
            self._process.start(self._caller, words)
        elif self._tray is not None:
            self._tray.show_message(title, text)

    def _on_finished(self, status: int) -> None:
        match answer_of(self._process):
            case ["u", number] if not status:
                self._number = number
            case _:
                self._caller, self._wanted = "", self._wanted or self._sent
                self.way_changed.emit()
        self._send()

    def _on_error(self, error: QProcess.ProcessError) -> None:
        if error is QProcess.ProcessError.FailedToStart:
            self._on_finished(1)


class Tray(QObject):
    """Beside the clock. Where the desktop has no place for such icons nothing is shown, and
    asking for anything does no harm.
    """

    asked_for_window = Signal()

    def __init__(self, actions: Sequence[QAction], parent: QObject | None = None) -> None:
        """`actions` are its menu."""
        super().__init__(parent)
        self.there = QSystemTrayIcon.isSystemTrayAvailable()
        self._icon = QSystemTrayIcon(QIcon(_ICON), self)
        self._icon.activated.connect(self._on_activated)
        if self.there:
            self._menu = QMenu()
            self._menu.addActions(list(actions))
            self._icon.setContextMenu(self._menu)
            self._icon.show()

    @property
    def takes_messages(self) -> bool:
        return self.there and QSystemTrayIcon.supportsMessages()

    def show_words(self, words: str) -> None:
        """What it says when it is pointed at."""
        if words != self._icon.toolTip():
            self._icon.setToolTip(words)

    def show_message(self, title: str, text: str) -> None:
        icon = QSystemTrayIcon.MessageIcon.Warning
        self._icon.showMessage(title, text, icon, _SHOWN_FOR)

    def stop(self) -> None:
        """Harmless when called twice."""
        self._icon.hide()

    def _on_activated(self, reason: QSystemTrayIcon.ActivationReason) -> None:
        # The menu opens by itself; some desktops know no other press.
        if reason is not QSystemTrayIcon.ActivationReason.Context:
            self.asked_for_window.emit()


def bus_caller() -> str:
    """The path of `busctl`, which systemd brings; empty where nothing could be called by it.

    Qt's own D-Bus module cannot say an unsigned number from Python, and a call in a process of
    its own never keeps the window waiting.
    """
    folder = os.environ.get("XDG_RUNTIME_DIR", "")
    bus = os.environ.get("DBUS_SESSION_BUS_ADDRESS") or (
        folder and Path(folder, "bus").exists()
    )
    return (shutil.which("busctl") or "") if bus and sys.platform == "linux" else ""


def answer_of(process: QProcess) -> list[str]:
    """Word by word."""
    return bytes(process.readAllStandardOutput().data()).decode("utf-8", "replace").split()


def end(process: QProcess) -> None:
    """Harmless where it runs no longer."""
    if process.state() is not _AT_REST:
        process.kill()
        process.waitForFinished(200)
