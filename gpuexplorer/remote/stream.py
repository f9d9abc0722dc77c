"""FarStream: another machine as a stream of facts. They are those that its agent reads over
there, with its times as ours; while there is no connection each figure is missing.
"""

import math
import queue
from collections import deque
from collections.abc import Collection, Sequence
from concurrent.futures import Future
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
from gpuexplorer.remote.wire import Added, Answer, AskProcess, AskWiring, Hello, Knocked
from gpuexplorer.simulation.course import Occupation
from gpuexplorer.telemetry.backend import MADE_UP, Source
from gpuexplorer.telemetry.backends.simulated import SimulatedBackend
from gpuexplorer.telemetry.facts import Attempt, Cards, Fact, Notes, Tell, Users, Watch
from gpuexplorer.telemetry.processes import NamedProcess, Way
from gpuexplorer.telemetry.sources import simulated
from gpuexplorer.telemetry.topology import Topology

if TYPE_CHECKING:
    from gpuexplorer.remote.machine import FarMachine

_WIRING_PATIENCE = 5.0
_READING_PATIENCE = 8.0
# So many knocks are compared, since two steady clocks drift apart by seconds a day.
_COMPARED = 60
_WORTH_SAYING = 1.0


class _Look(NamedTuple):
    round_trip: float  # infinite: nobody knows
    offset: float  # what is to be added to their steady seconds
    differs: float  # by how much their time of day is ahead of ours


class FarClock:
    """Begins anew with each connection. One thread at a time; may be read from any."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self.greeted(clock.now(), clock.wall())

    def greeted(self, now: float, wall: float) -> None:
        """What it said when it was ready; how long that was under way nobody knows."""
        self._began = self._clock.now()
        self.best = _Look(math.inf, self._began - now, wall - self._clock.wall())
        self._looks = deque([self.best], _COMPARED)

    def knocked(self, told: Knocked) -> None:
        """Answered just now. What took the shortest tells best."""
        here = self._clock.now()
        trip = max(0.0, here - told.sent_at)
        differs = told.wall - (self._clock.wall() - trip / 2)
        self._looks.append(_Look(trip, (told.sent_at + here) / 2 - told.now, differs))
        self.best = min(self._looks)

    def ours(self, theirs: float) -> float:
        """Their steady seconds as ours: never before they were reached, and never to come."""
        return min(max(theirs + self.best.offset, self._began), self._clock.now())

    @property
    def differs(self) -> float | None:
        """Seconds by which their time of day is ahead, where that is sure and over a second."""
        best = self.best
        sure = abs(best.differs) >= _WORTH_SAYING + best.round_trip / 2
        return best.differs if sure else None


class Afar:
    """What a stream knows of a computer that is not this one, by whatever way."""

    here = elsewhere = False
    attempts: Sequence[Attempt] = ()

    def __init__(self, clock: Clock, computer: str, source: Source) -> None:
        self.clock, self.computer = clock, computer
        self.host = Card(HOST_ID, 0, computer, None, kind=CardKind.HOST)
        self._listed, self._noted = Cards((), source), Notes(())
        self._silent_since: dict[CardId, float] = {}
        self._tell: Tell = lambda _: None

    def silence(self, card: CardId) -> float | None:
        since = self._silent_since.get(card)
        return None if since is None else max(0.0, self.clock.now() - since)

    def _hear(self, sample: Sample) -> Sample:
        if sample.state is CardState.NO_ANSWER:
            self._silent_since.setdefault(sample.card, sample.at)
        else:
            self._silent_since.pop(sample.card, None)
        return sample


class FarStream(Afar):
    """One session at a time hears what is told: the one that listened last. `greeted`, `take`,
    `knocked` and `lost` are called one at a time.
    """

    def __init__(self, machine: "FarMachine") -> None:
        # As it was asked for: its own name may say nothing to anybody here. Before it has said
        # what it has, there is this name.
        name = machine.host.text
        nothing = Source("far", Message("{host}, not connected yet", host=name))
        super().__init__(machine.clock, name, nothing)
        self.machine, self.far_clock = machine, FarClock(machine.clock)
        # Simulated over there: the same cards here, for what is worked out and not read.
        self.twin: SimulatedBackend | None = None
        self.watched = Watch()
        self._differs: float | None = None
        self._host_now = Sample(HOST_ID, self.clock.now(), {})
        self._wiring = Topology((), (), {})
        self._started = False

    @property
    def source(self) -> Source:
        return self._listed.source

    def cards(self) -> Sequence[Card]:
        return self._listed.cards

    def listen(self, tell: Tell) -> None:
        self._tell = tell
        self._tell_what_stands()

    def start(self) -> None:
        self._started = True
        self.watch_there()

    def watch(self, watch: Watch) -> None:
        self.watched = watch
        self.watch_there()

    def watch_there(self) -> None:
        """Says over there what is wanted; also when it is another connection."""
        if self._started:
            self.machine.tell(self.watched)

    def host_now(self) -> Sample:
        return self._host_now

    def read(self, card: CardId, metrics: Collection[MetricId]) -> Sample:
        """The next reading, for a command, which has no session; `metrics` are of one cadence,
        and watched from now on.
        """
        asked, found = frozenset(metrics), queue.SimpleQueue[Sample]()
        told, before = Sample(card, self.clock.now(), {}), self._tell

        def hear(fact: Fact) -> None:
            if isinstance(fact, Sample) and fact.card == card:
                found.put(fact)

        self._tell, self._started = hear, True
        self.watch(Watch(asked))
        with suppress(queue.Empty):
            while not asked <= {*told.values, *told.missing}:
                told = found.get(timeout=_READING_PATIENCE)
        self._tell = before
        return told

    def wiring(self) -> Topology:
        """What was told last, where there is no answer now."""
        with suppress(Trouble):
            self._wiring = self.asked_wiring()
        return self._wiring

    topology = wiring

    def asked_wiring(self) -> Topology:
        """Raises Trouble where there is no answer, or the driver over there gives none."""
        wiring: Topology = self.machine.ask(Topology, AskWiring(), _WIRING_PATIENCE)
        return wiring

    def stop(self, seconds: float = 0.3) -> bool:
        """Ends the connection for good."""
        self._started = False
        return self.machine.stop(seconds)

    close = stop

    def greeted(self, hello: Hello) -> None:
        """A new connection."""
        self.far_clock.greeted(hello.now, hello.wall)
        self.host, self.elsewhere = hello.host, hello.elsewhere
        self.attempts = [Attempt(self.computer, each, NOTHING) for each in hello.attempts]
        told, self.twin = self.machine.settings, None
        if told.simulate is not None:
            twin = self.twin = simulated(told.simulate, told.faults, told.seed)

            def on_added(card: int, what: int | Occupation) -> None:
                """Over there their seconds are others."""
                if isinstance(what, Occupation):
                    self.machine.tell(Added(card, occupation=what.moved(-twin.elapsed)))
                else:
                    self.machine.tell(Added(card, what))

            twin.machine.on_added = on_added

    def take(self, fact: Fact) -> None:
        match fact:
            case Cards():
                self._listed = self._listed if fact == self._listed else fact  # the very same
                self._tell_what_stands()
            case Notes():
                self._noted = fact
                self._tell_what_stands()
            case Sample():
                ours = self._hear(fact._replace(at=self.far_clock.ours(fact.at)))
                if ours.card == HOST_ID:
                    self._host_now = ours
                self._hand_on(ours)
            case Users(card=card, processes=named) if named is not None:
                self._hand_on(Users(card, [self._followed(each) for each in named]))
            case _:
                self._hand_on(fact)

    def knocked(self, told: Knocked) -> None:
        """What its clock says may be another by now."""
        self.far_clock.knocked(told)
        if self.far_clock.differs != self._differs:
            self._differs = self.far_clock.differs
            self._tell_what_stands()

    def lost(self, at: float) -> None:
        """Nothing was known then: a gap in every plot, and the reason at every figure."""
        self._silent_since.clear()
        wanted = self.watched.metrics | metrics_of(self.host)
        for card in self.cards():
            if self.watched.users and card.kind is CardKind.GPU:
                self._hand_on(Users(card.id, None))
        for card in (*self.cards(), self.host):
            for cadence in Cadence:
                if metrics := metrics_of(card, (cadence,)) & wanted:
                    missing = dict.fromkeys(metrics, Absence.NO_CONNECTION)
                    self._hand_on(Sample(card.id, at, {}, missing, CardState.NO_CONNECTION))

    def _hand_on(self, fact: Fact) -> None:
        if self._started:
            self._tell(fact)

    def _tell_what_stands(self) -> None:
        self._tell(self._listed)
        # Whatever they call "this computer" is over there.
        notes = [
            each
            if each == MADE_UP
            else Message("{host}: {note}", host=self.computer, note=each)
            for each in self._noted.notes
        ]
        seconds = self._differs
        if seconds is not None:
            ahead = mark("The clock of {host} is {seconds:.0f} s ahead of this computer's.")
            behind = mark("The clock of {host} is {seconds:.0f} s behind this computer's.")
            template = ahead if seconds > 0 else behind
            notes.append(Message(template, host=self.computer, seconds=abs(seconds)))
        self._tell(Notes(notes))

    def _followed(self, named: NamedProcess) -> NamedProcess:
        if not named.resolved or named.started_at is None:
            return named
        followed = _Followed(named.process.pid, named.started_at, self.machine)
        return replace(named, identity=followed)


@dataclass
class _Followed:
    """One process over there: what was wished of it, and whether it runs still; by the names
    that psutil has for it.
    """

    pid: int
    started_at: float
    far: "FarMachine" = field(compare=False)
    wish: "Future[Answer] | None" = field(default=None, compare=False)
    look: "Future[Answer] | None" = field(default=None, compare=False)

    def terminate(self) -> None:
        self.wish = self.far.ask_later(AskProcess(self.pid, self.started_at, Way.ASK))

    def kill(self) -> None:
        self.wish = self.far.ask_later(AskProcess(self.pid, self.started_at, Way.KILL))

    def is_running(self) -> bool:
        """As of the last answer, after which it is asked again."""
        look = self.look
        if look is not None and not look.done():
            return True
        if look is not None and look.exception() is None and look.result().text == "false":
            return False
        self.look = self.far.ask_later(AskProcess(self.pid, self.started_at))
        return True

    def status(self) -> str:
        return ""  # who only left an entry over there does not run

    @property
    def refused(self) -> Trouble | None:
        """What came back of the last wish, where it was refused over there."""
        error = self.wish.exception() if self.wish is not None and self.wish.done() else None
        return error if isinstance(error, Trouble) else None


# What a session or a command reads: a backend, or another machine.
def made_up(read: object) -> SimulatedBackend | None:
    """The model behind simulated cards, wherever they are read; None for real ones."""
    model = read.twin if isinstance(read, FarStream) else read
    return model if isinstance(model, SimulatedBackend) else None


def load_of(read: object, *, live: bool = False) -> Load | None:
    """Real cards notice by themselves what the lab does to them. `live`: of a program."""
    if (now := made_up(read)) is None:
        return None

    def model() -> SimulatedBackend:
        return made_up(read) or now

    return Load(lambda: model().machine, lambda: model().elapsed, live=live)
