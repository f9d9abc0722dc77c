"""HostPast: the past of a host's cards, asked of Prometheus in pieces and kept for a while.

Who draws never waits: what is not here yet is a gap, and is asked for in a thread of its own.
"""

import math
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from statistics import median
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpuexplorer.core.cards import CardId
from gpuexplorer.core.clock import Clock
from gpuexplorer.core.metrics import METRICS, MetricId
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.fleet.client import Prometheus
from gpuexplorer.fleet.exporters import grouped, selector
from gpuexplorer.fleet.fleet import Fleet, FleetCard, card_id
from gpuexplorer.telemetry.trace import Trace, empty_trace

WEEK = 7 * 86_400.0
_POINTS = 500  # of a piece, for all cards together
_PIECES = 256
_WAITING = 64  # what was asked for before is no longer looked at
_RETRY, _NEWEST = 15.0, 5.0
_USUAL, _MOST_STEP = 15.0, 300.0
_STEPS = (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 14400, 43200, 86400)
Floats = NDArray[np.float64]


class _Key(NamedTuple):
    metric: MetricId
    step: float
    number: int  # pieces of one step follow each other from 1970 on


class _Piece(NamedTuple):
    """Lowest, highest and mean of each card, NaN where nothing is known."""

    cards: Mapping[CardId, Sequence[Floats]]
    until: float  # steady seconds: it is asked for anew afterwards


class HostPast:
    """A Past. `trace` is for any thread. `on_change` is called from its own with each piece."""

    ended: float | None = None

    def __init__(
        self,
        fleet: Fleet,
        there: Callable[[], Sequence[FleetCard]],
        server: Prometheus,
        clock: Clock,
    ) -> None:
        """`there`: the cards of the host. `server`: a client of its own."""
        self._fleet, self._there, self._server = fleet, there, server
        self._now = now = clock.now
        self.on_change: Callable[[], None] = lambda: None
        self._offset = clock.wall() - now()  # later jumps of the clock move no plot
        self.began = now() - WEEK
        self._pieces: OrderedDict[_Key, _Piece] = OrderedDict()
        self._wanted: OrderedDict[_Key, None] = OrderedDict()
        self._changed = threading.Condition()
        self._finest: float | None = None  # seconds from one value to the next
        self._ending = False
        self._thread = threading.Thread(target=self._run, name="fleet past", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self, seconds: float = 0.5) -> bool:
        self._server.end()
        with self._changed:
            self._ending = True
            self._changed.notify_all()
        if self._thread.ident is not None:
            self._thread.join(seconds)
        return not self._thread.is_alive()

    def cards(self) -> Sequence[CardId]:
        return [card.id for card in self._there()]

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
        # Half as many: a column of a screen need not have a point of its own. The points stay
        # the same while a plot is moved.
        step = step_of((end - start) / max(1, columns // 2), self._finest or _USUAL)
        first = math.floor((start + self._offset) / step) * step
        last = math.ceil((end + self._offset) / step) * step
        span = step * _POINTS
        numbers = range(int(first // span), int(last // span) + 1)
        parts = [self._piece(_Key(metric, step, each)) for each in numbers]
        gap = [np.full(_POINTS, np.nan)] * 3
        found = [gap if part is None else part.cards.get(card, gap) for part in parts]
        low, high, mean = (np.concatenate([each[way] for each in found]) for way in range(3))
        times: Floats = numbers[0] * span + step * np.arange(low.size, dtype=np.float64)
        # Of a gap one column is left, the first, and none at the beginning.
        known = ~np.isnan(mean) & (times >= first - step) & (times <= last)
        kept = known.copy()
        kept[1:] |= known[:-1]
        kept &= times <= last
        times = times[kept] - self._offset
        counts = known[kept].astype(np.int64)
        return Trace(times, low[kept], high[kept], mean[kept], counts, step)

    def _piece(self, key: _Key) -> _Piece | None:
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
        return found

    def _run(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._wanted or self._ending)
                if self._ending:
                    return
                key, _ = self._wanted.popitem()  # the newest: that is looked at
                piece = self._pieces.get(key)
            try:
                if self._finest is None:
                    self._finest = self.how_often()
                piece = self._asked(key)
            except Trouble:
                piece = _Piece({} if piece is None else piece.cards, self._now() + _RETRY)
            with self._changed:
                self._pieces[key] = piece
                self._wanted.pop(key, None)
                while len(self._pieces) > _PIECES:
                    self._pieces.popitem(last=False)
            if not self._ending:
                self.on_change()

    def how_often(self) -> float | None:
        """Seconds from one value to the next, as they came of late; None where too few came."""
        for exporter, meant in self._fleet.about(self._there()[:1]):
            for line in self._server.samples(f"{exporter.series(meant)}[10m]"):
                steps = [later - one for one, later in pairwise(line.times)]
                if len(steps) > 1:
                    return min(max(1.0, median(steps)), _MOST_STEP)
        return None

    def _asked(self, key: _Key) -> _Piece:
        span, now, often = key.step * _POINTS, self._now(), self._finest or _USUAL
        start = key.number * span
        end = start + key.step * (_POINTS - 1)
        # A value stands for what came before it, and a column begins where its time begins.
        stretch = (start + key.step, min(end, now + self._offset) + key.step, key.step)
        if stretch[1] < stretch[0]:
            return _Piece({}, now + _RETRY)
        # Of a step with two values or more in it all three are told, else the newest.
        several = key.step >= 2 * often
        window = key.step if several else 2 * often
        found: dict[CardId, list[Floats]] = {}
        metric = METRICS[key.metric]
        for exporter, meant in self._fleet.about(self._there()):
            if (name := exporter.told.get(key.metric)) is None:
                continue
            series = selector(name.name, name.labels, meant)
            told: dict[CardId, list[Floats]] = {}
            for way, how in enumerate(("min", "max", "avg") if several else ("last",)):
                each = f"{how}_over_time({series}[{window:.0f}s])"
                for line in self._server.range(grouped(exporter.keys, each), *stretch):
                    rows = told.setdefault(
                        card_id(line.labels), [np.full(_POINTS, np.nan) for _ in range(3)]
                    )
                    places = np.rint((np.array(line.times) - stretch[0]) / key.step)
                    values = np.array(line.values) / name.factor
                    with np.errstate(invalid="ignore"):
                        good = (values >= metric.lowest) & (values <= metric.highest)
                    good &= (places >= 0) & (places < _POINTS) & np.isfinite(values)
                    for row in (rows[way],) if several else rows:
                        row[places[good].astype(np.intp)] = values[good]
            found = {**told, **found}
        complete = now + self._offset > end + 2 * often + key.step
        return _Piece(found, np.inf if complete else now + max(_NEWEST, key.step / 4))


def step_of(wanted: float, finest: float) -> float:
    """The next longer of those that a day is made of. `finest`: how often there is something
    new.
    """
    wanted = max(wanted, finest, 1.0)
    return next((each for each in _STEPS if each >= wanted), math.ceil(wanted))
