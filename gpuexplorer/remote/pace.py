"""Pace: how fast another machine may talk, and how much of this computer it may take while it
is understood. What is more waits in its pipe.
"""

import threading
import time

_BEAT = 0.1  # seconds
_BYTES = 2 << 20  # in each of them
_LINES = 500
# Whoever draws needs Python too, and gets it late where another thread never rests.
_SHARE = 0.25  # of the time of one thread, for all together that want as much
_AFTERWARDS = 5.0  # seconds for which it is still one of those
_lock = threading.Lock()
_wanting: "dict[int, float]" = {}  # until when, by the thread


class Pace:
    """Made and called in the one thread that reads and understands."""

    def __init__(self, stopped: threading.Event) -> None:
        self._stopped = stopped
        self._began, self._began_work = time.monotonic(), time.thread_time()
        self._bytes = self._lines = 0

    def take(self, bytes_: int, lines: int) -> None:
        """Waits, where that much was too much for this beat."""
        self._bytes += bytes_
        self._lines += lines
        worked = time.thread_time() - self._began_work
        few = self._bytes < _BYTES and self._lines < _LINES
        if few and worked < _SHARE * _BEAT:
            return
        now = time.monotonic()
        left = self._began + max(_BEAT, worked / _share(now)) - now
        if left > 0:
            self._stopped.wait(left)
        self._began, self._began_work = time.monotonic(), time.thread_time()
        self._bytes = self._lines = 0


def _share(now: float) -> float:
    """Of the thread that asks."""
    with _lock:
        for thread in [each for each, until in _wanting.items() if until < now]:
            del _wanting[thread]
        _wanting[threading.get_ident()] = now + _AFTERWARDS
        return _SHARE / len(_wanting)
