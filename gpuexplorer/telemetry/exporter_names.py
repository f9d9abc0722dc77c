"""What the usual exporters for Prometheus call our metrics, and in which unit they tell them.

The names stand in metrics.csv: of NVIDIA's DCGM exporter (DCGM_FI_…), of nvidia_gpu_exporter
(nvidia_smi_…) and of nvitop-exporter (gpu_…). Behind a name: its unit where that is not ours;
`counter`; `doubtful` where its versions differ in the unit. Left out is what has no metric or
does not say its unit: PROF_GR_ENGINE_ACTIVE, PROF_DRAM_ACTIVE, DEV_NVLINK_BANDWIDTH_TOTAL,
DEV_THERMAL_VIOLATION (heat of both kinds in one). Memory in all is the sum of DCGM's three.
"""

from collections.abc import Mapping
from typing import NamedTuple

from gpuexplorer.core.metrics import METRICS, Metric, MetricId, Unit

_FACTORS = {"%": 100.0, "MiB": 2.0**-20, "MHz": 1e-6, "mJ": 1e3, "ns": 1e9}


class Name(NamedTuple):
    """One exporter's name for a metric. What it tells is our figure times `factor`."""

    name: str
    factor: float = 1.0
    counter: bool = False
    doubtful: bool = False  # no name to tell something under, and one to read with care
    labels: Mapping[str, str] = {}  # that say which part is meant


class Names(NamedTuple):
    """Every exporter's name for one metric; None where it does not tell it."""

    dcgm: Name | None = None
    smi: Name | None = None
    nvitop: Name | None = None


def _names(metric: Metric) -> Names:
    labels = {} if metric.part is None else {"link": str(metric.part[1])}
    found: list[Name | None] = []
    for prefix, cell in zip(("DCGM_FI_", "nvidia_smi_", "gpu_"), metric.exporters, strict=True):
        name, *marks = cell.split() or [""]
        factor = next((_FACTORS[mark] for mark in marks if mark in _FACTORS), 1.0)
        told = Name(prefix + name, factor, "counter" in marks, "doubtful" in marks, labels)
        found.append(told if name else None)
    return Names(*found)


EXPORTER_NAMES: dict[MetricId, Names] = {
    metric.id: _names(metric) for metric in METRICS.values() if any(metric.exporters)
}

# The number of the newest Xid; in nvidia_gpu_exporter how often each came.
XID = "DCGM_FI_DEV_XID_ERRORS"
XID_COUNT = "nvidia_smi_xid_errors_total"

# By which labels they say whose a figure is, the likeliest first. The DCGM exporter wrote
# `Hostname` until 2026-05.
UUID_LABELS = ("UUID", "uuid", "gpu_uuid")
HOST_LABELS = ("hostname", "Hostname", "node", "instance")
NUMBER_LABELS = ("gpu", "index")
MODEL_LABELS = ("modelName", "model_name", "devicename", "name")

_SUFFIX = {
    Unit.RATIO: "_ratio",
    Unit.BYTES: "_bytes",
    Unit.CELSIUS: "_celsius",
    Unit.WATTS: "_watts",
    Unit.JOULES: "_joules",
    Unit.HERTZ: "_hertz",
    Unit.BYTES_PER_SECOND: "_bytes_per_second",
    Unit.SECONDS: "_seconds_total",  # only what adds up since the driver was loaded has it
}


def own_name(metric: Metric, of: str = "") -> Name:
    """What `gpuexplorer serve` calls what the DCGM exporter has no name for: in SI units. `of`:
    begins the names of the computer's figures.
    """
    name, part = str(metric.id), {}
    if metric.part is not None:
        what, number = metric.part[0], str(metric.part[1])
        name = name.replace(f"{what}_{number}_", f"each_{what}_")
        part = {what: number}
    name = f"gpuexplorer_{of}{name}{_SUFFIX.get(metric.unit, '')}"
    return Name(name, counter=metric.unit is Unit.SECONDS, labels=part)


def served_name(metric: Metric) -> Name:
    """What `gpuexplorer serve` calls a card's figure."""
    dcgm = EXPORTER_NAMES.get(metric.id, Names()).dcgm
    return own_name(metric) if dcgm is None or dcgm.doubtful else dcgm
