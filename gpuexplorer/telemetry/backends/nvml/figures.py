"""CardReader: all that can be asked of one card. A table of driver calls and fields, and those
that are more than one number, among them the rates, which need two readings.
"""

import ctypes
import re
import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from typing import Any

import pynvml

from gpuexplorer.core import metrics as m
from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import CardId, CardKind, CardState, Sample
from gpuexplorer.core.clock import Clock
from gpuexplorer.core.metrics import METRICS, MetricId, Scope, Unit
from gpuexplorer.telemetry.backends.nvml import library
from gpuexplorer.telemetry.backends.nvml.asking import (
    MEMORY,
    Asking,
    Belief,
    Figure,
    Missing,
    Values,
    memory_fits,
)
from gpuexplorer.telemetry.backends.nvml.card_processes import CardProcesses
from gpuexplorer.telemetry.backends.nvml.identity import Found

_LIMIT, _CLOCK = "nvmlDeviceGetTemperatureThreshold", "nvmlDeviceGetClockInfo"
_MOST = "nvmlDeviceGetMaxClockInfo"
# What answers a metric with a call, and what is passed to it after the card. Of several numbers
# the first counts.
_CALLS: Mapping[str, tuple[str] | tuple[str, int]] = {
    "encoder_utilization": ("nvmlDeviceGetEncoderUtilization",),
    "decoder_utilization": ("nvmlDeviceGetDecoderUtilization",),
    "jpeg_utilization": ("nvmlDeviceGetJpgUtilization",),
    "ofa_utilization": ("nvmlDeviceGetOfaUtilization",),
    "temperature": ("nvmlDeviceGetTemperature", 0),
    "temperature_slowdown": (_LIMIT, pynvml.NVML_TEMPERATURE_THRESHOLD_SLOWDOWN),
    "temperature_shutdown": (_LIMIT, pynvml.NVML_TEMPERATURE_THRESHOLD_SHUTDOWN),
    "temperature_max": (_LIMIT, pynvml.NVML_TEMPERATURE_THRESHOLD_GPU_MAX),
    "memory_temperature_max": (_LIMIT, pynvml.NVML_TEMPERATURE_THRESHOLD_MEM_MAX),
    "temperature_margin": ("nvmlDeviceGetMarginTemperature",),
    "power_draw": ("nvmlDeviceGetPowerUsage",),
    "power_limit": ("nvmlDeviceGetEnforcedPowerLimit",),
    "power_limit_default": ("nvmlDeviceGetPowerManagementDefaultLimit",),
    "fan_speed": ("nvmlDeviceGetFanSpeed",),
    "clock_sm": (_CLOCK, pynvml.NVML_CLOCK_SM),
    "clock_sm_max": (_MOST, pynvml.NVML_CLOCK_SM),
    "clock_graphics": (_CLOCK, pynvml.NVML_CLOCK_GRAPHICS),
    "clock_graphics_max": (_MOST, pynvml.NVML_CLOCK_GRAPHICS),
    "clock_memory": (_CLOCK, pynvml.NVML_CLOCK_MEM),
    "clock_memory_max": (_MOST, pynvml.NVML_CLOCK_MEM),
    "clock_video": (_CLOCK, pynvml.NVML_CLOCK_VIDEO),
    "clock_video_max": (_MOST, pynvml.NVML_CLOCK_VIDEO),
    "pcie_generation": ("nvmlDeviceGetCurrPcieLinkGeneration",),
    "pcie_generation_max": ("nvmlDeviceGetMaxPcieLinkGeneration",),
    "pcie_generation_card_max": ("nvmlDeviceGetGpuMaxPcieLinkGeneration",),
    "pcie_width": ("nvmlDeviceGetCurrPcieLinkWidth",),
    "pcie_width_max": ("nvmlDeviceGetMaxPcieLinkWidth",),
    "ecc_mode": ("nvmlDeviceGetEccMode",),
    "compute_mode": ("nvmlDeviceGetComputeMode",),
    "persistence_mode": ("nvmlDeviceGetPersistenceMode",),
    "mig_mode": ("nvmlDeviceGetMigMode",),
    "virtualization_mode": ("nvmlDeviceGetVirtualizationMode",),
    "display_active": ("nvmlDeviceGetDisplayActive",),
}
# What answers it with a field. Most take milliseconds, the instant power microseconds: what is
# asked for at every beat must not stand behind the others.
_FIELDS: Mapping[str, int] = {
    "memory_temperature": pynvml.NVML_FI_DEV_MEMORY_TEMP,
    "power_draw_average": pynvml.NVML_FI_DEV_POWER_AVERAGE,
    "power_draw_instant": pynvml.NVML_FI_DEV_POWER_INSTANT,
    "energy": pynvml.NVML_FI_DEV_TOTAL_ENERGY_CONSUMPTION,
    "throttle_time_sw_power_cap": pynvml.NVML_FI_DEV_PERF_POLICY_POWER,
    "throttle_time_sync_boost": pynvml.NVML_FI_DEV_PERF_POLICY_SYNC_BOOST,
    "pcie_replays": pynvml.NVML_FI_DEV_PCIE_REPLAY_COUNTER,
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
}
# Before 580.82 these were 251 to 253, and 269 to 271 something else.
_RENUMBERED_IN = (580, 82)
_RENUMBERED = ("sw_thermal_slowdown", "hw_thermal_slowdown", "hw_power_brake_slowdown")
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
_ACTIVITIES = {
    MetricId("sm_activity"): pynvml.NVML_GPM_METRIC_SM_UTIL,
    MetricId("sm_occupancy"): pynvml.NVML_GPM_METRIC_SM_OCCUPANCY,
    MetricId("tensor_activity"): pynvml.NVML_GPM_METRIC_ANY_TENSOR_UTIL,
}
_MOST_PERCENT = 101.0
# Slower traffic than this is possible on every NVLink.
_SLOWEST_NVLINK = 19e9
_NVLINK_TOLERANCE = 1.05
_NVLINK_WAYS = (
    pynvml.NVML_FI_DEV_NVLINK_THROUGHPUT_DATA_RX,
    pynvml.NVML_FI_DEV_NVLINK_THROUGHPUT_DATA_TX,
)
_NVLINK_STATES = METRICS[MetricId("nvlink_0_state")].choices
_PCIE_WAYS = (pynvml.NVML_PCIE_UTIL_RX_BYTES, pynvml.NVML_PCIE_UTIL_TX_BYTES)
_PCIE_BYTES = (
    (pynvml.NVML_FI_DEV_PCIE_COUNT_RX_BYTES, 0),
    (pynvml.NVML_FI_DEV_PCIE_COUNT_TX_BYTES, 0),
)
# Two readings of them are so far apart, or further: as long as the driver's own call watches,
# which is exact enough, and PCIe 5 x16 wraps after 68 ms.
_APART = 0.02
# When a busy computer comes back too late for the second one, it is taken again.
_ATTEMPTS = 3
_WRAPS_AT = 2**32
# What MIG takes from the whole card.
_OF_INSTANCES = frozenset(
    each.id
    for each in METRICS.values()
    if each.id.startswith("nvlink_")
    or (each.plot == "utilisation" and each.scope is Scope.CARD)
)

# What it is about, the call, and what is passed to that after the card.
# Any: what the binding hands back is a number, or several.
_Call = tuple[Sequence[MetricId], Callable[..., Any], Sequence[int]]


class CardReader:
    """Asks one card."""

    def __init__(
        self,
        found: Found,
        clock: Clock,
        slot: tuple[int | None, int | None] = (None, None),
        driver_version: str | None = None,
        instances: Mapping[tuple[int | None, int | None], CardId] | None = None,
    ) -> None:
        self.found, self.card, self._clock = found, found.card, clock
        self.asking = Asking(found.handle, clock)
        self.processes = CardProcesses(self.card, self.asking, instances)
        self._belief = Belief(self.card.memory_bytes)
        self._mig_on = False
        self._nvlinks = [Meter() for _ in range(2 * self.card.nvlinks)]
        self._line_rates: dict[int, float] = {}
        self._pcie = [Meter(), Meter()]
        self._pcie_wide = False  # it counts in 64 bits
        self._samples: list[object] = []  # the driver's two, the older one first
        self._sampled = False
        self._fields: dict[MetricId, int] = {}
        self._calls: list[_Call] = [
            (MEMORY, _memory, ()),
            ((m.BAR1_USED, m.BAR1_TOTAL), _bar1, ()),
            (tuple(_ACTIVITIES), self._activity, ()),
        ]
        if self.card.kind is not CardKind.MIG:
            self._fields = _fields_of(driver_version)
            self._calls += self._calls_of_a_whole_card(slot)

    def read(self, metrics: Collection[MetricId]) -> Sample:
        """Raises NVMLError where the driver is gone; other refusals are reasons."""
        wanted, at = frozenset(metrics), self._clock.now()
        try:
            told = self._ask(wanted)
        except pynvml.NVMLError as error:
            if error.value in library.DRIVER_GONE:
                raise
            lost = dict.fromkeys(wanted, Absence.LOST)
            return Sample(self.card.id, at, {}, lost, CardState.LOST)
        values: Values = {}
        missing: Missing = {}
        for metric in wanted:
            figure = told.get(metric)
            if figure is None or isinstance(figure, Absence):
                missing[metric] = self._why(metric, figure)
            else:
                values[metric] = figure * _FACTORS.get(METRICS[metric].unit, 1.0)
        self._belief.sift(values, missing)
        return Sample(self.card.id, at, values, missing)

    def free(self) -> None:
        """Before the connection to the driver ends."""
        for sample in self._samples:
            with suppress(pynvml.NVMLError):
                pynvml.nvmlGpmSampleFree(sample)

    def note_mig_mode(self, on: bool) -> None:
        """MIG takes the whole card's utilisation away, and gives it back when it ends."""
        if on is not self._mig_on:
            self._mig_on = on
            self.asking.forget_refusals()

    def _ask(self, wanted: frozenset[MetricId]) -> dict[MetricId, Figure]:
        asked = {
            metric: (field, 0) for metric, field in self._fields.items() if metric in wanted
        }
        told = dict(zip(asked, self.asking.figures(asked.values()), strict=True))
        for metrics, function, passed in self._calls:
            if not wanted.isdisjoint(metrics):
                answer = self.asking.call(function, *passed)
                figures = (
                    answer if isinstance(answer, list | tuple) else [answer] * len(metrics)
                )
                told.update(zip(metrics, figures))  # noqa: B905 - the first count
        return told

    def _why(self, metric: MetricId, reason: Absence | None) -> Absence:
        """What is not supported, or not even asked for, may have its cause in the card."""
        if reason not in (None, Absence.NOT_SUPPORTED):
            return reason
        card = self.card
        if card.kind is CardKind.MIG:
            return Absence.IN_INSTANCE
        if self._mig_on and metric in _OF_INSTANCES:
            return Absence.MIG_ON
        if card.memory_shared and metric in MEMORY:
            return Absence.SHARED_MEMORY
        linkless = metric.startswith("nvlink_") and not card.nvlinks
        fanless = metric == m.FAN_SPEED and not card.fans
        no_part = reason is None and METRICS[metric].part is not None
        return Absence.NO_PART if linkless or fanless or no_part else Absence.NOT_SUPPORTED

    def _calls_of_a_whole_card(self, slot: tuple[int | None, int | None]) -> list[_Call]:
        seen = [Absence.NOT_SUPPORTED if each is None else each for each in slot]
        limits = pynvml.nvmlDeviceGetPowerManagementLimitConstraints
        calls: list[_Call] = [
            *(
                ([MetricId(x)], getattr(pynvml, name), also)
                for x, (name, *also) in _CALLS.items()
            ),
            ((m.GPU_UTILIZATION, m.MEMORY_UTILIZATION), _load, ()),
            ((m.POWER_LIMIT_MIN, m.POWER_LIMIT_MAX), limits, ()),
            ((m.PERFORMANCE_STATE,), _performance_state, ()),
            ([m.throttle(each) for each in _REASON_BITS], _reasons, ()),
            ((m.PCIE_GENERATION_SLOT, m.PCIE_WIDTH_SLOT), lambda _: seen, ()),
            ((m.PCIE_RECEIVE, m.PCIE_TRANSMIT), self._pcie_traffic, ()),
        ]
        if (
            self.card.memory_shared
        ):  # it is a part of the processor's chip, and has no such link
            calls = [call for call in calls if not call[0][0].startswith("pcie_")]
        for fan in range(self.card.fans):
            calls.append(([MetricId(f"fan_{fan}_rpm")], _fan_turns, (fan,)))
            speed = pynvml.nvmlDeviceGetFanSpeed_v2
            calls.append(([MetricId(f"fan_{fan}_speed")], speed, (fan,)))
        if links := range(self.card.nvlinks):
            rates = [
                f"nvlink_{link}_{way}" for way in ("receive", "transmit") for link in links
            ]
            states = [MetricId(f"nvlink_{link}_state") for link in links]
            both = [m.NVLINK_RECEIVE, m.NVLINK_TRANSMIT]
            calls.append((both + [MetricId(each) for each in rates], self._nvlink_rates, ()))
            calls.append(([m.NVLINK_ACTIVE, *states], self._nvlink_states, ()))
        return calls

    def _nvlink_rates(self, _: object) -> list[Figure]:
        """All links together in each direction, and each."""
        links = self.card.nvlinks
        asked = [(way, link) for way in _NVLINK_WAYS for link in range(links)]
        counts, now = self.asking.fields(asked), self._clock.now()
        rates = []
        for meter, (_, link), (count, at) in zip(self._nvlinks, asked, counts, strict=True):
            total = count if isinstance(count, Absence) else count * 1024
            rate = meter.step(total, at or now)
            if not isinstance(rate, Absence) and rate > _SLOWEST_NVLINK:
                rate = rate if rate <= self._line_rate(link) else Absence.IMPOSSIBLE
            rates.append(rate)
        return [_sum(rates[:links]), _sum(rates[links:]), *rates]

    def _line_rate(self, link: int) -> float:
        """Bytes per second that the link says it can carry, or that any can."""
        if link not in self._line_rates:
            speed = self.asking.figures([(pynvml.NVML_FI_DEV_NVLINK_GET_SPEED, link)])[0]
            known = 0.0 if isinstance(speed, Absence) else speed * 1e6  # it is told in MB/s
            told = _SLOWEST_NVLINK <= known <= m.MOST_NVLINK_RATE
            self._line_rates[link] = known * _NVLINK_TOLERANCE if told else m.MOST_NVLINK_RATE
        return self._line_rates[link]

    def _nvlink_states(self, _: object) -> list[Figure]:
        """How many are up, and the state of each."""
        links = range(self.card.nvlinks)
        asked = [(pynvml.NVML_FI_DEV_NVLINK_GET_STATE, link) for link in links]
        states = self.asking.figures(asked)
        for link in links:
            if isinstance(states[link], Absence):  # older drivers have a call for each
                states[link] = self.asking.call(pynvml.nvmlDeviceGetNvLinkState, link)
        up: Figure = float(states.count(1))
        for state in states:  # of links of which one says nothing, the number is not known
            if isinstance(state, Absence) or state not in _NVLINK_STATES:
                up = state if isinstance(state, Absence) else Absence.IMPOSSIBLE
        return [up, *states]

    def _pcie_traffic(self, _: object) -> list[Figure]:
        """Newer drivers count bytes; the older call watches for 20 ms in each direction."""
        rates = self._pcie_counted()
        for place, way in enumerate(_PCIE_WAYS):
            if isinstance(rates[place], Absence):
                watched = self.asking.call(pynvml.nvmlDeviceGetPcieThroughput, way)
                if not isinstance(watched, Absence):
                    rates[place] = watched * 1000
                elif rates[place] is not Absence.NEEDS_TWO:
                    rates[place] = watched
        return rates

    def _pcie_counted(self) -> list[Figure]:
        """Some drivers count in 32 bits, so that two readings a beat apart tell nothing. A pair
        is read within the beat instead, until a count proves that there are 64.
        """
        if not self._pcie_wide:
            self._pcie = [Meter(), Meter()]
        rates = self._pcie_step()
        for _ in range(_ATTEMPTS if Absence.NEEDS_TWO in rates else 0):
            self._clock.wait(threading.Event(), _APART)
            rates = self._pcie_step()
            # A count that is older may have wrapped more than once since.
            longest = max(meter.seconds for meter in self._pcie)
            if self._pcie_wide or longest * self._belief.pcie_most <= _WRAPS_AT:
                return rates
            rates = [Absence.NEEDS_TWO] * 2
        return rates

    def _pcie_step(self) -> list[Figure]:
        now, counts = self._clock.now(), self.asking.fields(_PCIE_BYTES)
        if any(not isinstance(count, Absence) and count >= _WRAPS_AT for count, _ in counts):
            self._pcie_wide = True
        wraps_at = 0 if self._pcie_wide else _WRAPS_AT
        return [
            meter.step(count, at or now, wraps_at)
            for meter, (count, at) in zip(self._pcie, counts, strict=True)
        ]

    def _activity(self, handle: object) -> list[Figure]:
        """GPM of Hopper and later: between two samples of the driver. That of an instance is
        asked of the whole card.
        """
        whole = self.found.parent_handle or handle
        if not self._samples:
            if not pynvml.nvmlGpmQueryDeviceSupport(whole).isSupportedDevice:
                raise pynvml.NVMLError(pynvml.NVML_ERROR_NOT_SUPPORTED)
            self._samples = [pynvml.nvmlGpmSampleAlloc() for _ in range(2)]
        newer, older = self._samples
        if self.found.gpu_instance is None:
            pynvml.nvmlGpmSampleGet(whole, newer)
        else:
            pynvml.nvmlGpmMigSampleGet(whole, self.found.gpu_instance, newer)
        self._samples = [older, newer]
        if not self._sampled:
            self._sampled = True
            return [Absence.NEEDS_TWO] * len(_ACTIVITIES)
        request = pynvml.c_nvmlGpmMetricsGet_t()
        request.version = pynvml.NVML_GPM_METRICS_GET_VERSION
        request.numMetrics = len(_ACTIVITIES)
        request.sample1, request.sample2 = older, newer
        slots = request.metrics[: len(_ACTIVITIES)]
        for slot, number in zip(slots, _ACTIVITIES.values(), strict=True):
            slot.metricId = number
        pynvml.nvmlGpmMetricsGet(request)
        # A share is one counter by another, which are not read at quite the same moment.
        return [
            library.absence_of(slot.nvmlReturn)
            if slot.nvmlReturn
            else (100.0 if 100.0 < slot.value <= _MOST_PERCENT else slot.value)
            for slot in slots
        ]


class Meter:
    """Turns a running counter into a rate."""

    def __init__(self) -> None:
        self._last: tuple[float, float] | None = None
        self._rate: Figure = Absence.NEEDS_TWO
        self.seconds = 0.0  # between the last two counts

    def step(self, count: Figure, at: float, wraps_at: float = 0.0) -> Figure:
        """`at`: the counter's own clock where it has one."""
        if isinstance(count, Absence):
            return count
        before, self._last = self._last, (count, at)
        if before is None:
            self._rate = Absence.NEEDS_TWO
        elif at != before[1]:  # else the driver repeats itself: the rate of before still stands
            self.seconds = at - before[1]
            grown = (count - before[0]) % wraps_at if wraps_at else count - before[0]
            # A counter or a clock that went back was reset: there is no rate across that.
            good = grown >= 0 and self.seconds > 0
            self._rate = grown / self.seconds if good else Absence.NEEDS_TWO
        return self._rate


def _fields_of(driver_version: str | None) -> dict[MetricId, int]:
    numbers = dict(_FIELDS)
    if version := re.match(r"(\d+)\.(\d+)", driver_version or ""):
        later = (int(version[1]), int(version[2])) >= _RENUMBERED_IN
        for number, why in enumerate(_RENUMBERED, 269 if later else 251):
            numbers[f"throttle_time_{why}"] = number
    return {MetricId(metric): number for metric, number in numbers.items()}


def _load(handle: object) -> tuple[float, float]:
    told = pynvml.nvmlDeviceGetUtilizationRates(handle)
    return told.gpu, told.memory


def _memory(handle: object) -> list[Figure]:
    reserved: Figure = Absence.NOT_IN_DRIVER
    try:
        told = pynvml.nvmlDeviceGetMemoryInfo(handle, pynvml.nvmlMemory_v2)
        fits = memory_fits(told.total, told.used, told.free, told.reserved)
        reserved = told.reserved if fits else Absence.IMPOSSIBLE
    except (pynvml.NVMLError_NotSupported, pynvml.NVMLError_FunctionNotFound):
        # The newer call may be there and refuse all the same. The older one counts the reserved
        # part as used and cannot tell it apart.
        told = pynvml.nvmlDeviceGetMemoryInfo(handle)
    if not memory_fits(told.total, told.used, told.free):
        return [Absence.IMPOSSIBLE] * len(MEMORY)
    if not told.total:
        raise pynvml.NVMLError(pynvml.NVML_ERROR_NOT_SUPPORTED)
    return [told.used, told.free, reserved, told.total]


def _bar1(handle: object) -> tuple[float, float]:
    window = pynvml.nvmlDeviceGetBAR1MemoryInfo(handle)
    return window.bar1Used, window.bar1Total


def _performance_state(handle: object) -> float:
    state = pynvml.nvmlDeviceGetPerformanceState(handle)
    if state == pynvml.NVML_PSTATE_UNKNOWN:
        raise pynvml.NVMLError(pynvml.NVML_ERROR_NOT_SUPPORTED)
    return float(state)


def _reasons(handle: object) -> list[Figure]:
    """Resting goes together with a slowdown: the header says that one is also reported while
    the performance state changes. But not every slowdown there is at once.
    """
    mask = int(pynvml.nvmlDeviceGetCurrentClocksThrottleReasons(handle))
    defined = _DEFINED_REASONS
    if mask & ~defined:  # bits that came after this program, where the driver lists any
        try:
            defined |= int(pynvml.nvmlDeviceGetSupportedClocksThrottleReasons(handle))
        except (pynvml.NVMLError_NotSupported, pynvml.NVMLError_FunctionNotFound):
            defined |= mask
    if mask & ~defined or mask & _SLOWDOWNS == _SLOWDOWNS:
        return [Absence.IMPOSSIBLE] * len(_REASON_BITS)
    return [1.0 if mask & bit else 0.0 for bit in _REASON_BITS.values()]


def _fan_turns(handle: object, fan: int) -> float:
    """The binding's own call asks for the first fan only."""
    if not library.has("nvmlDeviceGetFanSpeedRPM"):
        raise pynvml.NVMLError(pynvml.NVML_ERROR_FUNCTION_NOT_FOUND)
    info = pynvml.c_nvmlFanSpeedInfo_t(version=pynvml.nvmlFanSpeedInfo_v1, fan=fan)
    if code := pynvml.nvmlLib.nvmlDeviceGetFanSpeedRPM(handle, ctypes.byref(info)):
        raise pynvml.NVMLError(code)
    return float(info.speed)


def _sum(rates: list[Figure]) -> Figure:
    """All links together; one that is down carries nothing, one without word spoils it."""
    known = [rate for rate in rates if not isinstance(rate, Absence)]
    reasons = [rate for rate in rates if isinstance(rate, Absence)]
    if known and set(reasons) <= {Absence.NOT_SUPPORTED}:
        return sum(known)
    return Absence.NEEDS_TWO if Absence.NEEDS_TWO in reasons else reasons[0]
