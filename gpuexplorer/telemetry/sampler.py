"""Sampler: asks every card what somebody wants to know, each question on its beat."""

import threading
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import HOST_ID, Card, CardId, CardState, Sample
from gpuexplorer.core.clock import Clock, SystemClock
from gpuexplorer.core.metrics import Cadence, MetricId, metrics_of
from gpuexplorer.telemetry.backend import Backend, HardwareFault
from gpuexplorer.telemetry.beat import BeatCount
from gpuexplorer.telemetry.processes import CardProcess
from gpuexplorer.telemetry.rounds import Round
from gpuexplorer.telemetry.sampling import Sampling, check_interval

PATIENCE = 0.5
_AT_LEAST = {Cadence.FAST: 0.0, Cadence.SLOW: 5.0, Cadence.ON_DEMAND: 2.0}
_PROCESSES_AT_LEAST = 2.0
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


class Sampler(Sampling):
    """Owns the threads that talk to the driver. Callbacks come from those threads.

    Samples of one card come from up to three rounds: fast, slow and on demand, each with the
    metrics of its cadence. A card that hangs gets samples that say so, at every beat. The
    computer itself, where `read_host` is given, has a round of its own and is always read.
    """

    def __init__(self, needs: Needs) -> None:
        super().__init__(needs.interval)
        backend, on_sample, on_processes = needs.backend, needs.on_sample, needs.on_processes
        self._backend, self._on_sample, self._on_fault = backend, on_sample, needs.on_fault
        self._clock = needs.clock
        self._patience = needs.patience
        self._of_card: dict[tuple[Card, Cadence], frozenset[MetricId]] = {}
        self._listed: tuple[Sequence[Card], dict[CardId, Card]] = ((), {})
        self._stopping = threading.Event()
        self._watchdog: threading.Thread | None = None
        self._fault_waiter: threading.Thread | None = None
        self._rounds = {cadence: self._round(cadence) for cadence in Cadence}
        self._process_round = Round[Sequence[CardProcess]](
            "processes",
            self._period(_PROCESSES_AT_LEAST),
            self._clock,
            self._patience,
            lambda: self._card_ids() if self._processes_wanted else (),
            backend.processes,
            lambda card, processes, _: on_processes(card, processes),
            lambda card: on_processes(card, None),
        )
        self._host_round: Round[Sample] | None = None
        if (read_host := needs.read_host) is not None:
            self._host_round = Round[Sample](
                "host",
                self.host_period,
                self._clock,
                self._patience,
                lambda: (HOST_ID,),
                lambda _: read_host(),
                lambda _, sample, __: on_sample(sample),
                lambda _: None,
            )

    def start(self) -> None:
        # The costliest first: its rates wait for a second look at counters, which the others
        # need not wait for.
        for each in reversed(self._all_rounds()):
            each.start()
        self._watchdog = threading.Thread(target=self._watch, name="sampler watch", daemon=True)
        self._watchdog.start()
        if self._on_fault is not None:
            self._fault_waiter = threading.Thread(
                target=self._wait_for_faults, name="hardware faults", daemon=True
            )
            self._fault_waiter.start()

    def stop(self, seconds: float = 0.3) -> bool:
        """True when all rounds ended; False when a driver call hangs, which ends with us."""
        self._stopping.set()
        until = self._clock.now() + seconds
        for each in self._all_rounds():
            each.ask_to_stop()
        ended = [each.ended(until) for each in self._all_rounds()]
        return all([*ended, self._gone(self._watchdog, until)])

    def stopped_listening(self, seconds: float) -> bool:
        """True when nobody waits for the driver's own reports any more.

        They let go when the backend is closed, or within a second.
        """
        return self._gone(self._fault_waiter, self._clock.now() + seconds)

    def _gone(self, thread: threading.Thread | None, until: float) -> bool:
        if thread is None:
            return True
        thread.join(max(0.0, until - self._clock.now()))
        return not thread.is_alive()

    def set_interval(self, seconds: float) -> None:
        self._interval = check_interval(seconds)
        for cadence, each in self._rounds.items():
            each.set_period(self._period(_AT_LEAST[cadence]))
        self._process_round.set_period(self._period(_PROCESSES_AT_LEAST))
        if self._host_round is not None:
            self._host_round.set_period(self.host_period)

    def beats(self) -> BeatCount:
        return self._rounds[Cadence.FAST].count()

    def silence(self, card: CardId) -> float | None:
        waits = [
            seconds
            for each in self._all_rounds()
            if (seconds := each.silence(card)) is not None
        ]
        return max(waits, default=None)

    def wait_for_sweeps(self, number: int, seconds: float) -> bool:
        until = self._clock.now() + seconds
        return all(
            each.wait_for_sweep(number, max(0.0, until - self._clock.now()))
            for each in self._all_rounds()
        )

    def wait_for_fast_sweep(self, number: int, seconds: float) -> bool:
        return self._rounds[Cadence.FAST].wait_for_sweep(number, seconds)

    def _all_rounds(self) -> tuple[Round[Sample] | Round[Sequence[CardProcess]], ...]:
        host = () if self._host_round is None else (self._host_round,)
        return (*self._rounds.values(), self._process_round, *host)

    def _round(self, cadence: Cadence) -> Round[Sample]:
        def read(card: CardId) -> Sample:
            return self._backend.read(card, self._metrics_for(card, cadence))

        def prepare(card: CardId) -> None:
            self._backend.prepare(card, self._metrics_for(card, cadence))

        def silent(card: CardId) -> None:
            metrics = self._metrics_for(card, cadence)
            missing = dict.fromkeys(metrics, Absence.NO_ANSWER)
            self._on_sample(Sample(card, self._clock.now(), {}, missing, CardState.NO_ANSWER))

        return Round[Sample](
            cadence,
            self._period(_AT_LEAST[cadence]),
            self._clock,
            self._patience,
            lambda: self._card_ids() if self._asked[cadence] else (),
            read,
            self._deliver,
            silent,
            prepare if cadence is Cadence.ON_DEMAND else None,
        )

    def _period(self, at_least: float) -> float:
        return max(self._interval, at_least)

    def _card_ids(self) -> Sequence[CardId]:
        return [card.id for card in self._backend.cards()]

    def _metrics_for(self, card: CardId, cadence: Cadence) -> frozenset[MetricId]:
        # Taken once: a new want replaces both, and must not find its answer under the old one.
        cache, asked = self._of_card, self._asked
        known = self._known().get(card)
        if known is None:
            return asked[cadence]
        metrics = cache.get((known, cadence))
        if metrics is None:
            metrics = cache[known, cadence] = asked[cadence] & metrics_of(known)
        return metrics

    def _known(self) -> Mapping[CardId, Card]:
        """The cards by id; put together anew only when the backend lists others."""
        cards = self._backend.cards()
        listed, by_id = self._listed
        if listed is not cards:
            by_id = {card.id: card for card in cards}
            self._listed = (cards, by_id)
        return by_id

    def _on_summed_up(self) -> None:
        self._of_card = {}

    def _deliver(self, card: CardId, sample: Sample, late: bool) -> None:
        if card not in self._known():
            return  # it went while it was read: an instance put together, a card that woke
        # What a hung call brought home was true when it came home, not when it was asked.
        self._on_sample(sample._replace(at=self._clock.now()) if late else sample)

    def _watch(self) -> None:
        while not self._clock.wait(self._stopping, self._patience / 4):
            for each in self._all_rounds():
                each.watch()

    def _wait_for_faults(self) -> None:
        while not self._stopping.is_set():
            for fault in self._backend.wait_for_fault(_FAULT_WAIT):
                if self._on_fault is not None:
                    self._on_fault(fault)
