"""Where each metric of the catalogue stands among the facts of a card."""

from collections.abc import Mapping, Sequence

from gpuexplorer.core.catalogue import clocks, health, links, memory, utilization
from gpuexplorer.core.catalogue import heat_and_power as heat
from gpuexplorer.core.metrics import METRICS, MetricId, Part
from gpuexplorer.core.words import mark

# Keys of the groups; translated, their titles.
PLACE, SILICON, LIMITS = mark("Place"), mark("Silicon"), mark("Limits")
HEALTH, SOFTWARE = mark("Health"), mark("Software")
PCIE, NVLINK, EACH_NVLINK = mark("PCIe"), mark("NVLink"), mark("Each NVLink")
_NOW, _MEMORY, _HEAT = mark("Utilisation"), mark("Memory"), mark("Temperature and fans")
_POWER, _CLOCKS = mark("Power"), mark("Clocks")
_SLOWED, _OTHER = mark("Why clocks are lower"), mark("Other")

ORDER = (
    SILICON,
    PLACE,
    PCIE,
    LIMITS,
    HEALTH,
    SOFTWARE,
    _NOW,
    _MEMORY,
    _HEAT,
    _POWER,
    _CLOCKS,
    _SLOWED,
    NVLINK,
    EACH_NVLINK,
    _OTHER,
)

_GROUPS: Mapping[str, Sequence[MetricId]] = {
    SILICON: (memory.MEMORY_TOTAL,),
    LIMITS: (
        heat.POWER_LIMIT,
        heat.POWER_LIMIT_MIN,
        heat.POWER_LIMIT_MAX,
        heat.POWER_LIMIT_DEFAULT,
        heat.TEMPERATURE_MAX,
        heat.TEMPERATURE_SLOWDOWN,
        heat.TEMPERATURE_SHUTDOWN,
        heat.MEMORY_TEMPERATURE_MAX,
        clocks.CLOCK_SM_MAX,
        clocks.CLOCK_GRAPHICS_MAX,
        clocks.CLOCK_MEMORY_MAX,
        clocks.CLOCK_VIDEO_MAX,
    ),
    HEALTH: tuple(
        metric.id
        for metric in health.METRICS
        if metric.id.startswith(("ecc", "retired", "remapped"))
    ),
    SOFTWARE: (
        health.COMPUTE_MODE,
        health.PERSISTENCE_MODE,
        health.MIG_MODE,
        health.VIRTUALIZATION_MODE,
        health.DISPLAY_ACTIVE,
    ),
    _NOW: tuple(metric.id for metric in utilization.METRICS),
    _MEMORY: (
        memory.MEMORY_USED,
        memory.MEMORY_FREE,
        memory.MEMORY_RESERVED,
        memory.BAR1_USED,
        memory.BAR1_TOTAL,
        memory.SWAP_USED,
        memory.SWAP_TOTAL,
    ),
    _HEAT: (heat.TEMPERATURE, heat.MEMORY_TEMPERATURE, heat.TEMPERATURE_MARGIN, heat.FAN_SPEED),
    _POWER: (
        heat.POWER_DRAW,
        heat.POWER_DRAW_AVERAGE,
        heat.POWER_DRAW_INSTANT,
        heat.ENERGY,
    ),
    _CLOCKS: (
        clocks.CLOCK_SM,
        clocks.CLOCK_GRAPHICS,
        clocks.CLOCK_MEMORY,
        clocks.CLOCK_VIDEO,
        clocks.PERFORMANCE_STATE,
    ),
    _SLOWED: tuple(
        metric
        for reason in clocks.THROTTLE_REASONS
        for metric in (clocks.throttle(reason), clocks.throttle_time(reason))
        if metric in METRICS
    ),
    PCIE: (links.PCIE_RECEIVE, links.PCIE_TRANSMIT, links.PCIE_REPLAYS),
    NVLINK: (links.NVLINK_ACTIVE, links.NVLINK_RECEIVE, links.NVLINK_TRANSMIT),
}
_GROUP_OF = {metric: title for title, metrics in _GROUPS.items() for metric in metrics}
_PLACE_IN_GROUP = {metric: at for m in _GROUPS.values() for at, metric in enumerate(m)}


def group_of(metric: MetricId) -> str:
    """A metric that was added to the catalogue stands under "Other" until it has a place."""
    part = METRICS[metric].part
    if part is not None:
        return _HEAT if part[0] is Part.FAN else EACH_NVLINK
    return _GROUP_OF.get(metric, _OTHER)


def place_in_group(metric: MetricId) -> int:
    """Parts such as single fans stand last, in the catalogue's order."""
    return _PLACE_IN_GROUP.get(metric, len(METRICS))
