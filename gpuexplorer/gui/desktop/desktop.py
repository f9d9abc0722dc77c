"""What the desktop is told and asked: the one notification, replaced by the next; the program's
icon beside the clock; and whether the person wants little motion.
"""

import os
import shutil
from collections.abc import Callable, Sequence
from enum import Enum

from PySide6.QtCore import QObject, QProcess, Signal
from PySide6.QtGui import QAction, QIcon
from PySide6.QtWidgets import QMenu, QSystemTrayIcon

from gpuexplorer.core.resources import resource

_SERVICE = "org.freedesktop.Notifications"
_NOTIFY = _SERVICE, "/org/freedesktop/Notifications", _SERVICE, "Notify", "susssasa{sv}i"
_PORTAL = "org.freedesktop.portal.Desktop", "/org/freedesktop/portal/desktop"
_SETTINGS = "org.freedesktop.portal.Settings", "ReadOne", "ss"
_ANIMATIONS = "org.gnome.desktop.interface", "enable-animations"
_ICON = str(resource("icons", "gpuexplorer.svg"))
_SHOWN_FOR = 10_000  # milliseconds


class BusCall(QProcess):
    """One call of the session's bus at a time, through systemd's `busctl`: Qt's own D-Bus
    cannot say an unsigned number from Python, and a process never keeps the window waiting.
    """

    answered = Signal(list)  # word by word; nothing where it failed

    def __init__(self, caller: str | None = None, parent: QObject | None = None) -> None:
        """`caller` is the program; empty where nothing can be called."""
        super().__init__(parent)
        bus = {"DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR"} & os.environ.keys()
        found = shutil.which("busctl") if bus else None
        self.caller = found or "" if caller is None else caller
        self.finished.connect(self._on_finished)
        self.errorOccurred.connect(self._on_error)

    def say(self, *words: str) -> None:
        self.start(self.caller, ["--user", "--timeout=5", "call", "--", *words])

    def stop(self) -> None:
        """Harmless where it runs no longer."""
        self.blockSignals(True)  # noqa: FBT003 - Qt's own
        self.kill()
        self.waitForFinished(200)

    def _on_finished(self, status: int) -> None:
        said = bytes(self.readAllStandardOutput().data()).decode("utf-8", "replace")
        self.answered.emit([] if status else said.split())

    def _on_error(self, error: QProcess.ProcessError) -> None:
        if error is QProcess.ProcessError.FailedToStart:
            self.answered.emit([])


class NotifiedBy(Enum):
    """How a notification reaches the desktop."""

    BUS = "bus"
    TRAY = "tray"
    NONE = "none"


class Tray(QSystemTrayIcon):
    """Where the desktop has no place for such icons, none is shown."""

    asked_for_window = Signal()

    def __init__(self, actions: Sequence[QAction], parent: QObject | None = None) -> None:
        """`actions` are its menu."""
        super().__init__(QIcon(_ICON), parent)
        self.there = QSystemTrayIcon.isSystemTrayAvailable()
        self.activated.connect(self._on_activated)
        if self.there:
            self._menu = QMenu()
            self._menu.addActions(list(actions))
            self.setContextMenu(self._menu)
            self.show()

    def _on_activated(self, reason: QSystemTrayIcon.ActivationReason) -> None:
        # The menu opens by itself; some desktops know no other press.
        if reason is not self.ActivationReason.Context:
            self.asked_for_window.emit()


class Notifications(QObject):
    """On the bus. Where there is none they stand beside the clock, and where there is no such
    place nowhere.
    """

    way_changed = Signal()

    def __init__(self, caller: str | None = None, tray: Tray | None = None) -> None:
        super().__init__()
        self._tray = tray
        self._number = "0"  # of the one before
        self._wanted: tuple[str, str] | None = None  # a title and a text
        self._sent: tuple[str, str] | None = None
        self._call = BusCall(caller, self)
        self._call.answered.connect(self._on_answered)

    @property
    def way(self) -> NotifiedBy:
        """As far as is known: a bus may turn out to have nobody who shows notifications."""
        if self._call.caller:
            return NotifiedBy.BUS
        tray = self._tray is not None and self._tray.there and self._tray.supportsMessages()
        return NotifiedBy.TRAY if tray else NotifiedBy.NONE

    def show(self, title: str, text: str) -> None:
        """In place of the one before. One that is not shown yet gives way to this one."""
        self._wanted = title, text
        if self._call.state() is QProcess.ProcessState.NotRunning:
            self._send(*self._wanted)

    def stop(self) -> None:
        """Harmless when called twice."""
        self._call.stop()

    def _send(self, title: str, text: str) -> None:
        self._sent, self._wanted = self._wanted, None
        if self._call.caller:
            said = "GPU Explorer", self._number, _ICON, title, text
            no_buttons, hints = ("0",), ("1", "urgency", "y", "1")
            self._call.say(*_NOTIFY, *said, *no_buttons, *hints, str(_SHOWN_FOR))
        elif self._tray is not None and self._tray.there:
            self._tray.showMessage(title, text, Tray.MessageIcon.Warning, _SHOWN_FOR)

    def _on_answered(self, words: Sequence[str]) -> None:
        if words:
            self._number = words[-1]
        else:
            self._call.caller, self._wanted = "", self._wanted or self._sent
            self.way_changed.emit()
        if self._wanted is not None:
            self._send(*self._wanted)


def ask_for_stillness(
    tell: Callable[[bool], None], parent: QObject, caller: str | None = None
) -> BusCall:
    """Whether programs are to move as little as they can: told when the system likes, and not
    at all where it does not know. Stop what is handed back.
    """
    call = BusCall(caller, parent)
    call.answered.connect(lambda words: tell(words[-1] == "false") if words else None)
    if call.caller:
        call.say(*_PORTAL, *_SETTINGS, *_ANIMATIONS)
    return call
