"""HostPast: the past of a host's cards, asked of Prometheus in pieces and kept for a while.

Who draws never waits: what is not here yet is a gap, and is asked for in a thread of its own.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from gpuexplorer.core.cards import CardId
from gpuexplorer.core.clock import Clock
from gpuexplorer.core.metrics import MetricId
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.fleet.answers import Line
from gpuexplorer.fleet.client import aligned
from gpuexplorer.fleet.host_backend import HostBackend
from gpuexplorer.fleet.laid import Floats, laid
from gpuexplorer.telemetry.trace import Trace, empty_trace

WEEK = 7 * 86_400.0
_POINTS = 500  # of a piece, for all cards together
_PIECES = 256
_WAITING = 64  # what was asked for before is no longer looked at
_RETRY, _NEWEST = 15.0, 5.0


class _Key(NamedTuple):
    metric: MetricId
    step: float
    number: int  # pieces of one step follow each other from 1970 on


class _Piece(NamedTuple):
    """Lowest, highest and mean of each card, NaN where nothing is known."""

    cards: Mapping[CardId, tuple[Floats, Floats, Floats]]
    until: float  # steady seconds: it is asked for anew afterwards


class HostPast:
    """A Past. `trace` is for any thread. `on_change` is called from its own with each piece."""

    def __init__(self, backend: HostBackend, clock: Clock) -> None:
        self._backend, self._questions = backend, backend.questions
        self._now = now = clock.now
        self.on_change: Callable[[], None] = lambda: None
        self._offset = clock.wall() - now()  # later jumps of the clock move no plot
        self.began = now() - WEEK
        self.ended: float | None = None
        self._pieces: OrderedDict[_Key, _Piece] = OrderedDict()
        self._wanted: OrderedDict[_Key, None] = OrderedDict()
        self._changed = threading.Condition()
        self._finest = 15.0
        self._ending = False
        self._thread = threading.Thread(target=self._run, name="fleet past", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self, seconds: float = 0.5) -> bool:
        """What is under way ends when its client does."""
        with self._changed:
            self._ending = True
            self._changed.notify_all()
        if self._thread.ident is not None:
            self._thread.join(seconds)
        return not self._thread.is_alive()

    def cards(self) -> Sequence[CardId]:
        return [card.id for card in self._backend.cards()]

    def memory_bytes(self) -> int:
        with self._changed:
            pieces = list(self._pieces.values())
        return sum(3 * 8 * _POINTS * len(each.cards) for each in pieces)

    def trace(
        self, card: CardId, metric: MetricId, start: float, end: float, columns: int = 1500
    ) -> Trace:
        start, end = max(start, self.began), min(end, self._now())
        if end <= start:
            return empty_trace()
        # Half as many: a column of a screen need not have a point of its own.
        first, last, step = aligned(
            start + self._offset, end + self._offset, max(2, columns // 2), self._finest
        )
        span = step * _POINTS
        numbers = range(int(first // span), int(last // span) + 1)
        parts = [self._piece(_Key(metric, step, each)) for each in numbers]
        gap = np.full(_POINTS, np.nan)
        found = [(gap,) * 3 if part is None else part.get(card, (gap,) * 3) for part in parts]
        low, high, mean = (np.concatenate([each[way] for each in found]) for way in range(3))
        times: Floats = numbers[0] * span + step * np.arange(low.size, dtype=np.float64)
        seen = (times >= first - step) & (times <= last)
        times = times - self._offset
        return _without_gaps(times[seen], low[seen], high[seen], mean[seen], step)

    def _piece(self, key: _Key) -> Mapping[CardId, tuple[Floats, Floats, Floats]] | None:
        """What is here, be it old; and it is asked for where it is not."""
        with self._changed:
            found = self._pieces.get(key)
            if found is not None:
                self._pieces.move_to_end(key)
            if found is None or self._now() >= found.until:
                self._wanted[key] = None
                self._wanted.move_to_end(key)
                while len(self._wanted) > _WAITING:
                    self._wanted.popitem(last=False)
                self._changed.notify_all()
        return None if found is None else found.cards

    def _run(self) -> None:
        measured = False
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._wanted or self._ending)
                if self._ending:
                    return
                key, _ = self._wanted.popitem()  # the newest: that is looked at
            try:
                if not measured:
                    often = self._questions.how_often(self._backend.fleet_cards())
                    self._finest, measured = often or self._finest, often is not None
                piece = self._asked(key)
            except Trouble:
                with self._changed:
                    before = self._pieces.get(key)
                piece = _Piece({} if before is None else before.cards, self._now() + _RETRY)
            with self._changed:
                self._pieces[key] = piece
                self._wanted.pop(key, None)
                while len(self._pieces) > _PIECES:
                    self._pieces.popitem(last=False)
            if not self._ending:
                self.on_change()

    def _asked(self, key: _Key) -> _Piece:
        span, now = key.step * _POINTS, self._now()
        start = key.number * span
        end = start + key.step * (_POINTS - 1)
        # A value stands for what came before it, and a column begins where its time begins.
        stretch = (start + key.step, min(end, now + self._offset) + key.step, key.step)
        if stretch[1] < stretch[0]:
            return _Piece({}, now + _RETRY)
        cards, metric = self._backend.fleet_cards(), key.metric
        often = self._finest
        # Of a step with two values or more in it all three are told, else the newest.
        ways = ("min", "max", "avg") if key.step >= 2 * often else ("last",)
        window = key.step if len(ways) > 1 else 2 * often
        told = [self._questions.past(cards, metric, way, window, stretch) for way in ways]
        found, nothing = {}, Line({}, (), ())
        for each in told[0]:
            parts = [part.get(each, nothing) for part in told]
            arrays = [laid(part, start + key.step, key.step, _POINTS) for part in parts]
            low, high, mean = arrays if len(arrays) == 3 else arrays * 3
            found[each] = (low, high, mean)
        complete = now + self._offset > end + 2 * often + key.step
        return _Piece(found, np.inf if complete else now + max(_NEWEST, key.step / 4))


def _without_gaps(times: Floats, low: Floats, high: Floats, mean: Floats, step: float) -> Trace:
    """Of a gap one column is left, and none at the beginning."""
    known = ~np.isnan(mean)
    kept = known.copy()
    kept[1:] |= known[:-1]  # the first column of each gap
    return Trace(
        times[kept],
        low[kept],
        high[kept],
        mean[kept],
        known[kept].astype(np.int64),
        step,
    )
