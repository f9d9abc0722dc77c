"""Dressing: gives each part of a window the style sheet, and hidden parts only when shown."""

import shiboken6
from PySide6.QtCore import QChildEvent, QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtWidgets import QMainWindow, QWidget

from gpuexplorer.gui.guard import guarded
from gpuexplorer.gui.theme.look import look

_BREATH = 1  # milliseconds


class Dressing(QObject):
    """A sheet on the window takes three times as long as one on each part that is seen, one on
    the application ten times: Qt goes through every widget below, and most screens are hidden.

    Parts are what stands in the window, what comes over it, and each screen of the `stack`.
    Drawing a full window takes long too, so that it answers in between.
    """

    _came = Signal()

    def __init__(self, window: QMainWindow, stack: QWidget) -> None:
        super().__init__(window)
        self._look = look()
        self._window = window
        self._breath = QTimer(self, singleShot=True, interval=_BREATH)
        self._breath.timeout.connect(self._on_breath_taken)
        # These wear nothing themselves; what is in them does, and what will be.
        central = window.centralWidget()
        self._containers = [window, stack] if central is None else [window, central, stack]
        self._parts: dict[QWidget, str] = {}
        look().changed.connect(self._on_look_changed)
        self._came.connect(self._on_came, Qt.ConnectionType.QueuedConnection)
        for container in self._containers:
            container.installEventFilter(self)
        self._on_came()

    def _take(self, part: QWidget) -> None:
        if part not in self._containers and part not in self._parts:
            self._forget_gone()
            self._parts[part] = ""
            part.installEventFilter(self)
            self._dress(part)

    def _dress(self, part: QWidget) -> None:
        sheet = self._look.style_sheet()
        if self._parts.get(part) != sheet:
            self._parts[part] = sheet
            part.setStyleSheet(sheet)

    def _forget_gone(self) -> None:
        """Screens come and go with their session, and would be kept alive from here."""
        parts = self._parts.items()
        self._parts = {part: worn for part, worn in parts if shiboken6.isValid(part)}

    def _on_came(self) -> None:
        for container in self._containers:
            for child in container.children():
                if isinstance(child, QWidget):
                    self._take(child)

    def _on_look_changed(self) -> None:
        # Nobody sees it half dressed.
        self._window.setUpdatesEnabled(False)
        self._breath.start()
        self._forget_gone()
        for part in list(self._parts):
            if part.isVisible():
                self._dress(part)

    def _on_breath_taken(self) -> None:
        self._window.setUpdatesEnabled(True)

    @guarded
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        # Not when a child is added: then it is not finished yet.
        if event.type() is QEvent.Type.ChildPolished and isinstance(event, QChildEvent):
            if watched not in self._containers:
                return False
            child = event.child()
            if not shiboken6.createdByPython(child):
                # Qt polishes its own dialogs before Python knows them. To keep what it hands
                # out of them would free it twice, which is the end of the program.
                self._came.emit()
            elif isinstance(child, QWidget):
                self._take(child)
        elif event.type() is QEvent.Type.Show and watched in self._parts:
            self._dress(watched)
        return False
