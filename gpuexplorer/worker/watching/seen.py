"""Seen: all that is seen of one cell or program, and what of it is news; which steps are
watched, so that watching costs little; and Ticking, which looks where the host is.
"""

import ctypes
import random
import signal
import sys
import threading
import time
import weakref
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import replace
from types import FrameType
from typing import Any, TypeVar

from gpuexplorer.lab.events import Idle, Loader, Memory, Trip, Watched
from gpuexplorer.worker.places import OURS, Copies, Spot, is_own, place
from gpuexplorer.worker.streams import begin_unseen
from gpuexplorer.worker.watching.idling import Idling

_Row = TypeVar("_Row", Idle, Loader, Trip)
OPTIMIZER, BATCH, SLICE = "optimizer", "batch", ""
WHOLE = 200  # the first steps, which all are watched
EVERY = 20  # of later steps at most one in so many, whatever is believed of what that costs
# Of the time so far, which watching may have taken at any later step; as estimated, which is
# too little for steps that are watched alone.
SHARE = 0.015


class Seen:
    """Of one cell or program. `now` is the engine's clock: seconds since it began, on simulated
    cards the modelled ones. An optimizer's step counts as one; where none steps, a loader's
    batch; else a slice of time. An engine that can look away for a while hands in `switch`,
    which is asked at the ends of steps, in the main thread, and says whether it watches from
    now on; `cost` is what watching took so far.
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
        self.trips = Trips(copies.lock)
        self.on = True
        self.point_at = 0.0  # when it last came where it may look away
        self._loaders: dict[tuple[Spot, int, bool], Loader] = {}
        self._said: dict[object, object] = {}  # rows, as they were said last
        self._sampled, self._switch, self._cost = sampled, switch, cost
        self._all, self._whole = Counter[str](), Counter[str]()  # by kind; seen as a whole
        self._stepped: set[int] = set()  # optimizers, in the step that runs now
        self._turned = False  # it looked away or back since the last step ended
        self._step_at = 0.0  # when the last step ended
        self._on_since = self._away_until = self._seen_seconds = 0.0
        self._started = 0.0  # when the first batch came, or the first step ended

    @property
    def kind(self) -> str:
        """What counts as a step."""
        return next((each for each in (OPTIMIZER, BATCH) if self._all[each]), SLICE)

    def stepped(self, optimizer: int) -> None:
        """An optimizer, known by that number. Where several take turns, one of them counts."""
        ends = not self._stepped or optimizer in self._stepped
        self._stepped = {optimizer} if ends else {optimizer, *self._stepped}
        if ends:
            self.ends(OPTIMIZER)

    def took_batch(self, begin: float, end: float, workers: int, *, pins: bool) -> None:
        """A loader's next batch was taken, for which the host waited meanwhile."""
        if self.on:
            spot = place().spot
            where = spot.frame.file, spot.frame.cell, spot.frame.line, spot.what
            with self.copies.lock:
                new = Loader(len(self._loaders) + 1, 0, 0.0, workers, pins, *where)
                row = self._loaders.get((spot, workers, pins), new)
                seconds = row.seconds + end - begin
                row = replace(row, batches=row.batches + 1, seconds=seconds)
                self._loaders[spot, workers, pins] = row
            self.idling.loaded(begin, end, spot)
            self.copies.trace("loader", "cpu", begin, end, row.row)
        self.ends(BATCH)

    def changed(
        self,
        command: int,
        *,
        modelled: bool = False,
        busy: "Sequence[tuple[str, float]]" = (),
        memory: "Sequence[Memory]" = (),
    ) -> Watched:
        """What is not as it was last said, and the sums; from any thread."""
        now = self.now()
        with self.copies.lock:
            loaders, trips = [*self._loaders.values()], [*self.trips.rows.values()]
        return Watched(
            command,
            now,
            self._seen_seconds + (now - self._on_since if self.on else 0.0),
            self._all[self.kind],
            self._whole[self.kind],
            self.kind,
            None if self._cost is None else self._cost(),
            modelled,
            self.copies.changed(command),
            self._news(self.idling.rows()),
            self._news(loaders),
            self._news(trips),
            tuple(busy),
            memory=tuple(memory),
            pauses=tuple(self.idling.paused.items()),
            started=self._started,
        )

    def _news(self, rows: "Sequence[_Row]") -> "tuple[_Row, ...]":
        """Those that are not as they were last said."""
        new = []
        for each in rows:
            key = type(each), each.row, getattr(each, "out", 0)
            if self._said.get(key) != each:
                self._said[key] = each
                new.append(each)
        return tuple(new)

    def ends(self, kind: str) -> None:
        """A step of that kind, or a slice of time where none comes. Where others are the steps,
        such as where a model is tried and does not learn, it may look away or back within one.
        """
        whole, was, now = self.on and not self._turned, self.on, self.now()
        if kind and not self._started:
            self._started = now
            self.idling.start_ends(now)
        self._all[kind] += 1
        self._whole[kind] += whole
        self.point_at, is_step = now, kind == self.kind
        if self._sampled and self._switch is not None and self._cost is not None:
            wanted = self._wants(now, self._cost(), whole=whole and is_step)
            self.on = was if wanted == was else self._switch(wanted)  # or at a better moment
        if was and not self.on:
            self._seen_seconds += now - self._on_since
            self._away_until = now + EVERY * now / self._all[self.kind]
        elif self.on and not was:
            self._on_since = now
        self._turned = not is_step and (self._turned or self.on != was)
        if kind and is_step:
            if whole and self._step_at:  # before the first is none
                self.copies.trace("step", "cpu", self._step_at, now)
            self._step_at = now

    def _wants(self, now: float, cost: float, *, whole: bool) -> bool:
        """To be on: until a whole step was seen, or where there is time for it again."""
        steps, seen = self._all[self.kind], self._whole[self.kind]
        if steps < WHOLE:
            return True
        if self.on:
            return not whole and now - self._on_since <= _PATIENCE + 2 * now / steps
        return now >= self._away_until and cost + cost / max(1, seen) <= SHARE * now


# Any throughout: things are PyTorch's; all that is asked of them is who they are.
class Trips:
    """Things are what tensors lie in: `tensor.untyped_storage()`, which its views share, and
    which stays the same object while one of them is there. The engine says `left` for what a
    copy from a card made elsewhere, `derived` for what an operation on the host, or a copy
    there, made of what it was given, and `came` when something is copied to a card.
    """

    def __init__(self, lock: "threading.RLock") -> None:
        self._lock = lock
        # The card, the row of the copy by which it left, whether it was changed since. Where
        # nothing is followed, `derived` need not be said.
        self.followed: dict[int, tuple[str, int, bool, weakref.ref[Any]]] = {}
        self.rows: dict[tuple[int, int], Trip] = {}

    def left(self, made: Any, device: str, row: int, *, changed: bool = False) -> None:
        """`row`: of the copy, by `Copies.numbered`."""
        number = id(made)
        gone = weakref.ref(made, lambda _: self.followed.pop(number, None))
        self.followed[number] = device, row, changed, gone

    def derived(self, made: "Iterable[Any]", given: "Iterable[Any]", *, changed: bool) -> None:
        """`changed`: a copy of it is not."""
        for each in given:
            if id(each) in self.followed:
                device, row, was_changed, _ = self.followed[id(each)]
                for one in made:
                    self.left(one, device, row, changed=was_changed or changed)
                return

    def came(self, thing: Any, device: str, size: int, row: int) -> None:
        """It is copied to a card; `row`: of this copy."""
        left_from, out, changed, _ = self.followed.get(id(thing), ("", 0, False, None))
        if left_from == device:
            with self._lock:
                trip = self.rows.get((out, row)) or Trip(row, out, device, 0, 0, changed)
                times, size = trip.times + 1, trip.bytes + size
                changed = changed or trip.changed
                self.rows[out, row] = Trip(row, out, device, times, size, changed)


_LOOK = 0.003  # seconds between two looks, about, so that no loop keeps in step
_SLICE = 0.05
_MODULES = ("torch.nn.modules.", "torch.nn.functional", "torch.optim.")
_PATIENCE = 1.0  # without the end of a step, after which slices count
_SIGNAL = getattr(signal, "SIGURG", 0)


class Ticking:
    """`with` it, in the main thread of a program that is watched. On Linux a timer signals to
    that thread, which Python handles between two instructions there. A thread that looks has to
    be given Python's lock first, which the main one keeps while it computes and lets go of at
    each operation of PyTorch: the host would hardly ever be found where it computes. SIGURG
    nobody asks Python for, and who does not expect it ignores it. Where it is the program's
    own, a thread looks; where it becomes so, nobody does.
    """

    def __init__(
        self,
        seen: Seen,
        *,
        sampled: bool,
        counts: "Callable[[], bool]" = lambda: True,
        aside: "AbstractContextManager[None] | None" = None,
    ) -> None:
        """`counts`: whether what the host does now is the program's own; in `aside` none is."""
        self._seen, self._sampled, self._counts = seen, sampled, counts
        self._aside = nullcontext() if aside is None else aside
        self._over = threading.Event()
        # Kept, since what is called at any time must be there at any time.
        self._call = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p)(
            lambda _: self._looks(0, sys._getframe(1))
        )
        self._random = random.Random()  # the program's own numbers stay what they are
        self._set_at = time.perf_counter()
        self._timer: ctypes.c_void_p | None = None

    def __enter__(self) -> "Ticking":
        if sys.platform.startswith("linux") and signal.getsignal(_SIGNAL) == signal.SIG_DFL:
            with suppress(OSError, ValueError, AttributeError):  # no library; another thread
                self._system, timer = ctypes.PyDLL("librt.so.1"), ctypes.c_void_p()
                # struct sigevent: SIGEV_THREAD_ID, and the thread.
                event = (ctypes.c_int * 16)(0, 0, _SIGNAL, 4, threading.get_native_id())
                if not self._system.timer_create(1, event, ctypes.byref(timer)):
                    signal.signal(_SIGNAL, self._looks)
                    signal.siginterrupt(_SIGNAL, False)  # noqa: FBT003 - waits go on by themselves
                    self._timer = timer
        if self._timer is None:
            begin_unseen(self._tick)
        self._set()
        return self

    def __exit__(self, *error: object) -> None:
        """The timer goes before its handler: what nobody handles would be told as an error."""
        self._over.set()
        timer, self._timer = self._timer, None
        if timer is not None:
            self._system.timer_delete(timer)
            if signal.getsignal(_SIGNAL) == self._looks:
                signal.signal(_SIGNAL, signal.SIG_DFL)

    def _set(self) -> None:
        """Once, some time from now."""
        self._set_at = time.perf_counter()
        if self._timer is not None:
            when = (ctypes.c_long * 4)(0, 0, 0, int(self._pause() * 1e9))
            self._system.timer_settime(self._timer, 0, when, None)

    def _tick(self) -> None:
        # The program may have taken anything from Python itself, and be at its end.
        with suppress(Exception):
            while not self._over.wait(self._pause()):
                ctypes.pythonapi.Py_AddPendingCall(self._call, None)

    def _pause(self) -> float:
        return _LOOK * (0.5 + self._random.random()) if self._seen.on else _SLICE

    def _looks(self, _: int, frame: "FrameType | None") -> int:
        """In the main thread, between two instructions, whichever they are."""
        if not self._over.is_set() and frame is not None:
            with suppress(Exception):  # whatever it is, it is not the program's doing
                self._look(frame)
            self._set()
        return 0

    def _look(self, frame: FrameType) -> None:
        seen, since = self._seen, time.perf_counter() - self._set_at
        if seen.on and self._counts():
            # Between two instructions of ours a lock may be held that it would wait for.
            ours = str(frame.f_globals.get("__name__")).startswith(OURS)
            with nullcontext() if ours else self._aside:
                seen.idling.was_at(place().spot, since)
        patience = _PATIENCE if seen.kind else _SLICE
        if self._sampled and seen.now() - seen.point_at > patience:
            # Where Python has come from the person's code by way of modules alone, which call
            # one another from Python, nothing of PyTorch's own is in the midst of anything.
            at: FrameType | None = frame
            while at is not None and str(at.f_globals.get("__name__")).startswith(_MODULES):
                at = at.f_back
            if at is not None and is_own(at.f_code.co_filename):
                seen.ends(SLICE)
