"""METRICS: the catalogue of everything measurable, in the order people read it."""

from collections.abc import Iterable
from functools import lru_cache
from typing import TYPE_CHECKING

from gpuexplorer.core.catalogue import (
    clocks,
    health,
    heat_and_power,
    links,
    memory,
    utilization,
)
from gpuexplorer.core.metric import Cadence, Metric, MetricId, Part, Scope, Unit

if TYPE_CHECKING:
    from gpuexplorer.core.cards import Card

__all__ = ["METRICS", "Cadence", "Metric", "MetricId", "Part", "Scope", "Unit", "metrics_of"]

METRICS: dict[MetricId, Metric] = {
    metric.id: metric
    for subject in (utilization, memory, heat_and_power, clocks, links, health)
    for metric in subject.METRICS
}


def metrics_of(
    card: "Card", cadences: Iterable[Cadence] = tuple(Cadence)
) -> frozenset[MetricId]:
    """What can be asked of this card: a reading answers or explains every one of these."""
    return _applicable(card.kind == "host", card.fans, card.nvlinks, frozenset(cadences))


@lru_cache(maxsize=256)
def _applicable(
    host: bool, fans: int, nvlinks: int, cadences: frozenset[Cadence]
) -> frozenset[MetricId]:
    unasked = Scope.CARD if host else Scope.HOST
    count = {Part.FAN: fans, Part.NVLINK: nvlinks}
    return frozenset(
        metric.id
        for metric in METRICS.values()
        if metric.scope is not unasked
        and metric.cadence in cadences
        and (metric.part is None or metric.part[1] < count[metric.part[0]])
    )
