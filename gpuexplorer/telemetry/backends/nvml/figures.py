"""What a card is asked: a table of driver calls, and the few that are more than one number."""

import ctypes
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import pynvml

from gpuexplorer.core import metrics as m
from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import Card
from gpuexplorer.core.clock import Clock
from gpuexplorer.core.metrics import METRICS, MetricId, Unit
from gpuexplorer.telemetry.backends.nvml import library
from gpuexplorer.telemetry.backends.nvml.asking import (
    MEMORY,
    Ask,
    Fields,
    Figure,
    Question,
    memory_fits,
)

Version = tuple[int, int]  # of the driver: 580.95.05 is (580, 95)

_LIMIT, _CLOCK = "nvmlDeviceGetTemperatureThreshold", "nvmlDeviceGetClockInfo"
_MOST = "nvmlDeviceGetMaxClockInfo"
# What answers a metric with one number. A call: by what names it goes in one driver or another,
# and what is passed to it after the card; of several numbers the first counts. Or a field.
_ASKED: Mapping[str, tuple[str] | tuple[str, int] | int] = {
    "encoder_utilization": ("nvmlDeviceGetEncoderUtilization",),
    "decoder_utilization": ("nvmlDeviceGetDecoderUtilization",),
    "jpeg_utilization": ("nvmlDeviceGetJpgUtilization",),
    "ofa_utilization": ("nvmlDeviceGetOfaUtilization",),
    "temperature": ("nvmlDeviceGetTemperature nvmlDeviceGetTemperatureV", 0),
    "memory_temperature": pynvml.NVML_FI_DEV_MEMORY_TEMP,
    "temperature_slowdown": (_LIMIT, pynvml.NVML_TEMPERATURE_THRESHOLD_SLOWDOWN),
    "temperature_shutdown": (_LIMIT, pynvml.NVML_TEMPERATURE_THRESHOLD_SHUTDOWN),
    "temperature_max": (_LIMIT, pynvml.NVML_TEMPERATURE_THRESHOLD_GPU_MAX),
    "memory_temperature_max": (_LIMIT, pynvml.NVML_TEMPERATURE_THRESHOLD_MEM_MAX),
    "temperature_margin": ("nvmlDeviceGetMarginTemperature",),
    "power_draw": ("nvmlDeviceGetPowerUsage",),
    "power_draw_average": pynvml.NVML_FI_DEV_POWER_AVERAGE,
    "power_draw_instant": pynvml.NVML_FI_DEV_POWER_INSTANT,
    "power_limit": ("nvmlDeviceGetEnforcedPowerLimit",),
    "power_limit_default": ("nvmlDeviceGetPowerManagementDefaultLimit",),
    "energy": pynvml.NVML_FI_DEV_TOTAL_ENERGY_CONSUMPTION,
    "fan_speed": ("nvmlDeviceGetFanSpeed",),
    "clock_sm": (_CLOCK, pynvml.NVML_CLOCK_SM),
    "clock_sm_max": (_MOST, pynvml.NVML_CLOCK_SM),
    "clock_graphics": (_CLOCK, pynvml.NVML_CLOCK_GRAPHICS),
    "clock_graphics_max": (_MOST, pynvml.NVML_CLOCK_GRAPHICS),
    "clock_memory": (_CLOCK, pynvml.NVML_CLOCK_MEM),
    "clock_memory_max": (_MOST, pynvml.NVML_CLOCK_MEM),
    "clock_video": (_CLOCK, pynvml.NVML_CLOCK_VIDEO),
    "clock_video_max": (_MOST, pynvml.NVML_CLOCK_VIDEO),
    "performance_state": ("nvmlDeviceGetPerformanceState nvmlDeviceGetPowerState",),
    "throttle_time_sw_power_cap": pynvml.NVML_FI_DEV_PERF_POLICY_POWER,
    "throttle_time_sync_boost": pynvml.NVML_FI_DEV_PERF_POLICY_SYNC_BOOST,
    "pcie_generation": ("nvmlDeviceGetCurrPcieLinkGeneration",),
    "pcie_generation_max": ("nvmlDeviceGetMaxPcieLinkGeneration",),
    "pcie_generation_card_max": ("nvmlDeviceGetGpuMaxPcieLinkGeneration",),
    "pcie_width": ("nvmlDeviceGetCurrPcieLinkWidth",),
    "pcie_width_max": ("nvmlDeviceGetMaxPcieLinkWidth",),
    "pcie_replays": pynvml.NVML_FI_DEV_PCIE_REPLAY_COUNTER,
    "ecc_mode": ("nvmlDeviceGetEccMode",),
    "ecc_corrected": pynvml.NVML_FI_DEV_ECC_SBE_VOL_TOTAL,
    "ecc_uncorrected": pynvml.NVML_FI_DEV_ECC_DBE_VOL_TOTAL,
    "ecc_corrected_ever": pynvml.NVML_FI_DEV_ECC_SBE_AGG_TOTAL,
    "ecc_uncorrected_ever": pynvml.NVML_FI_DEV_ECC_DBE_AGG_TOTAL,
    "retired_pages_corrected": pynvml.NVML_FI_DEV_RETIRED_SBE,
    "retired_pages_uncorrected": pynvml.NVML_FI_DEV_RETIRED_DBE,
    "retired_pages_pending": pynvml.NVML_FI_DEV_RETIRED_PENDING,
    "remapped_rows_corrected": pynvml.NVML_FI_DEV_REMAPPED_COR,
    "remapped_rows_uncorrected": pynvml.NVML_FI_DEV_REMAPPED_UNC,
    "remapped_rows_pending": pynvml.NVML_FI_DEV_REMAPPED_PENDING,
    "remapped_rows_failed": pynvml.NVML_FI_DEV_REMAPPED_FAILURE,
    "compute_mode": ("nvmlDeviceGetComputeMode",),
    "persistence_mode": ("nvmlDeviceGetPersistenceMode",),
    "mig_mode": ("nvmlDeviceGetMigMode",),
    "virtualization_mode": ("nvmlDeviceGetVirtualizationMode",),
    "display_active": ("nvmlDeviceGetDisplayActive",),
}
# Before 580.82 these were 251 to 253, and 269 to 271 something else.
_RENUMBERED_IN = (580, 82)
_RENUMBERED = ("sw_thermal_slowdown", "hw_thermal_slowdown", "hw_power_brake_slowdown")
_RENUMBERED_METRICS = tuple(MetricId(f"throttle_time_{each}") for each in _RENUMBERED)
# NVML speaks in %, mW, mJ, MHz and ns.
_FACTORS = {
    Unit.RATIO: 0.01,
    Unit.WATTS: 1e-3,
    Unit.JOULES: 1e-3,
    Unit.HERTZ: 1e6,
    Unit.SECONDS: 1e-9,
}

# NVML's bit for each reason why clocks are held back, from its header.
_REASON_BITS = {
    "gpu_idle": 0x1,
    "applications_clocks_setting": 0x2,
    "sw_power_cap": 0x4,
    "hw_slowdown": 0x8,
    "sync_boost": 0x10,
    "sw_thermal_slowdown": 0x20,
    "hw_thermal_slowdown": 0x40,
    "hw_power_brake_slowdown": 0x80,
    "display_clock_setting": 0x100,
}
_SLOWDOWNS = sum(bit for why, bit in _REASON_BITS.items() if m.throttle(why) not in m.HARMLESS)
# Older headers also have board limit, reliability, and "some other unspecified factor".
_DEFINED_REASONS = sum(_REASON_BITS.values()) | 0x200 | 0x400 | 1 << 63


def questions_of(
    handle: object, card: Card, clock: Clock, driver_version: str | None
) -> list[Question]:
    version = _version(driver_version)
    later = version is not None and version >= _RENUMBERED_IN
    asked = {MetricId(metric): how for metric, how in _ASKED.items()}
    if version:
        first = 269 if later else 251
        asked |= {each: first + n for n, each in enumerate(_RENUMBERED_METRICS)}
    fields = {metric: how for metric, how in asked.items() if isinstance(how, int)}
    # The one field that takes microseconds; average power takes milliseconds, for one.
    fast = {m.POWER_DRAW_INSTANT: fields.pop(m.POWER_DRAW_INSTANT)}
    unknown: Ask = lambda: [Absence.NOT_IN_DRIVER] * len(_RENUMBERED)  # noqa: E731
    return [
        *(
            _called(handle, metric, *how)
            for metric, how in asked.items()
            # A card that is a part of the processor's chip has no such link.
            if isinstance(how, tuple)
            and not (card.memory_shared and metric.startswith("pcie_"))
        ),
        Question((m.GPU_UTILIZATION, m.MEMORY_UTILIZATION), partial(_load, handle)),
        memory_question(handle),
        bar1_question(handle),
        Question((m.POWER_LIMIT_MIN, m.POWER_LIMIT_MAX), partial(_power_limits, handle)),
        Question([m.throttle(each) for each in _REASON_BITS], partial(_reasons, handle)),
        *(each for fan in range(card.fans) for each in _fan(handle, fan)),
        _of_fields(handle, fast, clock),
        _of_fields(handle, fields, clock),
        # What has another number in another driver, where nobody knows which driver this is.
        *(() if version else [Question(_RENUMBERED_METRICS, unknown)]),
    ]


def _version(driver: str | None) -> Version | None:
    """The two numbers of "580.95.05" by which drivers are told apart; None where unknown."""
    parts = (driver or "").split(".")
    if len(parts) < 2 or not (parts[0].isdecimal() and parts[1].isdecimal()):
        return None
    return int(parts[0]), int(parts[1])


def _called(handle: object, metric: MetricId, names: str, *passed: int) -> Question:
    names_there = [name for name in names.split() if library.has(name)] or names.split()
    # Any: what the binding hands back is a number, or several.
    function: Callable[..., Any] = getattr(pynvml, names_there[0])
    factor = _factor(metric)

    def ask() -> tuple[Figure]:
        told = function(handle, *passed)
        if metric == m.PERFORMANCE_STATE and told == pynvml.NVML_PSTATE_UNKNOWN:
            raise pynvml.NVMLError(pynvml.NVML_ERROR_NOT_SUPPORTED)
        return (float(told[0] if isinstance(told, list | tuple) else told) * factor,)

    return Question((metric,), ask)


def _of_fields(handle: object, asked: Mapping[MetricId, int], clock: Clock) -> Question:
    batch = Fields(handle, [(field, 0) for field in asked.values()], clock)
    factors = [_factor(metric) for metric in asked]

    def ask() -> list[Figure]:
        return [
            each if isinstance(each, Absence) else each * factor
            for factor, each in zip(factors, batch.read(), strict=True)
        ]

    return Question(tuple(asked), ask, batch.rests)


def _factor(metric: MetricId) -> float:
    return _FACTORS.get(METRICS[metric].unit, 1.0)


def _load(handle: object) -> tuple[float, float]:
    told = pynvml.nvmlDeviceGetUtilizationRates(handle)
    return told.gpu / 100, told.memory / 100


def memory_question(handle: object) -> Question:
    newer = library.has("nvmlDeviceGetMemoryInfo_v2")

    def ask() -> list[Figure]:
        reserved: Figure = Absence.NOT_IN_DRIVER
        try:
            told = pynvml.nvmlDeviceGetMemoryInfo(
                handle, pynvml.nvmlMemory_v2 if newer else None
            )
            if newer:
                fits = memory_fits(told.total, told.used, told.free, told.reserved)
                reserved = told.reserved if fits else Absence.IMPOSSIBLE
        except pynvml.NVMLError_NotSupported:
            if not newer:
                raise
            # The newer call may be there and refuse all the same. The older one counts the
            # reserved part as used and cannot tell it apart.
            told = pynvml.nvmlDeviceGetMemoryInfo(handle)
        if not memory_fits(told.total, told.used, told.free):
            return [Absence.IMPOSSIBLE] * len(MEMORY)
        if not told.total:
            raise pynvml.NVMLError(pynvml.NVML_ERROR_NOT_SUPPORTED)
        return [told.used, told.free, reserved, told.total]

    return Question(MEMORY, ask)


def bar1_question(handle: object) -> Question:
    def ask() -> tuple[float, float]:
        window = pynvml.nvmlDeviceGetBAR1MemoryInfo(handle)
        return window.bar1Used, window.bar1Total

    return Question((m.BAR1_USED, m.BAR1_TOTAL), ask)


def _power_limits(handle: object) -> list[Figure]:
    return [each / 1000 for each in pynvml.nvmlDeviceGetPowerManagementLimitConstraints(handle)]


def _reasons(handle: object) -> list[Figure]:
    newer = library.has("nvmlDeviceGetCurrentClocksEventReasons")
    name = "EventReasons" if newer else "ThrottleReasons"
    mask = int(getattr(pynvml, f"nvmlDeviceGetCurrentClocks{name}")(handle))
    if not _reasons_can_be(handle, mask):
        return [Absence.IMPOSSIBLE] * len(_REASON_BITS)
    return [1.0 if mask & bit else 0.0 for bit in _REASON_BITS.values()]


def _reasons_can_be(handle: object, mask: int) -> bool:
    """Resting goes together with a slowdown: the header says that one is also reported while
    the performance state changes. But not every slowdown there is at once.
    """
    if mask & _SLOWDOWNS == _SLOWDOWNS:
        return False
    if not mask & ~_DEFINED_REASONS:
        return True
    try:  # bits that came after this program
        known = int(pynvml.nvmlDeviceGetSupportedClocksThrottleReasons(handle))
    except (pynvml.NVMLError_NotSupported, pynvml.NVMLError_FunctionNotFound):
        return True  # it may know any
    return not mask & ~(_DEFINED_REASONS | known)


def _fan(handle: object, fan: int) -> list[Question]:
    def turns() -> tuple[float]:
        if pynvml.nvmlLib is None or not library.has("nvmlDeviceGetFanSpeedRPM"):
            raise pynvml.NVMLError(pynvml.NVML_ERROR_FUNCTION_NOT_FOUND)
        # The binding's own call asks for the first fan only.
        info = pynvml.c_nvmlFanSpeedInfo_t(version=pynvml.nvmlFanSpeedInfo_v1, fan=fan)
        code = pynvml.nvmlLib.nvmlDeviceGetFanSpeedRPM(handle, ctypes.byref(info))
        if code:
            raise pynvml.NVMLError(code)
        return (float(info.speed),)

    speed = _called(handle, MetricId(f"fan_{fan}_speed"), "nvmlDeviceGetFanSpeed_v2", fan)
    return [speed, Question((MetricId(f"fan_{fan}_rpm"),), turns)]
