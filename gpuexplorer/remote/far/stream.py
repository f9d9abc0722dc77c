"""FarStream: another machine as a stream of facts. They are those that its agent reads over
there, with its times as ours; while there is no connection each figure is missing.
"""

import queue
from collections import OrderedDict, deque
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import HOST_ID, Card, CardId, CardKind, CardState, Sample
from gpuexplorer.core.clock import Clock
from gpuexplorer.core.metrics import Cadence, MetricId, metrics_of
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import NOTHING, Message, mark
from gpuexplorer.lab.simulated_cards import Load
from gpuexplorer.remote.wire import (
    Added,
    AskRunning,
    AskWiring,
    Done,
    End,
    Running,
    Told,
    Wired,
)
from gpuexplorer.simulation.course import Occupation
from gpuexplorer.telemetry.backend import MADE_UP, HardwareFault, Source
from gpuexplorer.telemetry.backends.simulated import SimulatedBackend
from gpuexplorer.telemetry.facts import Attempt, Cards, Fact, Notes, Tell, Users, Watch
from gpuexplorer.telemetry.processes import FarIdentity, NamedProcess, Way
from gpuexplorer.telemetry.sources import simulated
from gpuexplorer.telemetry.topology import Topology

if TYPE_CHECKING:
    from gpuexplorer.remote.far.machine import FarMachine

_WIRING_PATIENCE = 10.0
_READING_PATIENCE = 8.0
NO_WIRING = Topology((), (), {})
_ASKED_AGAIN_AFTER = 0.5
_MOST_FOLLOWED = 1024


# So many knocks are compared, since two steady clocks drift apart by seconds a day.
_COMPARED = 60
_WORTH_SAYING = 1.0


class _Look(NamedTuple):
    round_trip: float
    offset: float  # what is to be added to their steady seconds
    differs: float  # by how much their time of day is ahead of ours


class FarClock:
    """Begins anew with each connection. One thread at a time; may be read from any."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._began = clock.now()
        self._looks: deque[_Look] = deque(maxlen=_COMPARED)
        self._best: _Look | None = None

    def greeted(self, now: float, wall: float) -> None:
        """What it said when it was ready; how long that was under way nobody knows."""
        self._began = self._clock.now()
        self._looks.clear()
        self._best = _Look(float("inf"), self._began - now, wall - self._clock.wall())

    def knocked(self, sent_at: float, now: float, wall: float) -> None:
        """Answered just now. What took the shortest tells best."""
        here = self._clock.now()
        trip = max(0.0, here - sent_at)
        differs = wall - (self._clock.wall() - trip / 2)
        self._looks.append(_Look(trip, (sent_at + here) / 2 - now, differs))
        self._best = min(self._looks)

    def ours(self, theirs: float) -> float:
        """Their steady seconds as ours: never before they were reached, and never to come."""
        offset = 0.0 if self._best is None else self._best.offset
        return min(max(theirs + offset, self._began), self._clock.now())

    @property
    def round_trip(self) -> float | None:
        """Seconds there and back, at best of late; None before the first knock."""
        return None if not self._looks or self._best is None else self._best.round_trip

    @property
    def differs(self) -> float | None:
        """Seconds by which their time of day is ahead, where that is sure and over a second."""
        best = self._best
        if best is None or abs(best.differs) < _WORTH_SAYING + best.round_trip / 2:
            return None
        return best.differs


class FarStream:
    """One session at a time hears what is told: the one that listened last. `take`, `lost` and
    `greeted` are called one at a time.
    """

    here = False

    def __init__(self, machine: "FarMachine", far_clock: FarClock) -> None:
        self.machine, self._far_clock = machine, far_clock
        self.source = Source(
            "far", Message("{host}, not connected yet", host=machine.host.text)
        )
        self._cards: Sequence[Card] = ()
        # Simulated over there: the same cards here, for what is worked out and not read.
        self.twin: SimulatedBackend | None = None
        self._noted: Sequence[Message] = ()
        self._differs: float | None = None
        self._host: Sample | None = None
        self._wiring = NO_WIRING
        self._silent_since: dict[CardId, float] = {}
        self._watch, self._started = Watch(), False
        self._tell: Tell = lambda _: None
        self._followed: OrderedDict[tuple[int, float], _Followed] = OrderedDict()

    @property
    def clock(self) -> Clock:
        return self.machine.clock

    @property
    def computer(self) -> str:
        """As it was asked for: its own name may say nothing to anybody here."""
        return self.machine.host.text

    @property
    def host(self) -> Card:
        return self.machine.host_card

    @property
    def attempts(self) -> Sequence[Attempt]:
        hello = self.machine.hello
        told = () if hello is None else hello.attempts
        return [Attempt(self.computer, each, NOTHING) for each in told]

    @property
    def elsewhere(self) -> bool:
        hello = self.machine.hello
        return hello is not None and hello.elsewhere

    @property
    def interval(self) -> float:
        return self._watch.interval

    def cards(self) -> Sequence[Card]:
        return self._cards

    def listen(self, tell: Tell) -> None:
        self._tell = tell
        self._tell_what_stands()

    def start(self) -> None:
        self._started = True
        self.watch_there()

    def watch(self, watch: Watch) -> None:
        self._watch = watch
        self.watch_there()

    def watch_there(self) -> None:
        """Says over there what is wanted; also when it is another connection."""
        if self._started:
            self.machine.tell(self._watch)

    def silence(self, card: CardId) -> float | None:
        since = self._silent_since.get(card)
        return None if since is None else max(0.0, self.clock.now() - since)

    def host_now(self) -> Sample:
        return self._host or Sample(HOST_ID, self.clock.now(), {})

    def topology(self) -> Topology:
        return self.wiring()

    def read(self, card: CardId, metrics: Collection[MetricId]) -> Sample:
        """One reading for a command, which has no session: what it asks for is watched."""
        asked, found = frozenset(metrics), queue.SimpleQueue[Sample]()
        told, before = Sample(card, self.clock.now(), {}), self._tell

        def hear(fact: Fact) -> None:
            before(fact)
            if isinstance(fact, Sample) and fact.card == card:
                found.put(fact)

        self._tell, self._started = hear, True
        self.watch(Watch(asked | self._watch.metrics, self._watch.users))
        with suppress(queue.Empty):
            while asked - {*told.values, *told.missing}:
                new = found.get(timeout=_READING_PATIENCE)
                values, missing = {**told.values, **new.values}, {**told.missing, **new.missing}
                told = new._replace(values=values, missing=missing)
        self._tell = before
        left = dict.fromkeys(asked - {*told.values, *told.missing}, Absence.NO_CONNECTION)
        return told._replace(missing={**told.missing, **left})

    def close(self) -> None:
        self.stop()

    def wiring(self) -> Topology:
        """What was told last, where there is no answer now."""
        with suppress(Trouble):
            self._wiring = self.asked_wiring()
        return self._wiring

    def asked_wiring(self) -> Topology:
        """Raises Trouble where there is no answer, or the driver over there gives none."""
        return self.machine.asking.ask(AskWiring(0), Wired, _WIRING_PATIENCE).topology

    def stop(self, seconds: float = 0.3) -> bool:
        """Ends the connection for good."""
        self._started = False
        return self.machine.stop(seconds)

    def greeted(self) -> None:
        """A new connection; `take` says what there is."""
        told = self.machine.settings
        self.twin, self._noted = None, ()
        if told.simulate is not None:
            twin = self.twin = simulated(told.simulate, told.faults, told.seed)
            twin.machine.on_added = lambda *added: self.machine.tell(_added(twin, *added))

    def take(self, fact: Fact) -> None:
        match fact:
            case Cards(cards=cards, source=source):
                self.source = source
                if tuple(cards) != tuple(self._cards):
                    self._cards = cards
                self._tell_what_stands()
            case Notes(notes=notes):
                self._noted = notes
                self._tell_what_stands()
            case Sample():
                ours = fact._replace(at=self._far_clock.ours(fact.at))
                if ours.card == HOST_ID:
                    self._host = ours
                if ours.state is CardState.NO_ANSWER:
                    self._silent_since.setdefault(ours.card, ours.at)
                else:
                    self._silent_since.pop(ours.card, None)
                self._hand_on(ours)
            case Users(card=card, processes=named) if named is not None:
                self._hand_on(Users(card, [self._followed_over_there(each) for each in named]))
            case Users() | HardwareFault():
                self._hand_on(fact)

    def knocked(self) -> None:
        """What its clock says may be another by now."""
        if self._far_clock.differs != self._differs:
            self._differs = self._far_clock.differs
            self._tell_what_stands()

    def lost(self, at: float) -> None:
        """Nothing was known then: a gap in every plot, and the reason at every figure."""
        self._silent_since.clear()
        for card in (*self._cards, self.host):
            for cadence in Cadence if card.id != HOST_ID else (Cadence.FAST,):
                wanted = metrics_of(card, (cadence,)) & self._watch.metrics
                metrics = metrics_of(card) if card.id == HOST_ID else wanted
                if metrics:
                    missing = dict.fromkeys(metrics, Absence.NO_CONNECTION)
                    state = CardState.NO_CONNECTION
                    self._hand_on(Sample(card.id, at, {}, missing, state))
            if self._watch.users and card.kind is CardKind.GPU:
                self._hand_on(Users(card.id, None))

    def _hand_on(self, fact: Fact) -> None:
        if self._started:
            self._tell(fact)

    def _tell_what_stands(self) -> None:
        self._tell(Cards(self._cards, self.source))
        host = self.machine.host
        # Whatever they call "this computer" is over there.
        notes = [
            each if each == MADE_UP else Message("{host}: {note}", host=host.text, note=each)
            for each in self._noted
        ]
        seconds = self._far_clock.differs
        if seconds is not None:
            said = (
                mark("The clock of {host} is {seconds:.0f} s ahead of this computer's.")
                if seconds > 0
                else mark("The clock of {host} is {seconds:.0f} s behind this computer's.")
            )
            notes.append(Message(said, host=host.text, seconds=abs(seconds)))
        self._tell(Notes(notes))

    def _followed_over_there(self, named: NamedProcess) -> NamedProcess:
        """What is known of its end is known to all that stand for it."""
        if not named.resolved or named.started_at is None:
            return named
        key = named.process.pid, named.started_at
        followed = self._followed.setdefault(key, _Followed(*key, self.machine))
        self._followed.move_to_end(key)
        if len(self._followed) > _MOST_FOLLOWED:
            self._followed.popitem(last=False)
        return replace(named, identity=followed)


@dataclass
class _Followed(FarIdentity):
    """One process over there: what was wished of it, and whether it runs still."""

    pid: int
    started_at: float
    far: "FarMachine" = field(compare=False, repr=False)
    ended: bool = field(default=False, compare=False)
    asked_at: float = field(default=float("-inf"), compare=False)
    refusal: Trouble | None = field(default=None, compare=False)

    def end(self, kill: bool) -> None:
        self.refusal = None
        order = End(0, self.pid, self.started_at, Way.KILL if kill else Way.ASK)
        self.far.asking.ask_later(order, self._on_wish_answered)

    def has_ended(self) -> bool:
        now = self.far.clock.now()
        if not self.ended and now - self.asked_at > _ASKED_AGAIN_AFTER:
            self.asked_at = now
            order = AskRunning(0, self.pid, self.started_at)
            self.far.asking.ask_later(order, self._on_look_answered)
        return self.ended

    def refused(self) -> Trouble | None:
        return self.refusal

    def _on_wish_answered(self, told: Told | None) -> None:
        if told is None:
            self.refusal = Trouble(
                "The connection broke, so it is not known whether process {pid} was told.",
                "Try again when there is a connection.",
                pid=self.pid,
            )
        elif isinstance(told, Done) and told.trouble:
            self.refusal = Trouble(told.trouble, told.hint)

    def _on_look_answered(self, told: Told | None) -> None:
        self.ended = self.ended or (isinstance(told, Running) and not told.running)


# What a session or a command reads: a backend, or another machine.
def made_up(read: object) -> SimulatedBackend | None:
    """The model behind simulated cards, wherever they are read; None for real ones."""
    if isinstance(read, FarStream):
        return read.twin
    return read if isinstance(read, SimulatedBackend) else None


def load_of(read: object, *, live: bool = False) -> Load | None:
    """Real cards notice by themselves what the lab does to them. `live`: of a program."""
    now = made_up(read)
    if now is None:
        return None

    def model() -> SimulatedBackend:
        return made_up(read) or now

    return Load(lambda: model().machine, lambda: model().elapsed, live=live)


def _added(twin: SimulatedBackend, card: int, what: int | Occupation) -> Added:
    """Over there their seconds are others."""
    if isinstance(what, Occupation):
        return Added(card, occupation=what.moved(-twin.elapsed))
    return Added(card, what)
