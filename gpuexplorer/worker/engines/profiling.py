"""Profiling: torch.profiler gives the cards' own times of some steps, where it is there."""

import os
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import torch
from torch._C._autograd import DeviceType
from torch.autograd import profiler

FIRST, STEPS = 5, 10  # by the fifth step what is made once has been made
_LONGEST = 3.0  # seconds that are recorded
# Set by tools that record what cards do, of which there can be one at a time.
_TOOLS = (
    "CUDA_INJECTION64_PATH",
    "NVTX_INJECTION64_PATH",
    "NSYS_PROFILING_SESSION_ID",
    "KINETO_USE_DAEMON",
)
_BEGINS = ("_prepare_profiler", "_enable_profiler")  # what each profiler of PyTorch's calls
_FAILS = (RuntimeError, AttributeError, TypeError, OSError)
_CUDA = DeviceType.CUDA
_Stretch = tuple[float, float]


# Any throughout: profilers and what they recorded are PyTorch's.
class Profiling:
    """Of one program, asked at the ends of its steps, in the main thread. Steps aside for good
    where anybody else records, or begins to.
    """

    def __init__(self, make: "Callable[[], Any] | None" = None) -> None:
        self.times: Sequence[tuple[str, float, float, float]] = ()
        self.seconds = 0.0  # that beginning and ending took
        self._make = make or _profile
        self._running: Any = None
        self._over = any(os.environ.get(each) for each in _TOOLS)
        self._began = 0.0
        self._last = 0
        self._kept: dict[str, Any] = {}

    def wants(self, count: int) -> bool:
        """Whether it begins or ends, so many steps being over."""
        if self._over:
            return False
        if self._running is None:
            return count >= FIRST and torch.cuda.is_initialized()
        return count >= self._last or time.perf_counter() - self._began > _LONGEST

    def step(self, count: int) -> None:
        """It does. That takes long, and waits for the cards."""
        if self._running is None:
            self._begin(count)
        else:
            self.end()

    def end(self) -> None:
        """What was recorded is read; nothing more is."""
        running, self._running, self._over = self._running, None, True
        if running is None:
            return
        self._put_back()
        at = time.perf_counter()
        try:
            # Until the cards have done what was asked, for it is recorded when it is done.
            running.stop()
            self.times = times_by_card(
                running.profiler.kineto_results.events(), at - self._began
            )
        except _FAILS:
            self.times = ()
        self.seconds += time.perf_counter() - at

    def _begin(self, count: int) -> None:
        at = time.perf_counter()
        if torch.autograd._profiler_enabled():
            self._over = True
            return
        try:
            running = self._make()
            running.start()
        except _FAILS:
            self._over = True
            return
        self._running, self._last = running, count + STEPS
        for name in _BEGINS:
            self._kept[name] = getattr(profiler, name, None)
            setattr(profiler, name, self._stepping_aside(name))
        self._began = time.perf_counter()
        self.seconds += self._began - at

    def _stepping_aside(self, name: str) -> "Callable[..., Any]":
        def begins(*args: Any, **kwargs: Any) -> Any:
            original = self._kept[name]
            self.end()
            return original(*args, **kwargs)

        return begins

    def _put_back(self) -> None:
        for name in _BEGINS:
            setattr(profiler, name, self._kept[name])


def times_by_card(
    events: "Iterable[Any]", seconds: float
) -> "Sequence[tuple[str, float, float, float]]":
    """Card, the seconds that were recorded, and how many of them it computed and copied;
    several at a time count once.
    """
    computing: dict[int, list[_Stretch]] = {}
    copying: dict[int, list[_Stretch]] = {}
    for each in events:
        if each.device_type() != _CUDA or _is_only_a_name(each):
            continue
        begin = each.start_ns() / 1e9
        stretch = begin, begin + each.duration_ns() / 1e9
        kind = copying if each.name().startswith("Memcpy") else computing
        kind.setdefault(each.device_index(), []).append(stretch)
    return [
        (
            f"cuda:{index}",
            seconds,
            _covered(computing.get(index, [])),
            _covered(copying.get(index, [])),
        )
        for index in sorted({*computing, *copying})
    ]


def _is_only_a_name(event: Any) -> bool:
    """It spans work on the card that somebody gave a name, pauses included."""
    return bool(getattr(event, "is_user_annotation", bool)())


def _covered(stretches: "list[_Stretch]") -> float:
    total = until = 0.0
    for begin, end in sorted(stretches):
        total += max(0.0, end - max(begin, until))
        until = max(until, end)
    return total


def _profile() -> Any:
    return torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA])
