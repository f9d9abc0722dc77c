"""FarSampler: what a session wants to know of another machine, and what it is told. It reads
nothing: over there a sampler does, in the rhythm that is asked for here.
"""

import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import HOST_ID, CardId, CardKind, CardState, Sample
from gpuexplorer.core.metrics import METRICS, Cadence, MetricId, metrics_of
from gpuexplorer.remote.wire import Watch
from gpuexplorer.telemetry.backend import HardwareFault
from gpuexplorer.telemetry.beat import BeatCount
from gpuexplorer.telemetry.processes import CardProcess
from gpuexplorer.telemetry.sampler import Needs
from gpuexplorer.telemetry.sampling import Sampling, check_interval

if TYPE_CHECKING:
    from gpuexplorer.remote.far.machine import FarMachine

_PROCESSES_AT_LEAST = 0.5
# Readings that follow closer than this share of the interval are more than was asked for.
_CLOSEST = 0.3
_MOST_FAULTS, _WITHIN = 60, 60.0
_PROCESSES, _HOST = "processes", "host"


class FarSampler(Sampling):
    """`take_…` and `lost` are called one at a time; the rest is for any thread, and never
    waits but where it is said.
    """

    def __init__(self, far: "FarMachine", needs: Needs) -> None:
        super().__init__(needs.interval)
        self._far = far
        self._on_sample, self._on_processes = needs.on_sample, needs.on_processes
        self._on_fault = needs.on_fault
        self._clock = needs.clock
        self._with_host = needs.read_host is not None
        self._told: object = None  # over there, of what is wanted
        self._started = False
        self._last: dict[tuple[CardId, str], float] = {}
        self._silent_since: dict[CardId, float] = {}
        self._faults: list[float] = []
        self._swept = threading.Condition()
        self._seen: dict[str, set[CardId]] = {}
        self._sweeps: dict[str, int] = {}
        self._beats = BeatCount()
        self._beat_at: float | None = None

    def set_interval(self, seconds: float) -> None:
        self._interval = check_interval(seconds)
        self._beat_at = None
        self.watch()

    def start(self) -> None:
        self._started = True
        self.watch()

    def stop(self, seconds: float = 0.3) -> bool:
        self._started = False
        return True

    def beats(self) -> BeatCount:
        return self._beats

    def silence(self, card: CardId) -> float | None:
        since = self._silent_since.get(card)
        return None if since is None else max(0.0, self._clock.now() - since)

    def wait_for_sweeps(self, number: int, seconds: float) -> bool:
        return self._wait_for((*Cadence, _PROCESSES, _HOST), number, seconds)

    def wait_for_fast_sweep(self, number: int, seconds: float) -> bool:
        return self._wait_for((Cadence.FAST,), number, seconds)

    def watch(self) -> None:
        """Says over there what is wanted; also when it is another connection."""
        if self._started:
            self._told = (self._asked, self._processes_wanted)
            wanted = frozenset().union(*self._asked.values())
            self._far.tell(Watch(wanted, self._processes_wanted, self._interval))

    def take_sample(self, sample: Sample) -> None:
        cadence = _cadence_of(sample)
        if cadence is None or not self._started:
            return
        if sample.card == HOST_ID:
            if self._with_host and self._is_due(HOST_ID, _HOST, sample.at):
                self._on_sample(sample)
            self._count(HOST_ID, _HOST)
            return
        if not self._is_due(sample.card, cadence, sample.at):
            return
        self._note_silence(sample)
        self._on_sample(sample)
        if self._count(sample.card, cadence) and cadence is Cadence.FAST:
            self._beat(sample.at)

    def take_processes(self, card: CardId, processes: Sequence[CardProcess] | None) -> None:
        now = self._clock.now()
        before = self._last.get((card, _PROCESSES))
        if not self._started or (before is not None and now - before < _PROCESSES_AT_LEAST):
            return
        self._last[card, _PROCESSES] = now
        self._on_processes(card, processes)
        self._count(card, _PROCESSES)

    def take_fault(self, fault: HardwareFault) -> None:
        now = self._clock.now()
        self._faults = [at for at in self._faults if now - at < _WITHIN]
        if self._on_fault is not None and self._started and len(self._faults) < _MOST_FAULTS:
            self._faults.append(now)
            self._on_fault(fault)

    def lost(self, at: float) -> None:
        """Nothing was known then: a gap in every plot, and the reason at every figure."""
        if not self._started:
            return
        self._silent_since.clear()
        for card in self._far.backend.cards():
            for cadence in Cadence:
                if metrics := self._asked[cadence] & metrics_of(card, (cadence,)):
                    self._on_sample(_no_connection(card.id, at, metrics))
                    self._count(card.id, cadence)
            if self._processes_wanted and card.kind is CardKind.GPU:
                self._on_processes(card.id, None)
                self._count(card.id, _PROCESSES)
        if self._with_host:
            metrics = metrics_of(self._far.host_card)
            self._on_sample(_no_connection(HOST_ID, at, metrics))

    def _on_summed_up(self) -> None:
        if self._told != (self._asked, self._processes_wanted):
            self.watch()

    def _is_due(self, card: CardId, round_: str, at: float) -> bool:
        """Whether it is no more than was asked for; and times never go backwards."""
        before = self._last.get((card, round_))
        if before is not None and at - before < _CLOSEST * self._interval:
            return False
        self._last[card, round_] = at
        return True

    def _note_silence(self, sample: Sample) -> None:
        if sample.state is CardState.NO_ANSWER:
            self._silent_since.setdefault(sample.card, sample.at)
        else:
            self._silent_since.pop(sample.card, None)

    def _count(self, card: CardId, round_: str) -> bool:
        """True when this round is over: each card of it was told of."""
        seen = self._seen.setdefault(round_, set())
        seen.add(card)
        if not seen >= self._in_round(round_):
            return False
        seen.clear()
        with self._swept:
            self._sweeps[round_] = self._sweeps.get(round_, 0) + 1
            self._swept.notify_all()
        return True

    def _beat(self, at: float) -> None:
        passed = 0.0 if self._beat_at is None else at - self._beat_at
        missed = max(0, round(passed / self._interval) - 1)
        self._beat_at = at
        self._beats = BeatCount(self._beats.taken + 1, self._beats.missed + missed)

    def _in_round(self, round_: str) -> frozenset[CardId]:
        """The cards of which somebody wants to know that."""
        if round_ == _HOST:
            return frozenset({HOST_ID})
        cards = self._far.backend.cards()
        if round_ == _PROCESSES:
            wanted = self._processes_wanted
            return frozenset(c.id for c in cards if wanted and c.kind is CardKind.GPU)
        cadence = Cadence(round_)
        asked = self._asked[cadence]
        return frozenset(c.id for c in cards if asked & metrics_of(c, (cadence,)))

    def _wait_for(self, rounds: Sequence[str], number: int, seconds: float) -> bool:
        def all_over() -> bool:
            return all(
                self._sweeps.get(each, 0) >= number or not self._in_round(each)
                for each in rounds
            )

        with self._swept:
            return self._swept.wait_for(all_over, seconds)


def _cadence_of(sample: Sample) -> Cadence | None:
    """None where a card's is of several: no round of questions is."""
    cadences = {METRICS[each].cadence for each in (*sample.values, *sample.missing)}
    known = len(cadences) == 1 or (bool(cadences) and sample.card == HOST_ID)
    return cadences.pop() if known else None


def _no_connection(card: CardId, at: float, metrics: frozenset[MetricId]) -> Sample:
    missing = dict.fromkeys(metrics, Absence.NO_CONNECTION)
    return Sample(card, at, {}, missing, CardState.NO_CONNECTION)
