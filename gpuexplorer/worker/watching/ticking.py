"""Ticking: looks now and then where the host is, and lets the main thread come to the end of a
slice of time where a program has no steps.
"""

import ctypes
import random
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext, suppress
from types import FrameType
from typing import Any

from gpuexplorer.worker.guards import begin_unseen
from gpuexplorer.worker.places import OURS, is_own, place
from gpuexplorer.worker.watching.seen import Seen

_LOOK = 0.003  # seconds between two looks, about, so that no loop keeps in step
_SLICE = 0.05
_MODULES = ("torch.nn.modules.", "torch.nn.functional", "torch.optim.")
_PATIENCE = 1.0  # without the end of a step, after which slices count


class _Alarm:
    """A signal to the main thread, which Python handles between two instructions there. A
    thread that looks has to be given Python's lock first: the main one keeps it for 5 ms while
    it computes, and lets go of it at each operation of PyTorch, so that the host would be found
    at the operation that follows, and hardly ever where it computes.

    What SIGURG stands for nobody asks Python for, and who does not expect it ignores it.
    """

    def __init__(self, ring: "Callable[[int, FrameType | None], None]") -> None:
        """Raises OSError or ValueError where that cannot be: it is not Linux, another thread,
        or the program's own.
        """
        if not sys.platform.startswith("linux") or signal.getsignal(signal.SIGURG):
            raise OSError("no such signal")
        self._system, self._timer = ctypes.PyDLL(None), ctypes.c_void_p()
        self._ring = ring
        signal.signal(signal.SIGURG, ring)
        signal.siginterrupt(signal.SIGURG, False)  # noqa: FBT003 - waits go on by themselves
        # struct sigevent: SIGEV_THREAD_ID, and the thread.
        event = (ctypes.c_int * 16)(0, 0, signal.SIGURG, 4, threading.get_native_id())
        if self._system.timer_create(1, event, ctypes.byref(self._timer)):
            raise OSError("no timer")

    def set(self, seconds: float) -> None:
        """Once, so long from now; not where the program has made the signal its own."""
        if signal.getsignal(signal.SIGURG) == self._ring:
            when = (ctypes.c_long * 4)(0, 0, 0, int(seconds * 1e9))
            self._system.timer_settime(self._timer, 0, when, None)

    def end(self) -> None:
        self._system.timer_delete(self._timer)
        if signal.getsignal(signal.SIGURG) == self._ring:
            signal.signal(signal.SIGURG, signal.SIG_DFL)


class Ticking:
    """`with` it, in the main thread."""

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
        self._alarm: _Alarm | None = None

    def __enter__(self) -> "Ticking":
        try:
            self._alarm = _Alarm(self._looks)
            self._alarm.set(_LOOK)
        except (OSError, ValueError, AttributeError):
            begin_unseen(self._tick)
        return self

    def __exit__(self, *error: object) -> None:
        self._over.set()
        if self._alarm is not None:
            self._alarm.end()

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
        if self._alarm is not None:
            self._alarm.set(self._pause())

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
