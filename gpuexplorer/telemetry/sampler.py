"""Sampler: asks every card what somebody wants to know, each question on its beat."""

import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import HOST_ID, Card, CardId, CardState, Sample
from gpuexplorer.core.clock import Clock, SystemClock
from gpuexplorer.core.metrics import Cadence, MetricId, metrics_of
from gpuexplorer.telemetry.backend import Backend, HardwareFault
from gpuexplorer.telemetry.beat import Beat, BeatCount
from gpuexplorer.telemetry.processes import CardProcess
from gpuexplorer.telemetry.sampling import Sampling, check_interval

PATIENCE = 0.5
# What is asked, each no more often than that; the costliest last.
_PROCESSES, _HOST = "processes", "host"
_AT_LEAST = {Cadence.FAST: 0.0, Cadence.SLOW: 5.0, _PROCESSES: 2.0, Cadence.ON_DEMAND: 2.0}
# Short, since an NVML call cannot be interrupted when the program ends.
_FAULT_WAIT = 0.25


class Needs(NamedTuple):
    """What a sampler is made with. Callbacks come from its threads; without `read_host` nobody
    wants samples of the computer itself.
    """

    backend: Backend
    on_sample: Callable[[Sample], None]
    interval: float = 1.0
    clock: Clock = SystemClock()
    patience: float = PATIENCE
    on_processes: Callable[[CardId, Sequence[CardProcess] | None], None] = lambda *_: None
    on_fault: Callable[[HardwareFault], None] | None = None
    read_host: Callable[[], Sample] | None = None


class _Lane:
    """A card, or the host, with a thread of its own: a call that hangs keeps nobody else."""

    def __init__(self, card: CardId) -> None:
        self.card = card
        self.lock = threading.Lock()
        self.wake = threading.Event()
        self.waits_since: float | None = None  # for the answer to a call
        self.told: dict[str, float] = {}  # when it was said last that there is none
        self.beats: dict[str, Beat] = {}
        self.done: Counter[str] = Counter()
        self.thread = threading.current_thread()


class Sampler(Sampling):
    """Owns the threads that talk to the driver: one for each card. Callbacks come from those.

    Samples of one card come from up to three rounds: fast, slow and on demand, each with the
    metrics of its cadence. A card that hangs gets samples that say so, at every beat. The
    computer itself, where `read_host` is given, is always read.
    """

    def __init__(self, needs: Needs) -> None:
        super().__init__(needs.interval)
        self._needs, self._backend, self._clock = needs, needs.backend, needs.clock
        self._listed: tuple[Sequence[Card], dict[CardId, Card]] = ((), {})
        self._stopping = threading.Event()
        self._swept = threading.Condition()
        self._lanes: dict[CardId, _Lane] = {}  # replaced whole
        self._watchdog: threading.Thread | None = None
        self._fault_waiter: threading.Thread | None = None

    def start(self) -> None:
        self._open_lanes()
        self._watchdog = self._thread(self._watch, "sampler watch")
        if self._needs.on_fault is not None:
            self._fault_waiter = self._thread(self._wait_for_faults, "hardware faults")

    def stop(self, seconds: float = 0.3) -> bool:
        """True when all rounds ended; False when a driver call hangs, which ends with us."""
        until = self._clock.now() + seconds
        self._stopping.set()
        lanes = list(self._lanes.values())
        for lane in lanes:
            lane.wake.set()
        threads = (self._watchdog, *(lane.thread for lane in lanes))
        gone = [self._gone(thread, until) for thread in threads]
        return all(gone)

    def stopped_listening(self, seconds: float) -> bool:
        """They let go when the backend is closed, or within a second."""
        return self._gone(self._fault_waiter, self._clock.now() + seconds)

    def set_interval(self, seconds: float) -> None:
        self._interval = check_interval(seconds)
        for lane in self._lanes.values():
            lane.wake.set()

    def beats(self) -> BeatCount:
        """Of cards that hang no moment is missed."""
        counts = [lane.beats[Cadence.FAST].count for lane in self._answering()]
        taken = max((each.taken for each in counts), default=0)
        return BeatCount(taken, min((each.missed for each in counts), default=0))

    def silence(self, card: CardId) -> float | None:
        lane = self._lanes.get(card)
        since = None if lane is None else lane.waits_since
        seconds = 0.0 if since is None else self._clock.now() - since
        return seconds if seconds > self._needs.patience else None

    def wait_for_sweeps(self, number: int, seconds: float) -> bool:
        return self._wait_for(number, seconds, (*_AT_LEAST, _HOST))

    def wait_for_fast_sweep(self, number: int, seconds: float) -> bool:
        return self._wait_for(number, seconds, (Cadence.FAST,))

    def _wait_for(self, number: int, seconds: float, rounds: Sequence[str]) -> bool:
        def all_over() -> bool:
            return all(
                lane.done[each] >= number
                for lane in self._answering()
                for each in rounds
                if each in lane.beats
            )

        until = self._clock.now() + seconds
        with self._swept:  # a card that begins to hang is not waited for
            while not (over := all_over()) and self._clock.now() < until:
                self._swept.wait(min(0.05, seconds))
        return over

    def _answering(self) -> Iterator[_Lane]:
        return (each for each in self._lanes.values() if self.silence(each.card) is None)

    def _thread(self, run: Callable[[], None], name: str) -> threading.Thread:
        thread = threading.Thread(target=run, name=name, daemon=True)
        thread.start()
        return thread

    def _gone(self, thread: threading.Thread | None, until: float) -> bool:
        if thread is None or thread is threading.current_thread():
            return True
        thread.join(max(0.0, until - self._clock.now()))
        return not thread.is_alive()

    def _period(self, round_: str) -> float:
        return self.host_period if round_ == _HOST else max(self._interval, _AT_LEAST[round_])

    def _known(self) -> Mapping[CardId, Card]:
        """The cards by id; put together anew only when the backend lists others."""
        cards = self._backend.cards()
        listed, by_id = self._listed
        if listed is not cards:
            by_id = {card.id: card for card in cards}
            self._listed = (cards, by_id)
        return by_id

    def _watch(self) -> None:
        while not self._clock.wait(self._stopping, self._needs.patience / 4):
            self._open_lanes()
            for lane in self._lanes.values():
                with lane.lock:  # an answer that comes now comes after the silence
                    if self.silence(lane.card) is not None:
                        self._tell_silence(lane)

    def _open_lanes(self) -> None:
        """For the host and all cards that are listed now, unless they have one."""
        there = (HOST_ID, *self._known())
        lanes = {c: lane for c, lane in self._lanes.items() if lane.thread.is_alive()}
        now = self._clock.now()
        for card in there:
            if card not in lanes:
                lane = lanes[card] = _Lane(card)
                host = (Cadence.FAST, _HOST) if self._needs.read_host else (Cadence.FAST,)
                for round_ in host if card == HOST_ID else _AT_LEAST:
                    lane.beats[round_] = Beat(self._period(round_), now)
                lane.thread = self._thread(partial(self._run, lane), f"reads {card}")
        self._lanes = lanes

    def _run(self, lane: _Lane) -> None:
        while lane.card == HOST_ID or lane.card in self._known():
            for round_, beat in lane.beats.items():
                if self._stopping.is_set():
                    return
                if beat.period != self._period(round_):
                    beat.change(self._period(round_), self._clock.now())
                if beat.due() <= self._clock.now():
                    beat.take(self._clock.now())
                    self._ask(lane, round_)
            ahead = min(beat.due() for beat in lane.beats.values()) - self._clock.now()
            self._clock.wait(lane.wake, max(0.0, ahead))
            lane.wake.clear()

    def _ask(self, lane: _Lane, round_: str) -> None:
        began = lane.waits_since = self._clock.now()
        try:
            told = self._answer(lane.card, round_)
        except Exception:  # a bug of ours: it is reported, and the round goes on
            _report()
            told = partial(self._silent, lane.card, round_)
        with lane.lock:
            lane.waits_since = None
            lane.told = {}
        now = self._clock.now()
        if isinstance(told, Sample):
            # What a hung call brought home was true when it came home, not when it was asked.
            late = now - began > self._needs.patience
            told = partial(self._needs.on_sample, told._replace(at=now) if late else told)
        # It may have gone while it was read: an instance put together, a card that woke.
        if told is not None and (lane.card == HOST_ID or lane.card in self._known()):
            _carefully(told)
        lane.done[round_] += 1
        with self._swept:
            self._swept.notify_all()

    def _answer(self, card: CardId, round_: str) -> Sample | Callable[[], None] | None:
        """None where nobody wants to know."""
        if round_ == _HOST:
            return None if self._needs.read_host is None else self._needs.read_host()
        if round_ == _PROCESSES:
            if not self._processes_wanted:
                return None
            return partial(self._needs.on_processes, card, self._backend.processes(card))
        metrics = self._metrics_for(card, Cadence(round_))
        return self._backend.read(card, metrics) if metrics else None

    def _metrics_for(self, card: CardId, cadence: Cadence) -> frozenset[MetricId]:
        known = self._known().get(card)
        return self._asked[cadence] & metrics_of(known) if known else frozenset()

    def _tell_silence(self, lane: _Lane) -> None:
        now = self._clock.now()
        for round_ in lane.beats:
            if now - lane.told.get(round_, float("-inf")) >= self._period(round_):
                lane.told[round_] = now
                _carefully(partial(self._silent, lane.card, round_))

    def _silent(self, card: CardId, round_: str) -> None:
        if round_ == _PROCESSES:
            if self._processes_wanted:
                self._needs.on_processes(card, None)
        elif round_ != _HOST and (metrics := self._metrics_for(card, Cadence(round_))):
            missing = dict.fromkeys(metrics, Absence.NO_ANSWER)
            self._needs.on_sample(
                Sample(card, self._clock.now(), {}, missing, CardState.NO_ANSWER)
            )

    def _on_summed_up(self) -> None:
        """It is read from the next beat on."""

    def _wait_for_faults(self) -> None:
        while not self._stopping.is_set():
            for fault in self._backend.wait_for_fault(_FAULT_WAIT):
                if self._needs.on_fault is not None:
                    self._needs.on_fault(fault)


def _carefully(tell: Callable[[], None]) -> None:
    try:
        tell()
    except Exception:
        _report()


def _report() -> None:
    """Hand the exception to whoever shows bugs to people; the thread goes on."""
    kind, error, trace = sys.exc_info()
    if kind is not None:
        threading.excepthook(
            threading.ExceptHookArgs((kind, error, trace, threading.current_thread()))
        )
