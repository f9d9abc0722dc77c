"""Wants: what listeners want to know of cards, until each of them does not any more."""

import threading
from collections.abc import Collection
from typing import NamedTuple

from gpuexplorer.core.metrics import METRICS, Cadence, MetricId


class Want(NamedTuple):
    """What one listener wants to know, for as long as it holds this."""

    metrics: frozenset[MetricId]
    processes: bool


class Wants:
    """All of them together, by the cadence in which it is read. For any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._wants: list[Want] = []
        self._asked: dict[Cadence, frozenset[MetricId]] = {c: frozenset() for c in Cadence}
        self._processes_wanted = False

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

    def _on_summed_up(self) -> None:
        """Where something else hangs on it."""
