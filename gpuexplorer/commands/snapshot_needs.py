"""What each form of a snapshot shows, and so has to be read. Nothing costlier is asked for."""

from typing import NamedTuple

from gpuexplorer.core.catalogue import clocks, health, links
from gpuexplorer.core.catalogue import heat_and_power as h
from gpuexplorer.core.catalogue import memory as m
from gpuexplorer.core.catalogue import utilization as u
from gpuexplorer.core.metrics import METRICS, MetricId
from gpuexplorer.core.words import Message
from gpuexplorer.telemetry.card_course import HARMFUL

# Figures of the table, each by the title of the column in which it would stand.
IN_THE_TABLE = {
    u.GPU_UTILIZATION: Message("Busy"),
    u.CPU_UTILIZATION: Message("Busy"),
    m.MEMORY_USED: Message("Memory"),
    h.TEMPERATURE: Message("Temp"),
    h.POWER_DRAW: Message("Power"),
    h.POWER_LIMIT: Message("Power limit"),
    clocks.CLOCK_SM: Message("SM clock"),
    h.FAN_SPEED: Message("Fan"),
    links.PCIE_GENERATION: "PCIe",
    links.PCIE_RECEIVE: Message("In, out"),
}
_BESIDE_THEM = (m.MEMORY_TOTAL, links.PCIE_WIDTH, links.PCIE_TRANSMIT, health.MIG_MODE)


class Needs(NamedTuple):
    """For one form of a snapshot."""

    metrics: frozenset[MetricId]
    processes: bool
    wiring: bool


NEEDS = {
    "table": Needs(
        frozenset({*IN_THE_TABLE, *_BESIDE_THEM, *HARMFUL}), processes=True, wiring=False
    ),
    "json": Needs(frozenset(METRICS), processes=True, wiring=True),
    "csv": Needs(frozenset(METRICS), processes=False, wiring=False),
}
