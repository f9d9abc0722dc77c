"""Local: the cards of this computer as a stream of facts. Cards that answer at once share a
thread, any other has its own: a call that hangs keeps nobody else.
"""

import socket
import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cached_property, lru_cache, partial
from itertools import product
from typing import TYPE_CHECKING

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import HOST_ID, Card, CardId, CardKind, CardState, Sample
from gpuexplorer.core.clock import Clock, SystemClock
from gpuexplorer.core.metrics import Cadence, MetricId, metrics_of
from gpuexplorer.telemetry.backend import COUNTED_APART, Backend
from gpuexplorer.telemetry.facts import Attempt, Cards, Fact, Notes, Tell, Users, Watch
from gpuexplorer.telemetry.system import ProcessorTime
from gpuexplorer.telemetry.topology import Topology

if TYPE_CHECKING:
    from gpuexplorer.telemetry.backends.host import HostReader
    from gpuexplorer.telemetry.process_book import ProcessNames

PATIENCE = 0.5
_MOST_PATIENCE = 5.0  # with a card that was late the last time
# The use of processors over less than a second is mostly noise.
HOST_AT_LEAST = 1.0
_USERS, _HOST, _AHEAD = "users", "host", "ahead"
# What is asked in one thread, each no more often than that. Counters of PCIe are waited for.
_CARD, _TRAFFIC, _OF_HOST = "card", "traffic", "computer"
_ROUNDS: Mapping[str, Mapping[str, float]] = {
    _CARD: {Cadence.FAST: 0.0, Cadence.SLOW: 5.0, _USERS: 2.0},
    _TRAFFIC: {Cadence.ON_DEMAND: 2.0},
    _OF_HOST: {_HOST: HOST_AT_LEAST},
}
# A card that answered each round so quickly the last time shares a thread: eight cards with one
# each took 8.4 ms of processor a second, and take 4.6 in two that they share.
_QUICK = {_CARD: 0.01, _TRAFFIC: 0.05, _OF_HOST: 0.0}
_TOGETHER = 8  # cards whose bytes are counted in a row: of more, the first would have wrapped
_LOOKS_AROUND = 1.0  # for other cards, and for what there is to note
# Short, since an NVML call cannot be interrupted when the program ends.
_FAULT_WAIT = 0.25


Ahead = Callable[[CardId, Collection[MetricId]], None]


class _Lane:
    """A thread, and of which cards, or the host, it asks what."""

    def __init__(self, card: CardId, kind: str, patience: float) -> None:
        self.cards, self.kind, self.patience = [card], kind, patience  # cards: replaced whole
        self.lock, self.wake = threading.Lock(), threading.Event()
        self.asked = card
        self.quick: set[str] = set()  # rounds whose last answer was
        self.waits_since: float | None = None  # for the answer to a call
        self.told_at = float("-inf")  # that it is silent
        self.thread = threading.current_thread()


class Local:
    """A card's samples come from up to three rounds: fast, slow and on demand, each with the
    metrics of its cadence. A card that hangs gets samples that say so, at every beat.
    """

    here = True

    def __init__(
        self,
        backend: Backend,
        attempts: "Sequence[Attempt]" = (),
        clock: "Clock | None" = None,
        patience: float = PATIENCE,
        *,
        processor_before: "ProcessorTime | None" = None,
        faults: bool = True,
    ) -> None:
        """`processor_before`: a first look at the processor. `faults`: whether the driver's own
        reports are waited for.
        """
        self.backend, self.attempts = backend, attempts
        self._ahead: Ahead | None = getattr(backend, "count_ahead", None)
        self.clock = clock or SystemClock()
        self.computer = socket.gethostname()
        self._patience = patience
        self._processor_before, self._waits_for_faults = processor_before, faults
        self._tell: Tell = lambda _: None
        self._watch = Watch()
        self._looking = threading.Lock()
        self._listed: Cards | None = None
        self._noted: Sequence[object] = ()
        self._by_id: dict[CardId, Card] = {}
        self._stopping = threading.Event()
        self._lanes: dict[tuple[CardId, str], _Lane] = {}  # replaced whole
        self._shared: dict[str, _Lane] = {}
        self._sharing = threading.RLock()
        self._others: list[threading.Thread] = []

    @cached_property
    def host_reader(self) -> "HostReader":
        # psutil, which it needs, takes long to import, and the cards can be asked meanwhile.
        from gpuexplorer.telemetry.backends.host import HostReader  # noqa: PLC0415

        return HostReader(self.clock, self._processor_before)

    @cached_property
    def names(self) -> "ProcessNames":
        from gpuexplorer.telemetry.process_book import ProcessNames  # noqa: PLC0415 - as above

        # Made-up processes are known to what makes them up, and to no computer.
        return ProcessNames(told_of=getattr(self.backend, "told_of", None))

    @property
    def host(self) -> Card:
        return self.host_reader.card

    @property
    def elsewhere(self) -> bool:
        return self.names.elsewhere

    def listen(self, tell: Tell) -> None:
        self._tell = tell
        self._look_around()

    def watch(self, watch: Watch) -> None:
        self._watch = watch
        for lane in self._lanes.values():
            lane.wake.set()

    def start(self) -> None:
        self._open_lanes()
        self._others.append(_thread(self._watch_lanes, "sampler watch"))
        if self._waits_for_faults:
            self._others.append(_thread(self._wait_for_faults, "hardware faults"))

    def stop(self, seconds: float = 0.3) -> bool:
        until = self.clock.now() + seconds
        self._stopping.set()
        self.watch(self._watch)  # which wakes all
        self.backend.close()  # then whoever waits for a fault lets go
        threads = [*self._others, *(lane.thread for lane in self._lanes.values())]
        for thread in threads:
            thread.join(max(0.0, until - self.clock.now()))
        return not any(thread.is_alive() for thread in threads)

    def silence(self, card: CardId) -> "float | None":
        lane = self._lanes.get((card, _CARD))
        return self._hangs(lane) if lane is not None and lane.asked == card else None

    def _hangs(self, lane: _Lane) -> "float | None":
        if (since := lane.waits_since) is None or lane.kind == _OF_HOST:
            return None
        # Of the many calls that a round takes, each answer ends it.
        seconds = self.clock.now() - max(since, self.backend.heard(lane.asked))
        return seconds if seconds > lane.patience else None

    def host_now(self) -> Sample:
        sample = self.host_reader.read(metrics_of(self.host))
        self._look_around()
        return sample

    def wiring(self) -> Topology:
        return self.backend.topology()

    def read_now(self, cadences: "Collection[Cadence]", *, users: bool) -> None:
        """One reading of every card in this very thread; only before `start`."""
        for card in self.backend.cards():
            for cadence in cadences:
                if metrics := metrics_of(card, (cadence,)):
                    self._tell(self.backend.read(card.id, metrics))
            if users and card.kind is CardKind.GPU:
                self._tell(self._users(card.id))
        for fault in self.backend.wait_for_fault(0.0):
            self._tell(fault)

    def _look_around(self) -> None:
        """Whether other cards are listed by now, or there is something else to note."""
        with self._looking:
            told = Cards(self.backend.cards(), self.backend.source)
            before, self._listed = self._listed, told
            if before is None or before.cards is not told.cards or before.source != told.source:
                self._by_id = {card.id: card for card in told.cards}
                self._tell(told)
            swap = self.host_reader.notes() if "host_reader" in vars(self) else ()
            notes = [*self.backend.notes(), *swap]
            if notes != self._noted:
                self._noted = notes
                self._tell(Notes(notes))

    def _open_lanes(self) -> None:
        """For the host and all cards that are listed now, unless they have one that no bug of
        ours has ended.
        """
        there = [(HOST_ID, _OF_HOST), *product(self._by_id, (_CARD, _TRAFFIC))]
        with self._sharing:
            lanes = {of: lane for of, lane in self._lanes.items() if lane.thread.is_alive()}
            for of in there:
                if of not in lanes:
                    lane = lanes[of] = _Lane(*of, self._patience)
                    lane.thread = _thread(partial(self._run, lane), "reads {} {}".format(*of))
            self._lanes = lanes

    def _share(self, lane: _Lane) -> None:
        with self._sharing:
            shared = self._shared.get(lane.kind)
            if shared is None or not shared.thread.is_alive():
                self._shared[lane.kind] = lane
            elif shared is not lane:
                moved = ((card, lane.kind) for card in lane.cards)
                self._lanes = self._lanes | dict.fromkeys(moved, shared)
                shared.cards, lane.cards = [*shared.cards, *lane.cards], []

    def _quick(self, kind: str) -> float:
        """All cards together take no more than half a beat."""
        fair = self._watch.interval / 2 / max(1, len(self._by_id))
        return min(_QUICK[kind], fair) if kind == _CARD else _QUICK[kind]

    def _stand_alone(self, lane: _Lane) -> None:
        """The card that it waits for keeps the thread; each of the others gets one."""
        with self._sharing:
            others = {of: each for of, each in self._lanes.items() if each is not lane}
            self._lanes = others | {(lane.asked, lane.kind): lane}
            lane.cards = [lane.asked]
            lane.quick.clear()
            del self._shared[lane.kind]
            self._open_lanes()

    def _watch_lanes(self) -> None:
        looked_at = self.clock.now()
        while not self.clock.wait(self._stopping, self._patience / 2):
            if self.clock.now() - looked_at >= _LOOKS_AROUND:
                looked_at = self.clock.now()
                self._look_around()
                self._open_lanes()
            for lane in {*self._lanes.values()}:
                with lane.lock:  # an answer that comes now comes after the silence
                    now, since = self.clock.now(), lane.waits_since
                    long = since is not None and now - since > _QUICK[lane.kind]
                    if long and lane is self._shared.get(lane.kind):
                        self._stand_alone(lane)
                    due = now >= lane.told_at + self._watch.interval
                    if due and self._hangs(lane) is not None:
                        lane.told_at = now
                        self._tell_silence(lane.asked, lane.kind)

    def _tell_silence(self, card: CardId, kind: str) -> None:
        """A card may answer, and only its counters do not."""
        if self._watch.users and card in self._by_id and kind == _CARD:
            self._tell(Users(card, None))
        state = CardState.WORKING if self.silence(card) is None else CardState.NO_ANSWER
        for cadence in _ROUNDS[kind].keys() - {_USERS}:
            if metrics := self._wanted(card, cadence):
                missing = dict.fromkeys(metrics, Absence.NO_ANSWER)
                self._tell(Sample(card, self.clock.now(), {}, missing, state))

    def _is_there(self, card: CardId) -> bool:
        return card == HOST_ID or card in self._by_id

    def _run(self, lane: _Lane) -> None:
        """Each round on its beat, without drift; moments that have passed are left out."""
        rounds = _ROUNDS[lane.kind]
        due, periods = {}, dict.fromkeys(rounds, 0.0)
        while any(map(self._is_there, lane.cards)):
            for round_, least in rounds.items():
                if self._stopping.is_set():
                    return
                now, period = self.clock.now(), max(self._watch.interval, least)
                if periods[round_] != period:
                    periods[round_], due[round_] = period, now
                if (late := now - due[round_]) >= 0:
                    due[round_] += period * (1 + int(late / period + 1e-9))
                    cards = [*filter(self._is_there, lane.cards)]
                    for at in range(0, len(cards), _TOGETHER):
                        some = cards[at : at + _TOGETHER]
                        if lane.kind == _TRAFFIC and self._ahead and len(some) > 1:
                            self._ask_all(lane, some, _AHEAD)
                            self.clock.wait(self._stopping, COUNTED_APART)
                        self._ask_all(lane, some, round_)
            if lane.quick >= rounds.keys():
                self._share(lane)
            if lane.cards:
                self.clock.wait(lane.wake, max(0.0, min(due.values()) - self.clock.now()))
                lane.wake.clear()

    def _ask_all(self, lane: _Lane, cards: Sequence[CardId], round_: str) -> None:
        for card in cards:
            if card in lane.cards and self._is_there(card):
                self._ask(lane, card, round_)

    def _ask(self, lane: _Lane, card: CardId, round_: str) -> None:
        began, lane.asked = self.clock.now(), card
        lane.waits_since = began
        told = self._answer(card, round_)
        now = self.clock.now()
        late = now - began > self._patience
        with lane.lock:
            quick = now - began < self._quick(lane.kind)
            (lane.quick.add if quick else lane.quick.discard)(round_)
            lane.patience = max(self._patience, _MOST_PATIENCE if late else 0.0)
            lane.waits_since, lane.told_at = None, float("-inf")
        if isinstance(told, Sample):
            if late:
                # What a hung call brought home was true when it came home, not when asked.
                told = told._replace(at=now)
            if told.state is CardState.LOST:  # or listed under another name by now
                self._look_around()
        # It may have gone while it was read: an instance put together, a card that woke.
        if told is not None and self._is_there(card):
            self._tell(told)

    def _answer(self, card: CardId, round_: str) -> "Fact | None":
        """None where nobody wants to know."""
        if round_ == _HOST:
            return self.host_now() if self._watch.host else None
        if round_ == _USERS:
            return self._users(card) if self._watch.users else None
        if round_ == _AHEAD:
            if self._ahead is not None:
                self._ahead(card, self._wanted(card, Cadence.ON_DEMAND))
            return None
        metrics = self._wanted(card, round_)
        return self.backend.read(card, metrics) if metrics else None

    def _wanted(self, card: CardId, cadence: str) -> "frozenset[MetricId]":
        """None of a card that has gone, as any may at any time."""
        listed = self._by_id.get(card)
        if listed is None:
            return frozenset()
        return _both(self._watch.metrics, metrics_of(listed, (Cadence(cadence),)))

    def _users(self, card: CardId) -> Users:
        told = self.backend.processes(card)
        return Users(card, None if told is None else self.names.of_card(card, told))

    def _wait_for_faults(self) -> None:
        while not self._stopping.is_set():
            for fault in self.backend.wait_for_fault(_FAULT_WAIT):
                self._tell(fault)


@lru_cache(maxsize=256)
def _both(some: "frozenset[MetricId]", others: "frozenset[MetricId]") -> "frozenset[MetricId]":
    return some & others


def _thread(run: "Callable[[], None]", name: str) -> threading.Thread:
    thread = threading.Thread(target=run, name=name, daemon=True)
    thread.start()
    return thread
