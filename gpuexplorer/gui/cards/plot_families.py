"""Families: which metrics of a card share a plot, and what each is called in it."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

from gpuexplorer.core.cards import Card
from gpuexplorer.core.catalogue import clocks, health, links, memory, utilization
from gpuexplorer.core.catalogue import heat_and_power as heat
from gpuexplorer.core.metrics import METRICS, Metric, MetricId, Part, Unit, metrics_of
from gpuexplorer.core.words import mark, tr
from gpuexplorer.telemetry.latest import Reading

_ANY_FAN = frozenset(heat.fan_speed(fan) for fan in range(heat.MOST_FANS)) | {heat.FAN_SPEED}
_ANY_NVLINK_RATE = frozenset(
    rate(link)
    for rate in (links.nvlink_receive, links.nvlink_transmit)
    for link in range(links.MOST_NVLINKS)
) | {links.NVLINK_RECEIVE, links.NVLINK_TRANSMIT}


@dataclass(frozen=True, slots=True)
class Family:
    """Metrics of one unit that belong together, in the order of plots from top to bottom."""

    name: str
    title: str
    unit: Unit
    members: frozenset[MetricId] | None = None  # None: all of that unit that nobody else has
    lowest: float | None = 0.0  # None: as the lines have it
    highest: float | None = None


FAMILIES = (
    Family(
        "utilisation",
        mark("Utilisation"),
        Unit.RATIO,
        frozenset(m.id for m in utilization.METRICS),
        highest=1.0,
    ),
    Family("memory", mark("Memory"), Unit.BYTES),
    Family("swap", mark("Swap"), Unit.BYTES, frozenset({memory.SWAP_USED})),
    Family("power", mark("Power"), Unit.WATTS),
    Family(
        "temperature",
        mark("Temperature"),
        Unit.CELSIUS,
        frozenset({heat.TEMPERATURE, heat.MEMORY_TEMPERATURE}),
        lowest=None,
    ),
    Family("margin", mark("Degrees left"), Unit.CELSIUS),
    Family("clocks", mark("Clocks"), Unit.HERTZ),
    Family(
        "pcie",
        mark("PCIe"),
        Unit.BYTES_PER_SECOND,
        frozenset({links.PCIE_RECEIVE, links.PCIE_TRANSMIT}),
    ),
    Family("nvlink", mark("NVLink"), Unit.BYTES_PER_SECOND, _ANY_NVLINK_RATE),
    Family("fans", mark("Fans"), Unit.RATIO, _ANY_FAN),
    Family("fan_turns", mark("Fan turns"), Unit.TURNS_PER_MINUTE),
    Family("pstate", mark("P-state"), Unit.STATE, frozenset({clocks.PERFORMANCE_STATE})),
    Family(
        "slowed",
        mark("Why clocks are lower"),
        Unit.FLAG,
        frozenset(m.id for m in clocks.METRICS),
    ),
    Family("slowed_time", mark("Time with lower clocks"), Unit.SECONDS),
    Family("energy", mark("Energy"), Unit.JOULES, lowest=None),
    Family("link_generation", mark("PCIe generation"), Unit.GENERATION),
    Family("link_lanes", mark("PCIe lanes"), Unit.LANES),
    Family("link_state", mark("NVLink state"), Unit.STATE),
    Family(
        "health", mark("Pending repairs"), Unit.FLAG, frozenset(m.id for m in health.METRICS)
    ),
    Family("counts", mark("Counters"), Unit.COUNT),
)

# In a plot its title has said the rest already.
_SHORT = {
    utilization.GPU_UTILIZATION: mark("GPU"),
    utilization.MEMORY_UTILIZATION: mark("memory ctrl"),
    utilization.ENCODER_UTILIZATION: mark("encoder"),
    utilization.DECODER_UTILIZATION: mark("decoder"),
    utilization.JPEG_UTILIZATION: mark("JPEG"),
    utilization.OFA_UTILIZATION: mark("optical flow"),
    utilization.SM_ACTIVITY: mark("SM active"),
    utilization.SM_OCCUPANCY: mark("SM occupied"),
    utilization.TENSOR_ACTIVITY: mark("tensor cores"),
    utilization.CPU_UTILIZATION: mark("processor"),
    memory.MEMORY_USED: mark("used"),
    memory.MEMORY_FREE: mark("free"),
    memory.MEMORY_RESERVED: mark("reserved"),
    memory.BAR1_USED: mark("BAR1 used"),
    memory.SWAP_USED: mark("used"),
    heat.TEMPERATURE: mark("core"),
    heat.MEMORY_TEMPERATURE: mark("memory"),
    heat.TEMPERATURE_MARGIN: mark("left"),
    heat.POWER_DRAW: mark("draw"),
    heat.POWER_DRAW_AVERAGE: mark("average"),
    heat.POWER_DRAW_INSTANT: mark("instant"),
    heat.POWER_LIMIT: mark("limit"),
    heat.ENERGY: mark("used"),
    heat.FAN_SPEED: mark("all fans"),
    clocks.CLOCK_GRAPHICS: mark("graphics"),
    clocks.CLOCK_SM: mark("SM"),
    clocks.CLOCK_MEMORY: mark("memory"),
    clocks.CLOCK_VIDEO: mark("video"),
    clocks.PERFORMANCE_STATE: mark("state"),
    links.PCIE_RECEIVE: mark("receive"),
    links.PCIE_TRANSMIT: mark("transmit"),
    links.PCIE_GENERATION: mark("now"),
    links.PCIE_WIDTH: mark("now"),
    links.NVLINK_RECEIVE: mark("receive"),
    links.NVLINK_TRANSMIT: mark("transmit"),
    clocks.throttle_time("sw_power_cap"): mark("at the power limit"),
    clocks.throttle_time("sync_boost"): mark("held to its group"),
    clocks.throttle_time("sw_thermal_slowdown"): mark("too warm"),
    clocks.throttle_time("hw_thermal_slowdown"): mark("much too hot"),
    clocks.throttle_time("hw_power_brake_slowdown"): mark("under power brake"),
}

_USUAL = (
    utilization.CPU_UTILIZATION,
    memory.SWAP_USED,
    utilization.GPU_UTILIZATION,
    utilization.MEMORY_UTILIZATION,
    memory.MEMORY_USED,
    heat.POWER_DRAW,
    heat.TEMPERATURE,
    heat.MEMORY_TEMPERATURE,
    clocks.CLOCK_SM,
    # Not the memory's: it is several times as high, and flattens the others.
    clocks.CLOCK_VIDEO,
    links.PCIE_RECEIVE,
    links.PCIE_TRANSMIT,
)


def short_label(metric: Metric) -> str:
    """What stands at the line's end."""
    known = _SHORT.get(metric.id)
    if known is not None:
        return tr(known)
    match metric.part:
        case Part.NVLINK, link:
            if metric.id == links.nvlink_receive(link):
                return tr("{link} in", link=link)
            if metric.id == links.nvlink_transmit(link):
                return tr("{link} out", link=link)
            return f"{link}"
        case Part.FAN, fan:
            return tr("Fan {number}", number=fan)
        case _:
            return tr(metric.label)


@lru_cache(64)
def offered(card: Card) -> Sequence[MetricId]:
    """All that can be plotted of this card, in the order of the families."""
    own = metrics_of(card)
    there = [m for m in METRICS.values() if m.plotted and m.id in own]
    order = {family.name: at for at, family in enumerate(FAMILIES)}
    there.sort(key=lambda metric: order.get(family_of(metric.id).name, len(order)))
    return [metric.id for metric in there if metric.id not in _hidden(card)]


def usual(card: Card, reading: Reading) -> Sequence[MetricId]:
    """What is plotted until somebody chooses, without what this card will never tell."""
    never = {metric for metric, absence in reading.missing.items() if absence.lasting}
    there = set(offered(card))
    asked = [metric for metric in _USUAL if metric in there]
    chosen = [metric for metric in asked if metric not in never] or asked
    if card.nvlinks and reading.values.get(links.NVLINK_ACTIVE) != 0:
        chosen += [links.NVLINK_RECEIVE, links.NVLINK_TRANSMIT]
    elif card.fans:
        # Seven plots fill a screen; who wants more chooses.
        chosen.append(heat.FAN_SPEED)
    return [metric for metric in chosen if metric in there]


def grouped(metrics: Collection[MetricId]) -> Sequence[tuple[Family, Sequence[MetricId]]]:
    """The plots that show these, each with its lines in the catalogue's order."""
    of: dict[str, list[MetricId]] = {}
    for metric in METRICS:
        if metric in metrics:
            of.setdefault(family_of(metric).name, []).append(metric)
    return [(family, of[family.name]) for family in FAMILIES if family.name in of]


@cache
def family_of(metric: MetricId) -> Family:
    """A metric that was added to the catalogue goes with those of its unit."""
    unit = METRICS[metric].unit
    alike = [family for family in FAMILIES if family.unit is unit]
    for family in alike:
        if family.members is not None and metric in family.members:
            return family
    return next(
        (family for family in alike if family.members is None),
        Family(f"unit_{unit.name.lower()}", METRICS[metric].label, unit),
    )


def _hidden(card: Card) -> Collection[MetricId]:
    """A chip beside the processor reports placeholders for a PCIe link it does not have."""
    if not card.memory_shared:
        return ()
    return PCIE


PCIE = frozenset(
    {
        links.PCIE_GENERATION,
        links.PCIE_GENERATION_MAX,
        links.PCIE_GENERATION_CARD,
        links.PCIE_GENERATION_SLOT,
        links.PCIE_WIDTH,
        links.PCIE_WIDTH_MAX,
        links.PCIE_WIDTH_SLOT,
        links.PCIE_RECEIVE,
        links.PCIE_TRANSMIT,
        links.PCIE_REPLAYS,
    }
)
