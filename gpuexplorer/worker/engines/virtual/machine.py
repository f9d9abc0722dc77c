"""The machine that is in force: the clock that a person's code reads on it, Python's own time
and the modelled time of what its cards do; which memory of its cards each storage takes; and
how long a program would have waited for DataLoaders' processes.

How long our stand-ins take does not count; what the real ones would have taken does. So the
difference of two time.time() around a product is that of the machine which is simulated.
"""

import functools
import mmap
import sys
import threading
import time
import timeit
from collections import deque
from collections.abc import Callable
from types import TracebackType
from typing import Any

import torch
from torch.utils.data import _utils
from torch.utils.data.dataloader import _MultiProcessingDataLoaderIter

from gpuexplorer.worker.engines.virtual.cards import Cards
from gpuexplorer.worker.engines.virtual.refusals import Patches

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


def put_clock(patches: Patches, clock: Clock) -> None:
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
    put = {name: shifted(getattr(time, name), clock.ahead) for name in names}
    for name in (f"{each}_ns" for each in names):
        put[name] = shifted(getattr(time, name), lambda: int(clock.ahead() * _NANO))
    patches.put(time, put)
    patches.put(timeit, {"default_timer": put["perf_counter"]})


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


_TABLE = "_gpuexplorer_timetable"
_PLACES = 64  # for batches of one process that are not taken yet
_made: "list[Timetable]" = []  # whose processes are being started


class Timetable:
    """When the batches of one loader are there, on the cards' axis: its processes, of which
    each makes one in turn, would get ahead of a program that is slowed down by our stand-ins.
    """

    def __init__(self, processes: int, ahead: int, now: float) -> None:
        """`ahead`: the most batches that are under way at a time."""
        self._took = memoryview(mmap.mmap(-1, 8 * processes * _PLACES)).cast("d")
        self._done = [0] * processes  # batches, by process; in each, only its own are counted
        self._free = [now] * processes  # when each has done what it was asked
        self._given = deque([now] * ahead, ahead)  # for each that is taken another is asked

    def took(self, process: int, seconds: float) -> None:
        """Said in the process."""
        self._took[self._place(process)] = seconds

    def wait(self, batch: int, now: float) -> float:
        """Seconds, for the next."""
        process = batch % len(self._done)
        there = max(self._given[0], self._free[process]) + self._took[self._place(process)]
        self._free[process] = there
        self._given.append(max(there, now))
        return max(0.0, there - now)

    def _place(self, process: int) -> int:
        self._done[process] += 1
        return process * _PLACES + self._done[process] % _PLACES


# Any throughout: loaders, and what they fetch.
def put_loaders(patches: Patches, cards: Cards) -> None:
    batches: Any = _MultiProcessingDataLoaderIter
    init, next_data = batches.__init__, batches._next_data
    fetch = _utils.fetch._MapDatasetFetcher.fetch

    def fetched(self: Any, index: Any) -> Any:
        process = _utils.worker.get_worker_info()
        began = time.perf_counter()
        made = fetch(self, index)
        if process is not None and _made:
            _made[-1].took(process.id, time.perf_counter() - began)
        return made

    def begun(self: Any, loader: Any) -> None:
        context = loader.multiprocessing_context or torch.multiprocessing
        in_turn = getattr(loader, "in_order", True) and hasattr(loader.dataset, "__getitem__")
        processes = loader.num_workers
        ahead = processes * loader.prefetch_factor
        table = Timetable(processes, ahead, cards.clock.moment())
        if cards.clock.host_counts and in_turn and context.get_start_method() == "fork":
            setattr(self, _TABLE, table)
            _made.append(table)
        try:
            init(self, loader)
        finally:
            _made.clear()

    def given(self: Any) -> Any:
        table = getattr(self, _TABLE, None)
        if table is None:
            return next_data(self)
        with cards.clock:
            data = next_data(self)
            cards.now += table.wait(self._rcvd_idx - 1, cards.now)
        return data

    patches.put(_utils.fetch._MapDatasetFetcher, {"fetch": fetched})
    patches.put(batches, {"__init__": begun, "_next_data": given})
