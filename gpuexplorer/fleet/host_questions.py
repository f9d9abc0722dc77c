"""HostQuestions: what is asked about the cards of one host, now and over a stretch of time."""

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import pairwise
from statistics import median
from typing import NamedTuple

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import CardId
from gpuexplorer.core.metrics import METRICS, MetricId
from gpuexplorer.fleet.answers import Line
from gpuexplorer.fleet.client import Prometheus
from gpuexplorer.fleet.fleet import Fleet
from gpuexplorer.fleet.identity import FleetCard, card_id, key_of
from gpuexplorer.fleet.names import STATE, Exporter, Told
from gpuexplorer.fleet.reasons import Reasons, reasons
from gpuexplorer.fleet.selector import aged, any_of, grouped, one_of
from gpuexplorer.telemetry.exporter_names import UUID_LABELS

_LOOKED_AT, _ENOUGH, _MOST_STEP = "10m", 2, 300.0
# Some tell of a card's memory in parts alone.
_TOTAL = MetricId("memory_total")
_PARTS = tuple(MetricId(f"memory_{each}") for each in ("used", "free", "reserved"))


class CardNow(NamedTuple):
    """What is told of one card now."""

    values: Mapping[MetricId, float]
    reasons: Mapping[MetricId, Absence]  # why there is none, where that is known
    age: float | None  # None: nobody has told of it for some minutes


class HostQuestions:
    """By a client of its own, so that it can end while the fleet goes on."""

    def __init__(self, fleet: Fleet, server: Prometheus) -> None:
        self._fleet, self.server = fleet, server

    def now(self, cards: Collection[FleetCard]) -> Mapping[CardId, CardNow]:
        values: dict[CardId, dict[MetricId, float]] = {each.id: {} for each in cards}
        ages: dict[CardId, float] = {}
        why: Reasons = {each.id: {} for each in cards}
        for exporter, meant in self._asked(cards):
            keys = exporter.keys
            parts = sorted({name for told in exporter.told.values() for name in told.labels})
            named = {(told.name, *told.labels.items()): told for told in exporter.told.values()}
            asked = any_of({told.name for told in exporter.told.values()}, meant)
            by = ("__name__", *keys, *parts)
            for labels, value in self.server.table(grouped("max", by, asked)).pairs():
                own = [(part, labels[part]) for part in parts if labels.get(part)]
                told = named.get((labels.get("__name__", ""), *own))
                card = card_id(key_of(labels))
                if told is not None and card in values and math.isfinite(value):
                    _keep(told, value / told.factor, values[card], why[card])
            asked = aged(keys, exporter.series(meant))
            for labels, value in self.server.table(asked).pairs():
                ages.setdefault(card_id(key_of(labels)), max(0.0, value))
            if exporter.anchor == STATE:
                for card, told_of_it in reasons(self.server, keys, meant).items():
                    why.get(card, {}).update(told_of_it)
        for told_of in values.values():
            if _TOTAL not in told_of and all(part in told_of for part in _PARTS):
                told_of[_TOTAL] = sum(told_of[part] for part in _PARTS)
        return {each: CardNow(told, why[each], ages.get(each)) for each, told in values.items()}

    def how_often(self, cards: Sequence[FleetCard]) -> float | None:
        """Seconds from one value to the next, as they came of late; None where too few came."""
        for exporter, meant in self._asked(cards[:1]):
            for line in self.server.samples(f"{exporter.series(meant)}[{_LOOKED_AT}]"):
                steps = [later - one for one, later in pairwise(line.times)]
                if len(steps) >= _ENOUGH:
                    return min(max(1.0, median(steps)), _MOST_STEP)
        return None

    def past(
        self,
        cards: Collection[FleetCard],
        metric: MetricId,
        how: str,
        window: float,
        stretch: tuple[float, float, float],
    ) -> Mapping[CardId, Line]:
        """Values from start to end by step, each `how`, such as "max", over what came
        within `window` before it.
        """
        found: dict[CardId, Line] = {}
        for exporter, meant in self._asked(cards):
            told = exporter.told.get(metric)
            if told is None:
                continue
            each = f"{how}_over_time({told.series(meant)}[{window:.0f}s])"
            query = grouped("max", exporter.keys, each)
            for line in self.server.range(query, *stretch):
                card = card_id(key_of(line.labels))
                found.setdefault(card, line._replace(values=_figures(line, told)))
        return found

    def _asked(self, cards: Collection[FleetCard]) -> Iterator[tuple[Exporter, str]]:
        """Each exporter, and which cards are meant."""
        uuids = {each.uuid for each in cards}
        for exporter in self._fleet.exporters:
            for label in exporter.keys:
                if label in UUID_LABELS and uuids:
                    meant = one_of(label, uuids)
                    yield exporter, ",".join(filter(None, (meant, self._fleet.match)))


def _figures(line: Line, told: Told) -> Sequence[float]:
    metric = METRICS[told.metric]
    figures = [each / told.factor for each in line.values]
    return [
        each if math.isfinite(each) and metric.plausible(each) else math.nan for each in figures
    ]


def _keep(
    told: Told, value: float, values: dict[MetricId, float], why: dict[MetricId, Absence]
) -> None:
    if METRICS[told.metric].plausible(value):
        values.setdefault(told.metric, value)
    else:
        why[told.metric] = Absence.IMPOSSIBLE
