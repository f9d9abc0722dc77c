"""AlertNotes: carries alerts to the desktop while the window is not in front."""

from PySide6.QtCore import QObject, QTimer
from PySide6.QtGui import QGuiApplication, QWindow

from gpuexplorer.core.words import tr, trn
from gpuexplorer.gui.desktop.notices import Notices
from gpuexplorer.gui.state.alert_watch import AlertWatch
from gpuexplorer.telemetry.alerts import Alert

# What begins together is shown together.
_GATHER = 1000


class AlertNotes(QObject):
    """One notification for all alerts, shown anew only when one more begins or all are over."""

    def __init__(
        self, alerts: AlertWatch, notices: Notices, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self.notices = notices
        self._alerts = alerts
        self._told: frozenset[Alert] = frozenset()
        self._stands = False
        self._gather = QTimer(self)
        self._gather.setSingleShot(True)
        self._gather.setInterval(_GATHER)
        self._gather.timeout.connect(self._on_gathered)
        alerts.changed.connect(self._on_alerts_changed)
        application = QGuiApplication.instance()
        if isinstance(application, QGuiApplication):
            application.focusWindowChanged.connect(self._on_focus_window_changed)

    def stop(self) -> None:
        self._gather.stop()
        self.notices.stop()

    def _on_alerts_changed(self) -> None:
        if not self._alerts.settings.choices.on_desktop or _is_in_front():
            self._told = frozenset(self._alerts.alerts())
        elif not self._gather.isActive():
            self._gather.start()

    def _on_gathered(self) -> None:
        now = frozenset(self._alerts.alerts())
        more, self._told = now - self._told, now
        if more:
            self._stands = True
            self._show(trn("An alert", "{count} alerts", len(now)), self._alerts.sentence())
        elif not now and self._stands and self._alerts.over_sentence():
            self._stands = False
            self._show(self._alerts.over_title(), self._alerts.over_sentence())

    def _show(self, title: str, text: str) -> None:
        if self._alerts.simulated:
            title = tr("SIMULATED: {title}", title=title)
        self.notices.show(title, text)

    def _on_focus_window_changed(self, window: QWindow | None) -> None:
        if window is not None:
            self._gather.stop()
            self._told = frozenset(self._alerts.alerts())
            self._stands = False
            self.notices.withdraw()


def _is_in_front() -> bool:
    # Not every platform takes the keyboard from a window that is hidden.
    windows = QGuiApplication.topLevelWindows()
    return any(window.isActive() and window.isVisible() for window in windows)
