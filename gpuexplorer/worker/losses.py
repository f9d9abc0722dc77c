"""Losses: what comes to the list named `losses` while a cell runs, said as it comes."""

import math
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence, Set
from typing import Any, TypeGuard

import torch

from gpuexplorer.lab.events import Event, Progressed

_SECONDS_BETWEEN = 0.05
_MOST_AT_ONCE = 20_000  # of a flood the newest are said; the place of the first shows the gap


class Losses:
    """`begin` and `end` around each cell, both from the thread that runs it.

    Numbers and tensors of one element count, up to the first thing that is neither. Tensors
    are fetched together, in a thread that nobody watches.
    """

    def __init__(
        self, namespace: "Mapping[str, object]", say: "Callable[[Event], None]"
    ) -> None:
        self._namespace = namespace
        self._say = say
        self._lock = threading.Lock()
        self._runs = threading.Event()
        self._stopped = threading.Event()
        self._command = 0
        self._began = 0.0
        self._said = 0  # so many of the list
        self._list: list[object] | None = None  # while the cell runs
        self._id = 0  # the list's, after the cell: held any longer, its tensors would stay
        threading.Thread(target=self._follow, name="losses", daemon=True).start()

    def begin(self, command: int) -> None:
        found = self._namespace.get("losses")
        with self._lock:
            self._command, self._began = command, time.perf_counter()
            self._list = found if type(found) is list and id(found) == self._id else None
        self._runs.set()

    def end(self) -> None:
        """Says what is left. To be called before the memory is asked for."""
        self._runs.clear()
        with self._lock:
            self._tell()
            self._id, self._list = id(self._list), None

    def stop(self) -> None:
        """Ends the thread that follows them."""
        self._stopped.set()
        self._runs.set()

    def _follow(self) -> None:
        while self._runs.wait() and not self._stopped.wait(_SECONDS_BETWEEN):
            with self._lock:
                if self._runs.is_set():
                    self._tell()

    def _tell(self) -> None:
        found = self._namespace.get("losses")
        if type(found) is not list:
            self._list = None
            return
        if found is not self._list or len(found) < self._said:
            self._list, self._said = found, 0
        count = len(found)
        first = max(self._said, count - _MOST_AT_ONCE)
        if first == count:
            return
        try:
            with torch.no_grad(), torch._C.DisableTorchFunctionSubclass():
                values = tuple(_numbers(found[first:count]))
        except RuntimeError:  # a card that failed; the cell will say so itself
            return
        if values:
            self._said = first + len(values)
            seconds = time.perf_counter() - self._began
            self._say(Progressed(self._command, first, values, seconds))


def _numbers(things: "Sequence[object]") -> "list[float]":
    """Those before the first that is no number."""
    found: list[float] = []
    on_devices: dict[torch.device, dict[int, torch.Tensor]] = {}
    kinds = _kinds_of_numbers()
    for thing in things:
        if _is_loss(thing):
            lies = _lying(thing)
            on_devices.setdefault(lies.device, {})[len(found)] = lies
            found.append(math.nan)  # until it is fetched
        elif type(thing) in kinds:
            found.append(_number(thing))
        else:
            break
    for tensors in on_devices.values():
        together = torch.stack([each.detach().reshape(()) for each in tensors.values()])
        for place, value in zip(tensors, together.tolist(), strict=True):
            found[place] = float(value)
    return found


def _lying(tensor: torch.Tensor) -> torch.Tensor:
    """A tensor of a simulated card keeps its values in another one, in the host's memory."""
    held = tensor.__dict__.get("held")
    return held if isinstance(held, torch.Tensor) else tensor


# Any: whatever a person put into the list.
def _is_loss(thing: Any) -> "TypeGuard[torch.Tensor]":
    if not issubclass(type(thing), torch.Tensor):
        return False
    return thing.numel() == 1 and not thing.is_complex()


def _number(thing: Any) -> float:
    try:
        return float(thing)
    except OverflowError:  # a whole number beyond all floats
        return math.inf


def _kinds_of_numbers() -> "Set[type]":
    numpy = sys.modules.get("numpy")
    scalars = () if numpy is None else (numpy.float64, numpy.float32, numpy.float16)
    return {float, int, bool, *scalars}
