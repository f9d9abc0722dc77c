"""Seen: all that is seen of one cell or program, step by step, and what of it changed since it
was said; which steps are watched, so that watching costs little; and Ticking, which looks now
and then where the host is.
"""

import ctypes
import functools
import os
import random
import signal
import sys
import threading
import time
import traceback
import weakref
from collections import Counter, deque
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import replace
from statistics import median
from types import FrameType
from typing import Any

from gpuexplorer.lab.events import Loader, Memory, Trip, Watched
from gpuexplorer.worker.places import OURS, Copies, Spot, is_own, place
from gpuexplorer.worker.streams import begin_unseen
from gpuexplorer.worker.watching.idling import Idling, news

OPTIMIZER, BATCH, SLICE = "optimizer", "batch", ""


class Steps:
    """An optimizer's step counts as one; where none steps, a loader's batch; else a slice of
    time. Told in the main thread, watched or not, by `Seen`; `whole` says whether all of the
    step that ends now was watched.
    """

    def __init__(self) -> None:
        self._all, self._seen = Counter[str](), Counter[str]()  # by kind
        self._stepped: set[int] = set()  # optimizers, in the step that runs now

    @property
    def kind(self) -> str:
        return next((each for each in (OPTIMIZER, BATCH) if self._all[each]), SLICE)

    @property
    def count(self) -> int:
        return self._all[self.kind]

    @property
    def seen(self) -> int:
        """So many of them were watched from their beginning to their end."""
        return self._seen[self.kind]

    def optimized(self, optimizer: int, *, whole: bool) -> bool:
        """Whether this ends a step: where several take turns, only one of them does."""
        if self._stepped and optimizer not in self._stepped:
            self._stepped.add(optimizer)
            return False
        self._stepped = {optimizer}
        return self.ended(OPTIMIZER, whole=whole)

    def ended(self, kind: str, *, whole: bool) -> bool:
        """One of that kind did; whether such are the steps."""
        self._all[kind] += 1
        self._seen[kind] += whole
        return self.kind == kind


WHOLE = 200  # the first steps, which all are watched
BARE = 20  # the next, of which none is, so that the others can be held against them
SHARE = 0.03  # of the time so far, which watching may have taken at any later step
EVERY = 20  # of later steps at most one in so many, whatever is believed of what that costs
_KEPT = 100  # steps that are compared with those around them
_LEAST = 10


class Sampling:
    """`Seen` says `took` and asks `wants` at the end of each step. Without `sampled` all are
    watched.

    A step that is watched is compared with the bare ones just before it, since machines drift.
    One that is watched alone takes longer than one among others that are.
    """

    def __init__(self, *, sampled: bool) -> None:
        self._sampled = sampled
        self._bare: deque[float] = deque(maxlen=EVERY)  # seconds of the last ones
        self._first: deque[float] = deque(maxlen=_KEPT)  # those watched before there were bare
        self._seen_first = self._seen_later = 0
        self._more_first = 0.0  # seconds that one of the first took longer
        self._longer: deque[float] = deque(maxlen=_KEPT)  # that later ones did, each
        self._more_later: float | None = None
        self._until = -EVERY  # the step up to which it was watched last

    def took(self, seconds: float, *, watched: bool) -> None:
        """A step, all of which was watched, or nothing of it."""
        enough = len(self._bare) >= _LEAST
        if not watched:
            self._bare.append(seconds)
            if len(self._bare) == _LEAST and not enough and len(self._first) >= _LEAST:
                self._more_first = max(0.0, median(self._first) - median(self._bare))
        elif enough:
            self._seen_later += 1
            self._longer.append(seconds - median(self._bare))
            if len(self._longer) >= _LEAST:
                self._more_later = max(0.0, median(self._longer))
        else:
            self._seen_first += 1
            self._first.append(seconds)

    def looked_back(self, until: int) -> None:
        """It is watched from now on, and so that step number will have been seen whole."""
        self._until = until

    def cost(self, estimated: float) -> float:
        """About so many seconds were taken by watching: what steps took longer that were
        watched; no less than was estimated from the operations that were seen.
        """
        first = self._seen_first * self._more_first
        return max(estimated, first + self._seen_later * self._later)

    def wants(self, steps: int, seconds: float, cost: float) -> bool:
        """Whether the next is to be watched, after so many in so many seconds."""
        if not self._sampled or steps < WHOLE:
            return True
        if steps < WHOLE + BARE or self._until <= steps < self._until + EVERY - 1:
            return False
        seen = self._seen_first + self._seen_later
        return cost + max(self._later, cost / max(1, seen)) <= SHARE * seconds

    @property
    def _later(self) -> float:
        return self._more_first if self._more_later is None else self._more_later


class Seen:
    """Each engine has one, and a new one for each cell or program.

    `now` is the engine's clock: seconds since it began, on simulated cards the modelled ones.
    `put_hooks` says what PyTorch's optimizers and loaders do, watched or not: `stepped`
    and `took_batch`. An engine that can look away for a while hands in `switch`, which is
    asked at the ends of steps, in the main thread, and says whether it watches from now on;
    `cost` is what watching took so far.
    """

    def __init__(
        self,
        copies: Copies,
        now: "Callable[[], float]",
        *,
        sampled: bool = False,
        switch: "Callable[[bool], bool] | None" = None,
        cost: "Callable[[], float] | None" = None,
    ) -> None:
        self.copies, self.now = copies, now
        self.idling = Idling(copies)
        self._loaders: dict[tuple[Spot, int, bool], Loader] = {}
        self._said: set[Loader] = set()
        self.trips = Trips(copies.lock)
        self.steps = Steps()
        self.on = True
        self._sampling = Sampling(sampled=sampled)
        self._switch, self._cost = switch, cost
        self.step_ended: Callable[[int], None] | None = None  # told how many there were
        self._turned = False  # it looked away or back since the last step ended
        self._batches = 0  # since it last came where it could have looked away
        self._step_at = 0.0  # when that ended
        self.point_at = 0.0  # when that was
        self._on_since = 0.0
        self._seen_seconds = 0.0
        self._started = 0.0  # when the first batch came, or the first step ended

    def stepped(self, optimizer: int) -> None:
        """An optimizer, known by that number, has stepped; in the main thread."""
        self._starts()
        if self.steps.optimized(optimizer, whole=self._whole):
            self._step_ends()

    def took_batch(self, begin: float, end: float, workers: int, *, pins: bool) -> None:
        """A loader's next batch was taken, for which the host waited meanwhile; in the main
        thread.
        """
        if self.on:
            spot = place().spot
            line, key = spot.frame, (spot, workers, pins)
            with self.copies.lock:
                row = self._loaders.get(key) or Loader(
                    len(self._loaders) + 1,
                    0,
                    0.0,
                    workers,
                    pins,
                    line.file,
                    line.cell,
                    line.line,
                    spot.what,
                )
                seconds = row.seconds + end - begin
                row = replace(row, batches=row.batches + 1, seconds=seconds)
                self._loaders[key] = row
            self.idling.loaded(begin, end, spot)
            if self.copies.tracing is not None:
                self.copies.tracing.add("loader", "cpu", begin, end, row.row)
        self._starts()
        self._batches += 1
        if self.steps.ended(BATCH, whole=self._whole):
            self._step_ends()
        elif self._batches > 1:  # as where a model is tried and does not learn
            self._between()

    def sliced(self) -> None:
        """A slice of time is over; said in the main thread where neither steps nor batches
        come.
        """
        self.steps.ended(SLICE, whole=self._whole)
        self._between()
        if self.steps.kind == SLICE:
            self._turned = False

    def changed(
        self,
        command: int,
        *,
        modelled: bool = False,
        busy: "Sequence[tuple[str, float]]" = (),
        memory: "Sequence[Memory]" = (),
        profiled: "Sequence[tuple[str, float, float, float]]" = (),
    ) -> Watched:
        """What is not as it was last said, and the sums; from any thread."""
        now = self.now()
        seen = self._seen_seconds + (now - self._on_since if self.on else 0.0)
        with self.copies.lock:
            loaders = news(self._loaders.values(), self._said)
        return Watched(
            command,
            now,
            seen,
            self.steps.count,
            self.steps.seen,
            self.steps.kind,
            self._costs(),
            modelled,
            self.copies.changed(command),
            self.idling.changed(),
            loaders,
            self.trips.changed(),
            tuple(busy),
            tuple(profiled),
            memory=tuple(memory),
            pauses=tuple(self.idling.paused.items()),
            started=self._started,
        )

    def _costs(self) -> "float | None":
        return None if self._cost is None else self._sampling.cost(self._cost())

    @property
    def _whole(self) -> bool:
        """It was watched since the last step ended."""
        return self.on and not self._turned

    def _step_ends(self) -> None:
        now = self.now()
        begun = self._step_at > 0.0  # what lies before the first is no step
        if self.copies.tracing is not None and begun and self._whole and self.steps.kind:
            self.copies.tracing.add("step", "cpu", self._step_at, now)
        if not self._turned:
            self._sampling.took(now - self._step_at, watched=self.on)
        self._look(now)
        if self.step_ended is not None:
            self.step_ended(self.steps.count)
            now = self.now()
        self._turned, self._step_at = False, now

    def _starts(self) -> None:
        """What came before the first batch, or without any the end of the first step."""
        if not self._started:
            self._started = self.now()
            self.idling.start_ends(self._started)

    def _between(self) -> None:
        was = self.on
        self._look(self.now(), within=self.steps.kind != SLICE)
        self._turned = self._turned or self.on != was

    def _look(self, now: float, *, within: bool = False) -> None:
        """Away or back, as sampling wants it; at the end of a step, or within one."""
        cost = self._costs()
        if self._switch is not None and cost is not None:
            wanted = self._sampling.wants(self.steps.count, now, cost)
            is_on = self._switch(wanted) if wanted != self.on else wanted
            if is_on and not self.on:
                self._on_since = now
                self._sampling.looked_back(self.steps.count + 1 + within)
            elif self.on and not is_on:
                self._seen_seconds += now - self._on_since
            self.on = is_on
            if is_on != wanted:  # a better moment will come
                return
        self.point_at, self._batches = now, 0


_MOST = 10_000  # things that are followed at a time


# Any throughout: things are PyTorch's; all that is asked of them is who they are.
class Trips:
    """Things are what tensors lie in: `tensor.untyped_storage()`, which its views share, and
    which stays the same object while one of them is there. They are known by weak references.

    The engine says `left` for what a copy from a card made elsewhere, `derived` for what an
    operation on the host, or a copy there, made of what it was given, and `came` when something
    is copied to a card.
    """

    def __init__(self, lock: "threading.RLock") -> None:
        self._lock = lock
        # The card, the row of the copy by which it left, whether it was changed since.
        self._followed: dict[int, tuple[str, int, bool, weakref.ref[Any]]] = {}
        self._rows: dict[tuple[int, int], Trip] = {}
        self._said: set[Trip] = set()

    @property
    def none(self) -> bool:
        """Nothing is followed, so that `derived` need not be said."""
        return not self._followed

    def left(self, made: Any, device: str, row: int) -> None:
        """`row`: of the copy, by `Copies.numbered`."""
        self._follow(made, device, row, changed=False)

    def derived(self, made: "Iterable[Any]", given: "Iterable[Any]", *, changed: bool) -> None:
        """`changed`: a copy of it is not."""
        for each in given:
            if id(each) in self._followed:
                device, row, was_changed, _ = self._followed[id(each)]
                for one in made:
                    self._follow(one, device, row, changed=was_changed or changed)
                return

    def came(self, thing: Any, device: str, size: int, row: int) -> None:
        """It is copied to a card; `row`: of this copy."""
        left_from, out, changed, _ = self._followed.get(id(thing), ("", 0, False, None))
        if left_from == device:
            with self._lock:
                trip = self._rows.get((out, row)) or Trip(row, out, device, 0, 0, changed)
                self._rows[out, row] = replace(
                    trip,
                    times=trip.times + 1,
                    bytes=trip.bytes + size,
                    changed=trip.changed or changed,
                )

    def changed(self) -> "tuple[Trip, ...]":
        """Those that are not as they were last said."""
        with self._lock:
            return news(self._rows.values(), self._said)

    def _follow(self, thing: Any, device: str, row: int, *, changed: bool) -> None:
        if len(self._followed) < _MOST:
            number = id(thing)
            gone = weakref.ref(thing, lambda _: self._followed.pop(number, None))
            self._followed[number] = device, row, changed, gone


_LOOK = 0.003  # seconds between two looks, about, so that no loop keeps in step
_SLICE = 0.05
_MODULES = ("torch.nn.modules.", "torch.nn.functional", "torch.optim.")
_PATIENCE = 1.0  # without the end of a step, after which slices count


_SIGNAL = getattr(signal, "SIGURG", 0)


@functools.cache
def _system() -> ctypes.PyDLL:
    return ctypes.PyDLL("librt.so.1")


def _handler() -> int:
    """Of the signal, as C knows it; 0: none. Python does not know what a library in C put."""
    action = (ctypes.c_void_p * 32)()  # struct sigaction, which begins with it
    _system().sigaction(_SIGNAL, None, action)
    return action[0] or 0


class Ticking:
    """`with` it, in the main thread of a program that is watched.

    On Linux a timer signals to that thread, which Python handles between two instructions
    there. A thread that looks has to be given Python's lock first: the main one keeps it for
    5 ms while it computes, and lets go of it at each operation of PyTorch, so that the host
    would be found at the operation that follows, and hardly ever where it computes. What SIGURG
    stands for nobody asks Python for, and who does not expect it ignores it. Where the signal
    is the program's own, a thread looks; where it becomes so, nobody does.
    """

    def __init__(
        self,
        seen: Seen,
        *,
        sampled: bool,
        counts: "Callable[[], bool]" = lambda: True,
        aside: "AbstractContextManager[None] | None" = None,
    ) -> None:
        """`counts`: whether what the host does just now is the program's own doing. `aside`:
        within it, nothing is.
        """
        self._seen, self._sampled, self._counts = seen, sampled, counts
        self._aside = nullcontext() if aside is None else aside
        self._over = threading.Event()
        # Kept, since what is called at any time must be there at any time.
        self._call = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p)(self._in_main)
        self._random = random.Random()  # the program's own numbers stay what they are
        self._set_at = time.perf_counter()
        self._timer: ctypes.c_void_p | None = None
        self._handler = 0

    def __enter__(self) -> "Ticking":
        with suppress(OSError, ValueError, AttributeError):  # no such library, another thread
            self._make_timer()
        if self._timer is None:
            begin_unseen(self._tick)
        return self

    def __exit__(self, *error: object) -> None:
        """The timer goes before its handler: what nobody handles would be told as an error."""
        self._over.set()
        timer, self._timer = self._timer, None
        if timer is not None:
            _system().timer_delete(timer)
            if self._is_ours:
                signal.signal(_SIGNAL, signal.SIG_DFL)

    def _make_timer(self) -> None:
        """Leaves it where the signal is anybody's already, be it that of a library in C."""
        if not sys.platform.startswith("linux") or _handler() or signal.getsignal(_SIGNAL):
            return
        timer = ctypes.c_void_p()
        # struct sigevent: SIGEV_THREAD_ID, and the thread.
        event = (ctypes.c_int * 16)(0, 0, _SIGNAL, 4, threading.get_native_id())
        if _system().timer_create(1, event, ctypes.byref(timer)):
            return
        signal.signal(_SIGNAL, self._looks)
        signal.siginterrupt(_SIGNAL, False)  # noqa: FBT003 - waits go on by themselves
        self._handler, self._timer = _handler(), timer
        os.register_at_fork(after_in_child=self._leave)
        self._set()

    @property
    def _is_ours(self) -> bool:
        """The signal, still: neither Python nor a library in C handles it otherwise."""
        return signal.getsignal(_SIGNAL) == self._looks and _handler() == self._handler

    def _set(self) -> None:
        """Once, some time from now. Not where the signal has become the program's own."""
        if self._timer is not None and self._is_ours:
            when = (ctypes.c_long * 4)(0, 0, 0, int(self._pause() * 1e9))
            _system().timer_settime(self._timer, 0, when, None)

    def _leave(self) -> None:
        """A child that was forked has neither the timer nor the thread, which may have held
        the lock of what it waited for.
        """
        self._over = threading.Event()
        self._over.set()
        if self._timer is not None and self._is_ours:
            signal.signal(_SIGNAL, signal.SIG_DFL)
        self._timer = None

    def _tick(self) -> None:
        # The program may have taken anything from Python itself, and be at its end.
        with suppress(Exception):
            while not self._over.wait(self._pause()):
                ctypes.pythonapi.Py_AddPendingCall(self._call, None)

    def _in_main(self, _: Any) -> int:
        self._looks(0, sys._getframe().f_back)
        return 0

    def _pause(self) -> float:
        return _LOOK * (0.5 + self._random.random()) if self._seen.on else _SLICE

    def _looks(self, _: int, frame: "FrameType | None") -> None:
        """In the main thread, between two instructions, whichever they are."""
        if self._over.is_set() or frame is None:
            return
        try:
            self._look(frame)
        except Exception as error:
            last = [each for each, _ in traceback.walk_tb(error.__traceback__)][-1]
            if is_own(last.f_code.co_filename):  # by another handler, such as of a time limit
                raise
        self._set_at = time.perf_counter()
        self._set()

    def _look(self, frame: FrameType) -> None:
        seen, since = self._seen, time.perf_counter() - self._set_at
        if seen.on and self._counts():
            # Between two instructions of ours a lock may be held that it would wait for.
            ours = str(frame.f_globals.get("__name__")).startswith(OURS)
            with nullcontext() if ours else self._aside:
                seen.idling.was_at(place().spot, since)
        if self._sampled and _is_between_operations(frame):
            patience = _PATIENCE if seen.steps.kind else _SLICE
            if seen.now() - seen.point_at > patience:
                seen.sliced()


def _is_between_operations(frame: "FrameType | None") -> bool:
    """Python has come here from the person's code by way of modules alone, which call one
    another from Python: nothing of PyTorch's own is in the midst of anything.
    """
    while frame is not None:
        if is_own(frame.f_code.co_filename):
            return True
        if not str(frame.f_globals.get("__name__")).startswith(_MODULES):
            return False
        frame = frame.f_back
    return False
