"""When a card began and ended what it was asked, by events in its queue."""

import time
from dataclasses import dataclass, replace
from typing import Any

import torch

from gpuexplorer.lab.events import Transferred
from gpuexplorer.worker.places import Check, Place
from gpuexplorer.worker.watching.idling import Gap, Idling

# Of the host between two operations: shorter ones are its way from one to the next.
_PAUSE = 0.2e-3


# Any throughout: moments are PyTorch's events.
class CardTimes:
    """When one card was first touched, and when it computed."""

    def __init__(self, index: int, began: float) -> None:
        self.index = index
        self.name = f"cuda:{index}"
        # At a cell's beginning the card is idle, so this comes as soon as it is asked for.
        self.anchor = moment_now(index)
        self.anchor_at = time.perf_counter() - began
        self.last: Any = None
        self.run: Any = None  # the moment from which it computes, where it does
        self.free = self.anchor  # the last moment that is known to lie before what comes next

    def at(self, moment: Any) -> "float | None":
        """Seconds since the cell's beginning; None for what did not come."""
        if moment is None or not (moment.query() and self.anchor.query()):
            return None
        return self.anchor_at + float(self.anchor.elapsed_time(moment)) / 1000.0


class CardPauses:
    """When one card ran dry, and for how long it was busy while it was watched. Seconds are
    the host's, since the cell or program began.
    """

    def __init__(self, index: int, idling: Idling) -> None:
        self.name = f"cuda:{index}"
        self._index, self._idling = index, idling
        self._asked: float | None = None  # when it was asked for work last; None: not yet
        self._since = 0.0  # when it was asked first, since it is watched
        self._after: dict[int, Any] = {}  # moments after the last work, by stream
        self._idle = self._busy = 0.0
        self._open: list[tuple[Gap, float, list[Any], Any]] = []

    def asks(self, now: float) -> None:
        """Work is about to be asked of it."""
        if self._asked is None:
            self._since = now
            self._idling.waits.pop(self.name, None)
        elif self.name in self._idling.waits:
            self._idle += self._idling.gap(self.name, now).since(None)
        elif now - self._asked > _PAUSE and self.is_dry():
            gap = self._idling.gap(self.name, now)
            self._open.append((gap, now, [*self._after.values()], moment_now(self._index)))
            self._after = {}

    def asked(self, now: float) -> None:
        """It was asked for: a moment that comes after it tells when the card has run dry."""
        self._asked = now
        stream = torch.cuda.current_stream(self._index)
        number = getattr(stream, "stream_id", 0)
        after = self._after.get(number)
        if after is None:
            after = self._after[number] = torch.cuda.Event(enable_timing=True)
        after.record(stream)

    def is_dry(self) -> bool:
        """All it was asked for is done."""
        return bool(self._after) and all(each.query() for each in self._after.values())

    def read(self, *, all_of_them: bool) -> None:
        """The pauses whose ends have come."""
        waiting = []
        for gap, now, before, begin in self._open:
            if begin.query():
                idle = min(float(each.elapsed_time(begin)) for each in before) / 1000.0
                self._idle += gap.since(now - max(0.0, idle))
            elif not all_of_them:
                waiting.append((gap, now, before, begin))
        self._open = waiting

    def leave(self) -> None:
        """It is not watched from now on."""
        self._busy, self._asked, self._after = self.busy(), None, {}
        self._idle = 0.0

    def busy(self) -> float:
        """Seconds of work so far. What it works on just now counts until it was asked for."""
        if self._asked is None:
            return self._busy
        wait = self._idling.waits.get(self.name)
        until = self._asked if wait is None else max(wait.begin, self._asked)
        return self._busy + max(0.0, until - self._since - self._idle)


@dataclass
class PendingCopy:
    """A copy that was asked for."""

    copy: Transferred
    noted: Place
    numbered: "tuple[int, int]"
    check: "Check | None"
    card: "CardTimes | None"
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
