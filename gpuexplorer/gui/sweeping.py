"""Sweeping: Python's longest search for what is no longer needed, never amid a frame."""

import gc

from PySide6.QtCore import QObject, QTimer

_EVERY = 60_000  # milliseconds
_NEVER = 1_000_000_000
_DUE = 10  # shorter searches since the last long one; Python's own measure


class Sweeping(QObject):
    """With a thousand lines in the lab one such search takes 30 ms, and Python begins it
    wherever it is. Here it has a turn of the event loop to itself.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._before = gc.get_threshold()
        self._timer = QTimer(self, interval=_EVERY)
        self._timer.timeout.connect(self._on_timeout)

    def start(self) -> None:
        """What is there now stays, and is never gone through again."""
        young, middle, _ = self._before
        gc.freeze()
        gc.set_threshold(young, middle, _NEVER)
        self._timer.start()

    def stop(self) -> None:
        """Python begins them by itself again."""
        self._timer.stop()
        gc.set_threshold(*self._before)

    def _on_timeout(self) -> None:
        if gc.get_count()[2] >= _DUE:
            gc.collect()
