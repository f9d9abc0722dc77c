"""How each metric follows from a simulated card's reading, and which it does not have."""

import math
from collections.abc import Callable, Mapping
from functools import partial

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.metrics import METRICS, MetricId, Part
from gpuexplorer.simulation.course import draws
from gpuexplorer.simulation.machine import Machine, Reading
from gpuexplorer.simulation.models import MIB

Figure = Callable[[Reading], float]


# Of what is not simulated nothing happens.
_STILL = (
    *("encoder_utilization", "pcie_replays", "compute_mode", "virtualization_mode"),
    *("throttle_applications_clocks_setting", "throttle_display_clock_setting"),
    *("throttle_hw_slowdown", "throttle_sync_boost", "throttle_time_sync_boost"),
    *("throttle_hw_thermal_slowdown", "throttle_time_hw_thermal_slowdown"),
    *("throttle_hw_power_brake_slowdown", "throttle_time_hw_power_brake_slowdown"),
)


def figures_of(machine: Machine, index: int, pcie_rate: float) -> dict[MetricId, Figure]:
    """The metrics that this card answers; `pcie_rate` is bytes per second each way."""
    slot = machine.spec.cards[index]
    model, nvlinks, up = slot.model, slot.nvlinks, machine.wiring.nvlinks_up(index)
    ampere, turing = model.compute_capability >= (8, 0), model.compute_capability >= (7, 5)
    most, target, generation = model.clock_most * 1e6, model.heat_target, model.pcie_generation
    nvlink_rate = up * model.nvlink_rate

    def over_nvlink(r: Reading, added: float) -> float:
        return min(nvlink_rate, r.nvlink_share * nvlink_rate + added)

    def received(r: Reading) -> float:
        return over_nvlink(r, r.traffic[2])

    def transmitted(r: Reading) -> float:
        return over_nvlink(r, r.traffic[3])

    def over_pcie(share: float, added: float) -> float:
        return min(pcie_rate, share * pcie_rate + added)

    def video(graphics_clock: float) -> float:
        return max(405e6, math.floor(0.85 * graphics_clock / 15e6) * 15e6)

    # A number that stays, or what makes one of a reading.
    told: dict[str, Figure | float] = {
        **dict.fromkeys(_STILL, 0.0),
        "gpu_utilization": lambda r: r.busy,
        "memory_utilization": lambda r: r.memory_busy,
        "decoder_utilization": lambda r: r.decoder_busy,
        "memory_used": lambda r: r.memory_used,
        "memory_free": lambda r: model.usable_bytes - r.memory_used,
        "memory_reserved": model.reserved_bytes,
        "memory_total": model.memory_bytes,
        "bar1_used": lambda r: 2 * MIB if r.level <= 0.0 else 10 * MIB,
        # A server's processor sees the whole memory, a desktop's a small window of it.
        "bar1_total": 1 << (model.memory_bytes - 1).bit_length(),
        "temperature": lambda r: math.floor(r.temperature),
        "temperature_slowdown": model.heat_slowdown,
        "temperature_shutdown": model.heat_shutdown,
        "temperature_max": target,
        "power_draw": lambda r: round(r.power, 3),
        "power_draw_instant": lambda r: round(r.power, 3),
        "power_limit": model.power_limit,
        "power_limit_min": model.power_least,
        "power_limit_max": model.power_most,
        "power_limit_default": model.power_limit,
        "energy": lambda r: round(r.energy, 3),
        "clock_graphics": lambda r: r.graphics_clock,
        "clock_sm": lambda r: r.graphics_clock,
        "clock_memory": lambda r: r.memory_clock,
        "clock_video": lambda r: video(r.graphics_clock),
        "clock_graphics_max": most,
        "clock_sm_max": most,
        "clock_memory_max": model.memory_clock * 1e6,
        "clock_video_max": video(most),
        "performance_state": lambda r: r.state,
        "throttle_gpu_idle": lambda r: r.level <= 0.0,
        "throttle_sw_power_cap": lambda r: r.at_limit,
        "throttle_time_sw_power_cap": lambda r: r.seconds_at_limit,
        "throttle_sw_thermal_slowdown": lambda r: r.warm,
        "throttle_time_sw_thermal_slowdown": lambda r: r.seconds_warm,
        "pcie_generation": lambda r: (
            1 if model.idle_state == 8 and r.level <= 0.0 else generation
        ),
        "pcie_generation_max": generation,
        "pcie_generation_card_max": generation,
        "pcie_width": model.pcie_lanes,
        "pcie_width_max": model.pcie_lanes,
        "pcie_width_slot_max": 16,
        "pcie_receive": lambda r: over_pcie(r.pcie_receive_share, r.traffic[0]),
        "pcie_transmit": lambda r: over_pcie(r.pcie_transmit_share, r.traffic[1]),
        "persistence_mode": not model.display,
        "display_active": draws(machine.spec, index) and not slot.idle,
    }
    if turing:
        told["ofa_utilization"] = 0.0
    if ampere:
        told["power_draw_average"] = lambda r: round(r.average_power, 3)
    if model.display:
        told |= {"bar1_total": 256 * MIB, "pcie_generation_slot_max": generation}
    elif ampere:
        told["jpeg_utilization"] = 0.0
    if model.gpm:
        told["sm_activity"] = lambda r: 0.86 * r.busy
        told["sm_occupancy"] = lambda r: 0.42 * r.busy
        told["tensor_activity"] = lambda r: 0.55 * r.busy * r.level
    if model.margin:
        told["temperature_margin"] = lambda r: target - math.floor(r.temperature)
    if model.hbm:
        told["memory_temperature"] = lambda r: math.floor(
            r.temperature + 5.0 + 8.0 * r.memory_busy
        )
        told["memory_temperature_max"] = 95.0
    if model.mig:
        told["mig_mode"] = 0
    if model.ecc is not None:
        spare = "remapped_rows_" if ampere else "retired_pages_"
        told |= dict.fromkeys((each for each in METRICS if each.startswith(spare)), 0)
        told["ecc_mode"] = model.ecc
    if model.ecc:
        told |= dict.fromkeys(("ecc_corrected", "ecc_uncorrected", "ecc_uncorrected_ever"), 0)
        told["ecc_corrected_ever"] = machine.repaired_ever(index)
    if model.fans:
        told["fan_speed"] = lambda r: r.fan
    for fan in range(model.fans):
        told[f"fan_{fan}_speed"] = lambda r: r.fan
        told[f"fan_{fan}_rpm"] = partial(_turns, 3300.0 - 40.0 * fan)
    if nvlinks:
        told |= {"nvlink_active": up, "nvlink_receive": received}
        told["nvlink_transmit"] = transmitted
    for link in range(nvlinks):
        told[f"nvlink_{link}_receive"] = lambda r: received(r) / nvlinks
        told[f"nvlink_{link}_transmit"] = lambda r: transmitted(r) / nvlinks
        told[f"nvlink_{link}_state"] = 1 if up else 0
    return {
        MetricId(metric): figure if callable(figure) else partial(_always, figure)
        for metric, figure in told.items()
    }


def _turns(most: float, reading: Reading) -> float:
    return round(most * reading.fan)


def _always(value: float, _: Reading) -> float:
    return value


def absences_of(machine: Machine, index: int) -> Mapping[MetricId, Absence]:
    """Why it does not answer, where that is for want of a part; else it is not supported."""
    slot = machine.spec.cards[index]
    lacking = set() if slot.model.fans else {"fan_speed"}
    if not slot.nvlinks:
        lacking |= {"nvlink_receive", "nvlink_transmit", "nvlink_active"}
    count = {Part.FAN: slot.model.fans, Part.NVLINK: slot.nvlinks}
    return {
        each.id: Absence.NO_PART
        for each in METRICS.values()
        if each.id in lacking or (each.part and each.part[1] >= count[each.part[0]])
    }
