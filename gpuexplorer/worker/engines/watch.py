"""Watch: sees which cards a line works on and what it copies between devices; times both."""

import contextlib
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from gpuexplorer.lab.events import Span, Transferred
from gpuexplorer.worker.copies import Cause, Check, Copies
from gpuexplorer.worker.engines.checking import SeenPair
from gpuexplorer.worker.engines.reading_back import NAMES, fetched, shown_bytes
from gpuexplorer.worker.tracks import Track

_aten = torch.ops.aten
_MOST_OPEN = 256  # moments that wait to be read; those that came are read when there are more


class _Card:
    """When one card was first touched, and when it computed."""

    def __init__(self, index: int, began: float) -> None:
        self.index = index
        # At a line's beginning the card is idle, so this comes as soon as it is asked for.
        self.anchor = _moment(index)
        self.anchor_at = time.perf_counter() - began
        self.last: Any = None
        self.run: Any = None  # the moment from which it computes, where it does
        self.free = self.anchor  # the last moment that is known to lie before what comes next

    def at(self, moment: Any) -> "float | None":
        """Seconds since the line's beginning; None for what did not come."""
        if moment is None or not (moment.query() and self.anchor.query()):
            return None
        return self.anchor_at + float(self.anchor.elapsed_time(moment)) / 1000.0


# Any throughout: moments, operations and operands are whatever PyTorch hands on.
@dataclass
class _Pending:
    """A copy that was asked for."""

    copy: Transferred
    cause: Cause
    check: "Check | None"
    card: "_Card | None"
    begin: Any
    end: Any

    @property
    def done(self) -> bool:
        moments = (self.end,) if self.card is None else (self.end, self.card.anchor)
        return all(each is None or each.query() for each in moments)

    def timed(self) -> Transferred:
        one, card = self.copy, self.card
        begin = None if card is None else card.at(self.begin)
        end = None if card is None else card.at(self.end)
        seconds = None if begin is None or end is None else end - begin
        values = {name: getattr(one, name) for name in one.__dataclass_fields__}
        return Transferred(**{**values, "seconds": seconds, "begin": begin, "end": end})


class Watch(TorchDispatchMode):
    """In force while a line runs on real devices. Costs some microseconds an operation."""

    def __init__(self) -> None:
        super().__init__()
        self.copies = Copies()
        self._peers: dict[tuple[int, int], bool] = {}
        self.begin()

    def begin(self) -> None:
        self._began = time.perf_counter()
        self.copies.begin()
        self._cards: dict[int, _Card] = {}
        self._pending: list[_Pending] = []
        self._runs: list[tuple[_Card, Any, Any]] = []
        self._computing: dict[int, Track] = {}
        self._waiting: dict[int, Track] = {}

    def end(self) -> None:
        """The line has been asked for in full; what it touched is marked."""
        for card in self._cards.values():
            card.last = _moment(card.index)
            self._computed_until(card, card.last)

    def busy(self) -> "Mapping[str, float]":
        """By card, from its first kernel to its last, pauses included."""
        return {
            f"cuda:{card.index}": card.anchor.elapsed_time(card.last) / 1000.0
            for card in self._cards.values()
            if card.last is not None
        }

    def transfers(self, command: int) -> Sequence[Transferred]:
        self._read_moments(all_of_them=True)
        return self.copies.told(command)

    def spans(self) -> Sequence[Span]:
        self._read_moments(all_of_them=True)
        computing = [
            Span(f"cuda:{index}", each.begin, each.end, each.busy, each.count)
            for index, track in self._computing.items()
            for each in track.stretches
        ]
        waiting = [
            Span(
                "cpu",
                each.begin,
                each.end,
                each.busy,
                each.count,
                f"cuda:{index}",
                "synchronize",
            )
            for index, track in self._waiting.items()
            for each in track.stretches
        ]
        return [*computing, *waiting]

    def synchronize(self, device: Any = None) -> None:
        """torch.cuda.synchronize: the host waits, and that is seen."""
        index = torch.cuda.current_device() if device is None else torch.device(device).index
        begin = time.perf_counter() - self._began
        torch.cuda.synchronize(device)
        end = time.perf_counter() - self._began
        self._waiting.setdefault(index or 0, Track()).add(begin, end)

    def tensor(self, *args: Any, **kwargs: Any) -> Any:
        """torch.tensor: what is made of numbers on a card is copied there unseen."""
        begin = time.perf_counter()
        made = torch.tensor(*args, **kwargs)
        if made.device.type not in ("cpu", "meta"):
            self._note("cpu", str(made.device), made.nbytes, begin, "tensor")
        return made

    @contextlib.contextmanager
    def printing(self) -> "Iterator[None]":
        """PyTorch lets nobody see how it reads what it prints."""
        original = torch._tensor_str._str

        def shown(tensor: Any, **words: Any) -> Any:
            begin = time.perf_counter()
            text = original(tensor, **words)
            if tensor.device.type not in ("cpu", "meta"):
                self._note(str(tensor.device), "cpu", shown_bytes(tensor), begin, "print")
            return text

        torch._tensor_str._str = shown
        try:
            yield
        finally:
            torch._tensor_str._str = original

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        """PyTorch's question; yes would cost the first line a second, for its compiler."""
        return False

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        kwargs = kwargs or {}
        if func in _COPYING:
            return self._copy(func, args, kwargs)
        index = _card_of(args, kwargs)
        if index is None:
            return func(*args, **kwargs)
        card = self._touch(index)
        if card is not None and card.run is None and not func.is_view:
            card.run = card.free
        name = _READING.get(func)
        if name is None:
            return func(*args, **kwargs)
        return self._read(name, func, args, kwargs)

    def _copy(self, func: Any, args: Any, kwargs: Any) -> Any:
        into = func is _aten.copy_.default
        source = args[1] if into else args[0]
        there = args[0].device if into else kwargs.get("device") or source.device
        if source.device == there or "meta" in (source.device.type, there.type):
            index = _card_of(args, kwargs)
            card = None if index is None else self._touch(index)
            if card is not None and card.run is None:
                card.run = card.free
            return func(*args, **kwargs)
        asked_not_to = (*args[2:], kwargs.get("non_blocking"))[0]
        # PyTorch copies between cards on the source's queue.
        engine = source.device if source.device.type == "cuda" else torch.device(there)
        card = self._touch(engine.index) if engine.type == "cuda" else None
        if there.type == "cuda":
            self._touch(there.index)
        begin = None if card is None else _moment(card.index)
        if card is not None:
            self._computed_until(card, begin)
        asked_at = time.perf_counter()
        made = func(*args, **kwargs)
        host = time.perf_counter() - asked_at
        end = None if card is None else _moment(card.index)
        if card is not None:
            card.free = end
        size = made.numel() * made.element_size()
        on_host = source if source.device.type == "cpu" else made
        with_host = on_host.device.type == "cpu"
        pinned = bool(on_host.is_pinned()) if with_host else None
        copy = Transferred(
            0,
            str(source.device),
            str(made.device),
            size,
            None,
            pinned=pinned,
            blocking=with_host and not (pinned and asked_not_to),
            direct=None if with_host else self._are_peers(source.device, made.device),
            host_seconds=host,
            asked_at=asked_at - self._began,
        )
        cause, check = self.copies.note(), None
        if self.copies.wants_check(size):
            check = SeenPair(source, made, of_model=cause.of_model)
        self._wait_for(_Pending(copy, cause, check, card, begin, end))
        return made

    def _read(self, name: str, func: Any, args: Any, kwargs: Any) -> Any:
        """Something comes back to the host, or positions go to the card."""
        begin = time.perf_counter()
        made = func(*args, **kwargs)
        device = args[0].device
        size = fetched(name, args)
        if size:
            self._note(str(device), "cpu", size, begin, name)
        elif isinstance(args[1] if len(args) > 1 else None, (list, tuple)):
            for each in args[1]:
                if isinstance(each, torch.Tensor) and each.device.type == "cpu" and each.dim():
                    self._note("cpu", str(device), each.nbytes, begin, name)
        return made

    def _note(self, source: str, target: str, size: int, began: float, how: str) -> None:
        """What cannot be timed by the card, as it is part of something else."""
        host = time.perf_counter() - began
        copy = Transferred(
            0,
            source,
            target,
            size,
            None,
            how=how,
            pinned=False,
            blocking=True,
            host_seconds=host,
            asked_at=began - self._began,
        )
        self._wait_for(_Pending(copy, self.copies.note(), None, None, None, None))

    def _wait_for(self, pending: _Pending) -> None:
        self._pending.append(pending)
        if len(self._pending) + len(self._runs) > _MOST_OPEN:
            self._read_moments(all_of_them=False)

    def _read_moments(self, *, all_of_them: bool) -> None:
        """Those that have come, in their order; at the end of the line also what never will."""
        waiting: list[_Pending] = []
        for each in self._pending:
            if waiting or not (all_of_them or each.done):
                waiting.append(each)
            else:
                self.copies.add(each.timed(), each.cause, each.check)
        self._pending = waiting
        runs, self._runs = self._runs, []
        for card, first, last in runs:
            begin, end = card.at(first), card.at(last)
            if begin is not None and end is not None:
                self._computing.setdefault(card.index, Track()).add(begin, end)
            elif not all_of_them:
                self._runs.append((card, first, last))

    def _computed_until(self, card: _Card, moment: Any) -> None:
        if card.run is not None:
            self._runs.append((card, card.run, moment))
            card.run = None

    def _touch(self, index: "int | None") -> "_Card | None":
        number = torch.cuda.current_device() if index is None else index
        card = self._cards.get(number)
        if card is None and number < torch.cuda.device_count():
            card = self._cards[number] = _Card(number, self._began)
        return card

    def _are_peers(self, one: Any, other: Any) -> "bool | None":
        if one.type != "cuda" or other.type != "cuda":
            return None
        pair = one.index, other.index
        if pair not in self._peers:
            self._peers[pair] = bool(torch.cuda.can_device_access_peer(*pair))
        return self._peers[pair]


_COPYING = frozenset({_aten._to_copy.default, _aten.copy_.default})
_READING: "Mapping[Any, str]" = {
    getattr(packet, overload): name
    for name in sorted(NAMES)
    if (packet := getattr(_aten, name, None)) is not None
    for overload in packet.overloads()
}


def _card_of(args: Any, kwargs: Any) -> "int | None":
    """Of the first operand that is on one, or of what is made there."""
    for each in args:
        if isinstance(each, torch.Tensor):
            if each.is_cuda:
                return int(each.device.index)
        elif isinstance(each, (list, tuple)) and each:
            first = each[0]
            if isinstance(first, torch.Tensor) and first.is_cuda:
                return int(first.device.index)
    device = kwargs.get("device") if kwargs else None
    if device is None or device.type != "cuda":
        return None
    return int(torch.cuda.current_device() if device.index is None else device.index)


def _moment(index: "int | None") -> Any:
    event = torch.cuda.Event(enable_timing=True)
    event.record(torch.cuda.current_stream(index))
    return event
