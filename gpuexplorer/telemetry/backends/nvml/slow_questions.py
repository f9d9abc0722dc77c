"""What is asked every few seconds: limits, fans, PCIe, engines beside the main one, modes."""

import ctypes
from collections.abc import Callable

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
from gpuexplorer.telemetry.backends.nvml.questions import Missing, Question, Values, put

Version = tuple[int, int]  # of the driver: 580.95.05 is (580, 95)

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

Scalar = Callable[[], float]


def slow_questions(
    handle: object, card: Card, clock: Clock, version: Version | None
) -> list[Question]:
    return [
        *_engines(handle),
        bar1_question(handle),
        *_limits(handle),
        *_clock_limits(handle),
        *([] if card.memory_shared else _pcie(handle)),
        *_fans(handle, card.fans),
        *_modes(handle),
        _fields(handle, clock, version),
        *(() if version else (_of_unknown_number(),)),
    ]


def version_of(driver: str | None) -> Version | None:
    """The two numbers of "580.95.05" by which drivers are told apart; None where unknown."""
    parts = (driver or "").split(".")
    if len(parts) < 2 or not (parts[0].isdecimal() and parts[1].isdecimal()):
        return None
    return int(parts[0]), int(parts[1])


def _scalar(metric: MetricId, ask_driver: Scalar, factor: float = 1.0) -> Question:
    def ask(values: Values, missing: Missing) -> None:
        values[metric] = ask_driver() * factor

    return Question((metric,), ask)


def _engines(handle: object) -> list[Question]:
    def engine(metric: MetricId, ask_driver: Callable[[object], list[int]]) -> Question:
        return _scalar(metric, lambda: ask_driver(handle)[0], 0.01)

    return [
        engine(u.ENCODER_UTILIZATION, pynvml.nvmlDeviceGetEncoderUtilization),
        engine(u.DECODER_UTILIZATION, pynvml.nvmlDeviceGetDecoderUtilization),
        engine(u.JPEG_UTILIZATION, pynvml.nvmlDeviceGetJpgUtilization),
        engine(u.OFA_UTILIZATION, pynvml.nvmlDeviceGetOfaUtilization),
    ]


def bar1_question(handle: object) -> Question:
    def ask(values: Values, missing: Missing) -> None:
        window = pynvml.nvmlDeviceGetBAR1MemoryInfo(handle)
        values[m.BAR1_USED] = window.bar1Used
        values[m.BAR1_TOTAL] = window.bar1Total

    return Question((m.BAR1_USED, m.BAR1_TOTAL), ask)


def _limits(handle: object) -> list[Question]:
    def threshold(metric: MetricId, kind: int) -> Question:
        return _scalar(metric, lambda: pynvml.nvmlDeviceGetTemperatureThreshold(handle, kind))

    def constraints(values: Values, missing: Missing) -> None:
        low, high = pynvml.nvmlDeviceGetPowerManagementLimitConstraints(handle)
        values[h.POWER_LIMIT_MIN] = low / 1000
        values[h.POWER_LIMIT_MAX] = high / 1000

    return [
        threshold(h.TEMPERATURE_SLOWDOWN, pynvml.NVML_TEMPERATURE_THRESHOLD_SLOWDOWN),
        threshold(h.TEMPERATURE_SHUTDOWN, pynvml.NVML_TEMPERATURE_THRESHOLD_SHUTDOWN),
        threshold(h.TEMPERATURE_MAX, pynvml.NVML_TEMPERATURE_THRESHOLD_GPU_MAX),
        threshold(h.MEMORY_TEMPERATURE_MAX, pynvml.NVML_TEMPERATURE_THRESHOLD_MEM_MAX),
        _scalar(h.TEMPERATURE_MARGIN, lambda: pynvml.nvmlDeviceGetMarginTemperature(handle)),
        _scalar(h.POWER_LIMIT, lambda: pynvml.nvmlDeviceGetEnforcedPowerLimit(handle), 1e-3),
        _scalar(
            h.POWER_LIMIT_DEFAULT,
            lambda: pynvml.nvmlDeviceGetPowerManagementDefaultLimit(handle),
            1e-3,
        ),
        Question((h.POWER_LIMIT_MIN, h.POWER_LIMIT_MAX), constraints),
    ]


def _clock_limits(handle: object) -> list[Question]:
    def highest(metric: MetricId, kind: int) -> Question:
        return _scalar(metric, lambda: pynvml.nvmlDeviceGetMaxClockInfo(handle, kind), 1e6)

    return [
        highest(c.CLOCK_GRAPHICS_MAX, pynvml.NVML_CLOCK_GRAPHICS),
        highest(c.CLOCK_SM_MAX, pynvml.NVML_CLOCK_SM),
        highest(c.CLOCK_MEMORY_MAX, pynvml.NVML_CLOCK_MEM),
        highest(c.CLOCK_VIDEO_MAX, pynvml.NVML_CLOCK_VIDEO),
    ]


def _pcie(handle: object) -> list[Question]:
    return [
        _scalar(k.PCIE_GENERATION, lambda: pynvml.nvmlDeviceGetCurrPcieLinkGeneration(handle)),
        _scalar(
            k.PCIE_GENERATION_MAX, lambda: pynvml.nvmlDeviceGetMaxPcieLinkGeneration(handle)
        ),
        _scalar(
            k.PCIE_GENERATION_CARD,
            lambda: pynvml.nvmlDeviceGetGpuMaxPcieLinkGeneration(handle),
        ),
        _scalar(k.PCIE_WIDTH, lambda: pynvml.nvmlDeviceGetCurrPcieLinkWidth(handle)),
        _scalar(k.PCIE_WIDTH_MAX, lambda: pynvml.nvmlDeviceGetMaxPcieLinkWidth(handle)),
    ]


def _fans(handle: object, fans: int) -> list[Question]:
    def turns(fan: int) -> float:
        if pynvml.nvmlLib is None or not hasattr(pynvml.nvmlLib, "nvmlDeviceGetFanSpeedRPM"):
            raise pynvml.NVMLError(pynvml.NVML_ERROR_FUNCTION_NOT_FOUND)
        # The binding's own call asks for the first fan only.
        info = pynvml.c_nvmlFanSpeedInfo_t(version=pynvml.nvmlFanSpeedInfo_v1, fan=fan)
        code = pynvml.nvmlLib.nvmlDeviceGetFanSpeedRPM(handle, ctypes.byref(info))
        if code:
            raise pynvml.NVMLError(code)
        return float(info.speed)

    def one(fan: int) -> list[Question]:
        return [
            _scalar(
                h.fan_speed(fan), lambda: pynvml.nvmlDeviceGetFanSpeed_v2(handle, fan), 0.01
            ),
            _scalar(h.fan_turns(fan), lambda: turns(fan)),
        ]

    overall = _scalar(h.FAN_SPEED, lambda: pynvml.nvmlDeviceGetFanSpeed(handle), 0.01)
    return [overall, *(question for fan in range(fans) for question in one(fan))]


def _modes(handle: object) -> list[Question]:
    return [
        _scalar(s.ECC_MODE, lambda: pynvml.nvmlDeviceGetEccMode(handle)[0]),
        _scalar(s.COMPUTE_MODE, lambda: pynvml.nvmlDeviceGetComputeMode(handle)),
        _scalar(s.PERSISTENCE_MODE, lambda: pynvml.nvmlDeviceGetPersistenceMode(handle)),
        _scalar(s.MIG_MODE, lambda: pynvml.nvmlDeviceGetMigMode(handle)[0]),
        _scalar(s.VIRTUALIZATION_MODE, lambda: pynvml.nvmlDeviceGetVirtualizationMode(handle)),
        _scalar(s.DISPLAY_ACTIVE, lambda: pynvml.nvmlDeviceGetDisplayActive(handle)),
    ]


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
