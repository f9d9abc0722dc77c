"""What the usual exporters for Prometheus call our metrics, and in which unit they tell them."""

from collections.abc import Mapping
from typing import NamedTuple

from gpuexplorer.core.catalogue.links import MOST_NVLINKS
from gpuexplorer.core.metrics import Metric, MetricId, Unit

# A metric of ours, and its name in NVIDIA's DCGM exporter (DCGM_FI_…), in nvidia_gpu_exporter
# (nvidia_smi_…) and in nvitop-exporter (gpu_…). Behind a name: its unit where that is not ours;
# `counter`; `doubtful` where its versions differ in the unit. Left out is what has no metric or
# does not say its unit: PROF_GR_ENGINE_ACTIVE, PROF_DRAM_ACTIVE, DEV_NVLINK_BANDWIDTH_TOTAL,
# DEV_THERMAL_VIOLATION (heat of both kinds in one). Memory in all is the sum of DCGM's three.
_CARDS = """
gpu_utilization | DEV_GPU_UTIL % | utilization_gpu_ratio | utilization_Percentage %
memory_utilization | DEV_MEM_COPY_UTIL % | utilization_memory_ratio | memory_utilization_Percentage %
encoder_utilization | DEV_ENC_UTIL % | utilization_encoder_ratio | encoder_utilization_Percentage %
decoder_utilization | DEV_DEC_UTIL % | utilization_decoder_ratio | decoder_utilization_Percentage %
jpeg_utilization | | utilization_jpeg_ratio |
ofa_utilization | | utilization_ofa_ratio |
tensor_activity | PROF_PIPE_TENSOR_ACTIVE | |
sm_activity | PROF_SM_ACTIVE | |
sm_occupancy | PROF_SM_OCCUPANCY | |
memory_used | DEV_FB_USED MiB | memory_used_bytes | memory_used_MiB MiB
memory_free | DEV_FB_FREE MiB | memory_free_bytes | memory_free_MiB MiB
memory_reserved | DEV_FB_RESERVED MiB | memory_reserved_bytes |
memory_total | | memory_total_bytes | memory_total_MiB MiB
temperature | DEV_GPU_TEMP | temperature_gpu | temperature_C
memory_temperature | DEV_MEMORY_TEMP | temperature_memory |
temperature_margin | | temperature_gpu_tlimit |
power_draw | DEV_POWER_USAGE | power_draw_watts | power_usage_W
power_draw_average | | power_draw_average_watts |
power_draw_instant | | power_draw_instant_watts |
power_limit | | enforced_power_limit_watts | power_limit_W
power_limit_min | | power_min_limit_watts |
power_limit_max | | power_max_limit_watts |
power_limit_default | | power_default_limit_watts |
energy | DEV_TOTAL_ENERGY_CONSUMPTION mJ counter | energy_joules_total counter |
fan_speed | | fan_speed_ratio | fan_speed_Percentage %
clock_sm | DEV_SM_CLOCK MHz | clocks_current_sm_clock_hz | clock_sm_MHz MHz
clock_memory | DEV_MEM_CLOCK MHz | clocks_current_memory_clock_hz | clock_memory_MHz MHz
clock_graphics | | clocks_current_graphics_clock_hz | clock_graphics_MHz MHz
clock_video | | clocks_current_video_clock_hz | clock_video_MHz MHz
clock_sm_max | | clocks_max_sm_clock_hz |
clock_memory_max | | clocks_max_memory_clock_hz |
clock_graphics_max | | clocks_max_graphics_clock_hz |
performance_state | | pstate |
throttle_gpu_idle | | clocks_event_reasons_gpu_idle |
throttle_applications_clocks_setting | | clocks_event_reasons_applications_clocks_setting |
throttle_sw_power_cap | | clocks_event_reasons_sw_power_cap |
throttle_hw_slowdown | | clocks_event_reasons_hw_slowdown |
throttle_sync_boost | | clocks_event_reasons_sync_boost |
throttle_sw_thermal_slowdown | | clocks_event_reasons_sw_thermal_slowdown |
throttle_hw_thermal_slowdown | | clocks_event_reasons_hw_thermal_slowdown |
throttle_hw_power_brake_slowdown | | clocks_event_reasons_hw_power_brake_slowdown |
throttle_time_sw_power_cap | DEV_POWER_VIOLATION ns counter doubtful | clocks_event_reasons_counters_sw_power_cap_seconds |
throttle_time_sync_boost | DEV_SYNC_BOOST_VIOLATION ns counter doubtful | clocks_event_reasons_counters_sync_boost_seconds |
throttle_time_sw_thermal_slowdown | | clocks_event_reasons_counters_sw_thermal_slowdown_seconds |
throttle_time_hw_thermal_slowdown | | clocks_event_reasons_counters_hw_thermal_slowdown_seconds |
throttle_time_hw_power_brake_slowdown | | clocks_event_reasons_counters_hw_power_brake_slowdown_seconds |
pcie_transmit | PROF_PCIE_TX_BYTES | pcie_throughput_tx_bytes_per_second | pcie_tx_throughput_MiBps MiB
pcie_receive | PROF_PCIE_RX_BYTES | pcie_throughput_rx_bytes_per_second | pcie_rx_throughput_MiBps MiB
pcie_replays | DEV_PCIE_REPLAY_COUNTER counter | |
pcie_generation | | pcie_link_gen_gpucurrent |
pcie_generation_max | | pcie_link_gen_max |
pcie_generation_card_max | | pcie_link_gen_gpumax |
pcie_generation_slot_max | | pcie_link_gen_hostmax |
pcie_width | | pcie_link_width_current |
pcie_width_max | | pcie_link_width_max |
nvlink_transmit | | | nvlink_total_tx_throughput_MiBps MiB
nvlink_receive | | | nvlink_total_rx_throughput_MiBps MiB
ecc_mode | | ecc_mode_current |
ecc_corrected | DEV_ECC_SBE_VOL_TOTAL counter | ecc_errors_corrected_volatile_total |
ecc_uncorrected | DEV_ECC_DBE_VOL_TOTAL counter | ecc_errors_uncorrected_volatile_total |
ecc_corrected_ever | DEV_ECC_SBE_AGG_TOTAL counter | ecc_errors_corrected_aggregate_total |
ecc_uncorrected_ever | DEV_ECC_DBE_AGG_TOTAL counter | ecc_errors_uncorrected_aggregate_total |
retired_pages_corrected | DEV_RETIRED_SBE counter | |
retired_pages_uncorrected | DEV_RETIRED_DBE counter | |
retired_pages_pending | DEV_RETIRED_PENDING counter | |
remapped_rows_corrected | DEV_CORRECTABLE_REMAPPED_ROWS counter | remapped_rows_correctable |
remapped_rows_uncorrected | DEV_UNCORRECTABLE_REMAPPED_ROWS counter | remapped_rows_uncorrectable |
remapped_rows_pending | | remapped_rows_pending |
remapped_rows_failed | DEV_ROW_REMAP_FAILURE | remapped_rows_failure |
compute_mode | | compute_mode |
persistence_mode | | persistence_mode |
mig_mode | | mig_mode_current |
display_active | | display_active |
"""
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


def _name(prefix: str, cell: str) -> Name | None:
    name, *marks = cell.split() or [""]
    factor = next((_FACTORS[mark] for mark in marks if mark in _FACTORS), 1.0)
    named = Name(prefix + name, factor, "counter" in marks, "doubtful" in marks)
    return named if name else None


EXPORTER_NAMES: dict[MetricId, Names] = {}
for _line in _CARDS.strip().splitlines():
    _ours, *_cells = _line.split("|")
    _together = map(_name, ("DCGM_FI_", "nvidia_smi_", "gpu_"), _cells)
    EXPORTER_NAMES[MetricId(_ours.strip())] = Names(*_together)
for _link in range(MOST_NVLINKS):
    for _way, _short in (("transmit", "tx"), ("receive", "rx")):
        _nvitop = f"gpu_nvlink_{_short}_throughput_MiBps"
        _found = Name(_nvitop, _FACTORS["MiB"], labels={"link": str(_link)})
        EXPORTER_NAMES[MetricId(f"nvlink_{_link}_{_way}")] = Names(nvitop=_found)

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
        what, number = metric.part[0].value, str(metric.part[1])
        name = name.replace(f"{what}_{number}_", f"each_{what}_")
        part = {what: number}
    name = f"gpuexplorer_{of}{name}{_SUFFIX.get(metric.unit, '')}"
    return Name(name, counter=metric.unit is Unit.SECONDS, labels=part)


def served_name(metric: Metric) -> Name:
    """What `gpuexplorer serve` calls a card's figure."""
    dcgm = EXPORTER_NAMES.get(metric.id, Names()).dcgm
    return own_name(metric) if dcgm is None or dcgm.doubtful else dcgm
