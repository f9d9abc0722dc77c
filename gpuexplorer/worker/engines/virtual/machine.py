"""The machine that is in force: the clock that a person's code reads on it, Python's own time
and the modelled time of what its cards do; and which memory of its cards each storage takes.

How long our stand-ins take does not count; what the real ones would have taken does. So the
difference of two time.time() around a product is that of the machine which is simulated.
"""

import functools
import sys
import threading
import time
import timeit
from collections.abc import Callable
from types import TracebackType
from typing import Any

from gpuexplorer.worker.engines.virtual.cards import Cards
from gpuexplorer.worker.engines.virtual.refusals import put

_NANO = 10**9
# What lies between two operations is our own way to them, up to so many seconds.
_WAY_IN = 20e-6
# Whose calls do not get it: Python's own library, PyTorch and this program. Of these, what
# measures a person's code gets it as well.
_OF_THIS_COMPUTER = sys.stdlib_module_names | {"torch", "gpuexplorer"}
_MEASURING = ("timeit", "torch.utils.benchmark", "gpuexplorer.worker.magics")


class Clock:
    """Stands still `with` it in any thread, while the modelled time goes on.

    In a program the cards' axis holds what the host does between two operations as well:
    its Python, its files, its pauses. In a cell it holds the modelled time alone.
    """

    def __init__(self, cards: Cards, real: "Callable[[], float]" = time.perf_counter) -> None:
        self._cards, self._real = cards, real
        # What a signal or the collector of garbage calls comes within what holds it.
        self._lock = threading.RLock()
        self._within = 0
        self._since = self._not_counted = 0.0
        self._left = real()  # when an operation ended last, or the clock was read
        self.host_counts = False

    def begin(self, *, host_counts: bool) -> None:
        """A cell, or a program: nothing before it counts."""
        with self._lock:
            self._left = self._real()
            self.host_counts = host_counts

    def after_fork(self) -> None:
        """In the child, whose one thread is not at work here."""
        self._lock = threading.RLock()
        self._within = 0

    def __enter__(self) -> None:
        with self._lock:
            if not self._within:
                self._since = self._real()
                self._go_on(self._since, min(self._since - self._left, _WAY_IN))
            self._within += 1

    def __exit__(
        self,
        kind: "type[BaseException] | None",
        error: "BaseException | None",
        trace: "TracebackType | None",
    ) -> None:
        with self._lock:
            self._within -= 1
            if not self._within:
                self._left = self._real()
                self._not_counted += self._left - self._since

    def counts(self) -> bool:
        """What the host does just now; what our stand-ins do does not."""
        return self._within == 0

    def moment(self) -> float:
        """On the cards' axis."""
        self.ahead()
        return self._cards.now

    def told(self) -> float:
        """What a person's stopwatch shows."""
        return self._real() + self.ahead()

    def ahead(self) -> float:
        """By how many seconds, of the computer's own clock; less than 0 where it is behind."""
        with self._lock:
            now = self._real()
            if self._within:
                return self._cards.now - self._not_counted - (now - self._since)
            self._go_on(now, 0.0)
            self._left = now  # what was told once is not taken back
            return self._cards.now - self._not_counted

    def _go_on(self, now: float, way_in: float) -> None:
        """What the host did since the last operation ended, on the axis where it belongs."""
        if self.host_counts:
            self._cards.now += now - self._left - way_in
            self._not_counted += now - self._left
        else:
            self._not_counted += way_in


def put_clock(clock: Clock) -> None:
    # Any: seconds, or a whole number of nanoseconds.
    def shifted(real: "Callable[[], Any]", ahead: "Callable[[], Any]") -> Any:
        def now() -> Any:
            """The machine's to who asks how long the person's work takes, such as a progress
            bar; and not to what waits for something of this computer.
            """
            name = sys._getframe(1).f_globals.get("__name__") or ""
            ours = name.partition(".")[0] in _OF_THIS_COMPUTER
            return real() if ours and not name.startswith(_MEASURING) else real() + ahead()

        return now

    names = ("time", "perf_counter", "monotonic")
    clocks = {name: shifted(getattr(time, name), clock.ahead) for name in names}
    for name in (f"{each}_ns" for each in names):
        clocks[name] = shifted(getattr(time, name), lambda: int(clock.ahead() * _NANO))
    put(time, clocks)
    put(timeit, {"default_timer": clocks["perf_counter"]})


_machines: "list[Cards]" = []  # one, once an engine is made


def in_force() -> Cards:
    """The cards of this process's one simulated machine, with the clock that goes there."""
    return _machines[-1]


def put_in_force(cards: Cards) -> None:
    _machines[:] = [cards]


class Stretch:
    """Part of a card's memory. The storage that lies there keeps it for as long as it lives."""

    def __init__(self, card: int, size: int) -> None:
        """Raises torch's own out-of-memory error, and then nothing was taken."""
        self.card, self.size = card, size
        self._cards = in_force()
        self._block = self._cards.allocate(card, size)
        self._cards.refuse_beyond_host(size)

    def __del__(self) -> None:
        if hasattr(self, "_block"):
            self._cards.returned.append((self.card, self._block))


# Any: a storage of PyTorch's. Views share one, and so a stretch.
def hold(storage: Any, card: int) -> None:
    size, known = storage.nbytes(), getattr(storage, "stretch", None)
    if known is None or known.card != card or known.size < size:
        storage.stretch = Stretch(card, size)


def card_of(storage: Any) -> "int | None":
    """None: it lies in the host's memory."""
    stretch = getattr(getattr(storage, "_untyped_storage", storage), "stretch", None)
    return None if stretch is None else int(stretch.card)


# Any: whatever the function takes and gives.
def in_modelled_time(function: "Callable[..., Any]") -> "Callable[..., Any]":
    """What it does to the cards comes after all that the host did before, and it takes the
    modelled time alone.
    """

    @functools.wraps(function)
    def call(*args: Any, **words: Any) -> Any:
        with in_force().clock:
            return function(*args, **words)

    return call
