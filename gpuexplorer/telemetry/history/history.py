"""History: what every card said in the last hour, and in outline for a day."""

import threading
from collections.abc import Mapping
from typing import NamedTuple

from gpuexplorer.core.cards import CardId, Sample
from gpuexplorer.core.metrics import METRICS, Cadence, MetricId, Unit
from gpuexplorer.telemetry.history.condense import Past, condensed
from gpuexplorer.telemetry.history.tables import Lengths, Plan
from gpuexplorer.telemetry.history.tape import Tape
from gpuexplorer.telemetry.trace import Trace, empty_trace

# These count up without end and are read as differences: seven digits are not enough.
_EXACT_UNITS = frozenset({Unit.COUNT, Unit.JOULES, Unit.SECONDS})


class _Kind(NamedTuple):
    """What decides on which tape of a card a metric is kept."""

    cadence: Cadence
    exact: bool


class _CardPast:
    """The tapes of one card and the lock that guards them."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.tapes: dict[_Kind, Tape] = {}


class History:
    """Keeps a fixed amount for each card. Every method may be called from any thread.

    Samples may come somewhat faster or much slower than the beats announced here. Where they
    come faster, room for single readings grows until it holds `full_seconds` of ten a second.
    """

    def __init__(
        self,
        beat: float = 1.0,
        full_seconds: float = 3600.0,
        day_seconds: float = 86400.0,
        *,
        bucket_seconds: float = 10.0,
        slow_beat: float = 5.0,
        on_demand_beat: float = 2.0,
    ) -> None:
        self._lengths = Lengths(full_seconds, day_seconds, bucket_seconds)
        self._plans: Mapping[Cadence, Plan] = {
            Cadence.FAST: Plan(self._lengths, beat),
            Cadence.SLOW: Plan(self._lengths, max(beat, slow_beat)),
            Cadence.ON_DEMAND: Plan(self._lengths, max(beat, on_demand_beat)),
        }
        self._pasts: dict[CardId, _CardPast] = {}
        self._began: float | None = None
        self._new_card = threading.Lock()

    @property
    def lengths(self) -> Lengths:
        return self._lengths

    @property
    def began(self) -> float | None:
        """When the first sample came, be it kept still or not; None before that."""
        return self._began

    @property
    def ended(self) -> None:
        """It goes on."""

    def append(self, sample: Sample) -> None:
        """Keep what can be plotted. A time before the newest one counts as the newest one."""
        past = self._pasts.get(sample.card) or self._past_of_new_card(sample)
        values, missing = sample.values, sample.missing
        with past.lock:
            for kind, metrics in _METRICS_OF_KIND.items():
                if metrics.isdisjoint(values) and metrics.isdisjoint(missing):
                    continue
                tape = past.tapes.get(kind)
                if tape is None:
                    if metrics.isdisjoint(values):
                        continue
                    plan = self._plans[kind.cadence]
                    tape = past.tapes[kind] = Tape(plan, metrics, exact=kind.exact)
                tape.append(sample.at, values)

    def trace(
        self, card: CardId, metric: MetricId, start: float, end: float, columns: int = 1500
    ) -> Trace:
        known = self.past(card, metric, start, end)
        return empty_trace() if known is None else condensed(known, start, end, columns)

    def past(self, card: CardId, metric: MetricId, start: float, end: float) -> Past | None:
        """The same uncondensed; None where nothing was ever heard of it."""
        past = self._pasts.get(card)
        kind = _KIND_OF_METRIC.get(metric)
        if past is None or kind is None:
            return None
        with past.lock:
            tape = past.tapes.get(kind)
            return None if tape is None else tape.past(metric, start, end)

    def cards(self) -> tuple[CardId, ...]:
        """Those with a past, in the order in which they were first heard of."""
        return tuple(card for card, past in self._pasts.items() if past.tapes)

    def clear(self) -> None:
        with self._new_card:
            self._pasts = {}
            self._began = None

    def memory_bytes(self) -> int:
        """What is set aside; the part that was not written to yet is not taken."""
        total = 0
        for past in list(self._pasts.values()):
            with past.lock:
                total += sum(tape.memory_bytes() for tape in past.tapes.values())
        return total

    def _past_of_new_card(self, sample: Sample) -> _CardPast:
        """Also forgets cards that have been silent for a day, as MIG instances come and go."""
        oldest = sample.at - self._lengths.day_seconds
        with self._new_card:
            heard = {
                card: past for card, past in self._pasts.items() if _newest(past) >= oldest
            }
            past = heard.setdefault(sample.card, _CardPast())
            self._began = sample.at if self._began is None else min(self._began, sample.at)
            self._pasts = heard
        return past


def _newest(past: _CardPast) -> float:
    with past.lock:
        return max((tape.newest for tape in past.tapes.values()), default=float("inf"))


_KIND_OF_METRIC = {
    metric.id: _Kind(metric.cadence, metric.unit in _EXACT_UNITS)
    for metric in METRICS.values()
    if metric.plotted
}
_METRICS_OF_KIND = {
    kind: frozenset(metric for metric, its in _KIND_OF_METRIC.items() if its == kind)
    for kind in sorted(set(_KIND_OF_METRIC.values()))
}
