"""Warming: parts of the program that are brought in when the window stands, one at a time."""

import importlib
from collections.abc import Sequence

from PySide6.QtCore import QObject, QTimer

_PAUSE = 150  # milliseconds, in which the window does what it is there for


class Warming(QObject):
    """What was needed earlier has been brought in by whoever needed it."""

    def __init__(self, modules: Sequence[str], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._left = list(modules)
        self._timer = QTimer(self, interval=_PAUSE)
        self._timer.timeout.connect(self._on_timeout)

    def start(self) -> None:
        self._timer.start()

    def stop(self) -> None:
        self._timer.stop()

    def _on_timeout(self) -> None:
        if self._left:
            importlib.import_module(self._left.pop(0))
        else:
            self._timer.stop()
