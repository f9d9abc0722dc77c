"""Teller: the one thread that writes what is told into the pipe, however slow that is."""

import os
import threading
from collections import deque
from collections.abc import Callable, Hashable

from gpuexplorer.core.cards import Sample
from gpuexplorer.core.tagged import line_of
from gpuexplorer.remote.wire import Knocked, Told
from gpuexplorer.telemetry.facts import Fact, Users

# Of one card, when the link is slower than its readings: the oldest of more than these go. The
# pipe holds a hundred besides.
MOST_WAITING = 8


class Teller:
    """`tell` is for any thread and never waits. Answers are never left out; readings that
    nobody could take in time are, and are a gap to whoever looks.
    """

    def __init__(self, pipe: int, on_broken: "Callable[[], object]") -> None:
        self._pipe = pipe
        self._on_broken = on_broken
        self._changed = threading.Condition()
        self._lines: dict[int, bytes] = {}  # by number, the oldest first
        self._urgent: deque[bytes] = deque()
        self._of_card: dict[Hashable, deque[int]] = {}
        self._number = 0
        self._writing = self._stopping = False
        threading.Thread(target=self._write, name="teller", daemon=True).start()

    def tell(self, told: "Told | Fact") -> None:
        line, whose = line_of(told), _whose(told)
        with self._changed:
            self._number += 1
            if isinstance(told, Knocked):  # it says how long the way takes
                self._urgent.append(line)
            else:
                self._lines[self._number] = line
            if whose is not None:
                waiting = self._of_card.setdefault(whose, deque())
                waiting.append(self._number)
                # What was written already is no longer among the lines.
                while len(waiting) > MOST_WAITING:
                    self._lines.pop(waiting.popleft(), None)
            self._changed.notify_all()

    def all_written(self, seconds: float) -> bool:
        """Wait until everything is in the pipe."""
        with self._changed:
            return self._changed.wait_for(
                lambda: not (self._urgent or self._lines or self._writing), seconds
            )

    def stop(self) -> None:
        """What was not written yet never is."""
        with self._changed:
            self._stopping = True
            self._changed.notify_all()

    def _write(self) -> None:
        while True:
            with self._changed:
                self._writing = False
                self._changed.notify_all()
                self._changed.wait_for(lambda: self._urgent or self._lines or self._stopping)
                if self._stopping:
                    return
                line = memoryview(self._next())
                self._writing = True
            try:
                while line:
                    line = line[os.write(self._pipe, line) :]
            except OSError:  # nobody reads any more
                self._on_broken()
                return

    def _next(self) -> bytes:
        if self._urgent:
            return self._urgent.popleft()
        return self._lines.pop(next(iter(self._lines)))


def _whose(told: "Told | Fact") -> "Hashable | None":
    """Of what the newest matters more than the older; None for what must be told."""
    return (type(told), told.card) if isinstance(told, (Sample, Users)) else None
