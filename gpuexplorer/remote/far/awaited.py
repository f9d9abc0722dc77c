"""Awaited: what another machine was asked and has not answered yet."""

import threading
from collections.abc import Callable

from gpuexplorer.remote.wire import Told

# None: there will be no answer, since the connection is gone.
Answered = Callable[[Told | None], None]
# Whoever never answers is not waited for without end.
_MOST = 1000


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
            number = self._last
            oldest = next(iter(self._open)) if len(self._open) > _MOST else None
        if oldest is not None:
            self.answer(oldest, None)
        return number

    def answer(self, number: int, told: Told | None) -> None:
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
