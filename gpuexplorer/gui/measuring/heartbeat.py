"""Heartbeat: how long the event loop did not answer."""

import time

from PySide6.QtCore import QObject, Qt, QTimer

PERIOD = 0.02


class Heartbeat(QObject):
    """A timer that should come every 20 ms, and notes how much later it came.

    It wakes the processor, so it beats only while somebody wants to know.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.beats = 0
        self.longest_wait = 0.0
        self._before = 0.0
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.setInterval(round(PERIOD * 1000))
        self._timer.timeout.connect(self._on_timeout)

    @property
    def beating(self) -> bool:
        return self._timer.isActive()

    def start(self) -> None:
        if not self.beating:
            self._before = time.perf_counter()
            self._timer.start()

    def stop(self) -> None:
        self._timer.stop()

    def _on_timeout(self) -> None:
        now = time.perf_counter()
        self.beats += 1
        self.longest_wait = max(self.longest_wait, now - self._before - PERIOD)
        self._before = now
