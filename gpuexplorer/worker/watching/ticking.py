"""Ticking: a thread that looks now and then where the host is, and lets the main thread come to
the end of a slice of time where a program has no steps.
"""

import ctypes
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from types import FrameType
from typing import Any

from gpuexplorer.worker.places import is_own, place_of_main
from gpuexplorer.worker.streams import begin_unseen
from gpuexplorer.worker.watching.seen import Seen

_LOOK = 0.005  # seconds between two looks
_SLICE = 0.05
_ENDING = 0.5
_MODULES = ("torch.nn.modules.", "torch.nn.functional", "torch.optim.")
_PATIENCE = 1.0  # without the end of a step, after which slices count


class Ticking:
    """`with` it, in the main thread."""

    def __init__(
        self, seen: Seen, *, sampled: bool, counts: "Callable[[], bool]" = lambda: True
    ) -> None:
        """`counts`: whether what the host does just now is the program's own doing."""
        self._seen, self._sampled, self._counts = seen, sampled, counts
        self._over, self._ended = threading.Event(), threading.Event()
        # Kept, since what is called at any time must be there at any time.
        self._call = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p)(self._in_main)
        self._asked = False

    def __enter__(self) -> "Ticking":
        begin_unseen(self._tick)
        return self

    def __exit__(self, *error: object) -> None:
        self._over.set()
        self._ended.wait(_ENDING)

    def _tick(self) -> None:
        # The program may have taken anything from Python itself, and be at its end.
        with suppress(Exception):
            self._look()
        self._ended.set()

    def _look(self) -> None:
        seen = self._seen
        while not self._over.wait(_LOOK if seen.on else _SLICE):
            if seen.on and self._counts():
                seen.idling.was_at(place_of_main().spot)
            now = seen.now()
            late = now - seen.point_at
            patience = _PATIENCE if seen.steps.kind else _SLICE
            if self._sampled and late > patience and not self._asked:
                self._asked = True
                ctypes.pythonapi.Py_AddPendingCall(self._call, None)

    def _in_main(self, _: Any) -> int:
        """Between two instructions of the main thread, whichever they are."""
        self._asked = False
        if not self._over.is_set() and _is_between_operations(sys._getframe().f_back):
            self._seen.sliced()
        return 0


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
