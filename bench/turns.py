"""Turns: how long the window's thread works before it comes back to the event loop."""

import time

from PySide6.QtCore import QObject, Qt, QTimer


class Turns(QObject):
    """Processor time, so that what others do on this machine does not count."""

    def __init__(self) -> None:
        super().__init__()
        self.longest = 0.0
        self._before = 0.0
        self._timer = QTimer(self, interval=1)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._on_timeout)

    def start(self) -> None:
        self.longest = 0.0
        self._before = time.thread_time()
        self._timer.start()

    def stop(self) -> None:
        self._on_timeout()
        self._timer.stop()

    def _on_timeout(self) -> None:
        now = time.thread_time()
        self.longest = max(self.longest, now - self._before)
        self._before = now
