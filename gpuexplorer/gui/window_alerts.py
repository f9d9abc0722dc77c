"""WindowAlerts: what a window has to do with alerts: its notice, the settings, and AlertNotes,
which carries them to the desktop.
"""

from collections.abc import Sequence

from PySide6.QtCore import QObject, QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from gpuexplorer.core.words import tr, trn
from gpuexplorer.gui.desktop.desktop import Notifications, Tray
from gpuexplorer.gui.event_loop import Bridge, FrameClock
from gpuexplorer.gui.state.alert_watch import AlertWatch, Heard
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.gui.state.machine import MachineState
from gpuexplorer.gui.state.navigation import Navigation
from gpuexplorer.gui.state.recording_state import AlwaysOn
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.gui.widgets.bars.notices import WARNS, About, Notice, Notices, NoticeWay
from gpuexplorer.telemetry.alerts import Alert

_GATHER = 1000  # milliseconds: what begins together is shown together


class WindowAlerts(QObject):
    """The window says which session is followed, and stops it at its end."""

    def __init__(
        self,
        settings: Settings,
        navigation: Navigation,
        frame_clock: FrameClock,
        notices: Notices,
        window: QWidget,
        bridge: Bridge | None = None,
        tray: Tray | None = None,
    ) -> None:
        super().__init__(window)
        self._settings, self._navigation = settings, navigation
        self._notices, self._window = notices, window
        self.watch = AlertWatch(settings, bridge or Bridge(self), self)
        self._desktop = Notifications(tray=tray)
        self._notes = AlertNotes(self.watch, self._desktop, self)
        self.watch.changed.connect(self._tell)
        frame_clock.ticked.connect(self._tell)

    def follow(self, machines: Sequence[Heard]) -> None:
        self.watch.follow(*machines)

    def stop(self) -> None:
        """Harmless when called twice."""
        self.watch.stop()
        self._notes.stop()

    def _tell(self) -> None:
        """Its seconds go on."""
        oldest = self.watch.oldest()
        if oldest is None:
            self._notices.end(About.ALERT)
            return
        number = oldest[2]
        words = tr("Open card {number}", number=number) if number else tr("Open card")
        meaning = tr(
            "Shows no alert for an hour. What happens meanwhile is listed among the events."
        )
        silence = NoticeWay(tr("Silence for 1 hour"), self.watch.be_silent, meaning)
        ways = (NoticeWay(words, self._open_oldest), silence)
        self._notices.say(About.ALERT, Notice(self.watch.sentence(), ways, WARNS))

    def _open_oldest(self) -> None:
        if (oldest := self.watch.oldest()) is not None:
            self._navigation.open_machine(oldest[0])
            self._navigation.open_card(oldest[1])

    def open_settings(
        self,
        machine: MachineState | None,
        always_on: AlwaysOn | None = None,
        lab: Lab | None = None,
    ) -> None:
        """Where they stand open already, they are closed: the same key opens and closes."""
        from gpuexplorer.gui.settings.alerts import AlertsSection  # noqa: PLC0415
        from gpuexplorer.gui.settings.dialog import SettingsDialog  # noqa: PLC0415

        for before in self._window.findChildren(SettingsDialog):
            if before.isVisible():
                before.reject()
                return
        alerts = AlertsSection(self._settings, machine, self.watch, self._desktop)
        SettingsDialog(self._settings, machine, self._window, alerts, always_on, lab).open()


class AlertNotes(QObject):
    """While the window is not in front: one notification for all alerts, shown anew only when
    one more begins or all have ended.
    """

    def __init__(
        self, alerts: AlertWatch, notices: Notifications, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._alerts, self._desktop = alerts, notices
        self._told: frozenset[Alert] = frozenset()
        self._stands = False
        self._gather = QTimer(self, singleShot=True, interval=_GATHER)
        self._gather.timeout.connect(self._on_gathered)
        alerts.changed.connect(self._on_alerts_changed)

    def stop(self) -> None:
        self._gather.stop()
        self._desktop.stop()

    def _on_alerts_changed(self) -> None:
        if not self._gather.isActive():
            self._gather.start()

    def _on_gathered(self) -> None:
        now = frozenset(self._alerts.alerts())
        more, self._told = now - self._told, now
        title, said = self._alerts.over()
        if not self._alerts.settings.choices.on_desktop or _is_in_front():
            self._stands = False
        elif more:
            self._stands = True
            self._show(trn("An alert", "{count} alerts", len(now)), self._alerts.sentence())
        elif not now and self._stands and said:
            self._stands = False
            self._show(title, said)

    def _show(self, title: str, text: str) -> None:
        if self._alerts.simulated:
            title = tr("SIMULATED: {title}", title=title)
        self._desktop.show(title, text)


def _is_in_front() -> bool:
    # Not every platform takes the keyboard from a window that is hidden.
    windows = QGuiApplication.topLevelWindows()
    return any(window.isActive() and window.isVisible() for window in windows)
