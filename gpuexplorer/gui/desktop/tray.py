"""Tray: the program's icon beside the clock, where the desktop has a place for such icons."""

from collections.abc import Sequence

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QAction, QIcon
from PySide6.QtWidgets import QMenu, QSystemTrayIcon

from gpuexplorer.core.resources import resource

_SHOWN_FOR = 10_000  # milliseconds


class Tray(QObject):
    """Where there is no such place nothing is shown, and asking for anything does no harm."""

    asked_for_window = Signal()

    def __init__(self, actions: Sequence[QAction], parent: QObject | None = None) -> None:
        """`actions` are its menu."""
        super().__init__(parent)
        self._icon: QSystemTrayIcon | None = None
        if not QSystemTrayIcon.isSystemTrayAvailable():
            return
        self._menu = QMenu()
        self._menu.addActions(list(actions))
        self._icon = QSystemTrayIcon(QIcon(str(resource("icons", "gpuexplorer.svg"))), self)
        self._icon.setContextMenu(self._menu)
        self._icon.activated.connect(self._on_activated)
        self._icon.show()

    @property
    def there(self) -> bool:
        return self._icon is not None

    @property
    def takes_messages(self) -> bool:
        return self._icon is not None and QSystemTrayIcon.supportsMessages()

    def show_words(self, words: str) -> None:
        """What it says when it is pointed at."""
        if self._icon is not None and words != self._icon.toolTip():
            self._icon.setToolTip(words)

    def show_message(self, title: str, text: str) -> None:
        if self._icon is not None:
            icon = QSystemTrayIcon.MessageIcon.Warning
            self._icon.showMessage(title, text, icon, _SHOWN_FOR)

    def stop(self) -> None:
        """Harmless when called twice."""
        if self._icon is not None:
            self._icon.hide()

    def _on_activated(self, reason: QSystemTrayIcon.ActivationReason) -> None:
        # The menu opens by itself; some desktops know no other press.
        if reason is not QSystemTrayIcon.ActivationReason.Context:
            self.asked_for_window.emit()
