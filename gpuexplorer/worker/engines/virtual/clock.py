"""The clock that a person's code reads on simulated cards: Python's own time, and the modelled
time of what PyTorch does.

How long our stand-ins take does not count; what the real ones would have taken does. So the
difference of two time.time() around a product is that of the machine which is simulated.
"""

import os
import sys
import threading
import time
import timeit
from collections.abc import Callable
from types import TracebackType
from typing import Any

from gpuexplorer.worker.engines.virtual.cards import Cards
from gpuexplorer.worker.engines.virtual.patches import Patches


class Cores:
    def __init__(self) -> None:
        try:
            thread = threading.main_thread().native_id
            self._file = os.open(f"/proc/self/task/{thread}/schedstat", os.O_RDONLY)
        except OSError:
            self._file = -1

    def waited(self) -> float:
        """Seconds since the thread began; 0 where nobody tells."""
        if self._file < 0:
            return 0.0
        try:
            return int(os.pread(self._file, 64, 0).split()[1]) * 1e-9
        except (OSError, IndexError, ValueError):  # a person's code may close what it likes
            self._file = -1
            return 0.0


_NANO = 10**9
_SHORT = 2e-4  # seconds; in less, nobody waits for a core for long
# What lies between two operations is our own way to them, up to so many seconds.
_WAY_IN = 20e-6
_KEPT = 32 << 20  # bytes; what is smaller, the C library keeps for the next, in no time
_GIVEN_BACK = 2e9  # bytes a second at the least, where the system takes memory back
# Whose calls do not get it: Python's own library, PyTorch and this program. Of these, what
# measures a person's code gets it as well.
_OF_THIS_COMPUTER = sys.stdlib_module_names | {"torch", "gpuexplorer"}
_MEASURING = ("timeit", "torch.utils.benchmark", "gpuexplorer.worker.magics")


class Clock:
    """Stands still `with` it in any thread, while the modelled time goes on.

    In a program the cards' axis holds what the host does between two operations as well:
    its Python, its files, its pauses. In a cell it holds the modelled time alone.
    """

    def __init__(
        self,
        cards: Cards,
        real: "Callable[[], float]" = time.perf_counter,
        waited: "Callable[[], float] | None" = None,
    ) -> None:
        """`waited`: seconds for which the host has waited for a core of this computer."""
        self._cards, self._real = cards, real
        self._waited_so_far = Cores().waited if waited is None else waited
        self._lock = threading.Lock()
        self._within = 0
        self._since = self._not_counted = 0.0
        self._giving_since = self._giving_most = 0.0
        self._left = real()  # when an operation ended last, or the clock was read
        self._waited = 0.0  # for a core, when an operation ended last
        self.host_counts = False

    def begin(self, *, host_counts: bool) -> None:
        """A cell, or a program: nothing before it counts."""
        with self._lock:
            self._left, self._waited = self._given_back(), self._waited_so_far()
            self.host_counts = host_counts

    def after_fork(self) -> None:
        """In the child, whose one thread is not at work here."""
        self._lock = threading.Lock()
        self._within = 0

    def __enter__(self) -> None:
        with self._lock:
            if not self._within:
                self._since = self._given_back()
                way_in = min(self._since - self._left, _WAY_IN)
                if self.host_counts:
                    self._take(self._since, way_in)
                else:
                    self._not_counted += way_in
            self._within += 1

    def counts(self) -> bool:
        """What the host does just now; what our stand-ins do does not."""
        return self._within == 0

    def moment(self) -> float:
        """On the cards' axis."""
        self.ahead()
        return self._cards.now

    def gives_back(self, size: int) -> None:
        """From now on, and who knows until when: cards give memory back in no time."""
        with self._lock:
            if not self._within and not (self.host_counts and size < _KEPT):
                self._giving_since = self._giving_since or self._real()
                self._giving_most += size / _GIVEN_BACK

    def __exit__(
        self,
        kind: "type[BaseException] | None",
        error: "BaseException | None",
        trace: "TracebackType | None",
    ) -> None:
        with self._lock:
            self._within -= 1
            if not self._within:
                if self.host_counts:
                    self._waited = self._waited_so_far()
                self._left = self._real()
                self._not_counted += self._left - self._since

    def ahead(self) -> float:
        """By how many seconds, of the computer's own clock; less than 0 where it is behind."""
        with self._lock:
            now = self._given_back()
            if self._within:
                return self._cards.now - self._not_counted - (now - self._since)
            if self.host_counts:
                self._take(now, 0.0)
            self._left = now  # what was told once is not taken back
            return self._cards.now - self._not_counted

    def _take(self, now: float, way_in: float) -> None:
        """What the host did since the last operation ended goes onto the cards' axis."""
        pause = own = now - self._left
        if pause > _SHORT:
            before, self._waited = self._waited, self._waited_so_far()
            own -= self._waited - before
        self._cards.now += max(0.0, own - way_in)
        self._not_counted += pause

    def _given_back(self) -> float:
        now = self._real()
        if self._giving_most:
            given = min(now - self._giving_since, self._giving_most)
            self._not_counted += given
            self._left += given
            self._giving_since = self._giving_most = 0.0
        return now


def _asks_for_the_machine(depth: int) -> bool:
    """Whoever asks how long the person's work takes, such as a progress bar; and not what
    waits for something of this computer.
    """
    name = sys._getframe(depth).f_globals.get("__name__") or ""
    if name.startswith(_MEASURING):
        return True
    return name.partition(".")[0] not in _OF_THIS_COMPUTER


# Any: seconds, or a whole number of nanoseconds.
def _shifted(real: "Callable[[], Any]", ahead: "Callable[[], Any]") -> "Callable[[], Any]":
    return lambda: real() + ahead() if _asks_for_the_machine(2) else real()


def put_clock(patches: Patches, clock: Clock) -> None:
    names = ("time", "perf_counter", "monotonic")
    seconds = {name: _shifted(getattr(time, name), clock.ahead) for name in names}
    patches.put(time, seconds)
    for name in (f"{each}_ns" for each in names):
        shifted = _shifted(getattr(time, name), lambda: int(clock.ahead() * _NANO))
        patches.put(time, {name: shifted})
    patches.put(timeit, {"default_timer": seconds["perf_counter"]})
