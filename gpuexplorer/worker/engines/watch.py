"""Watch: sees which cards a cell or a program works on and what it copies between devices.
Copies and reads of real cards are asked for as they were, and timed on the way.
"""

import contextlib
import os
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import torch

from gpuexplorer.lab.events import Transferred
from gpuexplorer.worker.engines.operations import (
    NAMES,
    READING,
    compared_later,
    fetched,
    shown_bytes,
)
from gpuexplorer.worker.engines.seen_cards import SeenCards, moment_now
from gpuexplorer.worker.engines.sight import (
    MainSight,
    Sight,
    cost_of_one,
    put_hooks,
    telling_methods,
)
from gpuexplorer.worker.places import Copies
from gpuexplorer.worker.watching.seen import Seen, Ticking

_aten = torch.ops.aten
_COPYING = frozenset({_aten._to_copy.default, _aten.copy_.default})
_FRESH = "lift_fresh"  # what was made of numbers, once it lies on its card
_READS = {
    getattr(packet, overload): name
    for name in sorted((*NAMES, _FRESH))
    if (packet := getattr(_aten, name, None)) is not None
    for overload in packet.overloads()
}


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

    @property
    def seconds(self) -> float:
        """For about so long the host was kept by watching, since `begin`."""
        return self.cards.operations * (self._cost or 0.0) + self.cards.beside

    def install(self) -> None:
        """So that what no operation shows is seen too; once, before anybody imports it."""
        shown, for_card = torch._tensor_str._str, torch.cuda.synchronize
        start = threading.Thread.start

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
        _put(threading.Thread, {"start": started})
        _put(torch.cuda, {"synchronize": synchronize})
        self._put_graphs(torch.cuda.CUDAGraph)
        for owner, methods in telling_methods(self.copies, lambda: self._sees):
            _put(owner, methods)
        put_hooks(_put, lambda: self.seen if self._on else None)
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._leave)

    def begin(self, *, program: bool = False, sampled: bool = False) -> None:
        """A new cell or program."""
        self.copies.begin(program=program)
        self.cards = SeenCards(
            self.copies,
            lambda now: Seen(
                self.copies, now, sampled=sampled, switch=self._turn, cost=lambda: self.seconds
            ),
        )

    @contextlib.contextmanager
    def watching(self, *, program: bool = False, sampled: bool = False) -> "Iterator[None]":
        self._on = True
        if self._cost is None:
            self.begin()
            self._cost = cost_of_one(self._saw, lambda: self.cards.operations)
        self._main.open()
        self.begin(program=program, sampled=sampled)
        ticking = Ticking(self.seen, sampled=sampled)
        try:
            with ticking if program else contextlib.nullcontext():
                yield
        finally:
            self._leave()

    def transfers(self, command: int) -> Sequence[Transferred]:
        self.cards.read_moments(all_of_them=True)
        return self.copies.told(command)

    @property
    def _sees(self) -> bool:
        return self._on and self.seen.on and not self.cards.capturing

    def _leave(self) -> None:
        """Also in a process that was forked meanwhile, which is not watched."""
        self._on = False
        self._main.close()

    def _put_graphs(self, graph: Any) -> None:
        """While one is captured nothing is carried out, and nothing is watched. When it is
        played, its work is carried out without an operation that shows it.
        """
        begin, end, play = graph.capture_begin, graph.capture_end, graph.replay

        def capture_begin(graph: Any, *args: Any, **words: Any) -> None:
            self.cards.captures(begins=True)
            begin(graph, *args, **words)

        def capture_end(graph: Any) -> None:
            try:
                end(graph)
            finally:
                self.cards.captures(begins=False)

        def replay(graph: Any) -> None:
            if self._sees:
                self.cards.launched(lambda: play(graph))
            else:
                play(graph)

        _put(
            graph,
            {"capture_begin": capture_begin, "capture_end": capture_end, "replay": replay},
        )

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
        if func in _COPYING:
            return self._copy(func, args, kwargs)
        if func in _READS and args and getattr(args[0], "is_cuda", False):
            return self._read(func, args, kwargs)
        return cards.computed(func, args, kwargs)

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
                torch.empty(size, dtype=torch.uint8, device=there, pin_memory=pinned)
        direct = None
        if here.type == there.type == "cuda":
            if (here, there) not in self._peers:
                # The first copy opens a way between them, which takes long.
                torch.empty(1, device=here).to(there)
                access = torch.cuda.can_device_access_peer(here.index, there.index)
                self._peers[here, there] = bool(access)
            direct = self._peers[here, there]
        card, begin = cards.begins_copy(here, there)
        asked_at = time.perf_counter()
        made = func(*args, **kwargs)
        done = time.perf_counter()
        end = None if card is None else moment_now(card.index)
        noted, size = self.copies.note(), made.numel() * made.element_size()
        check = compared_later(source, made) if self.copies.wants_check(size, noted) else None
        on_host = source if here.type == "cpu" else made
        with_host = on_host.device.type == "cpu"
        is_pinned = bool(on_host.is_pinned()) if with_host else None
        copy = Transferred(
            0,
            str(here),
            str(made.device),
            size,
            None,
            pinned=is_pinned,
            blocking=with_host and not (is_pinned and not_waiting),
            direct=direct,
            host_seconds=done - asked_at,
            asked_at=asked_at - cards.began,
        )
        cards.copied(copy, noted, done, (source, made), check, (card, begin, end))
        cards.beside += time.perf_counter() - began - (done - asked_at)
        return made

    def _read(self, func: Any, args: Any, kwargs: Any) -> Any:
        """Something comes back to the host, or positions go to the card."""
        begin = time.perf_counter()
        made = self.cards.computed(func, args, kwargs)
        name, device = _READS[func], str(args[0].device)
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
        cards.copied(copy, self.copies.note(), None if began is None else now)
        cards.beside += time.perf_counter() - now


def _put(owner: Any, answers: "Mapping[str, Any]") -> None:
    for name, what in answers.items():
        setattr(owner, name, what)
