"""Seen cards: what one cell or program asks of real cards, and how they got on with it; when
each began and ended what it was asked, by events in its queue.
"""

import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import torch

from gpuexplorer.lab.events import Span, Transferred
from gpuexplorer.worker.places import Check, Copies, Place, place
from gpuexplorer.worker.watching.seen import Seen
from gpuexplorer.worker.watching.tracing import Tracks

# Of the host between two operations: shorter ones are its way from one to the next.
_PAUSE = 0.2e-3
_MOST_OPEN = 256  # moments that wait to be read; those that came are read when there are more
# Of these nothing is asked of the card after the host has waited for it.
_WAITING = frozenset({"item", "print", "equal", "allclose"})
# They make the same again.
_UNCHANGED = frozenset({"_to_copy", "copy_", "clone", "contiguous", "_pin_memory"})


# Any throughout: moments are PyTorch's events, operations and operands what it hands on.
def moment_now(index: "int | None") -> Any:
    event = torch.cuda.Event(enable_timing=True)
    event.record(torch.cuda.current_stream(index))
    return event


class SeenCard:
    """When one card was first touched, when it computed, and when it ran dry. Seconds are the
    host's, since the cell or program began.
    """

    def __init__(self, index: int, now: float) -> None:
        self.index, self.name = index, f"cuda:{index}"
        # At a cell's beginning the card is idle, so this comes as soon as it is asked for.
        self.anchor, self.anchor_at = moment_now(index), now
        self.last: Any = None
        self.run: Any = None  # the moment from which it computes, where it does
        self.free = self.anchor  # the last moment that is known to lie before what comes next
        self.asked: float | None = None  # when it was asked for work last; None: not yet
        self.since = 0.0  # when it was asked first, since it is watched
        self.after: dict[int, Any] = {}  # moments after the last work, by stream
        self.idle = self.worked = 0.0

    def at(self, moment: Any) -> "float | None":
        """Seconds since the cell's beginning; None for what did not come."""
        if moment is None or not (moment.query() and self.anchor.query()):
            return None
        return self.anchor_at + float(self.anchor.elapsed_time(moment)) / 1000.0

    def is_dry(self) -> bool:
        """All it was asked for is done."""
        return bool(self.after) and all(each.query() for each in self.after.values())


class SeenCards:
    """Any thread may say what it does; the lock is that of the copies."""

    def __init__(self, copies: Copies, make: "Callable[[Callable[[], float]], Seen]") -> None:
        """`make` makes what of it is said, with this clock."""
        self.began = time.perf_counter()
        self.copies = copies
        self.operations = 0
        self.beside = 0.0  # seconds of the host that copies took beside themselves
        self.capturing = False  # a graph, just now
        self.seen = make(self.now)
        self._lock = copies.lock
        self._cards: dict[int, SeenCard] = {}
        # What is to be done once moments have come, in their order.
        self._open: deque[tuple[Sequence[Any], Callable[[], object]]] = deque()
        self._tracks = Tracks()

    def now(self) -> float:
        return time.perf_counter() - self.began

    def computed(self, func: Any, args: Any, kwargs: Any) -> Any:
        """Carries out an operation, on a card or on the host."""
        index = None if func.is_view else card_of(args, kwargs)
        if index is None:
            made = func(*args, **kwargs)
            # A view of what left a card lies in the same memory.
            if not self.seen.trips.none and not func.is_view:
                results = [each for each in _storages((made,)) if each is not None]
                changed = func.overloadpacket.__name__ not in _UNCHANGED
                self.seen.trips.derived(results, _storages(args), changed=changed)
            return made
        return self.launched(lambda: func(*args, **kwargs), index)

    def launched(self, launch: "Callable[[], Any]", index: "int | None" = None) -> Any:
        """Work of a card, of the current one where none is named."""
        with self._lock:
            card = self._touch(torch.cuda.current_device() if index is None else index)
            card.run = card.run or card.free
            self._asks(card)
        made = launch()
        with self._lock:
            self._asked(card)
            self.copies.kernels += 1
        return made

    def captures(self, *, begins: bool) -> None:
        """While a graph is captured, nobody may ask a card which of its moments have come: CUDA
        would break the capture off, whichever thread it was.
        """
        with self._lock:
            self.capturing = begins
        self.look_away()

    def begins_copy(self, source: Any, target: Any) -> "tuple[SeenCard | None, Any]":
        """The card whose queue it takes, and the moment before it. Between cards PyTorch copies
        on the source's.
        """
        with self._lock:
            cards = [
                self._touch(each.index) for each in (source, target) if each.type == "cuda"
            ]
            for card in cards:
                self._asks(card)
            if not cards:
                return None, None
            begin = moment_now(cards[0].index)
            self._computed_until(cards[0], begin)
            return cards[0], begin

    def copied(
        self,
        copy: Transferred,
        noted: Place,
        until: "float | None",
        ends: "Sequence[Any]" = (),
        check: "Check | None" = None,
        timed: "tuple[SeenCard | None, Any, Any]" = (None, None, None),
    ) -> None:
        """It was asked for, `until` then. `ends`: what was sent and what arrived, where it is a
        tensor. `timed`: the card whose queue it took, the moments before and after it there.
        """
        card, begin, end = timed

        def add() -> None:
            began, ended = (card.at(begin), card.at(end)) if card is not None else (None, None)
            seconds = None
            if began is not None and ended is not None:
                # From the beginning of a long program both are known to some microseconds only.
                seconds = float(begin.elapsed_time(end)) / 1000.0
            whole = replace(copy, seconds=seconds, begin=began, end=ended)
            self.copies.add(whole, noted, check, numbered)

        with self._lock:
            numbered = self.copies.numbered(copy, noted)
            if card is not None:
                card.free = end
            for each in self._cards.values():
                if each.name in (copy.source, copy.target):
                    if ends:
                        self._asked(each)
                    # Afterwards the card has nothing left to do.
                    waited = copy.blocking and (not copy.how or copy.how in _WAITING)
                    if waited and until is not None:
                        self.seen.idling.waited(each.name, until - self.began, noted.spot)
            self._when([] if card is None else [end, card.anchor], add)
        sent, arrived = _storages(ends) if ends else (None, None)
        if sent is not None and arrived is not None:
            if copy.target.startswith("cuda:"):
                self.seen.trips.came(sent, copy.target, copy.bytes, numbered[0])
            if copy.source.startswith("cuda:"):
                self.seen.trips.left(arrived, copy.source, numbered[0])

    def waited(self, index: "int | None", begin: float) -> None:
        """The host has waited until now for all of a card."""
        since, end, spot = begin - self.began, self.now(), place().spot
        with self._lock:
            number = torch.cuda.current_device() if index is None else index
            name = f"cuda:{number}"
            self._tracks.add("cpu", since, end, name, "synchronize")
            if self.copies.tracing is not None:
                self.copies.tracing.add("wait", name, since, end)
            if number in self._cards:
                self.seen.idling.waited(name, end, spot)

    def look_away(self) -> None:
        """Nothing is watched until somebody asks a card for something again."""
        with self._lock:
            self.read_moments(all_of_them=False)
            for card in self._cards.values():
                card.worked, card.asked, card.after = self._busy(card), None, {}
                card.idle = 0.0
            self.seen.idling.forget()

    def end(self) -> None:
        """The cell has been asked for in full; what it touched is marked."""
        with self._lock:
            for card in self._cards.values():
                card.last = moment_now(card.index)
                self._computed_until(card, card.last)

    def spanned(self) -> "Mapping[str, float]":
        """By card, from its first kernel to its last, pauses included."""
        return {
            card.name: card.anchor.elapsed_time(card.last) / 1000.0
            for card in self._cards.values()
            if card.last is not None
        }

    def busy(self) -> "Sequence[tuple[str, float]]":
        """Seconds of work by card, while they were watched."""
        with self._lock:
            return [(each.name, self._busy(each)) for _, each in sorted(self._cards.items())]

    def spans(self) -> Sequence[Span]:
        with self._lock:
            self.read_moments(all_of_them=True)
            return self._tracks.spans()

    def read_moments(self, *, all_of_them: bool) -> None:
        """Those that have come; at the end of the cell also what never will."""
        with self._lock:
            while self._open and not self.capturing:
                moments, then = self._open[0]
                if not all_of_them and not all(each.query() for each in moments):
                    return
                self._open.popleft()
                then()

    def _when(self, moments: "Sequence[Any]", then: "Callable[[], object]") -> None:
        self._open.append((moments, then))
        if len(self._open) > _MOST_OPEN:
            self.read_moments(all_of_them=False)

    def _asks(self, card: SeenCard) -> None:
        """Work is about to be asked of it."""
        now, idling = self.now(), self.seen.idling
        if card.asked is None:
            card.since = now
            idling.waits.pop(card.name, None)
        elif card.name in idling.waits:
            card.idle += idling.gap(card.name, now)(None)
        elif now - card.asked > _PAUSE and card.is_dry():
            gap, before, begin = idling.gap(card.name, now), card.after, moment_now(card.index)
            card.after = {}

            def paused() -> None:
                if begin.query():
                    idle = min(float(each.elapsed_time(begin)) for each in before.values())
                    card.idle += gap(now - max(0.0, idle / 1000.0))

            self._when([begin], paused)

    def _asked(self, card: SeenCard) -> None:
        """It was asked for: a moment that comes after it tells when the card has run dry."""
        card.asked = self.seen.idling.asked_at = self.now()
        stream = torch.cuda.current_stream(card.index)
        number = getattr(stream, "stream_id", 0)
        if number not in card.after:
            card.after[number] = torch.cuda.Event(enable_timing=True)
        card.after[number].record(stream)

    def _busy(self, card: SeenCard) -> float:
        """What it works on just now counts until it was asked for."""
        if card.asked is None:
            return card.worked
        wait = self.seen.idling.waits.get(card.name)
        until = card.asked if wait is None else max(wait[0], card.asked)
        return card.worked + max(0.0, until - card.since - card.idle)

    def _computed_until(self, card: SeenCard, last: Any) -> None:
        first, card.run = card.run, None

        def ran() -> None:
            begin, end = card.at(first), card.at(last)
            if begin is not None and end is not None:
                self._tracks.add(card.name, begin, end)
                if self.copies.tracing is not None:
                    self.copies.tracing.add("compute", card.name, begin, end)

        if first is not None:
            self._when([first, last, card.anchor], ran)

    def _touch(self, index: int) -> SeenCard:
        if index not in self._cards:
            self._cards[index] = SeenCard(index, self.now())
        return self._cards[index]


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


def card_of(args: Any, kwargs: Any) -> "int | None":
    """The card of the first operand that is on one, or of what is made there."""
    for each in args:
        first = each[0] if isinstance(each, (list, tuple)) and each else each
        if isinstance(first, torch.Tensor) and first.is_cuda:
            return int(first.device.index)
    device = kwargs.get("device") if kwargs else None
    if device is None or device.type != "cuda":
        return None
    return int(torch.cuda.current_device() if device.index is None else device.index)
