"""HostBackend: a host of a fleet as a vendor, whose cards are read through Prometheus."""

import threading
from collections.abc import Collection, Mapping, Sequence

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import Card, CardId, CardKind, CardState, Sample
from gpuexplorer.core.clock import Clock
from gpuexplorer.core.metrics import MetricId
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import Message, all_of
from gpuexplorer.fleet.host_questions import CardNow, HostQuestions
from gpuexplorer.fleet.identity import FleetCard
from gpuexplorer.fleet.now import FleetNow
from gpuexplorer.fleet.watching import Watching
from gpuexplorer.telemetry.backend import MADE_UP, HardwareFault, Source
from gpuexplorer.telemetry.processes import CardProcess
from gpuexplorer.telemetry.topology import Topology

_FIGURES_ALONE = Message(
    "This machine is seen through Prometheus, which tells the figures of its cards and nothing "
    "else. For all else, reach it over ssh: “Add a machine…”, or --host."
)
_TOTAL = MetricId("memory_total")


class HostBackend:
    """All cards are asked about together, once a beat; whoever reads gets the newest answer."""

    def __init__(self, watching: Watching, host: str, questions: HostQuestions) -> None:
        self.host = host
        self.questions = questions
        self.watching = watching
        self._clock: Clock = watching.clock
        self._lock = threading.Lock()
        self._asked_at = float("-inf")
        self._told: Mapping[CardId, CardNow] | None = None
        self._told_at = 0.0
        self._listed: tuple[object, Sequence[FleetCard], Sequence[Card]] = (None, (), ())

    def open(self) -> None:
        """It is."""

    def close(self) -> None:
        self.questions.server.end()

    @property
    def source(self) -> Source:
        cards = self.fleet_cards()
        exporters = sorted({title for each in cards for title in each.exporters})
        told = all_of(exporters) if exporters else Message("nobody")
        url = self.watching.fleet.server.where.url
        label = Message("Prometheus at {url}, told by {told}", url=url, told=told)
        simulated = any(each.simulated for each in cards)
        return Source("prometheus", label, simulated=simulated, figures_alone=_FIGURES_ALONE)

    def fleet_cards(self) -> Sequence[FleetCard]:
        self.cards()
        return self._listed[1]

    def cards(self) -> Sequence[Card]:
        now = self.watching.now
        if now is not None and self._listed[0] is not now.cards:
            there = [each for each in now.cards.values() if each.host == self.host]
            there.sort(key=_number)
            listed = self._listed[1:]
            if there != listed[0]:
                listed = there, _cards(there, now)
            self._listed = (now.cards, *listed)
        return self._listed[2]

    def read(self, card: CardId, metrics: Collection[MetricId]) -> Sample:
        with self._lock:
            if self._clock.now() - self._asked_at >= 0.9 * self.watching.beat:
                self._asked_at = self._clock.now()
                self._ask()
            told, at = self._told, self._told_at
        if told is None:
            why, state = Absence.NO_CONNECTION, CardState.NO_CONNECTION
            return Sample(card, self._clock.now(), {}, dict.fromkeys(metrics, why), state)
        known = told.get(card)
        if known is None or known.age is None:
            missing = dict.fromkeys(metrics, Absence.NO_NEW_VALUE)
            return Sample(card, at, {}, missing, CardState.NO_ANSWER)
        values = {each: known.values[each] for each in metrics if each in known.values}
        missing = {each: self._why(card, each, known) for each in metrics if each not in values}
        now = self.watching.now
        state = CardState.WORKING if now is None else now.states.get(card, CardState.WORKING)
        return Sample(card, at - known.age, values, missing, state)

    def heard(self, card: CardId) -> float:
        return 0.0

    def processes(self, card: CardId) -> Sequence[CardProcess] | None:
        """Exporters tell of few or none, and not whose they are."""
        return None

    def topology(self) -> Topology:
        return Topology((), (), {})

    def wait_for_fault(self, seconds: float) -> Sequence[HardwareFault]:
        return ()

    def notes(self) -> Sequence[Message]:
        now = self.watching.now
        notes = () if now is None else now.notes
        alerts = () if now is None else [a for a in now.alerts if a.host == self.host]
        fires = [Message("An alert fires in Prometheus: {text}", text=a.text) for a in alerts]
        if now is not None:
            fires += [
                Message("Card {number}: Xid error {code}.", number=each.number, code=code)
                for each in self.fleet_cards()
                if (code := now.xids.get(each.id)) is not None
            ]
        made_up = (MADE_UP,) if self.source.simulated else ()
        return (*made_up, *fires, *notes)

    def _ask(self) -> None:
        try:
            self._told = self.questions.now(self.fleet_cards())
            self._told_at = self._clock.now()
        except Trouble:
            self._told = None  # the sentence is the watching's, which asks the same server

    def _why(self, card: CardId, metric: MetricId, known: CardNow) -> Absence:
        if metric in known.reasons:
            return known.reasons[metric]
        now = self.watching.now
        fleet_card = None if now is None else now.cards.get(card)
        if now is None or fleet_card is None:
            return Absence.NOT_YET
        return now.why(fleet_card, metric)


def _number(card: FleetCard) -> tuple[tuple[int, ...], str]:
    parts = [each for each in card.number.split(".") if each.isdecimal() and len(each) < 6]
    return tuple(map(int, parts)), card.id


def _cards(there: Sequence[FleetCard], now: FleetNow) -> Sequence[Card]:
    whole = [each for each in there if each.kind is CardKind.GPU]
    # Of a part, by the UUID that it shares or by the number.
    parents = {name: each.id for each in whole for name in (each.uuid, each.number)}
    return [_card(each, at, parents, now) for at, each in enumerate(there)]


def _card(card: FleetCard, place: int, parents: Mapping[str, CardId], now: FleetNow) -> Card:
    parent, _, part = card.number.partition(".")
    number = part if card.kind is CardKind.MIG else card.number
    total = now.values.get(_TOTAL, {}).get(card.id)
    return Card(
        card.id,
        int(number) if number.isdecimal() and len(number) < 6 else place,
        card.name,
        None if total is None else round(total),
        simulated=card.simulated,
        kind=card.kind,
        parent=(parents.get(card.uuid) or parents.get(parent)) if part else None,
        bus_id=card.bus_id,
    )
