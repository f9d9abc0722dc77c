"""Exporters: who tells of cards in a Prometheus, and what they call our metrics."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from gpuexplorer.core.metrics import METRICS, MetricId
from gpuexplorer.fleet.selector import selector
from gpuexplorer.telemetry.exporter_names import EXPORTER_NAMES, XID, XID_COUNT, Name, own_name

STATE = "gpuexplorer_card_state"
_SMI_INFO = "nvidia_smi_gpu_info"


class Told(NamedTuple):
    """An exporter's name for a metric. What it says is our figure times `factor`."""

    metric: MetricId
    name: str
    factor: float
    labels: Mapping[str, str] = {}

    def series(self, matched: str) -> str:
        return selector(self.name, self.labels, matched)


class Exporter(NamedTuple):
    """One that is there, and what it tells there. `anchor`: a metric that each card has."""

    title: str
    anchor: str
    told: Mapping[MetricId, Told]
    marks: Mapping[str, str] = {}  # what its anchor must be labelled with
    xid: str = ""  # its name for Xid errors
    xid_label: str = ""  # that has the number, where it is not the figure
    keys: Sequence[str] = ()  # its labels that say which card

    def series(self, matched: str) -> str:
        """One of each card."""
        return selector(self.anchor, self.marks, matched)


def exporters(there: Collection[str]) -> Sequence[Exporter]:
    """Of all names of metrics in a Prometheus. The one that is believed first comes first."""
    names = frozenset(there)
    found = (_dcgm(names), _ours(names), _smi(names), _nvitop(names))
    return [each for each in found if each is not None]


def _dcgm(there: frozenset[str]) -> Exporter | None:
    """`gpuexplorer serve` speaks so too, for what this exporter has names for."""
    told = _told((metric, each.dcgm) for metric, each in EXPORTER_NAMES.items())
    made = _made("DCGM exporter", there, told, _USUAL)
    return made and made._replace(xid=XID if XID in there else "")


def _ours(there: frozenset[str]) -> Exporter | None:
    told = {}
    for metric in METRICS.values():
        own = own_name(metric, metric.id)
        told[metric.id] = Told(metric.id, own.sample, 1.0, own.part)
    # The state is told of each card, also of one that gives no figure.
    return _made("gpuexplorer serve", there, told, (STATE,), {"state": "working"})


def _smi(there: frozenset[str]) -> Exporter | None:
    told = _told((metric, each.smi) for metric, each in EXPORTER_NAMES.items())
    made = _made("nvidia_gpu_exporter", there, told, (_SMI_INFO,))
    return made and made._replace(xid=XID_COUNT if XID_COUNT in there else "", xid_label="xid")


def _nvitop(there: frozenset[str]) -> Exporter | None:
    told = _told((metric, each.nvitop) for metric, each in EXPORTER_NAMES.items())
    return _made("nvitop-exporter", there, told, _USUAL)


_USUAL = tuple(
    MetricId(each)
    for each in ("gpu_utilization", "memory_used", "temperature", "power_draw", "clock_sm")
)


def _told(named: Iterator[tuple[MetricId, Name | None]]) -> Mapping[MetricId, Told]:
    # What has a unit of which its versions disagree is left out, rather than be wrong.
    return {
        metric: Told(metric, name.name, name.factor, name.labels)
        for metric, name in named
        if name is not None and not name.doubtful
    }


def _made(
    title: str,
    there: frozenset[str],
    told: Mapping[MetricId, Told],
    anchors: Sequence[str],
    marks: Mapping[str, str] | None = None,
) -> Exporter | None:
    """`anchors`: names, or metrics of ours, of which the first that is there is taken."""
    here = {metric: each for metric, each in told.items() if each.name in there}
    for each in anchors:
        metric = MetricId(each)
        name = told[metric].name if metric in told else each
        if name in there:
            return Exporter(title, name, here, marks or {})
    return None
