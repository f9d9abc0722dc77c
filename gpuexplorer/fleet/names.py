"""Exporters: who tells of cards in a Prometheus, and what they call our metrics."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import NamedTuple

from gpuexplorer.core.metrics import METRICS, MetricId
from gpuexplorer.fleet.selector import selector
from gpuexplorer.telemetry.exporter_names import (
    EXPORTER_NAMES,
    XID,
    XID_COUNT,
    Name,
    Names,
    own_name,
)

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


_USUAL = tuple(
    MetricId(each)
    for each in ("gpu_utilization", "memory_used", "temperature", "power_draw", "clock_sm")
)


def exporters(names: Collection[str]) -> Sequence[Exporter]:
    """Of all names of metrics in a Prometheus. The one that is believed first comes first."""
    there = frozenset(names)
    found = (
        # `gpuexplorer serve` speaks so too, for what this exporter has names for.
        _made("DCGM exporter", there, _told(lambda each: each.dcgm), _USUAL, xid=XID),
        # The state is told of each card, also of one that gives no figure.
        _made("gpuexplorer serve", there, _own(), (STATE,), {"state": "working"}),
        _made(
            "nvidia_gpu_exporter",
            there,
            _told(lambda each: each.smi),
            (_SMI_INFO,),
            xid=XID_COUNT,
            xid_label="xid",
        ),
        _made("nvitop-exporter", there, _told(lambda each: each.nvitop), _USUAL),
    )
    return [each for each in found if each is not None]


def _own() -> Mapping[MetricId, Told]:
    named = {each.id: own_name(each) for each in METRICS.values()}
    return {metric: Told(metric, own.name, 1.0, own.labels) for metric, own in named.items()}


def _told(name_of: Callable[[Names], Name | None]) -> Mapping[MetricId, Told]:
    # What has a unit of which its versions disagree is left out, rather than be wrong.
    return {
        metric: Told(metric, name.name, name.factor, name.labels)
        for metric, each in EXPORTER_NAMES.items()
        if (name := name_of(each)) is not None and not name.doubtful
    }


def _made(
    title: str,
    there: frozenset[str],
    told: Mapping[MetricId, Told],
    anchors: Sequence[str],
    marks: Mapping[str, str] = {},
    xid: str = "",
    xid_label: str = "",
) -> Exporter | None:
    """`anchors`: names, or metrics of ours, of which the first that is there is taken."""
    here = {metric: each for metric, each in told.items() if each.name in there}
    for each in anchors:
        metric = MetricId(each)
        name = told[metric].name if metric in told else each
        if name in there:
            return Exporter(title, name, here, marks, xid if xid in there else "", xid_label)
    return None
