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
        self._call, self._when_late = call, when_late
        self._changed = threading.Condition()
        self._late = self.answered = False
        self._answer: T | None = None
        self._error: BaseException | None = None
        threading.Thread(target=self._run, name="a call that may hang", daemon=True).start()

    def answered_within(self, seconds: float) -> bool:
        with self._changed:
            self._late = not self._changed.wait_for(lambda: self.answered, seconds)
        return self.answered

    def result(self) -> T:
        """What the call gave, or raised. Only once it is `answered`."""
        if self._error is not None:
            raise self._error
        assert self.answered
        return self._answer  # type: ignore[return-value]  # None only where T allows None

    def _run(self) -> None:
        try:
            self._answer = self._call()
        except BaseException as error:
            self._error = error
        with self._changed:
            self.answered = True
            self._changed.notify_all()
        if self._late and self._when_late is not None:
            self._when_late()
