"""How each metric follows from a simulated card's reading, and which it does not have."""

import math
from collections.abc import Callable, Mapping
from functools import partial

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.catalogue import clocks, health, heat_and_power, links, memory
from gpuexplorer.core.catalogue import utilization as use
from gpuexplorer.core.metrics import MetricId
from gpuexplorer.simulation.machine import Machine, Reading
from gpuexplorer.simulation.models import MIB, CardModel

Figure = Callable[[Reading], float]
Figures = dict[MetricId, Figure]


def figures_of(machine: Machine, index: int, pcie_rate: float) -> Figures:
    """The metrics that this card answers; `pcie_rate` is bytes per second each way."""
    model = machine.spec.cards[index].model
    return (
        _use(model)
        | _memory(model)
        | _heat(model)
        | _power(model)
        | _fans(model)
        | _clocks(model)
        | _throttling()
        | _pcie(model, pcie_rate)
        | _nvlink(machine, index)
        | _ecc(model, machine.repaired_ever(index))
        | _modes(machine, index)
    )


def absences_of(machine: Machine, index: int) -> Mapping[MetricId, Absence]:
    """Why it does not answer, where that is for want of a part; else it is not supported."""
    slot = machine.spec.cards[index]
    lacking: list[MetricId] = []
    for fan in range(slot.model.heat.fans, heat_and_power.MOST_FANS):
        lacking += (heat_and_power.fan_speed(fan), heat_and_power.fan_turns(fan))
    if not slot.model.heat.fans:
        lacking.append(heat_and_power.FAN_SPEED)
    for link in range(slot.nvlinks, links.MOST_NVLINKS):
        lacking += (
            links.nvlink_receive(link),
            links.nvlink_transmit(link),
            links.nvlink_state(link),
        )
    if not slot.nvlinks:
        lacking += (links.NVLINK_RECEIVE, links.NVLINK_TRANSMIT, links.NVLINK_ACTIVE)
    return dict.fromkeys(lacking, Absence.NO_PART)


def _always(value: float) -> Figure:
    return lambda _: value


def _use(model: CardModel) -> Figures:
    figures: Figures = {
        use.GPU_UTILIZATION: lambda r: r.busy,
        use.MEMORY_UTILIZATION: lambda r: r.memory_busy,
        use.ENCODER_UTILIZATION: _always(0.0),
        use.DECODER_UTILIZATION: lambda r: r.decoder_busy,
    }
    if model.compute_capability >= (7, 5):
        figures[use.OFA_UTILIZATION] = _always(0.0)
    if model.compute_capability >= (8, 0) and not model.display:
        figures[use.JPEG_UTILIZATION] = _always(0.0)
    if model.gpm:
        figures[use.SM_ACTIVITY] = lambda r: 0.86 * r.busy
        figures[use.SM_OCCUPANCY] = lambda r: 0.42 * r.busy
        figures[use.TENSOR_ACTIVITY] = lambda r: 0.55 * r.busy * r.level
    return figures


def _memory(model: CardModel) -> Figures:
    total, reserved = model.memory.total_bytes, model.memory.reserved_bytes
    usable = total - reserved
    # A server's processor sees the whole memory, a desktop's a small window of it.
    window = 256 * MIB if model.display else 1 << (total - 1).bit_length()
    return {
        memory.MEMORY_USED: lambda r: r.memory_used,
        memory.MEMORY_FREE: lambda r: usable - r.memory_used,
        memory.MEMORY_RESERVED: _always(reserved),
        memory.MEMORY_TOTAL: _always(total),
        memory.BAR1_USED: lambda r: 2 * MIB if r.level <= 0.0 else 10 * MIB,
        memory.BAR1_TOTAL: _always(window),
    }


def _heat(model: CardModel) -> Figures:
    heat = model.heat
    figures: Figures = {
        heat_and_power.TEMPERATURE: lambda r: math.floor(r.temperature),
        heat_and_power.TEMPERATURE_SLOWDOWN: _always(heat.slowdown),
        heat_and_power.TEMPERATURE_SHUTDOWN: _always(heat.shutdown),
        heat_and_power.TEMPERATURE_MAX: _always(heat.target),
    }
    if heat.margin:
        figures[heat_and_power.TEMPERATURE_MARGIN] = lambda r: (
            heat.target - math.floor(r.temperature)
        )
    if model.memory.hbm:
        figures[heat_and_power.MEMORY_TEMPERATURE] = lambda r: math.floor(
            r.temperature + 5.0 + 8.0 * r.memory_busy
        )
        figures[heat_and_power.MEMORY_TEMPERATURE_MAX] = _always(95.0)
    return figures


def _power(model: CardModel) -> Figures:
    power = model.power
    figures: Figures = {
        heat_and_power.POWER_DRAW: lambda r: round(r.power, 3),
        heat_and_power.POWER_DRAW_INSTANT: lambda r: round(r.power, 3),
        heat_and_power.POWER_LIMIT: _always(power.limit),
        heat_and_power.POWER_LIMIT_MIN: _always(power.least),
        heat_and_power.POWER_LIMIT_MAX: _always(power.most),
        heat_and_power.POWER_LIMIT_DEFAULT: _always(power.limit),
        heat_and_power.ENERGY: lambda r: round(r.energy, 3),
    }
    if model.compute_capability >= (8, 0):
        figures[heat_and_power.POWER_DRAW_AVERAGE] = lambda r: round(r.average_power, 3)
    return figures


def _fans(model: CardModel) -> Figures:
    figures: Figures = {}
    if model.heat.fans:
        figures[heat_and_power.FAN_SPEED] = lambda r: r.fan
    for fan in range(model.heat.fans):
        most = 3300.0 - 40.0 * fan
        figures[heat_and_power.fan_speed(fan)] = lambda r: r.fan
        figures[heat_and_power.fan_turns(fan)] = partial(_turns, most)
    return figures


def _turns(most: float, reading: Reading) -> float:
    return round(most * reading.fan)


def _clocks(model: CardModel) -> Figures:
    most = model.clocks.most * 1e6
    return {
        clocks.CLOCK_GRAPHICS: lambda r: r.graphics_clock,
        clocks.CLOCK_SM: lambda r: r.graphics_clock,
        clocks.CLOCK_MEMORY: lambda r: r.memory_clock,
        clocks.CLOCK_VIDEO: lambda r: _video(r.graphics_clock),
        clocks.CLOCK_GRAPHICS_MAX: _always(most),
        clocks.CLOCK_SM_MAX: _always(most),
        clocks.CLOCK_MEMORY_MAX: _always(model.clocks.memory * 1e6),
        clocks.CLOCK_VIDEO_MAX: _always(_video(most)),
        clocks.PERFORMANCE_STATE: lambda r: r.state,
    }


def _video(graphics_clock: float) -> float:
    return max(405e6, math.floor(0.85 * graphics_clock / 15e6) * 15e6)


def _throttling() -> Figures:
    figures: Figures = {clocks.throttle(why): _always(0.0) for why in clocks.THROTTLE_REASONS}
    figures |= {
        clocks.throttle("gpu_idle"): lambda r: r.level <= 0.0,
        clocks.throttle("sw_power_cap"): lambda r: r.at_limit,
        clocks.throttle("sw_thermal_slowdown"): lambda r: r.warm,
        clocks.throttle_time("sw_power_cap"): lambda r: r.seconds_at_limit,
        clocks.throttle_time("sw_thermal_slowdown"): lambda r: r.seconds_warm,
    }
    for never in ("sync_boost", "hw_thermal_slowdown", "hw_power_brake_slowdown"):
        figures[clocks.throttle_time(never)] = _always(0.0)
    return figures


def _pcie(model: CardModel, rate: float) -> Figures:
    wires = model.wires
    sleeps = model.idle_state == 8
    figures: Figures = {
        links.PCIE_GENERATION: lambda r: (
            1 if sleeps and r.level <= 0.0 else wires.pcie_generation
        ),
        links.PCIE_GENERATION_MAX: _always(wires.pcie_generation),
        links.PCIE_GENERATION_CARD: _always(wires.pcie_generation),
        links.PCIE_WIDTH: _always(wires.pcie_lanes),
        links.PCIE_WIDTH_MAX: _always(wires.pcie_lanes),
        links.PCIE_WIDTH_SLOT: _always(16),
        links.PCIE_RECEIVE: lambda r: min(rate, r.pcie_receive_share * rate + r.traffic[0]),
        links.PCIE_TRANSMIT: lambda r: min(rate, r.pcie_transmit_share * rate + r.traffic[1]),
        links.PCIE_REPLAYS: _always(0),
    }
    if model.display:
        figures[links.PCIE_GENERATION_SLOT] = _always(wires.pcie_generation)
    return figures


def _nvlink(machine: Machine, index: int) -> Figures:
    count, up = machine.spec.cards[index].nvlinks, machine.wiring.nvlinks_up(index)
    if not count:
        return {}
    rate = up * machine.spec.cards[index].model.wires.nvlink_rate

    def receive(r: Reading) -> float:
        return min(rate, r.nvlink_share * rate + r.traffic[2])

    def transmit(r: Reading) -> float:
        return min(rate, r.nvlink_share * rate + r.traffic[3])

    figures: Figures = {
        links.NVLINK_RECEIVE: receive,
        links.NVLINK_TRANSMIT: transmit,
        links.NVLINK_ACTIVE: _always(up),
    }
    for link in range(count):
        figures[links.nvlink_receive(link)] = lambda r: receive(r) / count
        figures[links.nvlink_transmit(link)] = lambda r: transmit(r) / count
        figures[links.nvlink_state(link)] = _always(1 if up else 0)
    return figures


def _ecc(model: CardModel, repaired_ever: int) -> Figures:
    if model.memory.ecc is None:
        return {}
    figures: Figures = {health.ECC_MODE: _always(model.memory.ecc)}
    if model.memory.ecc:
        figures |= {
            health.ECC_CORRECTED: _always(0),
            health.ECC_UNCORRECTED: _always(0),
            health.ECC_CORRECTED_EVER: _always(repaired_ever),
            health.ECC_UNCORRECTED_EVER: _always(0),
        }
    if model.compute_capability >= (8, 0):
        spare: tuple[MetricId, ...] = (
            health.REMAPPED_ROWS_CORRECTED,
            health.REMAPPED_ROWS_UNCORRECTED,
            health.REMAPPED_ROWS_PENDING,
            health.REMAPPED_ROWS_FAILED,
        )
    else:
        spare = (
            health.RETIRED_PAGES_CORRECTED,
            health.RETIRED_PAGES_UNCORRECTED,
            health.RETIRED_PAGES_PENDING,
        )
    return figures | dict.fromkeys(spare, _always(0))


def _modes(machine: Machine, index: int) -> Figures:
    slots = machine.spec.cards
    model = slots[index].model
    first = model.display and not any(slot.model.display for slot in slots[:index])
    shown = first and not slots[index].idle
    figures: Figures = {
        health.COMPUTE_MODE: _always(0),
        health.PERSISTENCE_MODE: _always(not model.display),
        health.VIRTUALIZATION_MODE: _always(0),
        health.DISPLAY_ACTIVE: _always(shown),
    }
    if model.mig:
        figures[health.MIG_MODE] = _always(0)
    return figures
