"""Families: which metrics of a card share a plot, and what each is called in it."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache

from gpuexplorer.core import metrics as m
from gpuexplorer.core.cards import Card
from gpuexplorer.core.metrics import METRICS, Metric, MetricId, Unit, metrics_of
from gpuexplorer.core.words import mark, tr
from gpuexplorer.telemetry.facts import Reading


@dataclass(frozen=True, slots=True)
class Family:
    """Metrics of one unit that belong together, as their rows say; from top to bottom."""

    name: str
    title: str
    unit: Unit
    lowest: float | None = 0.0  # None: as the lines have it
    highest: float | None = None


FAMILIES = (
    Family("utilisation", mark("Utilisation"), Unit.RATIO, highest=1.0),
    Family("memory", mark("Memory"), Unit.BYTES),
    Family("swap", mark("Swap"), Unit.BYTES),
    Family("power", mark("Power"), Unit.WATTS),
    Family("temperature", mark("Temperature"), Unit.CELSIUS, lowest=None),
    Family("margin", mark("Degrees left"), Unit.CELSIUS),
    Family("clocks", mark("Clocks"), Unit.HERTZ),
    Family("pcie", mark("PCIe"), Unit.BYTES_PER_SECOND),
    Family("nvlink", mark("NVLink"), Unit.BYTES_PER_SECOND),
    Family("fans", mark("Fans"), Unit.RATIO),
    Family("fan_turns", mark("Fan turns"), Unit.TURNS_PER_MINUTE),
    Family("pstate", mark("P-state"), Unit.STATE),
    Family("slowed", mark("Why clocks are lower"), Unit.FLAG),
    Family("slowed_time", mark("Time with lower clocks"), Unit.SECONDS),
    Family("energy", mark("Energy"), Unit.JOULES, lowest=None),
    Family("link_generation", mark("PCIe generation"), Unit.GENERATION),
    Family("link_lanes", mark("PCIe lanes"), Unit.LANES),
    Family("link_state", mark("NVLink state"), Unit.STATE),
    Family("health", mark("Pending repairs"), Unit.FLAG),
    Family("counts", mark("Counters"), Unit.COUNT),
)

_USUAL = (
    m.CPU_UTILIZATION,
    m.SWAP_USED,
    m.GPU_UTILIZATION,
    m.MEMORY_UTILIZATION,
    m.MEMORY_USED,
    m.POWER_DRAW,
    m.TEMPERATURE,
    m.MEMORY_TEMPERATURE,
    m.CLOCK_SM,
    # Not the memory's: it is several times as high, and flattens the others.
    m.CLOCK_VIDEO,
    m.PCIE_RECEIVE,
    m.PCIE_TRANSMIT,
)


def short_label(metric: Metric) -> str:
    """What stands at the line's end, where the plot's title has said the rest already."""
    number = metric.part[1] if metric.part else 0
    return tr(metric.short, number=number) if metric.short else tr(metric.label)


@lru_cache(64)
def offered(card: Card) -> Sequence[MetricId]:
    """All that can be plotted of this card, in the order of the families."""
    own = metrics_of(card)
    if card.memory_shared:
        # A chip beside the processor reports placeholders for a PCIe link it does not have.
        own -= PCIE_METRICS
    there = [each for each in METRICS.values() if each.plotted and each.id in own]
    order = [family.name for family in FAMILIES]
    return [each.id for each in sorted(there, key=lambda metric: order.index(metric.plot))]


def usual(card: Card, reading: Reading) -> Sequence[MetricId]:
    """What is plotted until somebody chooses, without what this card will never tell."""
    never = {metric for metric, absence in reading.missing.items() if absence.lasting}
    there = set(offered(card))
    asked = [metric for metric in _USUAL if metric in there]
    chosen = [metric for metric in asked if metric not in never] or asked
    if card.nvlinks and reading.values.get(m.NVLINK_ACTIVE) != 0:
        chosen += [m.NVLINK_RECEIVE, m.NVLINK_TRANSMIT]
    elif card.fans:
        # Seven plots fill a screen; who wants more chooses.
        chosen.append(m.FAN_SPEED)
    return [metric for metric in chosen if metric in there]


def grouped(metrics: Collection[MetricId]) -> Sequence[tuple[Family, Sequence[MetricId]]]:
    """The plots that show these, each with its lines in the catalogue's order."""
    of: dict[str, list[MetricId]] = {}
    for metric in METRICS.values():
        if metric.id in metrics:
            of.setdefault(metric.plot, []).append(metric.id)
    return [(family, of[family.name]) for family in FAMILIES if family.name in of]


PCIE_METRICS = frozenset(each for each in METRICS if each.startswith("pcie_"))
