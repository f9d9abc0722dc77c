"""How each metric follows from a simulated card's reading, and which it does not have."""

import math
from collections.abc import Callable, Mapping

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.metrics import METRICS, MetricId
from gpuexplorer.simulation.course import draws
from gpuexplorer.simulation.machine import Machine, Reading
from gpuexplorer.simulation.models import MIB

# Of what is not simulated nothing happens.
_STILL = (
    *("encoder_utilization", "pcie_replays", "compute_mode", "virtualization_mode"),
    *("throttle_applications_clocks_setting", "throttle_display_clock_setting"),
    *("throttle_hw_slowdown", "throttle_sync_boost", "throttle_time_sync_boost"),
    *("throttle_hw_thermal_slowdown", "throttle_time_hw_thermal_slowdown"),
    *("throttle_hw_power_brake_slowdown", "throttle_time_hw_power_brake_slowdown"),
)


def figures_of(
    machine: Machine, index: int, pcie_rate: float
) -> Callable[[Reading], Mapping[str, float]]:
    """All that this card answers; `pcie_rate` is bytes per second each way."""
    slot = machine.spec.cards[index]
    model, nvlinks, up = slot.model, slot.nvlinks, machine.wiring.nvlinks_up(index)
    ampere, turing = model.compute_capability >= (8, 0), model.compute_capability >= (7, 5)
    most, target, generation = model.clock_most * 1e6, model.heat_target, model.pcie_generation
    nvlink_rate = up * model.nvlink_rate
    lasting = {
        **dict.fromkeys(_STILL, 0.0),
        "memory_reserved": model.reserved_bytes,
        "memory_total": model.memory_bytes,
        # A server's processor sees the whole memory, a desktop's a small window of it.
        "bar1_total": 1 << (model.memory_bytes - 1).bit_length(),
        "temperature_slowdown": model.heat_slowdown,
        "temperature_shutdown": model.heat_shutdown,
        "temperature_max": target,
        "power_limit": model.power_limit,
        "power_limit_min": model.power_least,
        "power_limit_max": model.power_most,
        "power_limit_default": model.power_limit,
        "clock_graphics_max": most,
        "clock_sm_max": most,
        "clock_memory_max": model.memory_clock * 1e6,
        "clock_video_max": _video_clock(most),
        "pcie_generation_max": generation,
        "pcie_generation_card_max": generation,
        "pcie_width": model.pcie_lanes,
        "pcie_width_max": model.pcie_lanes,
        "pcie_width_slot_max": 16,
        "persistence_mode": not model.display,
        "display_active": draws(machine.spec, index) and not slot.idle,
    }
    if turing:
        lasting["ofa_utilization"] = 0
    if model.display:
        lasting |= {"bar1_total": 256 * MIB, "pcie_generation_slot_max": generation}
    elif ampere:
        lasting["jpeg_utilization"] = 0
    if model.hbm:
        lasting["memory_temperature_max"] = 95.0
    if model.mig:
        lasting["mig_mode"] = 0
    if model.ecc is not None:
        spare = "remapped_rows_" if ampere else "retired_pages_"
        lasting |= dict.fromkeys((each for each in METRICS if each.startswith(spare)), 0)
        lasting["ecc_mode"] = model.ecc
    if model.ecc:
        lasting |= dict.fromkeys(
            ("ecc_corrected", "ecc_uncorrected", "ecc_uncorrected_ever"), 0
        )
        lasting["ecc_corrected_ever"] = machine.repaired_ever(index)
    if nvlinks:
        lasting["nvlink_active"] = up
    lasting |= {f"nvlink_{link}_state": up > 0 for link in range(nvlinks)}

    def figures(r: Reading) -> Mapping[str, float]:
        celsius, power, resting = math.floor(r.temperature), round(r.power, 3), r.level <= 0.0
        pcie_in, pcie_out, nvlink_in, nvlink_out = r.traffic
        told = lasting | {
            "gpu_utilization": r.busy,
            "memory_utilization": r.memory_busy,
            "decoder_utilization": r.decoder_busy,
            "memory_used": r.memory_used,
            "memory_free": model.usable_bytes - r.memory_used,
            "bar1_used": (2 if resting else 10) * MIB,
            "temperature": celsius,
            "power_draw": power,
            "power_draw_instant": power,
            "energy": round(r.energy, 3),
            "clock_graphics": r.graphics_clock,
            "clock_sm": r.graphics_clock,
            "clock_memory": r.memory_clock,
            "clock_video": _video_clock(r.graphics_clock),
            "performance_state": r.state,
            "throttle_gpu_idle": resting,
            "throttle_sw_power_cap": r.at_limit,
            "throttle_time_sw_power_cap": r.seconds_at_limit,
            "throttle_sw_thermal_slowdown": r.warm,
            "throttle_time_sw_thermal_slowdown": r.seconds_warm,
            "pcie_generation": 1 if resting and model.idle_state == 8 else generation,
            "pcie_receive": min(pcie_rate, r.pcie_share * pcie_rate + pcie_in),
            "pcie_transmit": min(pcie_rate, 0.3 * r.pcie_share * pcie_rate + pcie_out),
        }
        for way, added in (("receive", nvlink_in), ("transmit", nvlink_out)):
            rate = min(nvlink_rate, r.nvlink_share * nvlink_rate + added)
            told |= {f"nvlink_{link}_{way}": rate / nvlinks for link in range(nvlinks)}
            if nvlinks:
                told[f"nvlink_{way}"] = rate
        if ampere:
            told["power_draw_average"] = round(r.average_power, 3)
        if model.gpm:
            told["sm_activity"] = 0.86 * r.busy
            told["sm_occupancy"] = 0.42 * r.busy
            told["tensor_activity"] = 0.55 * r.busy * r.level
        if model.margin:
            told["temperature_margin"] = target - celsius
        if model.hbm:
            told["memory_temperature"] = math.floor(r.temperature + 5.0 + 8.0 * r.memory_busy)
        if model.fans:
            told["fan_speed"] = r.fan
        for fan in range(model.fans):
            told[f"fan_{fan}_speed"] = r.fan
            told[f"fan_{fan}_rpm"] = round((3300.0 - 40.0 * fan) * r.fan)
        return told

    return figures


def _video_clock(graphics_clock: float) -> float:
    return max(405e6, math.floor(0.85 * graphics_clock / 15e6) * 15e6)


def absences_of(machine: Machine, index: int) -> Mapping[MetricId, Absence]:
    """Why it does not answer, where that is for want of a part; else it is not supported."""
    slot = machine.spec.cards[index]
    count = {"fan": slot.model.fans, "nvlink": slot.nvlinks}
    return {
        each.id: Absence.NO_PART
        for each in METRICS.values()
        if (each.part[1] if each.part else 0) >= count.get(each.id.partition("_")[0], 1)
    }
