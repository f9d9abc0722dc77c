"""WindowAlerts: what a window has to do with alerts: notices, the desktop, the settings."""

from collections.abc import Sequence

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from gpuexplorer.core.words import tr
from gpuexplorer.gui.desktop.desktop import Notifications, Tray
from gpuexplorer.gui.event_loop import Bridge, FrameClock
from gpuexplorer.gui.state.alert_watch import AlertNotes, AlertWatch, Heard
from gpuexplorer.gui.state.always_on import AlwaysOn
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.gui.state.machine import MachineState
from gpuexplorer.gui.state.navigation import Navigation
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.gui.widgets.bars.notices import WARNS, About, Notice, Notices, NoticeWay


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
        oldest = self.watch.oldest()
        if oldest is not None:
            machine, card, _ = oldest
            self._navigation.open_machine(machine)
            self._navigation.open_card(card)

    def open_settings(
        self,
        machine: MachineState | None,
        always_on: AlwaysOn | None = None,
        lab: Lab | None = None,
    ) -> None:
        """Where they stand open already, they are closed: the same key opens and closes."""
        from gpuexplorer.gui.settings.dialog import SettingsDialog  # noqa: PLC0415

        for before in self._window.findChildren(SettingsDialog):
            if before.isVisible():
                before.reject()
                return
        dialog = SettingsDialog(
            self._settings, machine, self._window, self.watch, self._desktop, always_on, lab
        )
        dialog.open()
