"""Watch: sees which real cards a cell or a program works on and what it copies between devices.
When each card began and ended what it was asked, events in its queue tell.
"""

import contextlib
import os
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import torch

from gpuexplorer.lab.events import Span, Transferred
from gpuexplorer.worker.engines.sight import (
    NAMES,
    READING,
    Sight,
    compared_later,
    cost_of_one,
    fetched,
    put_hooks,
    shown_bytes,
    telling_methods,
)
from gpuexplorer.worker.places import Copies, place
from gpuexplorer.worker.watching.seen import Seen, Ticking
from gpuexplorer.worker.watching.tracing import Tracks

# Of the host between two operations: shorter ones are its way from one to the next.
_PAUSE = 0.2e-3
_MOST_OPEN = 256  # moments that wait to be read; those that came are read when there are more
# Of these nothing is asked of the card after the host has waited for it.
_WAITING = frozenset({"item", "print", "equal", "allclose"})
# They make the same again.
_UNCHANGED = frozenset({"_to_copy", "copy_", "clone", "contiguous", "_pin_memory"})
_aten = torch.ops.aten
_COPYING = frozenset({_aten._to_copy.default, _aten.copy_.default})
_FRESH = "lift_fresh"  # what was made of numbers, once it lies on its card
_READS = {
    getattr(packet, overload): name
    for name in sorted((*NAMES, _FRESH))
    if (packet := getattr(_aten, name, None)) is not None
    for overload in packet.overloads()
}


# Any throughout: operations and operands are whatever PyTorch hands on, moments its events.
class _Card:
    """When one card was first touched, when it computed, and when it ran dry. Seconds are the
    host's, since the cell or program began.
    """

    def __init__(self, index: int, now: float) -> None:
        self.index, self.name = index, f"cuda:{index}"
        # At a cell's beginning the card is idle, so this comes as soon as it is asked for.
        self.anchor, self.anchor_at = self.moment(), now
        self.last: Any = None
        self.run: Any = None  # the moment from which it computes, where it does
        self.free = self.anchor  # the last moment that is known to lie before what comes next
        self.asked: float | None = None  # when it was asked for work last; None: not yet
        self.since = 0.0  # when it was asked first, since it is watched
        self.after: dict[int, Any] = {}  # moments after the last work, by stream
        self.idle = self.worked = 0.0

    def moment(self) -> Any:
        """That comes when it has done what it was asked for by now."""
        event = torch.cuda.Event(enable_timing=True)
        event.record(torch.cuda.current_stream(self.index))
        return event

    def at(self, moment: Any) -> "float | None":
        """Seconds since the cell's beginning; None for what did not come."""
        if moment is None or not (moment.query() and self.anchor.query()):
            return None
        return self.anchor_at + float(self.anchor.elapsed_time(moment)) / 1000.0


class Watch:
    """In force while a cell runs, in each thread that computes then: PyTorch hands it on to
    those that compute gradients. The lock is that of the copies.
    """

    def __init__(self) -> None:
        self.copies = Copies()
        self._lock = self.copies.lock
        self._on = False
        self._cost: float | None = None  # seconds for which an operation takes longer
        self._peers: dict[tuple[Any, Any], bool] = {}  # by cards between which a way is open
        self._main = Sight(self._saw)
        self.begin()

    def begin(self, *, program: bool = False, sampled: bool = False) -> None:
        """A new cell or program."""
        self._began = time.perf_counter()
        self._operations = 0
        self._beside = 0.0  # seconds of the host that copies took beside themselves
        self.capturing = False  # a graph, just now
        self._cards: dict[int, _Card] = {}
        # What is to be done once moments have come, in their order.
        self._open: deque[tuple[Sequence[Any], Callable[[], object]]] = deque()
        self._tracks = Tracks()
        self.copies.begin(program=program)
        self.seen = Seen(
            self.copies, self._now, sampled=sampled, switch=self._turn, cost=self.seconds
        )

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
                self._waited(None if device is None else torch.device(device).index, begin)

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

        def put(owner: Any, answers: "Mapping[str, Any]") -> None:
            for name, what in answers.items():
                setattr(owner, name, what)

        put(torch._tensor_str, {"_str": _str})
        put(threading.Thread, {"start": started})
        put(torch.cuda, {"synchronize": synchronize})
        self._put_graphs(torch.cuda.CUDAGraph)
        for owner, methods in telling_methods(self.copies, lambda: self._sees):
            put(owner, methods)
        put_hooks(put, lambda: self.seen if self._on else None)
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._leave)

    @contextlib.contextmanager
    def watching(self, *, program: bool = False, sampled: bool = False) -> "Iterator[None]":
        self._on = True
        if self._cost is None:
            self._cost = cost_of_one(self._saw, lambda: self._operations)
        self._main.open()
        self.begin(program=program, sampled=sampled)
        ticking = Ticking(self.seen, sampled=sampled)
        try:
            with ticking if program else contextlib.nullcontext():
                yield
        finally:
            self._leave()

    def seconds(self) -> float:
        """For about so long the host was kept by watching, since `begin`."""
        return self._operations * (self._cost or 0.0) + self._beside

    def end(self) -> None:
        """The cell has been asked for in full; what it touched is marked."""
        with self._lock:
            for card in self._cards.values():
                card.last = card.moment()
                self._computed_until(card, card.last)

    def spanned(self) -> "Sequence[tuple[str, float]]":
        """By card, from its first kernel to its last, pauses included."""
        cards = sorted(self._cards.items())
        ended = [card for _, card in cards if card.last is not None]
        return [(each.name, each.anchor.elapsed_time(each.last) / 1000.0) for each in ended]

    def transfers(self, command: int) -> Sequence[Transferred]:
        self.read_moments(all_of_them=True)
        return self.copies.told(command)

    def spans(self) -> Sequence[Span]:
        self.read_moments(all_of_them=True)
        return self._tracks.spans()

    def busy(self) -> "Sequence[tuple[str, float]]":
        """Seconds of work by card, while they were watched."""
        with self._lock:
            return [(each.name, self._busy(each)) for _, each in sorted(self._cards.items())]

    def read_moments(self, *, all_of_them: bool) -> None:
        """Those that have come; at the end of the cell also what never will."""
        with self._lock:
            while self._open and not self.capturing:
                moments, then = self._open[0]
                if not all_of_them and not all(each.query() for each in moments):
                    return
                self._open.popleft()
                then()

    @property
    def _sees(self) -> bool:
        return self._on and self.seen.on and not self.capturing

    def _now(self) -> float:
        return time.perf_counter() - self._began

    def _leave(self) -> None:
        """Also in a process that was forked meanwhile, which is not watched."""
        self._on = False
        self._main.close()

    def _put_graphs(self, graph: Any) -> None:
        """While one is captured, nobody may ask a card which of its moments have come: CUDA
        would break the capture off. When it is played, no operation shows its work.
        """
        begin, end, play = graph.capture_begin, graph.capture_end, graph.replay

        def captures(*, on: bool) -> None:
            with self._lock:
                self.capturing = on
            self._look_away()

        def capture_begin(graph: Any, *args: Any, **words: Any) -> None:
            captures(on=True)
            begin(graph, *args, **words)

        def capture_end(graph: Any) -> None:
            try:
                end(graph)
            finally:
                captures(on=False)

        def replay(graph: Any) -> None:
            if self._sees:
                self._launched(lambda: play(graph), torch.cuda.current_device())
            else:
                play(graph)

        graph.capture_begin, graph.capture_end = capture_begin, capture_end
        graph.replay = replay

    def _turn(self, on: bool) -> bool:
        now = self._main.turn(on)
        if not now:
            self._look_away()
        return now

    def _look_away(self) -> None:
        """Nothing is watched until somebody asks a card for something again."""
        with self._lock:
            self.read_moments(all_of_them=False)
            for card in self._cards.values():
                card.worked, card.asked, card.after = self._busy(card), None, {}
                card.idle = 0.0
            self.seen.idling.forget()

    def _saw(self, func: Any, args: Any, kwargs: Any) -> Any:
        if not self._sees:  # by a thread that began earlier
            return func(*args, **kwargs)
        self._operations += 1
        if func in _COPYING:
            return self._copy(func, args, kwargs)
        if func in _READS and args and getattr(args[0], "is_cuda", False):
            return self._read(func, args, kwargs)
        return self._computed(func, args, kwargs)

    def _computed(self, func: Any, args: Any, kwargs: Any) -> Any:
        """Carries out an operation, on a card or on the host."""
        index = None if func.is_view else _card_of(args, kwargs)
        if index is not None:
            return self._launched(lambda: func(*args, **kwargs), index)
        made = func(*args, **kwargs)
        # A view of what left a card lies in the same memory.
        if self.seen.trips.followed and not func.is_view:
            results = [each for each in _storages((made,)) if each is not None]
            changed = func.overloadpacket.__name__ not in _UNCHANGED
            self.seen.trips.derived(results, _storages(args), changed=changed)
        return made

    def _launched(self, launch: "Callable[[], Any]", index: int) -> Any:
        """Work of a card."""
        with self._lock:
            card = self._touch(index)
            card.run = card.run or card.free
            self._asks(card)
        made = launch()
        with self._lock:
            self._asked(card)
            self.copies.kernels += 1
        return made

    def _copy(self, func: Any, args: Any, kwargs: Any) -> Any:
        into = func is _aten.copy_.default
        source = args[1] if into else args[0]
        # Within vmap a number stands for itself.
        here = source.device if isinstance(source, torch.Tensor) else torch.device("meta")
        there = (args[0].device if into else kwargs.get("device")) or here
        if here == there or "meta" in (here.type, there.type):
            return self._computed(func, args, kwargs)
        began = time.perf_counter()
        if "cuda" not in (here.type, there.type):  # but Apple's, which tells no moments
            made = func(*args, **kwargs)
            self._note(str(here), str(made.device), made.nbytes, began, "")
            return made
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
        between_cards = here.type == there.type == "cuda"
        if between_cards and (here, there) not in self._peers:
            # The first copy opens a way between them, which takes long.
            torch.empty(1, device=here).to(there)
            access = torch.cuda.can_device_access_peer(here.index, there.index)
            self._peers[here, there] = bool(access)
        with self._lock:
            cards = [self._touch(each.index) for each in (here, there) if each.type == "cuda"]
            for each in cards:
                self._asks(each)
            # Between cards the source's queue is taken.
            card, begin = cards[0], cards[0].moment()
            self._computed_until(card, begin)
        asked_at = time.perf_counter()
        made = func(*args, **kwargs)
        done = time.perf_counter()
        end = card.moment()
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
            direct=self._peers[here, there] if between_cards else None,
            host_seconds=done - asked_at,
            asked_at=asked_at - self._began,
        )

        def add() -> None:
            began, ended, seconds = card.at(begin), card.at(end), None
            if began is not None and ended is not None:
                # From the beginning of a long program both are known to some microseconds only.
                seconds = float(begin.elapsed_time(end)) / 1000.0
            whole = replace(copy, seconds=seconds, begin=began, end=ended)
            self.copies.add(whole, noted, check, numbered)

        with self._lock:
            numbered = self.copies.numbered(copy, noted)
            for each in cards:
                self._asked(each)
                if copy.blocking:
                    self.seen.idling.waited(each.name, done - self._began, noted.spot)
            card.free = end
            self._when([end, card.anchor], add)
        sent, arrived = _storages((source, made))
        if sent is not None and arrived is not None:
            if there.type == "cuda":
                self.seen.trips.came(sent, copy.target, size, numbered[0])
            if here.type == "cuda":
                self.seen.trips.left(arrived, copy.source, numbered[0])
        self._beside += time.perf_counter() - began - (done - asked_at)
        return made

    def _read(self, func: Any, args: Any, kwargs: Any) -> Any:
        """Something comes back to the host, or positions go to the card."""
        begin = time.perf_counter()
        made = self._computed(func, args, kwargs)
        name, device = _READS[func], str(args[0].device)
        if size := fetched(name, args):
            self._note(device, "cpu", size, begin, "item" if name == READING else name)
        elif name == _FRESH:
            self._note("cpu", device, args[0].nbytes, begin, "tensor")
        elif isinstance(args[1] if len(args) > 1 else None, (list, tuple)):
            for each in args[1]:
                if isinstance(each, torch.Tensor) and each.device.type == "cpu" and each.dim():
                    self._note("cpu", device, each.nbytes, begin, name)
        return made

    def _note(self, source: str, target: str, size: int, began: float, does: str) -> None:
        """What cannot be timed by the card. Numbers were copied before that could be seen."""
        now = time.perf_counter()
        copy = Transferred(
            0,
            source,
            target,
            size,
            None,
            how=does,
            pinned=False,
            blocking=True,
            host_seconds=None if does == "tensor" else now - began,
            asked_at=began - self._began,
        )
        noted = self.copies.note()
        if does in _WAITING and source.startswith("cuda:"):
            self.seen.idling.waited(source, now - self._began, noted.spot)
        self.copies.add(copy, noted)
        self._beside += time.perf_counter() - now

    def _waited(self, index: "int | None", begin: float) -> None:
        """The host has waited until now for all of a card."""
        since, end, spot = begin - self._began, self._now(), place().spot
        number = torch.cuda.current_device() if index is None else index
        name = f"cuda:{number}"
        with self._lock:
            self._tracks.add("cpu", since, end, name, "synchronize")
            self.copies.trace("wait", name, since, end)
            if number in self._cards:
                self.seen.idling.waited(name, end, spot)

    def _when(self, moments: "Sequence[Any]", then: "Callable[[], object]") -> None:
        self._open.append((moments, then))
        if len(self._open) > _MOST_OPEN:
            self.read_moments(all_of_them=False)

    def _touch(self, index: int) -> _Card:
        if index not in self._cards:
            self._cards[index] = _Card(index, self._now())
        return self._cards[index]

    def _asks(self, card: _Card) -> None:
        """Work is about to be asked of it."""
        now, idling = self._now(), self.seen.idling
        if card.asked is None:
            card.since = now
            idling.waits.pop(card.name, None)
        elif card.name in idling.waits:
            card.idle += idling.gap(card.name, now)(None)
        elif now - card.asked > _PAUSE and all(each.query() for each in card.after.values()):
            gap, before, begin = idling.gap(card.name, now), card.after, card.moment()
            card.after = {}

            def paused() -> None:
                if begin.query():
                    idle = [float(each.elapsed_time(begin)) for each in before.values()]
                    card.idle += gap(now - max(0.0, min(idle, default=0.0) / 1000.0))

            self._when([begin], paused)

    def _asked(self, card: _Card) -> None:
        """It was asked for: a moment that comes after it tells when the card has run dry."""
        card.asked = self.seen.idling.asked_at = self._now()
        stream = torch.cuda.current_stream(card.index)
        number = getattr(stream, "stream_id", 0)
        if number not in card.after:
            card.after[number] = torch.cuda.Event(enable_timing=True)
        card.after[number].record(stream)

    def _busy(self, card: _Card) -> float:
        """What it works on just now counts until it was asked for."""
        if card.asked is None:
            return card.worked
        wait = self.seen.idling.waits.get(card.name)
        until = card.asked if wait is None else max(wait[0], card.asked)
        return card.worked + max(0.0, until - card.since - card.idle)

    def _computed_until(self, card: _Card, last: Any) -> None:
        first, card.run = card.run, None

        def ran() -> None:
            begin, end = card.at(first), card.at(last)
            if begin is not None and end is not None:
                self._tracks.add(card.name, begin, end)
                self.copies.trace("compute", card.name, begin, end)

        if first is not None:
            self._when([first, last, card.anchor], ran)


def _storages(values: Any) -> "list[Any]":
    """Of all tensors there. None: one has none, such as a sparse one."""
    found: list[Any] = []
    for each in values:
        if isinstance(each, torch.Tensor):
            try:
                found.append(each.untyped_storage())
            except (RuntimeError, NotImplementedError):
                found.append(None)
        elif isinstance(each, (list, tuple)):
            found += _storages(each)
    return found


def _card_of(args: Any, kwargs: Any) -> "int | None":
    """The card of the first operand that is on one, or of what is made there."""
    for each in args:
        first = each[0] if isinstance(each, (list, tuple)) and each else each
        if isinstance(first, torch.Tensor) and first.is_cuda:
            return int(first.device.index)
    device = kwargs.get("device") if kwargs else None
    if device is None or device.type != "cuda":
        return None
    return int(torch.cuda.current_device() if device.index is None else device.index)
