"""Reasons: why a figure is missing, as `gpuexplorer serve` tells it. Others tell none."""

from collections.abc import Collection, Sequence

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import CardId
from gpuexplorer.core.metrics import METRICS, Metric, MetricId
from gpuexplorer.fleet.client import Prometheus
from gpuexplorer.fleet.identity import card_id, key_of
from gpuexplorer.fleet.selector import grouped, one_of
from gpuexplorer.telemetry.exporter_names import EXPORTER_NAMES, own_name

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


def _named(metric: Metric) -> tuple[str, frozenset[tuple[str, str]]]:
    """The name under which it is told there, and of which part."""
    names = EXPORTER_NAMES.get(metric.id)
    if names is not None and names.dcgm is not None and not names.dcgm.doubtful:
        return names.dcgm.name, frozenset()
    own = own_name(metric, metric.id)
    return own.sample, frozenset(own.part.items())


_NAMED = {metric.id: _named(metric) for metric in METRICS.values()}
_MEANT = {named: metric for metric, named in _NAMED.items()}
_PARTS = sorted({label for _, part in _MEANT for label, _ in part})
_ABSENCES = {each.value: each for each in Absence}
