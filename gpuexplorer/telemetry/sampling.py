"""Sampling: what listeners want to know of cards, and that somebody asks, here or elsewhere."""

import threading
from abc import ABC, abstractmethod
from collections.abc import Collection
from typing import NamedTuple

from gpuexplorer.core.cards import CardId
from gpuexplorer.core.metrics import METRICS, Cadence, MetricId
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.telemetry.beat import LONGEST, SHORTEST, BeatCount

# The use of processors over less than a second is mostly noise.
_HOST_AT_LEAST = 1.0


class Want(NamedTuple):
    """What one listener wants to know, for as long as it holds this."""

    metrics: frozenset[MetricId]
    processes: bool


class Sampling(ABC):
    """All that is wanted together, by the cadence in which it is read. For any thread."""

    def __init__(self, interval: float) -> None:
        self._interval = check_interval(interval)
        self._lock = threading.Lock()
        self._wants: list[Want] = []
        self._asked: dict[Cadence, frozenset[MetricId]] = {c: frozenset() for c in Cadence}
        self._processes_wanted = False

    @property
    def interval(self) -> float:
        return self._interval

    @property
    def host_period(self) -> float:
        """Seconds between two readings of the computer itself."""
        return max(self._interval, _HOST_AT_LEAST)

    @abstractmethod
    def start(self) -> None: ...

    @abstractmethod
    def stop(self, seconds: float = 0.3) -> bool:
        """True when all ended; what hangs is left behind."""

    def stopped_listening(self, seconds: float) -> bool:
        """True when nobody waits for the driver's own reports any more."""
        return True

    @abstractmethod
    def set_interval(self, seconds: float) -> None:
        """Raises Trouble when out of range."""

    @abstractmethod
    def beats(self) -> BeatCount:
        """Of the fast round, which is the one a person set."""

    @abstractmethod
    def silence(self, card: CardId) -> float | None:
        """Seconds for which a card has not answered; None while it does."""

    @abstractmethod
    def wait_for_sweeps(self, number: int, seconds: float) -> bool:
        """Wait until every round has gone over all cards so many times."""

    @abstractmethod
    def wait_for_fast_sweep(self, number: int, seconds: float) -> bool:
        """Wait until the fast round has gone over all cards so many times."""

    def want(self, metrics: Collection[MetricId], processes: bool = False) -> Want:
        """From the next beat on these are read too, on every card that has them."""
        want = Want(frozenset(metrics), processes)
        with self._lock:
            self._wants.append(want)
            self._sum_up()
        self._on_summed_up()
        return want

    def release(self, want: Want) -> None:
        """What nobody wants any more is no longer read. Harmless when called twice."""
        with self._lock:
            self._wants = [each for each in self._wants if each is not want]
            self._sum_up()
        self._on_summed_up()

    def asked(self, cadence: Cadence) -> bool:
        """Whether anything of this cadence is wanted now."""
        return bool(self._asked[cadence])

    @property
    def asks_for_processes(self) -> bool:
        return self._processes_wanted

    def _sum_up(self) -> None:
        wanted = frozenset().union(*(want.metrics for want in self._wants))
        self._processes_wanted = any(want.processes for want in self._wants)
        self._asked = {
            cadence: frozenset(m for m in wanted if METRICS[m].cadence is cadence)
            for cadence in Cadence
        }

    @abstractmethod
    def _on_summed_up(self) -> None:
        """Something else is wanted, or the same."""


def check_interval(seconds: float) -> float:
    """The interval itself, or Trouble that names the range."""
    if not SHORTEST <= seconds <= LONGEST:
        raise Trouble(
            "An interval of {seconds:g} s is not possible.",
            "It may be from {shortest:g} to {longest:g} seconds.",
            seconds=seconds,
            shortest=SHORTEST,
            longest=LONGEST,
        )
    return seconds
