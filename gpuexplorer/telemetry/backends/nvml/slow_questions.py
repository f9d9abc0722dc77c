"""What is asked every few seconds: limits, fans, PCIe, engines beside the main one, modes."""

import ctypes

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
from gpuexplorer.telemetry.backends.nvml.calls import PatientBatch
from gpuexplorer.telemetry.backends.nvml.questions import (
    Missing,
    Question,
    Values,
    number_question,
    put,
)

Version = tuple[int, int]  # of the driver: 580.95.05 is (580, 95)

_THRESHOLD = "nvmlDeviceGetTemperatureThreshold"
_MAX_CLOCK = "nvmlDeviceGetMaxClockInfo"
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
_RENUMBERED = (
    (251, 269, c.throttle_time("sw_thermal_slowdown")),
    (252, 270, c.throttle_time("hw_thermal_slowdown")),
    (253, 271, c.throttle_time("hw_power_brake_slowdown")),
)

# What the binding hands back as one number, or as the first of several: the call, what is
# passed to it after the card, and what the number is multiplied by.
_CALLS: tuple[tuple[MetricId, str, tuple[int, ...], float], ...] = (
    (u.ENCODER_UTILIZATION, "nvmlDeviceGetEncoderUtilization", (), 0.01),
    (u.DECODER_UTILIZATION, "nvmlDeviceGetDecoderUtilization", (), 0.01),
    (u.JPEG_UTILIZATION, "nvmlDeviceGetJpgUtilization", (), 0.01),
    (u.OFA_UTILIZATION, "nvmlDeviceGetOfaUtilization", (), 0.01),
    (h.TEMPERATURE_SLOWDOWN, _THRESHOLD, (pynvml.NVML_TEMPERATURE_THRESHOLD_SLOWDOWN,), 1.0),
    (h.TEMPERATURE_SHUTDOWN, _THRESHOLD, (pynvml.NVML_TEMPERATURE_THRESHOLD_SHUTDOWN,), 1.0),
    (h.TEMPERATURE_MAX, _THRESHOLD, (pynvml.NVML_TEMPERATURE_THRESHOLD_GPU_MAX,), 1.0),
    (h.MEMORY_TEMPERATURE_MAX, _THRESHOLD, (pynvml.NVML_TEMPERATURE_THRESHOLD_MEM_MAX,), 1.0),
    (h.TEMPERATURE_MARGIN, "nvmlDeviceGetMarginTemperature", (), 1.0),
    (h.POWER_LIMIT, "nvmlDeviceGetEnforcedPowerLimit", (), 1e-3),
    (h.POWER_LIMIT_DEFAULT, "nvmlDeviceGetPowerManagementDefaultLimit", (), 1e-3),
    (c.CLOCK_GRAPHICS_MAX, _MAX_CLOCK, (pynvml.NVML_CLOCK_GRAPHICS,), 1e6),
    (c.CLOCK_SM_MAX, _MAX_CLOCK, (pynvml.NVML_CLOCK_SM,), 1e6),
    (c.CLOCK_MEMORY_MAX, _MAX_CLOCK, (pynvml.NVML_CLOCK_MEM,), 1e6),
    (c.CLOCK_VIDEO_MAX, _MAX_CLOCK, (pynvml.NVML_CLOCK_VIDEO,), 1e6),
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


def slow_questions(
    handle: object, card: Card, clock: Clock, version: Version | None
) -> list[Question]:
    calls = _CALLS if card.memory_shared else (*_CALLS, *_PCIE_CALLS)
    return [
        *(_called(handle, *call) for call in calls),
        bar1_question(handle),
        _power_limits(handle),
        *(question for fan in range(card.fans) for question in _fan(handle, fan)),
        _fields(handle, clock, version),
        *(() if version else (_of_unknown_number(),)),
    ]


def version_of(driver: str | None) -> Version | None:
    """The two numbers of "580.95.05" by which drivers are told apart; None where unknown."""
    parts = (driver or "").split(".")
    if len(parts) < 2 or not (parts[0].isdecimal() and parts[1].isdecimal()):
        return None
    return int(parts[0]), int(parts[1])


def _called(
    handle: object, metric: MetricId, call: str, passed: tuple[int, ...], factor: float
) -> Question:
    function = getattr(pynvml, call)

    def ask_driver() -> float:
        told = function(handle, *passed)
        return float(told[0] if isinstance(told, list | tuple) else told)

    return number_question(metric, ask_driver, factor)


def bar1_question(handle: object) -> Question:
    def ask(values: Values, missing: Missing) -> None:
        window = pynvml.nvmlDeviceGetBAR1MemoryInfo(handle)
        values[m.BAR1_USED] = window.bar1Used
        values[m.BAR1_TOTAL] = window.bar1Total

    return Question((m.BAR1_USED, m.BAR1_TOTAL), ask)


def _power_limits(handle: object) -> Question:
    def ask(values: Values, missing: Missing) -> None:
        low, high = pynvml.nvmlDeviceGetPowerManagementLimitConstraints(handle)
        values[h.POWER_LIMIT_MIN] = low / 1000
        values[h.POWER_LIMIT_MAX] = high / 1000

    return Question((h.POWER_LIMIT_MIN, h.POWER_LIMIT_MAX), ask)


def _fan(handle: object, fan: int) -> list[Question]:
    def turns() -> float:
        if pynvml.nvmlLib is None or not hasattr(pynvml.nvmlLib, "nvmlDeviceGetFanSpeedRPM"):
            raise pynvml.NVMLError(pynvml.NVML_ERROR_FUNCTION_NOT_FOUND)
        # The binding's own call asks for the first fan only.
        info = pynvml.c_nvmlFanSpeedInfo_t(version=pynvml.nvmlFanSpeedInfo_v1, fan=fan)
        code = pynvml.nvmlLib.nvmlDeviceGetFanSpeedRPM(handle, ctypes.byref(info))
        if code:
            raise pynvml.NVMLError(code)
        return float(info.speed)

    speed = _called(handle, h.fan_speed(fan), "nvmlDeviceGetFanSpeed_v2", (fan,), 0.01)
    return [speed, number_question(h.fan_turns(fan), turns)]


def _fields(handle: object, clock: Clock, version: Version | None) -> Question:
    fields = [*_FIELDS]
    if version is not None:
        new = version >= _RENUMBERED_IN
        fields += [
            (later if new else early, metric, 1e-9) for early, later, metric in _RENUMBERED
        ]
    batch = PatientBatch(handle, [(field, 0) for field, _, _ in fields], clock)

    def ask(values: Values, missing: Missing) -> None:
        for (_, metric, factor), figure in zip(fields, batch.read(), strict=True):
            put(
                values,
                missing,
                metric,
                figure if isinstance(figure, Absence) else figure * factor,
            )

    return Question(tuple(metric for _, metric, _ in fields), ask, members=batch.pauses)


def _of_unknown_number() -> Question:
    """What has another number in another driver, where nobody knows which driver this is."""
    metrics = tuple(metric for _, _, metric in _RENUMBERED)

    def ask(values: Values, missing: Missing) -> None:
        missing.update(dict.fromkeys(metrics, Absence.NOT_IN_DRIVER))

    return Question(metrics, ask)
