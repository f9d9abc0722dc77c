"""Notifications: the one on the desktop, replaced by the next and never a stack."""

from collections.abc import Sequence
from enum import Enum

from PySide6.QtCore import QObject, QProcess, Signal

from gpuexplorer.core.resources import resource
from gpuexplorer.gui.desktop.session_bus import bus_caller
from gpuexplorer.gui.desktop.tray import Tray

_NAME = "GPU Explorer"
_SERVICE = "org.freedesktop.Notifications"
_PATH = "/org/freedesktop/Notifications"
_MOST_WAITED = 5  # seconds
_SHOWN_FOR = 10_000  # milliseconds
_CALL = ("--user", f"--timeout={_MOST_WAITED}", "call", "--", _SERVICE, _PATH, _SERVICE)


class NotifiedBy(Enum):
    """How a notification reaches the desktop."""

    BUS = "bus"
    TRAY = "tray"
    NONE = "none"


class Notifications(QObject):
    """Never waits: the session bus is called by a program of its own, the `caller`. Where there
    is no bus it goes beside the clock, and where there is no such place nowhere.
    """

    way_changed = Signal()

    def __init__(
        self,
        caller: str | None = None,
        tray: Tray | None = None,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._caller = caller or bus_caller()
        self._way: NotifiedBy | None = NotifiedBy.BUS if self._caller else None
        self._number = 0  # of the notification that stands there; 0: none
        self._wanted: tuple[str, str] | None = None  # a title and a text
        self._sent: tuple[str, str] | None = None
        self._tray = tray
        self._process = QProcess(self)
        self._process.finished.connect(self._on_finished)
        self._process.errorOccurred.connect(self._on_error)
        self._stopped = False

    @property
    def way(self) -> NotifiedBy:
        """As far as is known: a bus may turn out to have nobody who shows notifications."""
        if self._way is None:
            there = self._tray is not None and self._tray.takes_messages
            self._way = NotifiedBy.TRAY if there else NotifiedBy.NONE
        return self._way

    def show(self, title: str, text: str) -> None:
        """In place of the one before. One that is not shown yet gives way to this one."""
        self._wanted = title, text
        self._settle()

    def withdraw(self) -> None:
        """Somebody looks at the window: what stood on the desktop has been seen."""
        self._wanted = None
        self._settle()

    def stop(self) -> None:
        """What still stands there goes with the window. Harmless when called twice."""
        if self._stopped:
            return
        self._stopped = True
        if self._process.state() is not QProcess.ProcessState.NotRunning:
            self._process.kill()
            self._process.waitForFinished(200)
        if self._number:
            QProcess.startDetached(self._caller, self._close())

    def _settle(self) -> None:
        """One step towards what is wanted; the next when this one was answered."""
        if self._stopped or self._wanted == self._sent:
            return
        match self.way:
            case NotifiedBy.BUS if (
                self._process.state() is not QProcess.ProcessState.NotRunning
            ):
                pass  # what is on its way has no number yet; its answer brings us back here
            case NotifiedBy.BUS if self._wanted is None and not self._number:
                self._sent = None  # nothing stands there
            case NotifiedBy.BUS:
                self._sent = self._wanted
                call = self._close() if self._wanted is None else self._notify(*self._wanted)
                self._process.start(self._caller, call)
            case NotifiedBy.TRAY:
                self._sent = self._wanted
                if self._wanted is not None and self._tray is not None:
                    self._tray.show_message(*self._wanted)
            case NotifiedBy.NONE:
                self._sent = self._wanted

    def _notify(self, title: str, text: str) -> Sequence[str]:
        icon = str(resource("icons", "gpuexplorer.svg"))
        said = [_NAME, str(self._number), icon, title, text]
        no_buttons, hints = ["0"], ["1", "urgency", "y", "1"]
        return [*_CALL, "Notify", "susssasa{sv}i", *said, *no_buttons, *hints, str(_SHOWN_FOR)]

    def _close(self) -> Sequence[str]:
        number, self._number = self._number, 0
        return [*_CALL, "CloseNotification", "u", str(number)]

    def _give_up_on_bus(self) -> None:
        self._way = self._sent = None
        self.way_changed.emit()
        self._settle()

    def _on_finished(self, status: int) -> None:
        answer = bytes(self._process.readAllStandardOutput().data()).decode("utf-8", "replace")
        # A notification that somebody closed already cannot be closed again.
        if status and self._sent is not None:
            self._give_up_on_bus()
            return
        kind, _, number = answer.strip().partition(" ")
        if kind == "u" and number.isdecimal():
            self._number = int(number)
        self._settle()

    def _on_error(self, error: QProcess.ProcessError) -> None:
        if error is QProcess.ProcessError.FailedToStart:
            self._give_up_on_bus()
