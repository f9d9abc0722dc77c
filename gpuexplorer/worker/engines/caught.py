"""Caught: copies and reads of real cards, asked for as they were and timed on the way."""

import contextlib
import time
from dataclasses import replace
from typing import Any

import torch

from gpuexplorer.lab.events import Transferred
from gpuexplorer.worker.engines.card_times import PendingCopy, moment_now
from gpuexplorer.worker.engines.operations import NAMES, READING, SeenPair, fetched
from gpuexplorer.worker.engines.seen_cards import SeenCards

_aten = torch.ops.aten
COPYING = frozenset({_aten._to_copy.default, _aten.copy_.default})
_FRESH = "lift_fresh"  # what was made of numbers, once it lies on its card
READS = {
    getattr(packet, overload): name
    for name in sorted((*NAMES, _FRESH))
    if (packet := getattr(_aten, name, None)) is not None
    for overload in packet.overloads()
}


# Any throughout: operations and operands are whatever PyTorch hands on.
class Caught:
    """Carries out what is a copy between devices, or reads from a card; any thread may."""

    def __init__(self) -> None:
        self._peers: dict[tuple[int, int], bool] = {}
        self._opened: set[tuple[str, str]] = set()

    def copy(self, cards: SeenCards, func: Any, args: Any, kwargs: Any) -> Any:
        into = func is _aten.copy_.default
        source = args[1] if into else args[0]
        if not isinstance(source, torch.Tensor):  # within vmap a number stands for itself
            return cards.computed(func, args, kwargs)
        there = args[0].device if into else kwargs.get("device") or source.device
        if source.device == there or "meta" in (source.device.type, there.type):
            return cards.computed(func, args, kwargs)
        began = time.perf_counter()
        there = _numbered(there)
        not_waiting = bool((*args[2:], kwargs.get("non_blocking"))[0])
        if not into:
            dtype = kwargs.get("dtype") or source.dtype
            size = source.numel() * dtype.itemsize
            pinned = not_waiting and there.type == "cpu"
            _make_room(size, torch.device("cpu") if pinned else there, pinned=pinned)
        self._open(source.device, there)
        # PyTorch copies between cards on the source's queue.
        engine = source.device if source.device.type == "cuda" else there
        card, begin = cards.begins_copy(engine, source.device, there)
        asked_at = time.perf_counter()
        made = func(*args, **kwargs)
        done = time.perf_counter()
        end = None if card is None else moment_now(card.index)
        noted, check = cards.copies.note(), None
        size = made.numel() * made.element_size()
        if cards.copies.wants_check(size, noted):
            check = SeenPair(source, made)
        copy = self._described(source, made, size, not_waiting=not_waiting)
        copy = replace(copy, host_seconds=done - asked_at, asked_at=asked_at - cards.began)
        pending = PendingCopy(copy, noted, (0, 0), check, card, begin, end)
        cards.copied(pending, source, made, done)
        cards.beside += time.perf_counter() - began - (done - asked_at)
        return made

    def read(self, cards: SeenCards, func: Any, args: Any, kwargs: Any) -> Any:
        """Something comes back to the host, or positions go to the card."""
        begin = time.perf_counter()
        made = cards.computed(func, args, kwargs)
        name, device = READS[func], str(args[0].device)
        size = fetched(name, args)
        if size:
            does = "item" if name == READING else name
            note(cards, device, "cpu", size, begin, does)
        elif name == _FRESH:
            note(cards, "cpu", device, args[0].nbytes, None, "tensor")
        elif isinstance(args[1] if len(args) > 1 else None, (list, tuple)):
            for each in args[1]:
                if isinstance(each, torch.Tensor) and each.device.type == "cpu" and each.dim():
                    note(cards, "cpu", device, each.nbytes, begin, name)
        return made

    def _described(
        self, source: Any, made: Any, size: int, *, not_waiting: bool
    ) -> Transferred:
        on_host = source if source.device.type == "cpu" else made
        with_host = on_host.device.type == "cpu"
        pinned = bool(on_host.is_pinned()) if with_host else None
        return Transferred(
            0,
            str(source.device),
            str(made.device),
            size,
            None,
            pinned=pinned,
            blocking=with_host and not (pinned and not_waiting),
            direct=None if with_host else self._are_peers(source.device, made.device),
        )

    def _open(self, source: Any, there: Any) -> None:
        """The first copy between two cards opens a way between them, which takes long."""
        pair = str(source), str(there)
        if source.type == there.type == "cuda" and pair not in self._opened:
            self._opened.add(pair)
            torch.empty(1, device=source).to(there)

    def _are_peers(self, one: Any, other: Any) -> "bool | None":
        if one.type != "cuda" or other.type != "cuda":
            return None
        pair = one.index, other.index
        if pair not in self._peers:
            self._peers[pair] = bool(torch.cuda.can_device_access_peer(*pair))
        return self._peers[pair]


def note(
    cards: SeenCards, source: str, target: str, size: int, began: "float | None", does: str
) -> None:
    """What cannot be timed by the card, as it is part of something else."""
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
        host_seconds=None if began is None else now - began,
        asked_at=(now if began is None else began) - cards.began,
    )
    noted = cards.copies.note()
    pending = PendingCopy(copy, noted, (0, 0), None, None, None, None)
    cards.copied(pending, None, None, now if began is not None else None)
    cards.beside += time.perf_counter() - now


def _make_room(size: int, there: Any, *, pinned: bool) -> None:
    """PyTorch keeps memory that is let go of: a copy that takes it then allocates nothing."""
    if there.type == "cuda" or pinned:
        # Where there is no room, the copy itself will say so.
        with contextlib.suppress(RuntimeError):
            torch.empty(size, dtype=torch.uint8, device=there, pin_memory=pinned)


def _numbered(device: Any) -> Any:
    if device.type == "cuda" and device.index is None:
        return torch.device("cuda", torch.cuda.current_device())
    return device
