"""DataLoaders with processes of their own: how long a program would have waited for them.

The program is slower here than on the machine that is simulated, and meanwhile the processes
get ahead. So they say how long each batch took them; from that, and from when it was asked for
on the cards' axis, follows when it would have been there.
"""

import mmap
import time
from collections.abc import Callable
from typing import Any

import torch
from torch.utils.data import _utils
from torch.utils.data.dataloader import _MultiProcessingDataLoaderIter

from gpuexplorer.worker.engines.virtual.cards import Cards
from gpuexplorer.worker.engines.virtual.clock import Clock, Cores
from gpuexplorer.worker.engines.virtual.holdings import beside
from gpuexplorer.worker.engines.virtual.patches import Patches

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
