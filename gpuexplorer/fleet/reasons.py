"""Reasons: why a figure is missing, as `gpuexplorer serve` tells it. Others tell none."""

from collections.abc import Collection, Sequence

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import CardId
from gpuexplorer.core.metrics import METRICS, MetricId
from gpuexplorer.fleet.client import Prometheus
from gpuexplorer.fleet.identity import card_id, key_of
from gpuexplorer.fleet.selector import grouped, one_of
from gpuexplorer.telemetry.exporter_names import served_name

INFO = "gpuexplorer_missing_info"
Reasons = dict[CardId, dict[MetricId, Absence]]


def reasons(
    server: Prometheus, keys: Sequence[str], matched: str, metrics: Collection[MetricId] = ()
) -> Reasons:
    """`matched` says of which cards. Of all metrics unless some are named."""
    named = {_NAMED[each][0] for each in metrics}
    inside = ",".join(filter(None, (matched, one_of("metric", named) if named else "")))
    asked = grouped("max", (*keys, "metric", "reason", *_PARTS), f"{INFO}{{{inside}}}")
    found: Reasons = {}
    for labels in server.table(asked).rows():
        part = frozenset((each, labels[each]) for each in _PARTS if labels.get(each))
        metric = _MEANT.get((labels.get("metric", ""), part))
        reason = _ABSENCES.get(labels.get("reason", ""))
        if metric is not None and reason is not None:
            found.setdefault(card_id(key_of(labels)), {})[metric] = reason
    return found


_NAMED = {
    metric.id: (name.name, frozenset(name.labels.items()))
    for metric in METRICS.values()
    for name in [served_name(metric)]
}
_MEANT = {named: metric for metric, named in _NAMED.items()}
_PARTS = sorted({label for _, part in _MEANT for label, _ in part})
_ABSENCES = {each.value: each for each in Absence}
