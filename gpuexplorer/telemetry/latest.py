"""Latest: the newest that is known of every card, put together from its rounds."""

import threading
from collections.abc import Collection, Mapping
from operator import is_
from typing import NamedTuple

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import CardId, CardState, Sample
from gpuexplorer.core.metrics import METRICS, Cadence, MetricId


class Reading(NamedTuple):
    """What is known of one card now. A metric is in one of the two, or was not asked for."""

    card: CardId
    at: float  # of the newest sample
    state: CardState
    values: Mapping[MetricId, float]
    missing: Mapping[MetricId, Absence]


class Latest:
    """Filled from the sampler's threads, read from anywhere."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._samples: dict[CardId, dict[Cadence, Sample]] = {}
        # What was put together last of each card, and of which samples.
        self._told: dict[CardId, tuple[list[Sample], Reading]] = {}

    def put(self, sample: Sample) -> None:
        some = next(iter(sample.values), None) or next(iter(sample.missing), None)
        if some is None:
            return
        cadence = METRICS[some].cadence
        with self._lock:
            self._samples.setdefault(sample.card, {})[cadence] = sample

    def reading(
        self, card: CardId, cadences: Collection[Cadence] = tuple(Cadence)
    ) -> Reading | None:
        """None before the first answer. What is of other cadences is no longer read."""
        with self._lock:
            kept = self._samples.get(card, {})
            samples = [kept[cadence] for cadence in cadences if cadence in kept]
            before = self._told.get(card)
        if not samples:
            return None
        if before is not None and _very_same(before[0], samples):
            return before[1]
        newest = max(samples, key=lambda sample: sample.at)
        values: dict[MetricId, float] = {}
        missing: dict[MetricId, Absence] = {}
        for sample in samples:
            if sample.state is newest.state:
                values.update(sample.values)
                missing.update(sample.missing)
            else:
                # A slower round has not noticed yet: what it knew is no longer so.
                reason = _reason(newest)
                missing.update(dict.fromkeys((*sample.values, *sample.missing), reason))
        reading = Reading(card, newest.at, newest.state, values, missing)
        with self._lock:
            self._told[card] = (samples, reading)
        return reading


def _very_same(before: list[Sample], now: list[Sample]) -> bool:
    return len(before) == len(now) and all(map(is_, before, now))


def _reason(newest: Sample) -> Absence:
    if newest.state is CardState.WORKING:
        return Absence.NOT_YET
    return next(iter(newest.missing.values()), Absence.NOT_YET)
