"""What is asked at every beat: load, memory, heat, power, clocks and what holds them back."""

from collections.abc import Callable

import pynvml

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.catalogue import clocks as c
from gpuexplorer.core.catalogue import heat_and_power as h
from gpuexplorer.core.catalogue import memory as m
from gpuexplorer.core.catalogue import utilization as u
from gpuexplorer.core.metrics import MetricId
from gpuexplorer.telemetry.backends.nvml import library
from gpuexplorer.telemetry.backends.nvml.calls import (
    FieldBatch,
    number_call,
    unpack_memory,
    unpack_memory_v2,
    unpack_utilization,
)
from gpuexplorer.telemetry.backends.nvml.questions import Missing, Question, Values

# NVML's bit for each reason, from its header.
REASON_BITS = {
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

_FIELDS = (
    (pynvml.NVML_FI_DEV_POWER_AVERAGE, h.POWER_DRAW_AVERAGE, 1e-3),
    (pynvml.NVML_FI_DEV_POWER_INSTANT, h.POWER_DRAW_INSTANT, 1e-3),
    (pynvml.NVML_FI_DEV_MEMORY_TEMP, h.MEMORY_TEMPERATURE, 1.0),
    (pynvml.NVML_FI_DEV_TOTAL_ENERGY_CONSUMPTION, h.ENERGY, 1e-3),
)


_MEMORY = (m.MEMORY_USED, m.MEMORY_FREE, m.MEMORY_RESERVED, m.MEMORY_TOTAL)
_IMPOSSIBLE_MEMORY = dict.fromkeys(_MEMORY, Absence.IMPOSSIBLE)


def fast_questions(handle: object) -> list[Question]:
    return [
        _load(handle),
        memory_question(handle),
        _temperature(handle),
        _power(handle),
        *_clocks(handle),
        _performance_state(handle),
        _reasons(handle),
        _fields(handle),
    ]


def _load(handle: object) -> Question:
    ask_driver = pynvml.nvmlDeviceGetUtilizationRates

    def ask(values: Values, missing: Missing) -> None:
        gpu, memory = unpack_utilization(ask_driver(handle))
        values[u.GPU_UTILIZATION] = gpu / 100
        values[u.MEMORY_UTILIZATION] = memory / 100

    return Question((u.GPU_UTILIZATION, u.MEMORY_UTILIZATION), ask)


def memory_question(handle: object) -> Question:
    ask_driver = pynvml.nvmlDeviceGetMemoryInfo
    version = pynvml.nvmlMemory_v2

    def ask_new(values: Values, missing: Missing) -> None:
        try:
            answer = ask_driver(handle, version)
        except pynvml.NVMLError_NotSupported:
            ask_old(values, missing)  # the newer call may be there and refuse all the same
            return
        _, total, reserved, free, used = unpack_memory_v2(answer)
        if used > total:
            missing.update(_IMPOSSIBLE_MEMORY)
            return
        if not total:
            raise pynvml.NVMLError(pynvml.NVML_ERROR_NOT_SUPPORTED)
        values[m.MEMORY_USED] = used
        values[m.MEMORY_FREE] = free
        values[m.MEMORY_RESERVED] = reserved
        values[m.MEMORY_TOTAL] = total

    def ask_old(values: Values, missing: Missing) -> None:
        # The older call counts the reserved part as used and cannot tell it apart.
        total, free, used = unpack_memory(ask_driver(handle))
        if used > total:
            missing.update(_IMPOSSIBLE_MEMORY)
            return
        if not total:
            raise pynvml.NVMLError(pynvml.NVML_ERROR_NOT_SUPPORTED)
        values[m.MEMORY_USED] = used
        values[m.MEMORY_FREE] = free
        values[m.MEMORY_TOTAL] = total
        missing[m.MEMORY_RESERVED] = Absence.NOT_IN_DRIVER

    return Question(_MEMORY, ask_new if library.has("nvmlDeviceGetMemoryInfo_v2") else ask_old)


def _temperature(handle: object) -> Question:
    sensor = pynvml.NVML_TEMPERATURE_GPU
    if library.has("nvmlDeviceGetTemperature"):
        return _number(h.TEMPERATURE, number_call("nvmlDeviceGetTemperature", handle, sensor))
    return _number(h.TEMPERATURE, lambda: pynvml.nvmlDeviceGetTemperatureV(handle, sensor))


def _power(handle: object) -> Question:
    return _number(h.POWER_DRAW, number_call("nvmlDeviceGetPowerUsage", handle), 1e-3)


def _clocks(handle: object) -> list[Question]:
    kinds = (
        (c.CLOCK_GRAPHICS, pynvml.NVML_CLOCK_GRAPHICS),
        (c.CLOCK_SM, pynvml.NVML_CLOCK_SM),
        (c.CLOCK_MEMORY, pynvml.NVML_CLOCK_MEM),
        (c.CLOCK_VIDEO, pynvml.NVML_CLOCK_VIDEO),
    )
    return [
        _number(metric, number_call("nvmlDeviceGetClockInfo", handle, kind), 1e6)
        for metric, kind in kinds
    ]


def _performance_state(handle: object) -> Question:
    newer = library.has("nvmlDeviceGetPerformanceState")
    # Before 2011 the same call had another name. 32 stands for unknown, and is out of range.
    name = "nvmlDeviceGetPerformanceState" if newer else "nvmlDeviceGetPowerState"
    return _number(c.PERFORMANCE_STATE, number_call(name, handle))


def _number(metric: MetricId, ask_driver: Callable[[], int], factor: float = 1.0) -> Question:
    def ask(values: Values, missing: Missing) -> None:
        values[metric] = ask_driver() * factor

    return Question((metric,), ask)


def _reasons(handle: object) -> Question:
    answers = tuple(c.throttle(reason) for reason in c.THROTTLE_REASONS)
    bits = [(c.throttle(reason), REASON_BITS[reason]) for reason in c.THROTTLE_REASONS]
    ask_driver = (
        pynvml.nvmlDeviceGetCurrentClocksEventReasons
        if library.has("nvmlDeviceGetCurrentClocksEventReasons")
        else pynvml.nvmlDeviceGetCurrentClocksThrottleReasons
    )
    seen: dict[int, Values] = {}

    def ask(values: Values, missing: Missing) -> None:
        mask = ask_driver(handle)
        flags = seen.get(mask)
        if flags is None:
            flags = {metric: 1.0 if mask & bit else 0.0 for metric, bit in bits}
            if len(seen) < 64:
                seen[mask] = flags
        values.update(flags)

    return Question(answers, ask)


def _fields(handle: object) -> Question:
    batch = FieldBatch(handle, [(field, 0) for field, _, _ in _FIELDS])
    targets = [(metric, factor) for _, metric, factor in _FIELDS]

    def ask(values: Values, missing: Missing) -> None:
        for (metric, factor), figure in zip(targets, batch.read(), strict=True):
            if isinstance(figure, Absence):
                missing[metric] = figure
            else:
                values[metric] = figure * factor

    return Question(tuple(metric for metric, _ in targets), ask)
