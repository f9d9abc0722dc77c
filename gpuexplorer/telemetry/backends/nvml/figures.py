"""What a card is asked: a table of driver calls, and the few that are more than one number."""

import ctypes
from collections.abc import Callable
from functools import partial
from typing import Any

import pynvml

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import Card
from gpuexplorer.core.catalogue import clocks as c
from gpuexplorer.core.catalogue import health as s
from gpuexplorer.core.catalogue import heat_and_power as h
from gpuexplorer.core.catalogue import links as k
from gpuexplorer.core.catalogue import memory as m
from gpuexplorer.core.catalogue import utilization as u
from gpuexplorer.core.clock import Clock
from gpuexplorer.core.metrics import MetricId
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
# One number, or the first of several: the call, or by what name it goes in other drivers; what
# is passed to it after the card, and what the number is multiplied by.
_CALLS: tuple[tuple[MetricId, str, tuple[int, ...], float], ...] = (
    (h.TEMPERATURE, "nvmlDeviceGetTemperature nvmlDeviceGetTemperatureV", (0,), 1.0),
    (h.POWER_DRAW, "nvmlDeviceGetPowerUsage", (), 1e-3),
    (c.CLOCK_GRAPHICS, _CLOCK, (pynvml.NVML_CLOCK_GRAPHICS,), 1e6),
    (c.CLOCK_SM, _CLOCK, (pynvml.NVML_CLOCK_SM,), 1e6),
    (c.CLOCK_MEMORY, _CLOCK, (pynvml.NVML_CLOCK_MEM,), 1e6),
    (c.CLOCK_VIDEO, _CLOCK, (pynvml.NVML_CLOCK_VIDEO,), 1e6),
    (c.PERFORMANCE_STATE, "nvmlDeviceGetPerformanceState nvmlDeviceGetPowerState", (), 1.0),
    (u.ENCODER_UTILIZATION, "nvmlDeviceGetEncoderUtilization", (), 0.01),
    (u.DECODER_UTILIZATION, "nvmlDeviceGetDecoderUtilization", (), 0.01),
    (u.JPEG_UTILIZATION, "nvmlDeviceGetJpgUtilization", (), 0.01),
    (u.OFA_UTILIZATION, "nvmlDeviceGetOfaUtilization", (), 0.01),
    (h.TEMPERATURE_SLOWDOWN, _LIMIT, (pynvml.NVML_TEMPERATURE_THRESHOLD_SLOWDOWN,), 1.0),
    (h.TEMPERATURE_SHUTDOWN, _LIMIT, (pynvml.NVML_TEMPERATURE_THRESHOLD_SHUTDOWN,), 1.0),
    (h.TEMPERATURE_MAX, _LIMIT, (pynvml.NVML_TEMPERATURE_THRESHOLD_GPU_MAX,), 1.0),
    (h.MEMORY_TEMPERATURE_MAX, _LIMIT, (pynvml.NVML_TEMPERATURE_THRESHOLD_MEM_MAX,), 1.0),
    (h.TEMPERATURE_MARGIN, "nvmlDeviceGetMarginTemperature", (), 1.0),
    (h.POWER_LIMIT, "nvmlDeviceGetEnforcedPowerLimit", (), 1e-3),
    (h.POWER_LIMIT_DEFAULT, "nvmlDeviceGetPowerManagementDefaultLimit", (), 1e-3),
    (c.CLOCK_GRAPHICS_MAX, _MOST, (pynvml.NVML_CLOCK_GRAPHICS,), 1e6),
    (c.CLOCK_SM_MAX, _MOST, (pynvml.NVML_CLOCK_SM,), 1e6),
    (c.CLOCK_MEMORY_MAX, _MOST, (pynvml.NVML_CLOCK_MEM,), 1e6),
    (c.CLOCK_VIDEO_MAX, _MOST, (pynvml.NVML_CLOCK_VIDEO,), 1e6),
    (h.FAN_SPEED, "nvmlDeviceGetFanSpeed", (), 0.01),
    (s.ECC_MODE, "nvmlDeviceGetEccMode", (), 1.0),
    (s.COMPUTE_MODE, "nvmlDeviceGetComputeMode", (), 1.0),
    (s.PERSISTENCE_MODE, "nvmlDeviceGetPersistenceMode", (), 1.0),
    (s.MIG_MODE, "nvmlDeviceGetMigMode", (), 1.0),
    (s.VIRTUALIZATION_MODE, "nvmlDeviceGetVirtualizationMode", (), 1.0),
    (s.DISPLAY_ACTIVE, "nvmlDeviceGetDisplayActive", (), 1.0),
)
# A card that is a part of the processor's chip has no such link.
_PCIE_CALLS: tuple[tuple[MetricId, str, tuple[int, ...], float], ...] = (
    (k.PCIE_GENERATION, "nvmlDeviceGetCurrPcieLinkGeneration", (), 1.0),
    (k.PCIE_GENERATION_MAX, "nvmlDeviceGetMaxPcieLinkGeneration", (), 1.0),
    (k.PCIE_GENERATION_CARD, "nvmlDeviceGetGpuMaxPcieLinkGeneration", (), 1.0),
    (k.PCIE_WIDTH, "nvmlDeviceGetCurrPcieLinkWidth", (), 1.0),
    (k.PCIE_WIDTH_MAX, "nvmlDeviceGetMaxPcieLinkWidth", (), 1.0),
)
# The one field that takes microseconds; average power takes milliseconds, for one.
_FAST_FIELDS = ((pynvml.NVML_FI_DEV_POWER_INSTANT, h.POWER_DRAW_INSTANT, 1e-3),)
_FIELDS: tuple[tuple[int, MetricId, float], ...] = (
    (pynvml.NVML_FI_DEV_POWER_AVERAGE, h.POWER_DRAW_AVERAGE, 1e-3),
    (pynvml.NVML_FI_DEV_TOTAL_ENERGY_CONSUMPTION, h.ENERGY, 1e-3),
    (pynvml.NVML_FI_DEV_MEMORY_TEMP, h.MEMORY_TEMPERATURE, 1.0),
    (pynvml.NVML_FI_DEV_ECC_SBE_VOL_TOTAL, s.ECC_CORRECTED, 1.0),
    (pynvml.NVML_FI_DEV_ECC_DBE_VOL_TOTAL, s.ECC_UNCORRECTED, 1.0),
    (pynvml.NVML_FI_DEV_ECC_SBE_AGG_TOTAL, s.ECC_CORRECTED_EVER, 1.0),
    (pynvml.NVML_FI_DEV_ECC_DBE_AGG_TOTAL, s.ECC_UNCORRECTED_EVER, 1.0),
    (pynvml.NVML_FI_DEV_RETIRED_SBE, s.RETIRED_PAGES_CORRECTED, 1.0),
    (pynvml.NVML_FI_DEV_RETIRED_DBE, s.RETIRED_PAGES_UNCORRECTED, 1.0),
    (pynvml.NVML_FI_DEV_RETIRED_PENDING, s.RETIRED_PAGES_PENDING, 1.0),
    (pynvml.NVML_FI_DEV_REMAPPED_COR, s.REMAPPED_ROWS_CORRECTED, 1.0),
    (pynvml.NVML_FI_DEV_REMAPPED_UNC, s.REMAPPED_ROWS_UNCORRECTED, 1.0),
    (pynvml.NVML_FI_DEV_REMAPPED_PENDING, s.REMAPPED_ROWS_PENDING, 1.0),
    (pynvml.NVML_FI_DEV_REMAPPED_FAILURE, s.REMAPPED_ROWS_FAILED, 1.0),
    (pynvml.NVML_FI_DEV_PCIE_REPLAY_COUNTER, k.PCIE_REPLAYS, 1.0),
    (pynvml.NVML_FI_DEV_PERF_POLICY_POWER, c.throttle_time("sw_power_cap"), 1e-9),
    (pynvml.NVML_FI_DEV_PERF_POLICY_SYNC_BOOST, c.throttle_time("sync_boost"), 1e-9),
)
# Before 580.82 these were 251 to 253, and 269 to 271 something else.
_RENUMBERED_IN = (580, 82)
_RENUMBERED = ("sw_thermal_slowdown", "hw_thermal_slowdown", "hw_power_brake_slowdown")
_RENUMBERED_METRICS = tuple(map(c.throttle_time, _RENUMBERED))

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
_SLOWDOWNS = sum(bit for why, bit in _REASON_BITS.items() if why not in c.HARMLESS_REASONS)
# Older headers also have board limit, reliability, and "some other unspecified factor".
_DEFINED_REASONS = sum(_REASON_BITS.values()) | 0x200 | 0x400 | 1 << 63


def questions_of(
    handle: object, card: Card, clock: Clock, driver_version: str | None
) -> list[Question]:
    version = _version(driver_version)
    later = version is not None and version >= _RENUMBERED_IN
    first = 269 if later else 251
    renumbered = [(first + n, metric, 1e-9) for n, metric in enumerate(_RENUMBERED_METRICS)]
    table = _CALLS if card.memory_shared else (*_CALLS, *_PCIE_CALLS)
    unknown: Ask = lambda: [Absence.NOT_IN_DRIVER] * len(_RENUMBERED)  # noqa: E731
    return [
        *(_called(handle, *each) for each in table),
        Question((u.GPU_UTILIZATION, u.MEMORY_UTILIZATION), partial(_load, handle)),
        memory_question(handle),
        bar1_question(handle),
        Question((h.POWER_LIMIT_MIN, h.POWER_LIMIT_MAX), partial(_power_limits, handle)),
        Question([c.throttle(each) for each in c.THROTTLE_REASONS], partial(_reasons, handle)),
        *(each for fan in range(card.fans) for each in _fan(handle, fan)),
        _of_fields(handle, _FAST_FIELDS, clock),
        _of_fields(handle, (*_FIELDS, *(renumbered if version else ())), clock),
        # What has another number in another driver, where nobody knows which driver this is.
        *(() if version else [Question(_RENUMBERED_METRICS, unknown)]),
    ]


def _version(driver: str | None) -> Version | None:
    """The two numbers of "580.95.05" by which drivers are told apart; None where unknown."""
    parts = (driver or "").split(".")
    if len(parts) < 2 or not (parts[0].isdecimal() and parts[1].isdecimal()):
        return None
    return int(parts[0]), int(parts[1])


def _called(
    handle: object, metric: MetricId, names: str, passed: tuple[int, ...], factor: float
) -> Question:
    names_there = [name for name in names.split() if library.has(name)] or names.split()
    # Any: what the binding hands back is a number, or several.
    function: Callable[..., Any] = getattr(pynvml, names_there[0])

    def ask() -> tuple[Figure]:
        told = function(handle, *passed)
        if metric == c.PERFORMANCE_STATE and told == pynvml.NVML_PSTATE_UNKNOWN:
            raise pynvml.NVMLError(pynvml.NVML_ERROR_NOT_SUPPORTED)
        return (float(told[0] if isinstance(told, list | tuple) else told) * factor,)

    return Question((metric,), ask)


def _of_fields(
    handle: object, rows: tuple[tuple[int, MetricId, float], ...], clock: Clock
) -> Question:
    batch = Fields(handle, [(field, 0) for field, _, _ in rows], clock)

    def ask() -> list[Figure]:
        return [
            each if isinstance(each, Absence) else each * factor
            for (_, _, factor), each in zip(rows, batch.read(), strict=True)
        ]

    return Question([metric for _, metric, _ in rows], ask, batch.rests)


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
        return [Absence.IMPOSSIBLE] * len(c.THROTTLE_REASONS)
    return [1.0 if mask & _REASON_BITS[each] else 0.0 for each in c.THROTTLE_REASONS]


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

    speed = _called(handle, h.fan_speed(fan), "nvmlDeviceGetFanSpeed_v2", (fan,), 0.01)
    return [speed, Question((h.fan_turns(fan),), turns)]
