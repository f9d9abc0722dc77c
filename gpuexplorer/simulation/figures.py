"""How each metric follows from a simulated card's reading, and which it does not have."""

import math
from collections.abc import Callable, Mapping
from functools import partial

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.metrics import METRICS, MetricId, Part
from gpuexplorer.simulation.machine import Machine, Reading
from gpuexplorer.simulation.models import MIB

Figure = Callable[[Reading], float]


def figures_of(machine: Machine, index: int, pcie_rate: float) -> dict[MetricId, Figure]:
    """The metrics that this card answers; `pcie_rate` is bytes per second each way."""
    slots = machine.spec.cards
    model, nvlinks = slots[index].model, slots[index].nvlinks
    ampere, turing = model.compute_capability >= (8, 0), model.compute_capability >= (7, 5)
    total, usable = model.memory_bytes, model.usable_bytes
    most, target, generation = model.clock_most * 1e6, model.heat_target, model.pcie_generation
    errors = 0 if model.ecc else None
    up = machine.wiring.nvlinks_up(index)
    nvlink_rate = up * model.nvlink_rate
    draws = model.display and not any(slot.model.display for slot in slots[:index])

    def received(r: Reading) -> float:
        return min(nvlink_rate, r.nvlink_share * nvlink_rate + r.traffic[2])

    def transmitted(r: Reading) -> float:
        return min(nvlink_rate, r.nvlink_share * nvlink_rate + r.traffic[3])

    def video(graphics_clock: float) -> float:
        return max(405e6, math.floor(0.85 * graphics_clock / 15e6) * 15e6)

    def memory_heat(r: Reading) -> float:
        return math.floor(r.temperature + 5.0 + 8.0 * r.memory_busy)

    def margin(r: Reading) -> float:
        return target - math.floor(r.temperature)

    def generation_now(r: Reading) -> float:
        return 1 if model.idle_state == 8 and r.level <= 0.0 else generation

    # A number that stays, or what makes one of a reading; None for what the card has not.
    told: dict[str, Figure | float | None] = {
        "gpu_utilization": lambda r: r.busy,
        "memory_utilization": lambda r: r.memory_busy,
        "encoder_utilization": 0.0,
        "decoder_utilization": lambda r: r.decoder_busy,
        "ofa_utilization": 0.0 if turing else None,
        "jpeg_utilization": 0.0 if ampere and not model.display else None,
        "sm_activity": (lambda r: 0.86 * r.busy) if model.gpm else None,
        "sm_occupancy": (lambda r: 0.42 * r.busy) if model.gpm else None,
        "tensor_activity": (lambda r: 0.55 * r.busy * r.level) if model.gpm else None,
        "memory_used": lambda r: r.memory_used,
        "memory_free": lambda r: usable - r.memory_used,
        "memory_reserved": model.reserved_bytes,
        "memory_total": total,
        "bar1_used": lambda r: 2 * MIB if r.level <= 0.0 else 10 * MIB,
        # A server's processor sees the whole memory, a desktop's a small window of it.
        "bar1_total": 256 * MIB if model.display else 1 << (total - 1).bit_length(),
        "temperature": lambda r: math.floor(r.temperature),
        "temperature_slowdown": model.heat_slowdown,
        "temperature_shutdown": model.heat_shutdown,
        "temperature_max": target,
        "temperature_margin": margin if model.margin else None,
        "memory_temperature": memory_heat if model.hbm else None,
        "memory_temperature_max": 95.0 if model.hbm else None,
        "power_draw": lambda r: round(r.power, 3),
        "power_draw_instant": lambda r: round(r.power, 3),
        "power_draw_average": (lambda r: round(r.average_power, 3)) if ampere else None,
        "power_limit": model.power_limit,
        "power_limit_min": model.power_least,
        "power_limit_max": model.power_most,
        "power_limit_default": model.power_limit,
        "energy": lambda r: round(r.energy, 3),
        "fan_speed": (lambda r: r.fan) if model.fans else None,
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
        "throttle_applications_clocks_setting": 0.0,
        "throttle_sw_power_cap": lambda r: r.at_limit,
        "throttle_time_sw_power_cap": lambda r: r.seconds_at_limit,
        "throttle_hw_slowdown": 0.0,
        "throttle_sync_boost": 0.0,
        "throttle_time_sync_boost": 0.0,
        "throttle_sw_thermal_slowdown": lambda r: r.warm,
        "throttle_time_sw_thermal_slowdown": lambda r: r.seconds_warm,
        "throttle_hw_thermal_slowdown": 0.0,
        "throttle_time_hw_thermal_slowdown": 0.0,
        "throttle_hw_power_brake_slowdown": 0.0,
        "throttle_time_hw_power_brake_slowdown": 0.0,
        "throttle_display_clock_setting": 0.0,
        "pcie_generation": generation_now,
        "pcie_generation_max": generation,
        "pcie_generation_card_max": generation,
        "pcie_generation_slot_max": generation if model.display else None,
        "pcie_width": model.pcie_lanes,
        "pcie_width_max": model.pcie_lanes,
        "pcie_width_slot_max": 16,
        "pcie_receive": lambda r: min(
            pcie_rate, r.pcie_receive_share * pcie_rate + r.traffic[0]
        ),
        "pcie_transmit": lambda r: min(
            pcie_rate, r.pcie_transmit_share * pcie_rate + r.traffic[1]
        ),
        "pcie_replays": 0,
        "nvlink_active": up if nvlinks else None,
        "nvlink_receive": received if nvlinks else None,
        "nvlink_transmit": transmitted if nvlinks else None,
        "ecc_mode": model.ecc,
        "ecc_corrected": errors,
        "ecc_uncorrected": errors,
        "ecc_corrected_ever": machine.repaired_ever(index) if model.ecc else None,
        "ecc_uncorrected_ever": errors,
        "compute_mode": 0,
        "persistence_mode": not model.display,
        "virtualization_mode": 0,
        "display_active": draws and not slots[index].idle,
        "mig_mode": 0 if model.mig else None,
    }
    if model.ecc is not None:
        spare = "remapped_rows_" if ampere else "retired_pages_"
        told |= dict.fromkeys((each for each in METRICS if each.startswith(spare)), 0)
    for fan in range(model.fans):
        told[f"fan_{fan}_speed"] = lambda r: r.fan
        told[f"fan_{fan}_rpm"] = partial(_turns, 3300.0 - 40.0 * fan)
    for link in range(nvlinks):
        told[f"nvlink_{link}_receive"] = lambda r: received(r) / nvlinks
        told[f"nvlink_{link}_transmit"] = lambda r: transmitted(r) / nvlinks
        told[f"nvlink_{link}_state"] = 1 if up else 0
    return {
        MetricId(metric): figure if callable(figure) else partial(_always, figure)
        for metric, figure in told.items()
        if figure is not None
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
