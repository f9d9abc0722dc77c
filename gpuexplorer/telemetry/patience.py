"""Waiting for a call that may never return, and no longer than agreed."""

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class Asked(Generic[T]):
    """A call under way in a thread of its own. What hangs is left behind with its thread."""

    def __init__(
        self, call: Callable[[], T], when_late: Callable[[], None] | None = None
    ) -> None:
        self._call = call
        self._when_late = when_late
        self._lock = threading.Lock()
        self._late = False
        self._answered = threading.Event()
        self._answer: T | None = None
        self._error: BaseException | None = None
        threading.Thread(target=self._run, name="a call that may hang", daemon=True).start()

    def answered_within(self, seconds: float) -> bool:
        if self._answered.wait(seconds):
            return True
        with self._lock:
            self._late = not self._answered.is_set()
            return not self._late

    @property
    def answered(self) -> bool:
        return self._answered.is_set()

    def result(self) -> T:
        """What the call gave, or raised. Only after `answered_within` said True."""
        if self._error is not None:
            raise self._error
        assert self._answered.is_set()
        return self._answer  # type: ignore[return-value]  # None only where T allows None

    def _run(self) -> None:
        try:
            self._answer = self._call()
        except BaseException as error:
            self._error = error
        with self._lock:
            self._answered.set()
            late = self._late
        if late and self._when_late is not None:
            self._when_late()
