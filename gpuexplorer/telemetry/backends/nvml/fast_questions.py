"""What is asked at every beat: load, memory, heat, power, clocks and what holds them back."""

import pynvml

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.catalogue import clocks as c
from gpuexplorer.core.catalogue import heat_and_power as h
from gpuexplorer.core.catalogue import memory as m
from gpuexplorer.core.catalogue import utilization as u
from gpuexplorer.core.metrics import MetricId
from gpuexplorer.telemetry.backends.nvml import library
from gpuexplorer.telemetry.backends.nvml.fields import FieldBatch
from gpuexplorer.telemetry.backends.nvml.questions import Missing, Question, Values, put

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
        rates = ask_driver(handle)
        values[u.GPU_UTILIZATION] = rates.gpu / 100
        values[u.MEMORY_UTILIZATION] = rates.memory / 100

    return Question((u.GPU_UTILIZATION, u.MEMORY_UTILIZATION), ask)


def memory_question(handle: object) -> Question:
    ask_driver = pynvml.nvmlDeviceGetMemoryInfo
    version = pynvml.nvmlMemory_v2

    def ask_new(values: Values, missing: Missing) -> None:
        memory = ask_driver(handle, version)
        if memory.used > memory.total:
            missing.update(_IMPOSSIBLE_MEMORY)
            return
        values[m.MEMORY_USED] = memory.used
        values[m.MEMORY_FREE] = memory.free
        values[m.MEMORY_RESERVED] = memory.reserved
        values[m.MEMORY_TOTAL] = memory.total

    def ask_old(values: Values, missing: Missing) -> None:
        # The older call counts the reserved part as used and cannot tell it apart.
        memory = ask_driver(handle)
        if memory.used > memory.total:
            missing.update(_IMPOSSIBLE_MEMORY)
            return
        values[m.MEMORY_USED] = memory.used
        values[m.MEMORY_FREE] = memory.free
        values[m.MEMORY_TOTAL] = memory.total
        missing[m.MEMORY_RESERVED] = Absence.NOT_IN_DRIVER

    return Question(_MEMORY, ask_new if library.has("nvmlDeviceGetMemoryInfo_v2") else ask_old)


def _temperature(handle: object) -> Question:
    sensor = pynvml.NVML_TEMPERATURE_GPU
    ask_driver = (
        pynvml.nvmlDeviceGetTemperature
        if library.has("nvmlDeviceGetTemperature")
        else pynvml.nvmlDeviceGetTemperatureV
    )

    def ask(values: Values, missing: Missing) -> None:
        values[h.TEMPERATURE] = ask_driver(handle, sensor)

    return Question((h.TEMPERATURE,), ask)


def _power(handle: object) -> Question:
    ask_driver = pynvml.nvmlDeviceGetPowerUsage

    def ask(values: Values, missing: Missing) -> None:
        values[h.POWER_DRAW] = ask_driver(handle) / 1000

    return Question((h.POWER_DRAW,), ask)


def _clocks(handle: object) -> list[Question]:
    ask_driver = pynvml.nvmlDeviceGetClockInfo

    def clock(metric: MetricId, kind: int) -> Question:
        def ask(values: Values, missing: Missing) -> None:
            values[metric] = ask_driver(handle, kind) * 1e6

        return Question((metric,), ask)

    return [
        clock(c.CLOCK_GRAPHICS, pynvml.NVML_CLOCK_GRAPHICS),
        clock(c.CLOCK_SM, pynvml.NVML_CLOCK_SM),
        clock(c.CLOCK_MEMORY, pynvml.NVML_CLOCK_MEM),
        clock(c.CLOCK_VIDEO, pynvml.NVML_CLOCK_VIDEO),
    ]


def _performance_state(handle: object) -> Question:
    ask_driver = (
        pynvml.nvmlDeviceGetPerformanceState
        if library.has("nvmlDeviceGetPerformanceState")
        else pynvml.nvmlDeviceGetPowerState
    )

    def ask(values: Values, missing: Missing) -> None:
        state = ask_driver(handle)
        if state == pynvml.NVML_PSTATE_UNKNOWN:
            missing[c.PERFORMANCE_STATE] = Absence.REFUSED
        else:
            values[c.PERFORMANCE_STATE] = state

    return Question((c.PERFORMANCE_STATE,), ask)


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
            put(
                values,
                missing,
                metric,
                figure if isinstance(figure, Absence) else figure * factor,
            )

    return Question(tuple(metric for metric, _ in targets), ask)
