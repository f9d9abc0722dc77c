"""Watching: asks a fleet at a beat, in a thread of its own, and remembers the newest answer;
and a host of it as a stream of facts, with its past, asked in the same thread.
"""

import math
import threading
from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import HOST_ID, Card, CardId, CardKind, CardState, Sample
from gpuexplorer.core.clock import Clock, SystemClock
from gpuexplorer.core.metrics import MEMORY_TOTAL, METRICS, Cadence, MetricId, metrics_of
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import Message, all_of
from gpuexplorer.fleet.client import PrometheusError
from gpuexplorer.fleet.fleet import Fleet, FleetCard, FleetNow, card_id, grouped, selector
from gpuexplorer.remote.link import LinkNow, LinkState
from gpuexplorer.remote.stream import Afar
from gpuexplorer.telemetry.backend import MADE_UP, Source
from gpuexplorer.telemetry.facts import Cards, Notes, Tell, Users, Watch
from gpuexplorer.telemetry.session import Session
from gpuexplorer.telemetry.topology import Topology
from gpuexplorer.telemetry.trace import Trace, empty_trace

BEAT = 15.0  # seconds, as often as exporters are read by default
# A look for new cards every so many beats.
_LOOK_EVERY = 40
_MOST_PATIENT, _LASTING = 300.0, 60.0


class Watching:
    """Who listens is called from its thread, with every answer and every failure."""

    def __init__(self, fleet: Fleet, beat: float = BEAT, clock: Clock | None = None) -> None:
        self.fleet, self.beat = fleet, beat
        self.clock = clock or SystemClock()
        self.now: FleetNow | None = None
        self.answered_at: float | None = None
        self.broken: LinkNow | None = None  # where the server does not answer
        self._listeners: list[Callable[[], None]] = []
        self._wake, self._ended = threading.Event(), False
        self._beats, self._due, self._wait = 0, 0.0, beat
        self._orders: dict[Hashable, Callable[[], None]] = {}
        self._thread = threading.Thread(target=self._run, name="fleet", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self, seconds: float = 0.5) -> bool:
        """True when it ended: whatever was asked is given up."""
        self._ended = True
        self._wake.set()
        self.fleet.server.end()
        if self._thread.ident is not None:
            self._thread.join(seconds)
        return not self._thread.is_alive()

    def listen(self, on_change: Callable[[], None]) -> None:
        self._listeners.append(on_change)

    def stop_listening(self, on_change: Callable[[], None]) -> None:
        with suppress(ValueError):  # it never listened
            self._listeners.remove(on_change)

    def ask_now(self) -> None:
        """Instead of at the next beat."""
        self._due = 0.0
        self._wake.set()

    def order(self, what: Hashable, run: Callable[[], None]) -> None:
        """Runs it in the thread that asks, between the beats: once, and the newest first."""
        self._orders.pop(what, None)
        self._orders[what] = run
        self._wake.set()

    def run_order(self) -> bool:
        """In this very thread; whether there was one."""
        if not self._orders:
            return False
        _, run = self._orders.popitem()
        run()
        return True

    def look(self) -> None:
        """One beat in this very thread."""
        try:
            if self._beats % _LOOK_EVERY == 0:
                self.fleet.look_for_cards()
            self.now, self.answered_at = self.fleet.now(), self.clock.now()
        except Trouble as trouble:
            if self._ended:
                return
            if isinstance(trouble, PrometheusError) and trouble.lasting:
                self._wait = max(self._wait, _LASTING)
            now = self.clock.now()
            since = now if self.broken is None else self.broken.since
            why, retry_at = (trouble.sentence, trouble.hint), now + self._wait
            self.broken = LinkNow(LinkState.BROKEN, since, *why, retry_at)
            self._wait = min(_MOST_PATIENT, 2 * self._wait)
            self._beats = 0  # what is there then, is looked for anew
        else:
            self.broken, self._wait = None, self.beat
            self._beats += 1
        for each in tuple(self._listeners):
            each()

    def _run(self) -> None:
        while not self._ended:
            self._wake.clear()
            began = self.clock.now()
            if began >= self._due:
                self._due = math.inf
                self.look()
                now = self.clock.now()
                due = (self.broken and self.broken.retry_at) or began + self.beat
                # A server that is slower than the beat is left alone as long as it took.
                self._due = min(self._due, max(due, 2 * now - began))
            elif not self.run_order():
                self.clock.wait(self._wake, self._due - began)


_FIGURES_ALONE = Message(
    "This machine is seen through Prometheus, which tells the figures of its cards and nothing "
    "else. For all else, reach it over ssh: “Add a machine…”, or --host."
)
WEEK = 7 * 86_400.0
_POINTS = 768  # of a plot at most; asked for are twice as many, for when it is moved
_KEPT = 256  # questions
_RETRY, _NEWEST = 15.0, 5.0
_SEVERAL = 120.0  # seconds in which there are two values, wherever there are some
_STEPS = (15, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 14400, 43200, 86400)
Floats = NDArray[np.float64]


def host_session(watching: Watching, host: str) -> Session:
    """Of the past the server remembers more than this computer; nothing is kept here but what
    was looked at.
    """
    stream = HostStream(watching, host)
    session = Session(stream, watching.beat, host=False)
    session.past = HostPast(watching, stream.there)
    return session


class HostStream(Afar):
    """Asks with each answer that the fleet got, however often a person wants to look at real
    cards. Of its processor, its memory, its wires and who uses the cards nobody tells.
    """

    def __init__(self, watching: Watching, host: str) -> None:
        super().__init__(watching.clock, host, Source("prometheus", Message("")))
        self._watching = watching
        self._metrics = frozenset[MetricId]()
        self._told: FleetNow | None = None
        self._told_at = 0.0

    def listen(self, tell: Tell) -> None:
        self._tell = tell
        self._look_around()

    def start(self) -> None:
        self._watching.listen(self.look)
        self._watching.order(self, self.look)

    def watch(self, watch: Watch) -> None:
        self._metrics = watch.metrics
        self._watching.order(self, self._tell_samples if self._told else self.look)

    def host_now(self) -> Sample:
        missing = dict.fromkeys(metrics_of(self.host), Absence.NOT_TOLD)
        return Sample(HOST_ID, self.clock.now(), {}, missing)

    def wiring(self) -> Topology:
        return Topology((), (), {})

    def stop(self, seconds: float = 0.3) -> bool:
        """An answer on its way is still told."""
        self._watching.stop_listening(self.look)
        return True

    def there(self) -> Sequence[FleetCard]:
        """The fleet's cards of this host, in their order."""
        now = self._watching.now
        return () if now is None else now.hosts.get(self.computer, ())

    def look(self) -> None:
        """One beat in this very thread: asks, and tells."""
        self._look_around()
        self._told = None
        with suppress(Trouble):  # the sentence is the watching's, which asks the same server
            if self._watching.broken is None:
                self._told = self._watching.fleet.told(METRICS, self.there())
                self._told_at = self.clock.now()
        self._tell_samples()

    def _tell_samples(self) -> None:
        for card in self._listed.cards:
            for cadence in Cadence:
                if metrics := metrics_of(card, (cadence,)) & self._metrics:
                    self._tell(self._hear(self._sample(card.id, metrics)))

    def _look_around(self) -> None:
        """Tells which cards are listed by now, and what is to be noted, where that is new."""
        if (now := self._watching.now) is None:
            return
        there = self.there()
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
        cards = Cards(_cards(there, now), source)
        if cards != self._listed:
            self._listed = cards
            self._tell(cards)
            for card in cards.cards:
                self._tell(Users(card.id, None))
        notes = [MADE_UP] if source.simulated else []
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
        told = self._told
        if told is None:
            at, state, why = self.clock.now(), CardState.NO_CONNECTION, Absence.NO_CONNECTION
        elif (age := told.ages.get(card)) is None:
            at, state, why = self._told_at, CardState.NO_ANSWER, Absence.NO_NEW_VALUE
        else:
            values = {e: told.values[e][card] for e in metrics if card in told.values[e]}
            missing = {e: told.why(told.cards[card], e) for e in metrics if e not in values}
            return Sample(card, self._told_at - age, values, missing, told.state(card))
        return Sample(card, at, {}, dict.fromkeys(metrics, why), state)


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


class _Asked(NamedTuple):
    metric: MetricId
    step: float
    number: int  # of so many points each, from 1970 on


class _Known(NamedTuple):
    """Of each card the lowest, the highest and the mean in rows, NaN where nothing is known."""

    times: Floats  # of the server's clock
    cards: Mapping[CardId, Floats]
    until: float  # steady seconds: it is asked for anew afterwards


_NOTHING_KNOWN = _Known(np.empty(0), {}, -math.inf)


class HostPast:
    """The Past of a host's cards, asked of Prometheus and kept for a while. Who draws never
    waits: what is not here yet is a gap, and is ordered.
    """

    ended: float | None = None

    def __init__(self, watching: Watching, there: Callable[[], Sequence[FleetCard]]) -> None:
        """`there`: the cards of the host."""
        self._watching, self._there = watching, there
        self._now = now = watching.clock.now
        self._offset = watching.clock.wall() - now()  # later jumps of the clock move no plot
        self.began = now() - WEEK
        self._known: dict[_Asked, _Known] = {}  # the oldest first; another thread reads them

    def cards(self) -> Sequence[CardId]:
        return [card.id for card in self._there()]

    def memory_bytes(self) -> int:
        return sum(3 * each.times.nbytes * len(each.cards) for each in [*self._known.values()])

    def trace(
        self, card: CardId, metric: MetricId, start: float, end: float, columns: int = 1500
    ) -> Trace:
        start, end = max(start, self.began), min(end, self._now())
        if end <= start:
            return empty_trace()
        # Half as many: a column of a screen need not have a point of its own. The points stay
        # the same while a plot is moved.
        points = min(max(1, columns // 2), _POINTS - 2)
        wanted = (end - start) / points
        step = min((each for each in _STEPS if each >= wanted), default=_STEPS[-1])
        first = math.floor((start + self._offset) / step) * step
        last = math.ceil((end + self._offset) / step) * step
        asked = _Asked(metric, step, first // (step * _POINTS))
        found = self._known.get(asked, _NOTHING_KNOWN)
        if self._now() >= found.until:
            self._watching.order((id(self), asked), partial(self._ask, asked))
        if (rows := found.cards.get(card)) is None:
            return empty_trace()
        # Of a gap one column is left, the first, and none at the beginning.
        known = ~np.isnan(rows[2]) & (found.times >= first - step)
        kept = known.copy()
        kept[1:] |= known[:-1]
        kept &= found.times <= last
        low, high, mean = rows[:, kept]
        counts = known[kept].astype(np.int64)
        return Trace(found.times[kept] - self._offset, low, high, mean, counts, step)

    def _ask(self, asked: _Asked) -> None:
        try:
            self._known[asked] = self._answer(asked)
        except Trouble:
            known = self._known.get(asked, _NOTHING_KNOWN)
            self._known[asked] = known._replace(until=self._now() + _RETRY)
        if len(self._known) > _KEPT:
            del self._known[next(iter(self._known))]

    def _answer(self, asked: _Asked) -> _Known:
        now, metric, step = self._now(), METRICS[asked.metric], asked.step
        times = step * (asked.number * _POINTS + np.arange(2.0 * _POINTS))
        # A value stands for what came before it, and a column begins where its time begins.
        begins, ends = times[0] + step, min(times[-1], now + self._offset) + step
        ways: Mapping[str, int | slice] = {"{}": slice(3)}  # as Prometheus finds it then
        if step > _STEPS[0]:  # several values, or one where exporters are read once a minute
            window = f"_over_time({{}}[{max(step, _SEVERAL):.0f}s])"
            ways = {f"{how}{window}": row for row, how in enumerate(("min", "max", "avg"))}
        found: dict[CardId, Floats] = defaultdict(lambda: np.full((3, times.size), np.nan))
        fleet = self._watching.fleet
        for exporter, meant in reversed([*fleet.about(self._there())]):  # the best is the last
            if (name := exporter.told.get(metric.id)) is None:
                continue
            series = selector(name.name, meant, **name.labels)
            for how, way in ways.items():
                query = grouped(exporter.keys, how.format(series))
                for labels, line in fleet.server.range(query, begins, ends, step):
                    at, values = np.array(line).T
                    values = values / name.factor
                    good = (values >= metric.lowest) & (values <= metric.highest)
                    places = np.rint((at[good] - begins) / step).astype(np.intp)
                    found[card_id(labels)][way, places] = values[good]
        complete = now + self._offset > times[-1] + _SEVERAL + step
        return _Known(times, found, np.inf if complete else now + max(_NEWEST, step / 4))
