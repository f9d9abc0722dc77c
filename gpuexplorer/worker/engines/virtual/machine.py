"""The machine that is in force: the clock that a person's code reads on it, Python's own time
and the modelled time of what PyTorch does; which memory of its cards each storage takes; and
how long a program would have waited for DataLoaders' processes.

How long our stand-ins take does not count; what the real ones would have taken does. So the
difference of two time.time() around a product is that of the machine which is simulated.
"""

import functools
import mmap
import os
import sys
import threading
import time
import timeit
from collections.abc import Callable
from types import TracebackType
from typing import Any

import torch
from torch.utils.data import _utils
from torch.utils.data.dataloader import _MultiProcessingDataLoaderIter

from gpuexplorer.worker.engines.host_memory import refuse_what_the_host_cannot_hold
from gpuexplorer.worker.engines.virtual.cards import Cards
from gpuexplorer.worker.engines.virtual.memory import Block, OutOfMemory
from gpuexplorer.worker.engines.virtual.refusals import Patches


class _Beside(threading.local):
    """Whether this thread runs beside the program, on another core, as what pins a loader's
    batches; so does all of a child. It takes no time of the program's own.
    """

    on = False


beside = _Beside()


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
_KEPT_AT_ONCE = 64 << 10  # bytes; which takes a time that is not worth the asking
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
        # What a signal or the collector of garbage calls comes within what holds it.
        self._lock = threading.RLock()
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
        self._lock = threading.RLock()
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
        if size < (_KEPT if self.host_counts else _KEPT_AT_ONCE):
            return
        with self._lock:
            if not self._within:
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


_UNASKED = 64 * 1024 * 1024  # bytes that are given out before the host is asked again


class Stretch:
    """Part of a card's memory. The storage that lies there keeps it for as long as it lives."""

    def __init__(self, holdings: "Holdings", card: int, size: int) -> None:
        self.card = card
        self._holdings, self._size = holdings, size
        self._block = holdings.reserve(card, size)

    def __del__(self) -> None:
        block = getattr(self, "_block", None)
        if block is not None:
            self._holdings.clock.gives_back(self._size)
            self._holdings.cards.release(self.card, block)


class Holdings:
    """Views share a storage, and so a stretch."""

    def __init__(self, cards: Cards, clock: "Clock | None" = None) -> None:
        self.cards = cards
        self.clock = Clock(cards) if clock is None else clock
        self._since = 0  # bytes given out since the host was asked

    def hold(self, storage: Any, card: int) -> None:
        """Raises torch's own out-of-memory error, and then nothing was taken."""
        with self.cards.lock:
            size = storage.nbytes()
            known = getattr(storage, "stretch", None)
            if known is not None and known.card == card and storage.held_bytes >= size:
                return
            self.refuse_beyond_host(size)
            storage.stretch = Stretch(self, card, size)
            storage.held_bytes = size

    def would_fit(self, card: int, size: int) -> None:
        """Raises as if it were made now; takes nothing."""
        with self.cards.lock:
            self.cards.use(card)
            try:
                self.cards.memory(card).would_fit(size)
            except OutOfMemory as error:
                raise torch.OutOfMemoryError(str(error)) from None

    def refuse_beyond_host(self, size: int) -> None:
        """Raises Trouble where the computer itself has no room for so many bytes more."""
        self._since += size
        if self._since >= _UNASKED:
            self._since = 0
            given_out = sum(each.allocated for each in self.cards.allocators)
            refuse_what_the_host_cannot_hold(size, given_out)

    def reserve(self, card: int, size: int) -> Block:
        try:
            return self.cards.allocate(card, size)
        except OutOfMemory as error:
            raise torch.OutOfMemoryError(str(error)) from None


def card_of(storage: Any) -> "int | None":
    """None: it lies in the host's memory."""
    stretch = getattr(getattr(storage, "_untyped_storage", storage), "stretch", None)
    return None if stretch is None else int(stretch.card)


def after_fork() -> None:
    """In the child. Whoever held a lock is not in it."""
    holdings = in_force()
    holdings.clock.after_fork()
    holdings.cards.after_fork()
    type(beside).on = True


_machines: "list[Holdings]" = []  # one, once an engine is made


def in_force() -> Holdings:
    """The one simulated machine of this process."""
    return _machines[-1]


def are_in_force() -> bool:
    return bool(_machines)


def put_in_force(holdings: Holdings) -> None:
    _machines[:] = [holdings]


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
_made: "list[Timetable]" = []  # whose processes are being started


class Timetable:
    """When the batches of one loader are there."""

    def __init__(self, processes: int, ahead: int, now: float) -> None:
        """`ahead`: the most batches that are under way at a time."""
        self._places = 2 * ahead
        memory = mmap.mmap(-1, 8 * (processes + self._places))
        self.told = memoryview(memory).cast("d")  # by its processes
        self._processes = processes
        self._began, self._began_here = now, time.perf_counter()
        self._free: dict[int, float] = {}  # when each process has done what it was asked
        self.asked: dict[int, tuple[int, float]] = {}  # by batch: the process, and when

    def ready(self, process: int) -> None:
        """Said in the process."""
        self.told[process] = time.perf_counter()

    def took(self, batch: int, seconds: float) -> None:
        """Said in the process."""
        self.told[self._processes + batch % self._places] = seconds

    def there(self, batch: int) -> float:
        """Batches come in their order."""
        if batch not in self.asked:
            return 0.0
        process, asked = self.asked.pop(batch)
        free = self._free.get(process)
        if free is None:
            free = self._began + max(0.0, self.told[process] - self._began_here)
        seconds = self.told[self._processes + batch % self._places]
        there = self._free[process] = max(asked, free) + seconds
        return there


# Any throughout: loaders, their queues, and what goes through them.
class _Queue:
    """One of a process's two, and what is done before or after something goes through."""

    def __init__(self, queue: Any, passed: "Callable[[Any], None]") -> None:
        self._queue, self._passed = queue, passed

    def __getattr__(self, name: str) -> Any:
        return getattr(self._queue, name)

    def get(self, *args: Any, **words: Any) -> Any:
        found = self._queue.get(*args, **words)
        self._passed(found)
        return found

    def put(self, thing: Any, *args: Any, **words: Any) -> None:
        self._passed(thing)
        self._queue.put(thing, *args, **words)


def _timed(loop: "Callable[..., None]") -> "Callable[..., None]":
    """What runs in a process. Of a loader it knows only the places of what it is handed."""
    names = loop.__code__.co_varnames[: loop.__code__.co_argcount]
    asking, giving, number = (
        names.index(each) for each in ("index_queue", "data_queue", "worker_id")
    )

    def run(*args: Any) -> Any:
        if not _made:
            return loop(*args)
        table, given, cores = _made[-1], list(args), Cores()
        since = 0.0

        def now() -> float:
            return time.perf_counter() - cores.waited()

        def taken(task: Any) -> None:
            nonlocal since
            since = now()

        def done(result: Any) -> None:
            if type(result[0]) is int:
                table.took(result[0], now() - since)

        given[asking] = _Queue(args[asking], taken)
        given[giving] = _Queue(args[giving], done)
        table.ready(args[number])
        return loop(*given)

    run.__module__, run.__qualname__ = loop.__module__, loop.__qualname__  # to be pickled
    return run


def _pinning(loop: "Callable[..., None]") -> "Callable[..., None]":
    def run(*args: Any) -> None:
        beside.on = True
        loop(*args)

    return run


def put_loaders(patches: Patches, cards: Cards, clock: Clock) -> None:
    batches: Any = _MultiProcessingDataLoaderIter
    init, put_index = batches.__init__, batches._try_put_index
    next_data, get_data = batches._next_data, batches._get_data

    def made(self: Any, loader: Any) -> Any:
        context = loader.multiprocessing_context or torch.multiprocessing
        in_order = getattr(loader, "in_order", True)
        if not (clock.host_counts and in_order and context.get_start_method() == "fork"):
            return init(self, loader)
        ahead = loader.num_workers * loader.prefetch_factor
        table = Timetable(loader.num_workers, ahead, clock.moment())
        setattr(self, _TABLE, table)
        _made.append(table)
        try:
            return init(self, loader)
        finally:
            _made.remove(table)

    def asked(self: Any) -> None:
        batch = self._send_idx
        put_index(self)
        table = getattr(self, _TABLE, None)
        if table is not None and self._send_idx > batch:
            table.asked[batch] = self._task_info[batch][0], clock.moment()

    def received(self: Any) -> Any:
        if not hasattr(self, _TABLE):
            return get_data(self)
        with clock:
            return get_data(self)

    def given(self: Any) -> Any:
        table = getattr(self, _TABLE, None)
        if table is None:
            return next_data(self)
        sent = self._send_idx
        data = next_data(self)
        with clock:
            wait = max(0.0, table.there(self._rcvd_idx - 1) - cards.now)
            cards.now += wait
            for batch in range(sent, self._send_idx):  # asked for as soon as this one came
                process, moment = table.asked[batch]
                table.asked[batch] = process, moment + wait
        return data

    put = {"__init__": made, "_try_put_index": asked, "_get_data": received}
    patches.put(batches, {**put, "_next_data": given})
    patches.put(_utils.worker, {"_worker_loop": _timed(_utils.worker._worker_loop)})
    loop = _utils.pin_memory._pin_memory_loop
    patches.put(_utils.pin_memory, {"_pin_memory_loop": _pinning(loop)})
