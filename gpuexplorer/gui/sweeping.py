"""Sweeping: Python's searches for what is no longer needed, in the window's thread alone."""

import gc

from PySide6.QtCore import QObject, Qt, QTimer

_EVERY = 2_000  # milliseconds
_DUE = 10  # shorter searches since the last long one; Python's own measure


class Sweeping(QObject):
    """Python begins a search in whichever thread is at work, and amid a frame. What is Qt's
    must not end in another thread than the window's, and with a thousand lines in the lab the
    longest takes 30 ms. Here each has a turn of the event loop to itself. What is there at the
    first turn stays, and is never gone through again.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._young, self._middle, _ = gc.get_threshold()
        gc.disable()
        QTimer.singleShot(0, gc.freeze)
        timer = QTimer(self, interval=_EVERY, timerType=Qt.TimerType.CoarseTimer)
        timer.timeout.connect(self._on_timeout)
        timer.start()

    def _on_timeout(self) -> None:
        young, middle, old = gc.get_count()
        if old >= _DUE:
            gc.collect()
        elif middle >= self._middle:
            gc.collect(1)
        elif young >= self._young:
            gc.collect(0)
