"""What is asked at every beat: load, memory, heat, power, clocks and what holds them back."""

import pynvml

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.catalogue import clocks as c
from gpuexplorer.core.catalogue import heat_and_power as h
from gpuexplorer.core.catalogue import memory as m
from gpuexplorer.core.catalogue import utilization as u
from gpuexplorer.telemetry.backends.nvml import library
from gpuexplorer.telemetry.backends.nvml.belief import (
    MEMORY,
    REASON_BITS,
    memory_fits,
    reasons_can_be,
)
from gpuexplorer.telemetry.backends.nvml.calls import (
    field_call,
    number_call,
    struct_call,
)
from gpuexplorer.telemetry.backends.nvml.questions import (
    Missing,
    Question,
    Values,
    number_question,
    put,
)

_IMPOSSIBLE_MEMORY = dict.fromkeys(MEMORY, Absence.IMPOSSIBLE)


def fast_questions(handle: object) -> list[Question]:
    return [
        _load(handle),
        memory_question(handle),
        _temperature(handle),
        _power(handle),
        *_clocks(handle),
        _performance_state(handle),
        _reasons(handle),
        # The one field that takes microseconds; average power takes milliseconds, for one.
        number_question(
            h.POWER_DRAW_INSTANT, field_call(pynvml.NVML_FI_DEV_POWER_INSTANT, handle), 1e-3
        ),
    ]


def _load(handle: object) -> Question:
    ask_driver = struct_call("nvmlDeviceGetUtilizationRates", handle, "=II")

    def ask(values: Values, missing: Missing) -> None:
        gpu, memory = ask_driver()
        values[u.GPU_UTILIZATION] = gpu / 100
        values[u.MEMORY_UTILIZATION] = memory / 100

    return Question((u.GPU_UTILIZATION, u.MEMORY_UTILIZATION), ask)


def memory_question(handle: object) -> Question:
    ask_v2 = struct_call("nvmlDeviceGetMemoryInfo_v2", handle, "=I4xQQQQ", pynvml.nvmlMemory_v2)
    ask_v1 = struct_call("nvmlDeviceGetMemoryInfo", handle, "=QQQ")

    def ask_new(values: Values, missing: Missing) -> None:
        try:
            _, total, reserved, free, used = ask_v2()
        except pynvml.NVMLError_NotSupported:
            ask_old(values, missing)  # the newer call may be there and refuse all the same
            return
        tell(values, missing, total, free, used)
        if m.MEMORY_TOTAL in values:
            fits = memory_fits(total, used, free, reserved)
            put(values, missing, m.MEMORY_RESERVED, reserved if fits else Absence.IMPOSSIBLE)

    def ask_old(values: Values, missing: Missing) -> None:
        tell(values, missing, *ask_v1())
        # It counts the reserved part as used and cannot tell it apart.
        missing.setdefault(m.MEMORY_RESERVED, Absence.NOT_IN_DRIVER)

    def tell(values: Values, missing: Missing, total: int, free: int, used: int) -> None:
        if not memory_fits(total, used, free):
            missing.update(_IMPOSSIBLE_MEMORY)
            return
        if not total:
            raise pynvml.NVMLError(pynvml.NVML_ERROR_NOT_SUPPORTED)
        values[m.MEMORY_USED] = used
        values[m.MEMORY_FREE] = free
        values[m.MEMORY_TOTAL] = total

    return Question(MEMORY, ask_new if library.has("nvmlDeviceGetMemoryInfo_v2") else ask_old)


def _temperature(handle: object) -> Question:
    sensor = pynvml.NVML_TEMPERATURE_GPU
    if library.has("nvmlDeviceGetTemperature"):
        return number_question(
            h.TEMPERATURE, number_call("nvmlDeviceGetTemperature", handle, sensor)
        )
    return number_question(
        h.TEMPERATURE, lambda: pynvml.nvmlDeviceGetTemperatureV(handle, sensor)
    )


def _power(handle: object) -> Question:
    return number_question(h.POWER_DRAW, number_call("nvmlDeviceGetPowerUsage", handle), 1e-3)


def _clocks(handle: object) -> list[Question]:
    kinds = (
        (c.CLOCK_GRAPHICS, pynvml.NVML_CLOCK_GRAPHICS),
        (c.CLOCK_SM, pynvml.NVML_CLOCK_SM),
        (c.CLOCK_MEMORY, pynvml.NVML_CLOCK_MEM),
        (c.CLOCK_VIDEO, pynvml.NVML_CLOCK_VIDEO),
    )
    return [
        number_question(metric, number_call("nvmlDeviceGetClockInfo", handle, kind), 1e6)
        for metric, kind in kinds
    ]


def _performance_state(handle: object) -> Question:
    newer = library.has("nvmlDeviceGetPerformanceState")
    # Before 2011 the same call had another name.
    name = "nvmlDeviceGetPerformanceState" if newer else "nvmlDeviceGetPowerState"
    ask_driver = number_call(name, handle)

    def ask(values: Values, missing: Missing) -> None:
        state = ask_driver()
        if state == pynvml.NVML_PSTATE_UNKNOWN:
            raise pynvml.NVMLError(pynvml.NVML_ERROR_NOT_SUPPORTED)
        values[c.PERFORMANCE_STATE] = state

    return Question((c.PERFORMANCE_STATE,), ask)


def _reasons(handle: object) -> Question:
    answers = tuple(c.throttle(reason) for reason in c.THROTTLE_REASONS)
    bits = [(c.throttle(reason), REASON_BITS[reason]) for reason in c.THROTTLE_REASONS]
    newer = "nvmlDeviceGetCurrentClocksEventReasons"
    name = newer if library.has(newer) else "nvmlDeviceGetCurrentClocksThrottleReasons"
    ask_driver = struct_call(name, handle, "=Q")
    seen: dict[int, Values] = {}

    def supported() -> int:
        try:
            return int(pynvml.nvmlDeviceGetSupportedClocksThrottleReasons(handle))
        except (pynvml.NVMLError_NotSupported, pynvml.NVMLError_FunctionNotFound):
            return -1  # it may know any

    def ask(values: Values, missing: Missing) -> None:
        [mask] = ask_driver()
        flags = seen.get(mask)
        if flags is None:
            if not reasons_can_be(mask, supported):
                missing.update(dict.fromkeys(answers, Absence.IMPOSSIBLE))
                return
            flags = {metric: 1.0 if mask & bit else 0.0 for metric, bit in bits}
            if len(seen) < 64:
                seen[mask] = flags
        values.update(flags)

    return Question(answers, ask)
