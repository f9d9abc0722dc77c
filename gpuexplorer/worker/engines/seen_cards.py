"""Seen cards: what one cell or program asks of real cards, and how they got on with it; when
each began and ended what it was asked, by events in its queue.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch

from gpuexplorer.lab.events import Span, Transferred
from gpuexplorer.worker.places import Check, Copies, Place, place
from gpuexplorer.worker.watching.idling import Idling
from gpuexplorer.worker.watching.seen import Seen
from gpuexplorer.worker.watching.tracing import Tracks

# Of the host between two operations: shorter ones are its way from one to the next.
_PAUSE = 0.2e-3


# Any throughout: moments are PyTorch's events.
class SeenCard:
    """When one card was first touched, when it computed, and when it ran dry. Seconds are the
    host's, since the cell or program began.
    """

    def __init__(self, index: int, began: float, idling: Idling) -> None:
        self.index = index
        self.name = f"cuda:{index}"
        # At a cell's beginning the card is idle, so this comes as soon as it is asked for.
        self.anchor = moment_now(index)
        self.last: Any = None
        self.run: Any = None  # the moment from which it computes, where it does
        self.free = self.anchor  # the last moment that is known to lie before what comes next
        self._began, self._idling = began, idling
        self._anchor_at = time.perf_counter() - began
        self._asked: float | None = None  # when it was asked for work last; None: not yet
        self._since = 0.0  # when it was asked first, since it is watched
        self._after: dict[int, Any] = {}  # moments after the last work, by stream
        self._idle = self._busy = 0.0
        self._open: list[tuple[Callable[[float], float], float, list[Any], Any]] = []

    def at(self, moment: Any) -> "float | None":
        """Seconds since the cell's beginning; None for what did not come."""
        if moment is None or not (moment.query() and self.anchor.query()):
            return None
        return self._anchor_at + float(self.anchor.elapsed_time(moment)) / 1000.0

    def asks(self) -> None:
        """Work is about to be asked of it."""
        now = time.perf_counter() - self._began
        if self._asked is None:
            self._since = now
            self._idling.waits.pop(self.name, None)
        elif self.name in self._idling.waits:
            self._idle += self._idling.gap(self.name, now)(None)
        elif now - self._asked > _PAUSE and self.is_dry():
            gap = self._idling.gap(self.name, now)
            self._open.append((gap, now, [*self._after.values()], moment_now(self.index)))
            self._after = {}

    def asked(self) -> None:
        """It was asked for: a moment that comes after it tells when the card has run dry."""
        self._asked = self._idling.asked_at = time.perf_counter() - self._began
        stream = torch.cuda.current_stream(self.index)
        number = getattr(stream, "stream_id", 0)
        if number not in self._after:
            self._after[number] = torch.cuda.Event(enable_timing=True)
        self._after[number].record(stream)

    def is_dry(self) -> bool:
        """All it was asked for is done."""
        return bool(self._after) and all(each.query() for each in self._after.values())

    def read(self, *, all_of_them: bool) -> None:
        """The pauses whose ends have come."""
        opened, self._open = self._open, []
        for gap, now, before, begin in opened:
            if begin.query():
                idle = min(float(each.elapsed_time(begin)) for each in before) / 1000.0
                self._idle += gap(now - max(0.0, idle))
            elif not all_of_them:
                self._open.append((gap, now, before, begin))

    def leave(self) -> None:
        """It is not watched from now on."""
        self._busy, self._asked, self._after = self.busy(), None, {}
        self._idle = 0.0

    def busy(self) -> float:
        """Seconds of work so far. What it works on just now counts until it was asked for."""
        if self._asked is None:
            return self._busy
        wait = self._idling.waits.get(self.name)
        until = self._asked if wait is None else max(wait[0], self._asked)
        return self._busy + max(0.0, until - self._since - self._idle)


@dataclass
class PendingCopy:
    """A copy that was asked for."""

    copy: Transferred
    noted: Place
    numbered: "tuple[int, int]"
    check: "Check | None"
    card: "SeenCard | None"
    begin: Any
    end: Any

    @property
    def done(self) -> bool:
        moments = (self.end,) if self.card is None else (self.end, self.card.anchor)
        return all(each is None or each.query() for each in moments)

    def timed(self) -> Transferred:
        card = self.card
        begin = None if card is None else card.at(self.begin)
        end = None if card is None else card.at(self.end)
        seconds = None
        if begin is not None and end is not None:
            # From the beginning of a long program both are known to some microseconds alone.
            seconds = float(self.begin.elapsed_time(self.end)) / 1000.0
        return replace(self.copy, seconds=seconds, begin=begin, end=end)


def moment_now(index: "int | None") -> Any:
    event = torch.cuda.Event(enable_timing=True)
    event.record(torch.cuda.current_stream(index))
    return event


_MOST_OPEN = 256  # moments that wait to be read; those that came are read when there are more
# Of these nothing is asked of the card after the host has waited for it.
_WAITING = frozenset({"item", "print", "equal", "allclose"})
# They make the same again.
_UNCHANGED = frozenset({"_to_copy", "copy_", "clone", "contiguous", "_pin_memory"})


# Any throughout: moments, operations and operands are whatever PyTorch hands on.
class SeenCards:
    """Any thread may say what it does; the lock is that of the copies."""

    def __init__(self, copies: Copies, make: "Callable[[Callable[[], float]], Seen]") -> None:
        """`make` makes what of it is said, with this clock."""
        began = self.began = time.perf_counter()
        self.copies = copies
        self.operations = 0
        self.beside = 0.0  # seconds of the host that copies took beside themselves
        self._captures = 0  # graphs that are being captured just now
        self.seen = make(lambda: time.perf_counter() - began)
        self._lock = copies.lock
        self._cards: dict[int, SeenCard] = {}
        self._pending: list[PendingCopy] = []
        self._runs: list[tuple[SeenCard, Any, Any]] = []
        self._tracks = Tracks()

    def computed(self, func: Any, args: Any, kwargs: Any, *, reads: bool = False) -> Any:
        """Carries out an operation, on a card or on the host."""
        index = card_of(args, kwargs)
        if index is None:
            made = func(*args, **kwargs)
            if not self.seen.trips.none:
                self._follow(func, args, made)
            return made
        if func.is_view:
            with self._lock:
                self._touch(index)
            return func(*args, **kwargs)
        return self.launched(lambda: func(*args, **kwargs), index, reads=reads)

    def launched(
        self, launch: "Callable[[], Any]", index: "int | None" = None, *, reads: bool = False
    ) -> Any:
        """Work of a card, of the current one where none is named."""
        with self._lock:
            card = self._touch(torch.cuda.current_device() if index is None else index)
            if card is not None:
                card.run = card.run or card.free
                card.asks()
        made = launch()
        if card is not None:
            with self._lock:
                card.asked()
                self.copies.kernels += not reads
        return made

    def captures(self, more: int) -> None:
        """While a graph is captured, nobody may ask a card which of its moments have come: CUDA
        would break the capture off, whichever thread it was. 1: one begins; -1: it is over.
        """
        with self._lock:
            self._captures = max(0, self._captures + more)
        self.look_away()

    @property
    def capturing(self) -> bool:
        return self._captures > 0

    def begins_copy(
        self, engine: Any, source: Any, target: Any
    ) -> "tuple[SeenCard | None, Any]":
        """The card whose queue it takes, and the moment before it."""
        with self._lock:
            for each in (source, target):
                if each.type == "cuda" and (touched := self._touch(each.index)) is not None:
                    touched.asks()
            card = self._touch(engine.index) if engine.type == "cuda" else None
            if card is None:
                return None, None
            begin = moment_now(card.index)
            self._computed_until(card, begin)
            return card, begin

    def copied(
        self, pending: PendingCopy, sent: Any, arrived: Any, until: "float | None"
    ) -> None:
        """It was asked for, `until` then. What was sent and what arrived: None, where it is no
        tensor.
        """
        copy, noted = pending.copy, pending.noted
        with self._lock:
            pending.numbered = self.copies.numbered(copy, noted)
            if pending.card is not None:
                pending.card.free = pending.end
            for each in (copy.source, copy.target):
                card = next((card for card in self._cards.values() if card.name == each), None)
                if card is not None and sent is not None:
                    card.asked()
                # Afterwards the card has nothing left to do.
                waited = copy.blocking and (not copy.how or copy.how in _WAITING)
                if waited and each.startswith("cuda:") and until is not None:
                    self.seen.idling.waited(each, until - self.began, noted.spot)
            self._pending.append(pending)
            if len(self._pending) + len(self._runs) > _MOST_OPEN:
                self.read_moments(all_of_them=False)
        before, after = (None, None) if sent is None else (_storage(sent), _storage(arrived))
        if before is not None and after is not None:
            row, trips = pending.numbered[0], self.seen.trips
            if copy.target.startswith("cuda:"):
                trips.came(before, copy.target, copy.bytes, row)
            if copy.source.startswith("cuda:"):
                trips.left(after, copy.source, row)

    def waited(self, index: "int | None", begin: float, *, for_all: bool = True) -> None:
        """The host has waited until now for all of a card, or for some of it."""
        end = time.perf_counter()
        spot = place().spot
        with self._lock:
            number = torch.cuda.current_device() if index is None else index
            name, since = f"cuda:{number}", begin - self.began
            self._tracks.add("cpu", since, end - self.began, name, "synchronize")
            if self.copies.tracing is not None:
                self.copies.tracing.add("wait", name, since, end - self.began)
            card = self._cards.get(number)
            if card is not None and (for_all or card.is_dry()):
                self.seen.idling.waited(name, end - self.began, spot)

    def look_away(self) -> None:
        """Nothing is watched until somebody asks a card for something again."""
        with self._lock:
            self.read_moments(all_of_them=False)
            for each in self._cards.values():
                each.leave()
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
            return [(each.name, each.busy()) for _, each in sorted(self._cards.items())]

    def spans(self) -> Sequence[Span]:
        with self._lock:
            self.read_moments(all_of_them=True)
            return self._tracks.spans()

    def read_moments(self, *, all_of_them: bool) -> None:
        """Those that have come, in their order; at the end of the cell also what never will."""
        with self._lock:
            if self.capturing:
                return
            waiting: list[PendingCopy] = []
            for each in self._pending:
                if waiting or not (all_of_them or each.done):
                    waiting.append(each)
                else:
                    self.copies.add(each.timed(), each.noted, each.check, each.numbered)
            self._pending = waiting
            runs, self._runs = self._runs, []
            for card, first, last in runs:
                begin, end = card.at(first), card.at(last)
                if begin is not None and end is not None:
                    self._tracks.add(card.name, begin, end)
                    if self.copies.tracing is not None:
                        self.copies.tracing.add("compute", card.name, begin, end)
                elif not all_of_them:
                    self._runs.append((card, first, last))
            for card in self._cards.values():
                card.read(all_of_them=all_of_them)

    def _follow(self, func: Any, args: Any, made: Any) -> None:
        """What the host makes of what left a card; a view of it lies in the same memory."""
        if func.is_view:
            return
        given = [_storage(each) for each in _tensors(args)]
        results = [_storage(each) for each in _tensors((made,))]
        changed = func.overloadpacket.__name__ not in _UNCHANGED
        self.seen.trips.derived(
            [each for each in results if each is not None], given, changed=changed
        )

    def _computed_until(self, card: SeenCard, moment: Any) -> None:
        if card.run is not None:
            self._runs.append((card, card.run, moment))
            card.run = None

    def _touch(self, index: int) -> "SeenCard | None":
        card = self._cards.get(index)
        if card is None and index < torch.cuda.device_count():
            card = self._cards[index] = SeenCard(index, self.began, self.seen.idling)
        return card


def _storage(tensor: Any) -> Any:
    """None: it has none, such as of a sparse one."""
    try:
        return tensor.untyped_storage()
    except (RuntimeError, NotImplementedError):
        return None


def _tensors(values: Any) -> "list[Any]":
    found = []
    for each in values:
        if isinstance(each, torch.Tensor):
            found.append(each)
        elif isinstance(each, (list, tuple)):
            found += [one for one in each if isinstance(one, torch.Tensor)]
    return found


def card_of(args: Any, kwargs: Any) -> "int | None":
    """The card of the first operand that is on one, or of what is made there."""
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
