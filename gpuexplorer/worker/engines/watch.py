"""Watch: sees which cards a cell or a program works on and what it copies between devices.
Copies and reads of real cards are asked for as they were, and timed on the way; of some steps
torch.profiler gives the cards' own times, where it is there.
"""

import contextlib
import functools
import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import torch
from torch._C._autograd import DeviceType
from torch.autograd import profiler

from gpuexplorer.lab.events import Transferred
from gpuexplorer.worker.engines.operations import NAMES, READING, SeenPair, fetched, shown_bytes
from gpuexplorer.worker.engines.seen_cards import PendingCopy, SeenCards, moment_now
from gpuexplorer.worker.engines.sight import (
    MainSight,
    Sight,
    cost_of_one,
    put_hooks,
    telling_methods,
)
from gpuexplorer.worker.places import Copies
from gpuexplorer.worker.watching.seen import Seen, Ticking


# Any throughout: operations and operands are whatever PyTorch hands on.
class Watch:
    """One for a process with cards. In force while a cell runs, in each thread that computes
    then: PyTorch hands it on to those that compute gradients.
    """

    def __init__(self) -> None:
        self.copies = Copies()
        self._on = False
        self._cost: float | None = None  # seconds for which an operation takes longer
        self._peers: dict[tuple[Any, Any], bool] = {}  # by cards between which a way is open
        self._main = MainSight(self._saw)
        self.begin()

    @property
    def seen(self) -> Seen:
        return self.cards.seen

    def install(self) -> None:
        """So that what no operation shows is seen too; once, before anybody imports it."""
        shown, for_card, start = (
            torch._tensor_str._str,
            torch.cuda.synchronize,
            threading.Thread.start,
        )

        def _str(tensor: Any, **words: Any) -> str:
            """PyTorch lets nobody see how it reads what it prints."""
            begin = time.perf_counter()
            text: str = shown(tensor, **words)
            if self._sees and tensor.device.type not in ("cpu", "meta"):
                self._note(str(tensor.device), "cpu", shown_bytes(tensor), begin, "print")
            return text

        def synchronize(device: Any = None) -> None:
            begin = time.perf_counter()
            for_card(device)
            if self._sees:
                self.cards.waited(None if device is None else torch.device(device).index, begin)

        def started(thread: threading.Thread) -> None:
            """A thread that a watched cell starts is watched until it ends."""
            run = thread.run

            def watched() -> None:
                del thread.run  # or thread and function would keep each other
                with Sight(self._saw):
                    run()

            if self._sees:
                thread.run = watched  # type: ignore[method-assign]
            start(thread)

        _put(torch._tensor_str, {"_str": _str})
        _put(torch.cuda, {"synchronize": synchronize})
        _put(threading.Thread, {"start": started})
        for owner in (torch.cuda.Stream, torch.cuda.Event):
            if hasattr(owner, "synchronize"):
                _put(owner, {"synchronize": self._waiting(owner.synchronize)})
        graph: Any = getattr(torch.cuda, "CUDAGraph", None)
        if hasattr(graph, "replay"):
            _put(graph, self._graphs(graph))
        for owner, methods in telling_methods(self.copies, lambda: self._sees):
            _put(owner, methods)
        self.install_hooks()
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._leave)

    def install_hooks(self) -> None:
        """Of what there is without any card."""
        put_hooks(_put, lambda: self.seen if self._on else None)

    def begin(self, *, program: bool = False, sampled: bool = False) -> None:
        """A new cell or program."""
        self.copies.begin(program=program)
        self.profiling = Profiling()
        self.cards = SeenCards(
            self.copies,
            lambda now: Seen(
                self.copies, now, sampled=sampled, switch=self._turn, cost=lambda: self.seconds
            ),
        )

    @contextlib.contextmanager
    def counting(self) -> "Iterator[None]":
        """Steps and loaders of a program alone, where there is no card to be seen."""
        self.begin(program=True)
        self._on = True
        try:
            yield
        finally:
            self._on = False

    @contextlib.contextmanager
    def watching(self, *, program: bool = False, sampled: bool = False) -> "Iterator[None]":
        self._on = True
        if self._cost is None:
            self.begin()
            self._cost = cost_of_one(self._saw, lambda: self.cards.operations)
        self._main.open()
        self.begin(program=program, sampled=sampled)
        if program:
            self.seen.step_ended = self._step_ended
        ticking = Ticking(self.seen, sampled=sampled)
        try:
            with ticking if program else contextlib.nullcontext():
                yield
        finally:
            self._on = False
            self._main.close()

    @property
    def seconds(self) -> float:
        """For about so long the host was kept by watching, since `begin`."""
        cards = self.cards
        return cards.operations * (self._cost or 0.0) + cards.beside + self.profiling.seconds

    def transfers(self, command: int) -> Sequence[Transferred]:
        self.cards.read_moments(all_of_them=True)
        return self.copies.told(command)

    @property
    def _sees(self) -> bool:
        return self._on and self.seen.on and not self.cards.capturing

    def _leave(self) -> None:
        """A process that was forked meanwhile is not watched."""
        self._on = False
        self._main.close()

    def _step_ended(self, count: int) -> None:
        if self.cards.capturing or not self.profiling.wants(count):
            return
        self._on = False  # what is done here is not the program's doing
        try:
            self.profiling.step(count)
        finally:
            self._on = True
            self.cards.look_away()

    def _turn(self, on: bool) -> bool:
        now = self._main.turn(on)
        if not now:
            self.cards.look_away()
        return now

    def _saw(self, func: Any, args: Any, kwargs: Any) -> Any:
        if not self._sees:  # by a thread that began earlier
            return func(*args, **kwargs)
        cards = self.cards
        cards.operations += 1
        if func in COPYING:
            return self._copy(func, args, kwargs)
        if func in READS and args and getattr(args[0], "is_cuda", False):
            return self._read(func, args, kwargs)
        return cards.computed(func, args, kwargs)

    def _waiting(self, original: "Callable[..., None]") -> "Callable[..., None]":
        """It waits for a stream, or for one moment of it."""

        def synchronize(whom: Any) -> None:
            begin = time.perf_counter()
            original(whom)
            device = getattr(whom, "device", None)
            if self._sees and device is not None:
                self.cards.waited(device.index, begin, for_all=False)

        return synchronize

    def _graphs(self, graph: Any) -> "Mapping[str, Any]":
        """While one is captured nothing is carried out, and nothing is watched. When it is
        played, its work is carried out without an operation that shows it.
        """
        begin, end, play = graph.capture_begin, graph.capture_end, graph.replay

        @functools.wraps(begin)
        def capture_begin(graph: Any, *args: Any, **words: Any) -> Any:
            cards = self.cards
            cards.captures(1)
            try:
                return begin(graph, *args, **words)
            except BaseException:
                cards.captures(-1)
                raise

        @functools.wraps(end)
        def capture_end(graph: Any) -> Any:
            try:
                return end(graph)
            finally:
                self.cards.captures(-1)

        @functools.wraps(play)
        def replay(graph: Any) -> Any:
            return self.cards.launched(lambda: play(graph)) if self._sees else play(graph)

        return {"capture_begin": capture_begin, "capture_end": capture_end, "replay": replay}

    def _copy(self, func: Any, args: Any, kwargs: Any) -> Any:
        cards, into = self.cards, func is _aten.copy_.default
        source = args[1] if into else args[0]
        if not isinstance(source, torch.Tensor):  # within vmap a number stands for itself
            return cards.computed(func, args, kwargs)
        here, there = source.device, args[0].device if into else kwargs.get("device")
        there = there or here
        if here == there or "meta" in (here.type, there.type):
            return cards.computed(func, args, kwargs)
        began = time.perf_counter()
        if there.type == "cuda" and there.index is None:
            there = torch.device("cuda", torch.cuda.current_device())
        not_waiting = bool((*args[2:], kwargs.get("non_blocking"))[0])
        pinned = not_waiting and there.type == "cpu"
        if not into and (pinned or there.type == "cuda"):
            # PyTorch keeps memory that is let go of: the copy that takes it allocates nothing.
            # Where there is no room, the copy itself will say so.
            size = source.numel() * (kwargs.get("dtype") or source.dtype).itemsize
            with contextlib.suppress(RuntimeError):
                place = torch.device("cpu") if pinned else there
                torch.empty(size, dtype=torch.uint8, device=place, pin_memory=pinned)
        between_cards = here.type == there.type == "cuda"
        if between_cards and (here, there) not in self._peers:
            # The first copy opens a way between them, which takes long.
            torch.empty(1, device=here).to(there)
            access = torch.cuda.can_device_access_peer(here.index, there.index)
            self._peers[here, there] = bool(access)
        # PyTorch copies between cards on the source's queue.
        card, begin = cards.begins_copy(here if here.type == "cuda" else there, here, there)
        asked_at = time.perf_counter()
        made = func(*args, **kwargs)
        done = time.perf_counter()
        end = None if card is None else moment_now(card.index)
        noted, size = self.copies.note(), made.numel() * made.element_size()
        check = SeenPair(source, made) if self.copies.wants_check(size, noted) else None
        on_host = source if here.type == "cpu" else made
        with_host = on_host.device.type == "cpu"
        pinned = bool(on_host.is_pinned()) if with_host else None
        copy = Transferred(
            0,
            str(here),
            str(made.device),
            size,
            None,
            pinned=pinned,
            blocking=with_host and not (pinned and not_waiting),
            direct=self._peers[here, there] if between_cards else None,
            host_seconds=done - asked_at,
            asked_at=asked_at - cards.began,
        )
        cards.copied(
            PendingCopy(copy, noted, (0, 0), check, card, begin, end), source, made, done
        )
        cards.beside += time.perf_counter() - began - (done - asked_at)
        return made

    def _read(self, func: Any, args: Any, kwargs: Any) -> Any:
        """Something comes back to the host, or positions go to the card."""
        begin = time.perf_counter()
        made = self.cards.computed(func, args, kwargs)
        name, device = READS[func], str(args[0].device)
        if size := fetched(name, args):
            self._note(device, "cpu", size, begin, "item" if name == READING else name)
        elif name == _FRESH:
            self._note("cpu", device, args[0].nbytes, None, "tensor")
        elif isinstance(args[1] if len(args) > 1 else None, (list, tuple)):
            for each in args[1]:
                if isinstance(each, torch.Tensor) and each.device.type == "cpu" and each.dim():
                    self._note("cpu", device, each.nbytes, begin, name)
        return made

    def _note(
        self, source: str, target: str, size: int, began: "float | None", does: str
    ) -> None:
        """What cannot be timed by the card, as it is part of something else."""
        cards, now = self.cards, time.perf_counter()
        copy = Transferred(
            0,
            source,
            target,
            size,
            None,
            how=does,
            pinned=False,
            blocking=True,
            host_seconds=None if began is None else now - began,
            asked_at=(now if began is None else began) - cards.began,
        )
        pending = PendingCopy(copy, self.copies.note(), (0, 0), None, None, None, None)
        cards.copied(pending, None, None, now if began is not None else None)
        cards.beside += time.perf_counter() - now


def _put(owner: Any, answers: "Mapping[str, Any]") -> None:
    for name, what in answers.items():
        setattr(owner, name, what)


_aten = torch.ops.aten
COPYING = frozenset({_aten._to_copy.default, _aten.copy_.default})
_FRESH = "lift_fresh"  # what was made of numbers, once it lies on its card
READS = {
    getattr(packet, overload): name
    for name in sorted((*NAMES, _FRESH))
    if (packet := getattr(_aten, name, None)) is not None
    for overload in packet.overloads()
}


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
_Stretch = tuple[float, float]


# Any throughout: profilers and what they recorded are PyTorch's.
class Profiling:
    """Of one program, asked at the ends of its steps, in the main thread. Steps aside for good
    where anybody else records, or begins to.
    """

    def __init__(self, make: "Callable[[], Any] | None" = None) -> None:
        self.times: Sequence[tuple[str, float, float, float]] = ()
        self.seconds = 0.0  # that beginning and ending took
        activities = [torch.profiler.ProfilerActivity.CUDA]
        self._make = make or (lambda: torch.profiler.profile(activities=activities))
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
        for name in _BEGINS:
            setattr(profiler, name, self._kept[name])
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


def times_by_card(
    events: "Iterable[Any]", seconds: float
) -> "Sequence[tuple[str, float, float, float]]":
    """Card, the seconds that were recorded, and how many of them it computed and copied;
    several at a time count once.
    """
    computing: dict[int, list[_Stretch]] = {}
    copying: dict[int, list[_Stretch]] = {}
    for each in events:
        # What somebody gave a name spans work on the card, pauses included.
        named = getattr(each, "is_user_annotation", bool)()
        if each.device_type() != DeviceType.CUDA or named:
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


def _covered(stretches: "list[_Stretch]") -> float:
    total = until = 0.0
    for begin, end in sorted(stretches):
        total += max(0.0, end - max(begin, until))
        until = max(until, end)
    return total
