"""Pace: how fast another machine may talk. What is more waits in its pipe."""

import threading
import time

_BEAT = 0.1  # seconds
_BYTES = 2 << 20  # in each of them
_LINES = 500


class Pace:
    """Called from the one thread that reads."""

    def __init__(self, stopped: threading.Event) -> None:
        self._stopped = stopped
        self._began = time.monotonic()
        self._bytes = self._lines = 0

    def take(self, bytes_: int, lines: int) -> None:
        """Waits, where that much was too much for this beat."""
        self._bytes += bytes_
        self._lines += lines
        if self._bytes < _BYTES and self._lines < _LINES:
            return
        left = self._began + _BEAT - time.monotonic()
        if left > 0:
            self._stopped.wait(left)
        self._began = time.monotonic()
        self._bytes = self._lines = 0
