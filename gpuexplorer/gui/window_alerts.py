"""WindowAlerts: the notice of alerts; and AlertNotes, which carries them to the desktop."""

from functools import partial

from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QApplication

from gpuexplorer.core.cards import CardId
from gpuexplorer.core.words import tr, trn
from gpuexplorer.gui.desktop.desktop import Notifications, Tray
from gpuexplorer.gui.state.alert_watch import AlertWatch
from gpuexplorer.gui.widgets.bars.notices import WARNS, About, Notice, NoticeWay
from gpuexplorer.gui.window_frame import WindowFrame, WindowPart
from gpuexplorer.telemetry.alerts import Alert

_GATHER = 1000  # milliseconds: what begins together is shown together


class WindowAlerts(WindowPart):
    """The window says which session is followed, and stops it at its end."""

    def __init__(self, window: WindowFrame, tray: Tray) -> None:
        super().__init__(window)
        self.watch = AlertWatch(window.settings, window.bridge, self)
        self.desktop = Notifications(tray=tray)
        self._notes = AlertNotes(self.watch, self.desktop, self)
        self.watch.changed.connect(self._tell)
        window.frame_clock.ticked.connect(self._tell)

    def stop(self) -> None:
        """Harmless when called twice."""
        self.watch.stop()
        self._notes.stop()

    def _tell(self) -> None:
        """Its seconds go on."""
        oldest = self.watch.oldest()
        if oldest is None:
            self.notices.end(About.ALERT)
            return
        key, card, number = oldest
        words = tr("Open card {number}", number=number) if number else tr("Open card")
        meaning = tr(
            "Shows no alert for an hour. What happens meanwhile is listed among the events."
        )
        silence = NoticeWay(tr("Silence for 1 hour"), self.watch.be_silent, meaning)
        ways = (NoticeWay(words, partial(self._open, key, card)), silence)
        self.notices.say(About.ALERT, Notice(self.watch.sentence(), ways, WARNS))

    def _open(self, key: str, card: CardId) -> None:
        self.navigation.open_machine(key)
        self.navigation.open_card(card)


class AlertNotes(QTimer):
    """While the window is not in front: one notification for all alerts, shown anew only when
    one more begins or all have ended.
    """

    def __init__(self, alerts: AlertWatch, desktop: Notifications, parent: QObject) -> None:
        super().__init__(parent, singleShot=True, interval=_GATHER)
        self._alerts, self._desktop = alerts, desktop
        self._told, self._stands = frozenset[Alert](), False
        self.timeout.connect(self._on_gathered)
        alerts.changed.connect(self._on_alerts_changed)

    def stop(self) -> None:
        super().stop()
        self._desktop.stop()

    def _on_alerts_changed(self) -> None:
        if not self.isActive():
            self.start()

    def _on_gathered(self) -> None:
        now, front = frozenset(self._alerts.alerts()), QApplication.activeWindow()
        more, self._told = now - self._told, now
        title, said = self._alerts.over()
        # Not every platform takes the keyboard from a window that is hidden.
        in_front = front is not None and front.isVisible()
        if not self._alerts.settings.choices.on_desktop or in_front:
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
