"""OpenQuestions: what another machine is asked, and has not answered yet."""

import queue
import threading
from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.remote.wire import Done, Order, Question, Told

# None: there will be no answer, since the connection is gone.
Answered = Callable[[Told | None], object]
# Whoever never answers is not waited for without end.
_MOST = 1000
T = TypeVar("T", bound=Told)


class OpenQuestions:
    """For any thread; who asked hears in the thread that reads the answer."""

    def __init__(self, host: str, tell: Callable[[Order], bool]) -> None:
        """`tell` says whether there is a connection."""
        self._host, self._tell = host, tell
        self._lock = threading.Lock()
        self._last = 0
        self._open: dict[int, Answered] = {}  # by their numbers

    def ask(self, order: Question, answer: type[T], seconds: float) -> T:
        """Waits. Raises Trouble where there is no such answer, or where it is a refusal."""
        answers: queue.SimpleQueue[Told | None] = queue.SimpleQueue()
        number = self.ask_later(order, answers.put)
        try:
            told = answers.get(timeout=seconds)
        except queue.Empty:
            with self._lock:
                self._open.pop(number, None)
            raise Trouble(
                "{host} did not answer within {seconds:.0f} s.",
                host=self._host,
                seconds=seconds,
            ) from None
        if told is None:
            raise Trouble("There is no connection to {host}.", host=self._host)
        if isinstance(told, Done) and told.trouble:
            raise Trouble(told.trouble, told.hint)
        if not isinstance(told, answer):
            raise Trouble("What {host} said of itself cannot be read.", host=self._host)
        return told

    def ask_later(self, order: Question, answered: Answered) -> int:
        """Never waits: who asks hears from another thread, or at once that there is no
        connection. The order gets its number here.
        """
        with self._lock:
            self._last += 1
            self._open[self._last] = answered
            number = self._last
            oldest = next(iter(self._open)) if len(self._open) > _MOST else None
        if oldest is not None:
            self.answer(oldest, None)
        # From here on whoever ends the connection answers it.
        if not self._tell(replace(order, id=number)):
            self.answer(number, None)
        return number

    def answer(self, number: int, told: Told | None) -> None:
        """What nobody asked, or asks no more, is let go."""
        with self._lock:
            answered = self._open.pop(number, None)
        if answered is not None:
            answered(told)

    def give_up(self) -> None:
        with self._lock:
            left, self._open = list(self._open.values()), {}
        for answered in left:
            answered(None)
