"""Awaited: what another machine was asked and has not answered yet."""

import threading
from collections.abc import Callable

from gpuexplorer.remote.wire import Told

# None: there will be no answer, since the connection is gone.
Answered = Callable[[Told | None], None]


class Awaited:
    """By their numbers. For any thread; who asked hears in the thread that reads the answer."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._last = 0
        self._open: dict[int, Answered] = {}

    def put(self, answered: Answered) -> int:
        with self._lock:
            self._last += 1
            self._open[self._last] = answered
            return self._last

    def answer(self, number: int, told: Told) -> None:
        """What nobody asked, or asks no more, is let go."""
        with self._lock:
            answered = self._open.pop(number, None)
        if answered is not None:
            answered(told)

    def drop(self, number: int) -> None:
        with self._lock:
            self._open.pop(number, None)

    def give_up(self) -> None:
        with self._lock:
            left, self._open = list(self._open.values()), {}
        for answered in left:
            answered(None)
