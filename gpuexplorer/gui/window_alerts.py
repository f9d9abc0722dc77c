"""WindowAlerts: what a window has to do with alerts: the strip, the desktop, the settings."""

from collections.abc import Sequence

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from gpuexplorer.gui.bridge import Bridge
from gpuexplorer.gui.desktop.notifications import Notifications, Tray
from gpuexplorer.gui.frame_clock import FrameClock
from gpuexplorer.gui.state.alert_watch import AlertNotes, AlertWatch, Heard
from gpuexplorer.gui.state.always_on import AlwaysOn
from gpuexplorer.gui.state.lab.lab_state import LabState
from gpuexplorer.gui.state.machine import MachineState
from gpuexplorer.gui.state.navigation import Navigation
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.gui.widgets.bars.alert_strip import AlertStrip


class WindowAlerts(QObject):
    """The window lays out `strip`, says which session is followed, and stops it at its end."""

    def __init__(
        self,
        settings: Settings,
        navigation: Navigation,
        frame_clock: FrameClock,
        window: QWidget,
        bridge: Bridge | None = None,
        tray: Tray | None = None,
    ) -> None:
        super().__init__(window)
        self._settings = settings
        self._window = window
        self.watch = AlertWatch(settings, bridge or Bridge(self), self)
        self.strip = AlertStrip(self.watch, navigation, frame_clock)
        self._notices = Notifications(tray=tray, parent=self)
        self._notes = AlertNotes(self.watch, self._notices, self)

    def follow(self, machines: Sequence[Heard]) -> None:
        self.watch.follow(*machines)

    def stop(self) -> None:
        """Harmless when called twice."""
        self.watch.stop()
        self._notes.stop()

    def open_settings(
        self,
        machine: MachineState | None,
        always_on: AlwaysOn | None = None,
        lab: LabState | None = None,
    ) -> None:
        """Where they stand open already, they are closed: the same key opens and closes."""
        from gpuexplorer.gui.settings.dialog import SettingsDialog  # noqa: PLC0415

        for before in self._window.findChildren(SettingsDialog):
            if before.isVisible():
                before.reject()
                return
        dialog = SettingsDialog(
            self._settings, machine, self._window, self.watch, self._notices, always_on, lab
        )
        dialog.open()
