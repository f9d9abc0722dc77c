"""A host of a fleet as a stream of facts: its screens get what Prometheus knows of it."""

import threading
from collections.abc import Collection, Sequence

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import HOST_ID, Card, CardId, CardKind, CardState, Sample
from gpuexplorer.core.metrics import METRICS, Cadence, MetricId, metrics_of
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import Message, all_of
from gpuexplorer.fleet.client import Prometheus
from gpuexplorer.fleet.fleet import TOTAL, FleetCard, FleetNow, Told
from gpuexplorer.fleet.host_past import HostPast
from gpuexplorer.fleet.watching import Watching
from gpuexplorer.telemetry.backend import MADE_UP, Source
from gpuexplorer.telemetry.facts import Attempt, Cards, Notes, Tell, Users, Watch
from gpuexplorer.telemetry.session import Session
from gpuexplorer.telemetry.topology import Topology

_FIGURES_ALONE = Message(
    "This machine is seen through Prometheus, which tells the figures of its cards and nothing "
    "else. For all else, reach it over ssh: “Add a machine…”, or --host."
)


def host_session(watching: Watching, host: str, server: Prometheus) -> Session:
    """Of the past the server remembers more than this computer; nothing is kept here but what
    was looked at. `server`: a client of its own, which ends with it.
    """
    stream = HostStream(watching, host, server)
    session = Session(stream, watching.beat, host=False)
    session.past = stream.past
    return session


class HostStream:
    """Asks with each answer that the fleet got, however often a person wants to look at real
    cards. Of its processor, its memory, its wires and who uses the cards nobody tells.
    """

    here = elsewhere = False
    attempts: Sequence[Attempt] = ()

    def __init__(self, watching: Watching, host: str, server: Prometheus) -> None:
        self.clock, self.computer = watching.clock, host
        self.host = Card(HOST_ID, 0, host, None, kind=CardKind.HOST)
        self._watching, self._server = watching, server
        self.past = HostPast(watching.fleet, self._there, server.another(), self.clock)
        self._tell: Tell = lambda _: None
        self._metrics = frozenset[MetricId]()
        self._listed: tuple[object, Sequence[FleetCard]] = (None, ())
        self._cards, self._noted = Cards((), Source("prometheus", Message(""))), Notes(())
        self._told: Told | None = None
        self._now: FleetNow | None = None
        self._told_at = 0.0
        self._silent_since: dict[CardId, float] = {}
        self._asks, self._ended, self._wake = True, False, threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"reads {host}", daemon=True)

    def listen(self, tell: Tell) -> None:
        self._tell = tell
        self._look_around()

    def start(self) -> None:
        self._watching.listen(self.on_beat)
        self._thread.start()
        self.past.start()

    def watch(self, watch: Watch) -> None:
        self._metrics = watch.metrics
        self._wake.set()

    def silence(self, card: CardId) -> float | None:
        since = self._silent_since.get(card)
        return None if since is None else self.clock.now() - since

    def host_now(self) -> Sample:
        missing = dict.fromkeys(metrics_of(self.host), Absence.NOT_TOLD)
        return Sample(HOST_ID, self.clock.now(), {}, missing)

    def wiring(self) -> Topology:
        return Topology((), (), {})

    def stop(self, seconds: float = 0.3) -> bool:
        self._ended = True
        self._watching.stop_listening(self.on_beat)
        self._wake.set()
        self._server.end()
        ended = self.past.stop(seconds)
        if self._thread.ident is not None:
            self._thread.join(seconds)
        return ended and not self._thread.is_alive()

    def look(self) -> None:
        """One beat in this very thread: asks, where there is something new, and tells."""
        self._look_around()
        if self._asks:
            self._asks = False
            try:
                fleet, self._told = self._watching.fleet, None
                if self._watching.broken is None:
                    self._told = fleet.told(self._server, METRICS, self._there())
                    self._told_at = self.clock.now()
            except Trouble:
                pass  # the sentence is the watching's, which asks the same server
        for card in self._cards.cards:
            for cadence in Cadence:
                if metrics := metrics_of(card, (cadence,)) & self._metrics:
                    self._tell(self._sample(card.id, metrics))

    def _run(self) -> None:
        while not self._ended:
            self._wake.clear()
            self.look()
            self._wake.wait()

    def on_beat(self) -> None:
        self._asks = True
        self._wake.set()

    def _look_around(self) -> None:
        """Tells which cards are listed by now, and what is to be noted, where that is new."""
        now = self._now = self._watching.now
        there = self._there()
        exporters = sorted({title for each in there for title in each.exporters})
        told = all_of(exporters) if exporters else Message("nobody")
        url = self._server.where.url
        source = Source(
            "prometheus",
            Message("Prometheus at {url}, told by {told}", url=url, told=told),
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

    def _there(self) -> Sequence[FleetCard]:
        """The fleet's of this host, in their order."""
        now = self._watching.now
        if now is not None and self._listed[0] is not now.cards:
            there = [each for each in now.cards.values() if each.host == self.computer]
            self._listed = now.cards, sorted(there, key=_number)
        return self._listed[1]

    def _sample(self, card: CardId, metrics: Collection[MetricId]) -> Sample:
        if self._told is None:
            missing = dict.fromkeys(metrics, Absence.NO_CONNECTION)
            return Sample(card, self.clock.now(), {}, missing, CardState.NO_CONNECTION)
        told, now = self._told, self._now
        age = told.ages.get(card)
        if age is None or now is None:
            self._silent_since.setdefault(card, self._told_at)
            missing = dict.fromkeys(metrics, Absence.NO_NEW_VALUE)
            return Sample(card, self._told_at, {}, missing, CardState.NO_ANSWER)
        self._silent_since.pop(card, None)
        values = {
            each: told.values[each][card] for each in metrics if card in told.values[each]
        }
        why = told.reasons.get(card, {})
        missing = {
            each: why.get(each) or now.why(now.cards[card], each)
            for each in metrics
            if each not in values
        }
        state = now.states.get(card, CardState.WORKING)
        return Sample(card, self._told_at - age, values, missing, state)


def _number(card: FleetCard) -> tuple[tuple[int, ...], str]:
    parts = card.number.split(".")
    return tuple(int(each) for each in parts if each.isdecimal()), card.id


def _cards(there: Sequence[FleetCard], now: FleetNow) -> Sequence[Card]:
    whole = [each for each in there if each.kind is CardKind.GPU]
    # Of a part, by the UUID that it shares or by the number.
    parents = {name: each.id for each in whole for name in (each.uuid, each.number)}
    found = []
    for place, card in enumerate(there):
        parent, _, part = card.number.partition(".")
        number = part if card.kind is CardKind.MIG else card.number
        total = now.values.get(TOTAL, {}).get(card.id)
        found.append(
            Card(
                card.id,
                int(number) if number.isdecimal() else place,
                card.name,
                None if total is None else round(total),
                simulated=card.simulated,
                kind=card.kind,
                parent=(parents.get(card.uuid) or parents.get(parent)) if part else None,
                bus_id=card.bus_id,
            )
        )
    return found
