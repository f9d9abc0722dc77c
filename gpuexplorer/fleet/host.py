"""A host of a fleet as a stream of facts, and its past: its screens get what Prometheus knows
of it, asked by the one who asks for the fleet.
"""

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from itertools import pairwise
from statistics import median
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import HOST_ID, Card, CardId, CardKind, CardState, Sample
from gpuexplorer.core.metrics import MEMORY_TOTAL, METRICS, Cadence, MetricId, metrics_of
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import Message, all_of
from gpuexplorer.fleet.fleet import FleetCard, FleetNow, card_id, grouped, selector
from gpuexplorer.fleet.watching import Watching
from gpuexplorer.telemetry.backend import MADE_UP, Source
from gpuexplorer.telemetry.facts import Attempt, Cards, Notes, Tell, Users, Watch
from gpuexplorer.telemetry.session import Session
from gpuexplorer.telemetry.topology import Topology
from gpuexplorer.telemetry.trace import Trace, empty_trace

_FIGURES_ALONE = Message(
    "This machine is seen through Prometheus, which tells the figures of its cards and nothing "
    "else. For all else, reach it over ssh: “Add a machine…”, or --host."
)
WEEK = 7 * 86_400.0
_POINTS = 500  # of a piece, for all cards together
_GAP = (np.full(_POINTS, np.nan),) * 3
_PIECES = 256
_RETRY, _NEWEST = 15.0, 5.0
_USUAL, _MOST_STEP = 15.0, 300.0
_STEPS = (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 14400, 43200, 86400)
Floats = NDArray[np.float64]


def host_session(watching: Watching, host: str) -> Session:
    """Of the past the server remembers more than this computer; nothing is kept here but what
    was looked at.
    """
    stream = HostStream(watching, host)
    session = Session(stream, watching.beat, host=False)
    session.past = HostPast(watching, stream.there)
    return session


class HostStream:
    """Asks with each answer that the fleet got, however often a person wants to look at real
    cards. Of its processor, its memory, its wires and who uses the cards nobody tells.
    """

    here = elsewhere = False
    attempts: Sequence[Attempt] = ()

    def __init__(self, watching: Watching, host: str) -> None:
        self.clock, self.computer = watching.clock, host
        self.host = Card(HOST_ID, 0, host, None, kind=CardKind.HOST)
        self._watching = watching
        self._tell: Tell = lambda _: None
        self._metrics = frozenset[MetricId]()
        self._cards, self._noted = Cards((), Source("prometheus", Message(""))), Notes(())
        self._told: FleetNow | None = None
        self._told_at, self._running = 0.0, False
        self._silent_since: dict[CardId, float] = {}

    def listen(self, tell: Tell) -> None:
        self._tell = tell
        self._look_around()

    def start(self) -> None:
        self._running = True
        self._watching.listen(self.look)
        self._watching.order(self, self.look)

    def watch(self, watch: Watch) -> None:
        self._metrics = watch.metrics
        if self._running:
            self._watching.order(self, self._tell_samples if self._told else self.look)

    def silence(self, card: CardId) -> float | None:
        since = self._silent_since.get(card)
        return None if since is None else self.clock.now() - since

    def host_now(self) -> Sample:
        missing = dict.fromkeys(metrics_of(self.host), Absence.NOT_TOLD)
        return Sample(HOST_ID, self.clock.now(), {}, missing)

    def wiring(self) -> Topology:
        return Topology((), (), {})

    def stop(self, seconds: float = 0.3) -> bool:
        """An answer on its way is still told."""
        self._running = False
        self._watching.stop_listening(self.look)
        return True

    def there(self) -> Sequence[FleetCard]:
        """The fleet's cards of this host, in their order."""
        now = self._watching.now
        cards = () if now is None else now.cards.values()
        return sorted((each for each in cards if each.host == self.computer), key=_number)

    def look(self) -> None:
        """One beat in this very thread: asks, and tells."""
        self._look_around()
        try:
            self._told = None
            if self._watching.broken is None:
                self._told = self._watching.fleet.told(METRICS, self.there())
                self._told_at = self.clock.now()
        except Trouble:
            pass  # the sentence is the watching's, which asks the same server
        self._tell_samples()

    def _tell_samples(self) -> None:
        for card in self._cards.cards:
            for cadence in Cadence:
                if metrics := metrics_of(card, (cadence,)) & self._metrics:
                    self._tell(self._sample(card.id, metrics))

    def _look_around(self) -> None:
        """Tells which cards are listed by now, and what is to be noted, where that is new."""
        now, there = self._watching.now, self.there()
        exporters = sorted({title for each in there for title in each.exporters})
        source = Source(
            "prometheus",
            Message(
                "Prometheus at {url}, told by {told}",
                url=self._watching.fleet.server.where.url,
                told=all_of(exporters) if exporters else Message("nobody"),
            ),
            simulated=any(each.simulated for each in there),
            figures_alone=_FIGURES_ALONE,
        )
        cards = Cards(() if now is None else _cards(there, now), source)
        if cards != self._cards:
            self._cards = cards
            self._tell(cards)
            for card in cards.cards:
                self._tell(Users(card.id, None))
        notes = [MADE_UP] if source.simulated else []
        if now is not None:
            notes += [
                Message("An alert fires in Prometheus: {text}", text=each.text)
                for each in now.alerts
                if each.host == self.computer
            ]
            notes += [
                Message("Card {number}: Xid error {code}.", number=each.number, code=code)
                for each in there
                if (code := now.xids.get(each.id)) is not None
            ]
            notes += now.notes
        if notes != self._noted.notes:
            self._noted = Notes(notes)
            self._tell(self._noted)

    def _sample(self, card: CardId, metrics: Collection[MetricId]) -> Sample:
        if (told := self._told) is None:
            missing = dict.fromkeys(metrics, Absence.NO_CONNECTION)
            return Sample(card, self.clock.now(), {}, missing, CardState.NO_CONNECTION)
        age = told.ages.get(card)
        if age is None:
            self._silent_since.setdefault(card, self._told_at)
            missing = dict.fromkeys(metrics, Absence.NO_NEW_VALUE)
            return Sample(card, self._told_at, {}, missing, CardState.NO_ANSWER)
        self._silent_since.pop(card, None)
        values = {
            each: told.values[each][card] for each in metrics if card in told.values[each]
        }
        known = told.cards[card]
        missing = {each: told.why(known, each) for each in metrics if each not in values}
        return Sample(card, self._told_at - age, values, missing, told.state(card))


def _number(card: FleetCard) -> tuple[tuple[int, ...], str]:
    parts = card.number.split(".")
    return tuple(int(each) for each in parts if each.isdecimal()), card.id


def _cards(there: Sequence[FleetCard], now: FleetNow) -> Sequence[Card]:
    whole = [each for each in there if each.kind is CardKind.GPU]
    # Of a part, by the UUID that it shares or by the number.
    parents = {name: each.id for each in whole for name in (each.uuid, each.number)}
    totals, found = now.values.get(MEMORY_TOTAL, {}), []
    for place, card in enumerate(there):
        parent, _, part = card.number.partition(".")
        number = part if card.kind is CardKind.MIG else card.number
        found.append(
            Card(
                card.id,
                int(number) if number.isdecimal() else place,
                card.name,
                round(totals[card.id]) if card.id in totals else None,
                simulated=card.simulated,
                kind=card.kind,
                parent=(parents.get(card.uuid) or parents.get(parent)) if part else None,
                bus_id=card.bus_id,
            )
        )
    return found


class _Key(NamedTuple):
    metric: MetricId
    step: float
    number: int  # pieces of one step follow each other from 1970 on


class _Piece(NamedTuple):
    """Lowest, highest and mean of each card, NaN where nothing is known."""

    cards: Mapping[CardId, Sequence[Floats]]
    until: float  # steady seconds: it is asked for anew afterwards


class HostPast:
    """The Past of a host's cards, asked of Prometheus in pieces and kept for a while. Who draws
    never waits: what is not here yet is a gap, and is ordered.
    """

    ended: float | None = None

    def __init__(self, watching: Watching, there: Callable[[], Sequence[FleetCard]]) -> None:
        """`there`: the cards of the host."""
        self._watching, self._there = watching, there
        self._now = now = watching.clock.now
        self._offset = watching.clock.wall() - now()  # later jumps of the clock move no plot
        self.began = now() - WEEK
        self._pieces: dict[_Key, _Piece] = {}  # the oldest first; another thread reads them
        self._finest: float | None = None  # seconds from one value to the next

    def cards(self) -> Sequence[CardId]:
        return [card.id for card in self._there()]

    def memory_bytes(self) -> int:
        return sum(3 * 8 * _POINTS * len(each.cards) for each in list(self._pieces.values()))

    def trace(
        self, card: CardId, metric: MetricId, start: float, end: float, columns: int = 1500
    ) -> Trace:
        start, end = max(start, self.began), min(end, self._now())
        if end <= start:
            return empty_trace()
        # Half as many: a column of a screen need not have a point of its own. The points stay
        # the same while a plot is moved.
        wanted = max(1.0, (end - start) / max(1, columns // 2), self._finest or _USUAL)
        step = next((each for each in _STEPS if each >= wanted), math.ceil(wanted))
        first = math.floor((start + self._offset) / step) * step
        last = math.ceil((end + self._offset) / step) * step
        span = step * _POINTS
        numbers = range(int(first // span), int(last // span) + 1)
        found = [self._piece(_Key(metric, step, each)).get(card) or _GAP for each in numbers]
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

    def _piece(self, key: _Key) -> Mapping[CardId, Sequence[Floats]]:
        """What is here, be it old; and it is ordered where it is not."""
        found = self._pieces.get(key, _Piece({}, -math.inf))
        if self._now() >= found.until:
            self._watching.order((id(self), key), partial(self._ask, key))
        return found.cards

    def _ask(self, key: _Key) -> None:
        try:
            if self._finest is None:
                self._finest = self.how_often()
            self._pieces[key] = self._asked(key)
        except Trouble:
            there = self._pieces[key].cards if key in self._pieces else {}
            self._pieces[key] = _Piece(there, self._now() + _RETRY)
        if len(self._pieces) > _PIECES:
            del self._pieces[next(iter(self._pieces))]

    def how_often(self) -> float | None:
        """Seconds from one value to the next, as they came of late; None where too few came."""
        fleet = self._watching.fleet
        for exporter, meant in fleet.about(self._there()[:1]):
            for line in fleet.server.samples(f"{exporter.series(meant)}[10m]"):
                steps = [later - one for one, later in pairwise(line.times)]
                if len(steps) > 1:
                    return min(max(1.0, median(steps)), _MOST_STEP)
        return None

    def _asked(self, key: _Key) -> _Piece:
        now, often = self._now(), self._finest or _USUAL
        start = key.number * key.step * _POINTS
        end = start + key.step * (_POINTS - 1)
        # A value stands for what came before it, and a column begins where its time begins.
        begins, ends = start + key.step, min(end, now + self._offset) + key.step
        if ends < begins:
            return _Piece({}, now + _RETRY)
        # Of a step with two values or more in it all three are told, else the newest.
        several = key.step >= 2 * often
        window = key.step if several else 2 * often
        found: dict[CardId, list[Floats]] = {}
        metric, fleet = METRICS[key.metric], self._watching.fleet
        for exporter, meant in fleet.about(self._there()):
            if (name := exporter.told.get(key.metric)) is None:
                continue
            series = selector(name.name, name.labels, meant)
            told: dict[CardId, list[Floats]] = {}
            for way, how in enumerate(("min", "max", "avg") if several else ("last",)):
                asked = grouped(exporter.keys, f"{how}_over_time({series}[{window:.0f}s])")
                for line in fleet.server.range(asked, begins, ends, key.step):
                    rows = told.setdefault(
                        card_id(line.labels), [np.full(_POINTS, np.nan) for _ in range(3)]
                    )
                    places = np.rint((np.array(line.times) - begins) / key.step)
                    values = np.array(line.values) / name.factor
                    with np.errstate(invalid="ignore"):
                        good = (values >= metric.lowest) & (values <= metric.highest)
                    good &= (places >= 0) & (places < _POINTS) & np.isfinite(values)
                    for row in (rows[way],) if several else rows:
                        row[places[good].astype(np.intp)] = values[good]
            found = {**told, **found}
        complete = now + self._offset > end + 2 * often + key.step
        return _Piece(found, np.inf if complete else now + max(_NEWEST, key.step / 4))
