"""CardReader: all that can be asked of one card. What is one call or field of the driver stands
beside its metric in metrics.csv; here is what takes more, such as rates, and who uses the card.
"""

import ctypes
import re
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from functools import cache, lru_cache, partial
from operator import attrgetter, itemgetter
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pynvml

from gpuexplorer.core import metrics as m
from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import Card, CardId, CardKind, Sample
from gpuexplorer.core.clock import Clock
from gpuexplorer.core.metrics import METRICS, MetricId, Scope, Unit, metrics_of
from gpuexplorer.telemetry.backend import COUNTED_APART, nothing, sorted_out
from gpuexplorer.telemetry.backends.nvml import library
from gpuexplorer.telemetry.backends.nvml.asking import (
    MEMORY,
    Asking,
    Belief,
    Figure,
    Pair,
    memory_fits,
)
from gpuexplorer.telemetry.backends.nvml.identity import Found
from gpuexplorer.telemetry.processes import CardProcess, ProcessFigure, ProcessUse

# Those that are chosen by the driver's version: before 580.82 these were 251 to 253, and 269 to
# 271 something else.
_RENUMBERED_IN = (580, 82)
_RENUMBERED = [
    MetricId(f"throttle_time_{why}_slowdown")
    for why in ("sw_thermal", "hw_thermal", "hw_power_brake")
]
# NVML speaks in %, mW, mJ, MHz and ns.
_UNITS = {
    Unit.RATIO: 0.01,
    Unit.WATTS: 1e-3,
    Unit.JOULES: 1e-3,
    Unit.HERTZ: 1e6,
    Unit.SECONDS: 1e-9,
}
_FACTOR = {each.id: _UNITS.get(each.unit, 1.0) for each in METRICS.values()}
# NVML's bits for why clocks are held back, from the lowest on.
_REASONS = (
    *("gpu_idle", "applications_clocks_setting", "sw_power_cap", "hw_slowdown", "sync_boost"),
    *("sw_thermal_slowdown", "hw_thermal_slowdown", "hw_power_brake_slowdown"),
    "display_clock_setting",
)
_BITS = {why: 1 << place for place, why in enumerate(_REASONS)}
_SLOWDOWNS = sum(bit for why, bit in _BITS.items() if m.throttle(why) not in m.HARMLESS)
_ACTIVITIES = {
    MetricId("sm_activity"): pynvml.NVML_GPM_METRIC_SM_UTIL,
    MetricId("sm_occupancy"): pynvml.NVML_GPM_METRIC_SM_OCCUPANCY,
    MetricId("tensor_activity"): pynvml.NVML_GPM_METRIC_ANY_TENSOR_UTIL,
}
_MOST_PERCENT = 101.0
# What follows from the same metric of every link.
_OF_LINKS = {
    m.NVLINK_RECEIVE: "nvlink_{}_receive",
    m.NVLINK_TRANSMIT: "nvlink_{}_transmit",
    m.NVLINK_ACTIVE: "nvlink_{}_state",
}
# The driver's call, and the field that counts bytes.
_PCIE = {
    m.PCIE_RECEIVE: (pynvml.NVML_PCIE_UTIL_RX_BYTES, pynvml.NVML_FI_DEV_PCIE_COUNT_RX_BYTES),
    m.PCIE_TRANSMIT: (pynvml.NVML_PCIE_UTIL_TX_BYTES, pynvml.NVML_FI_DEV_PCIE_COUNT_TX_BYTES),
}
# When a busy computer comes back too late for the second one, it is taken again.
_ATTEMPTS = 3
_WRAPS_AT = 2**32
# What MIG instances are asked for, and what they take from the whole card.
_OF_MEMORY = frozenset((*MEMORY, m.BAR1_USED, m.BAR1_TOTAL))
_OF_INSTANCES = frozenset(
    each.id
    for each in METRICS.values()
    if each.id.startswith("nvlink_")
    or (each.plot == "Utilisation" and each.scope is Scope.CARD)
)

_Sample = pynvml.c_nvmlProcessUtilizationSample_t
_NOT_AVAILABLE = 0xFFFFFFFFFFFFFFFF
# Linux counts pids to 2^22 at most; elsewhere all bits set means that there is none.
_PIDS = 1 << 22 if sys.platform == "linux" else 0xFFFFFFFF
# More than any card has of processes or of samples: beyond it the count is garbage.
_MOST_ENTRIES = 1 << 16
# Room for so many at the first call, which then is the only one; two cost twice as much.
_ROOM = 32
# Some drivers take milliseconds to say that a card lacks something: it is asked once a minute.
_LACKING = (Absence.NOT_SUPPORTED, Absence.NOT_IN_DRIVER)
_ASKED_AGAIN = 60.0
# A sample counts for this long, else shares would flicker.
_STALE_AFTER = 3.0
# The driver's clock may go differently, but not by more seconds than these.
_AHEAD = 3600.0
_LISTS = {
    "Compute": ProcessUse.COMPUTE,
    "MPSCompute": ProcessUse.COMPUTE,
    "Graphics": ProcessUse.GRAPHICS,
}
_SHARES = {
    ProcessFigure.SM: "smUtil",
    ProcessFigure.MEMORY_CONTROLLER: "memUtil",
    ProcessFigure.ENCODER: "encUtil",
    ProcessFigure.DECODER: "decUtil",
}

# Any: what the binding hands back is a number, several, or a structure.
_Call = tuple[Callable[..., Any], tuple[int, ...]]
_Part = Callable[[Any], Figure]
# What a reading is to ask: what needs no asking, the fields in one go, and call by call.
_Plan = tuple[
    Mapping[MetricId, Figure],
    Sequence[tuple[MetricId, tuple[int, int]]],
    Mapping[_Call, Sequence[tuple[MetricId, _Part]]],
]


class CardReader:
    """Asks one card."""

    def __init__(
        self,
        found: Found,
        clock: Clock,
        slot: Pair,
        driver_version: str,
        instances: Mapping[Pair, CardId],
    ) -> None:
        self.found, self.card, self._clock = found, found.card, clock
        self.asking = Asking(found.handle, clock)
        self.processes = CardProcesses(self.card, self.asking, instances)
        self._belief = Belief(self.card.memory_bytes)
        # By metric: a link's last count, when that was, and the rate until then.
        self._counts: dict[MetricId, tuple[float, float, Figure]] = {}
        self._pcie: dict[MetricId, tuple[float, float]] = {}  # the last count of a direction
        self._samples: list[object] = []  # the driver's two, the older one first
        self._sampled = False
        self._known: dict[MetricId, int] = {}
        self._answered: set[MetricId] = set()
        # What the card never had: the reason, and when it is asked for again.
        self._lacking: dict[MetricId, tuple[Absence, float]] = {}
        self._fields: dict[MetricId, tuple[int, int]] = {}
        self._calls: dict[MetricId, tuple[_Call, _Part]] = {}
        self._plan = lru_cache(8)(self._planned)
        self._learn(slot, driver_version)

    def read(self, metrics: Collection[MetricId]) -> Sample:
        """Raises NVMLError where the driver is gone; other refusals are reasons."""
        wanted, at = frozenset(metrics), self._clock.now()
        of_links = {
            metric: [MetricId(each.format(link)) for link in range(self.card.nvlinks)]
            for metric, each in _OF_LINKS.items()
            if self.card.nvlinks and metric in wanted
        }
        asked = wanted.union(*of_links.values()).difference(of_links) if of_links else wanted
        lacking = self._lacking.items()
        missing = {x: why for x, (why, until) in lacking if at < until and x in asked}
        try:
            told = self._ask(self._plan(asked.difference(missing)))
        except pynvml.NVMLError as error:
            if error.value in library.DRIVER_GONE:
                raise
            return nothing(self.card.id, at, wanted, Absence.LOST)
        values: dict[MetricId, float] = {}
        for metric, figure in told.items():
            if not isinstance(figure, Absence):
                values[metric] = figure * _FACTOR[metric]
                continue
            missing[metric] = self._why(metric, figure)
            if figure in _LACKING and metric not in self._answered:
                self._lacking[metric] = missing[metric], at + _ASKED_AGAIN
        self._answered.update(values)
        for metric in self._belief.impossible(values):
            del values[metric]
            missing[metric] = Absence.IMPOSSIBLE
        for metric, links in of_links.items():
            figure = _of_all(metric, [values[x] if x in values else missing[x] for x in links])
            if isinstance(figure, Absence):
                missing[metric] = figure
            else:
                values[metric] = figure
        for metric in asked - wanted:
            (values if metric in values else missing).pop(metric)
        return Sample(self.card.id, at, values, missing)

    def count_ahead(self) -> None:
        """The first of two counts, unless the last one will do."""
        told = self.asking.fields([(field, 0) for _, field in _PCIE.values()])
        for metric, now in zip(_PCIE, told, strict=True):
            if not isinstance(now, Absence) and now[0] < _WRAPS_AT:
                self._pcie[metric] = now

    def free(self) -> None:
        """Before the connection to the driver ends."""
        for sample in self._samples:
            with suppress(pynvml.NVMLError):
                pynvml.nvmlGpmSampleFree(sample)

    def _learn(self, slot: Pair, driver_version: str) -> None:
        """What answers each metric of this card."""
        whole = self.card.kind is not CardKind.MIG
        # What shares the memory is a part of the processor's chip, and has no such link.
        on_pcie = whole and not self.card.memory_shared
        for metric in _ACTIVITIES:
            self._calls[metric] = (self._activity, ()), itemgetter(metric)
        if on_pcie:
            of_slot = zip((m.PCIE_GENERATION_SLOT, m.PCIE_WIDTH_SLOT), slot, strict=True)
            self._known = {metric: told for metric, told in of_slot if told is not None}
            for metric in _PCIE:
                self._calls[metric] = (self._pcie_rates, ()), itemgetter(metric)
        for metric in metrics_of(self.card):
            asked_of = on_pcie if metric.startswith("pcie_") else whole
            if METRICS[metric].nvml and (asked_of or metric in _OF_MEMORY):
                ask, passed, part = _plain(METRICS[metric].nvml)
                if isinstance(ask, int):
                    self._fields[metric] = ask, next(iter(passed), 0)
                else:
                    self._calls[metric] = (ask, passed), part
        if whole and (version := re.match(r"(\d+)\.(\d+)", driver_version)):
            later = (int(version[1]), int(version[2])) >= _RENUMBERED_IN
            for number, metric in enumerate(_RENUMBERED, 269 if later else 251):
                self._fields[metric] = number, 0

    def _planned(self, asked: frozenset[MetricId]) -> _Plan:
        calls: defaultdict[_Call, list[tuple[MetricId, _Part]]] = defaultdict(list)
        for metric in asked & self._calls.keys():
            call, part = self._calls[metric]
            calls[call].append((metric, part))
        batch = [(each, self._fields[each]) for each in asked & self._fields.keys()]
        else_known = {each: self._known.get(each, Absence.NOT_ASKED) for each in asked}
        return else_known, batch, calls

    def _ask(self, plan: _Plan) -> dict[MetricId, Figure]:
        known, batch, calls = plan
        told = dict(known)
        answers = self.asking.fields([field for _, field in batch])
        for (metric, _), answer in zip(batch, answers, strict=True):
            if isinstance(answer, Absence):
                told[metric] = answer
            elif METRICS[metric].unit is Unit.BYTES_PER_SECOND:
                told[metric] = self._rate(metric, *answer)
            else:
                told[metric] = answer[0]
        for (function, passed), parts in calls.items():
            answer = self.asking.call(function, *passed)
            for metric, part in parts:
                told[metric] = answer if isinstance(answer, Absence) else part(answer)
        return told

    def _why(self, metric: MetricId, reason: Absence) -> Absence:
        """What is not supported, or not even asked for, may have its cause in the card."""
        if reason not in (Absence.NOT_ASKED, Absence.NOT_SUPPORTED):
            return reason
        card = self.card
        if card.kind is CardKind.MIG:
            return Absence.IN_INSTANCE
        if self.found.mig_on and metric in _OF_INSTANCES:
            return Absence.MIG_ON
        if card.memory_shared and metric in MEMORY:
            return Absence.SHARED_MEMORY
        linkless = metric.startswith("nvlink_") and not card.nvlinks
        fanless = metric.startswith("fan_") and not card.fans
        return Absence.NO_PART if linkless or fanless else Absence.NOT_SUPPORTED

    def _rate(self, metric: MetricId, count: float, at: float) -> Figure:
        """Where the driver repeats itself, the rate of before still stands. A counter or clock
        that went back was reset: there is no rate across that.
        """
        then, before, rate = self._counts.get(metric, (count, at, Absence.NEEDS_TWO))
        if at != before:
            good = count >= then and at > before
            rate = 1024 * (count - then) / (at - before) if good else Absence.NEEDS_TWO
        self._counts[metric] = count, at, rate
        return rate

    def _pcie_rates(self, _: object) -> Mapping[MetricId, Figure]:
        """Newer drivers count bytes, some of them in 32 bits: then two counts a beat apart tell
        nothing, and a pair is taken within the beat. Else a call watches for 20 ms.
        """
        rates: dict[MetricId, Figure] = {}
        asked = [(field, 0) for _, field in _PCIE.values()]
        for attempt in range(1 + _ATTEMPTS):
            if attempt:
                self._clock.wait(threading.Event(), COUNTED_APART)
            told = self.asking.fields(asked)  # each of which counts as an answer
            for metric, now in zip(_PCIE, told, strict=True):
                rate = None if isinstance(now, Absence) else self._pcie_rate(metric, now)
                if rate is not None:
                    rates[metric] = rate
            if len(rates) == len(_PCIE) or Absence in map(type, told):
                break
        for metric in _PCIE.keys() - rates.keys():
            rate = self.asking.call(pynvml.nvmlDeviceGetPcieThroughput, _PCIE[metric][0])
            rates[metric] = rate if isinstance(rate, Absence) else 1000.0 * rate
        return rates

    def _pcie_rate(self, metric: MetricId, now: tuple[float, float]) -> float | None:
        """Since the last count, where that is sure."""
        before, self._pcie[metric] = self._pcie.get(metric, now), now
        grown, seconds, narrow = now[0] - before[0], now[1] - before[1], now[0] < _WRAPS_AT
        if narrow:
            grown %= _WRAPS_AT
        sure = not narrow or seconds * self._belief.pcie_most <= _WRAPS_AT
        return grown / seconds if sure and grown >= 0 and seconds > 0 else None

    def _activity(self, handle: object) -> Mapping[MetricId, Figure]:
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
            return dict.fromkeys(_ACTIVITIES, Absence.NEEDS_TWO)
        request = pynvml.c_nvmlGpmMetricsGet_t()
        request.version = pynvml.NVML_GPM_METRICS_GET_VERSION
        request.numMetrics = len(_ACTIVITIES)
        request.sample1, request.sample2 = older, newer
        slots = dict(zip(_ACTIVITIES, request.metrics, strict=False))
        for metric, slot in slots.items():
            slot.metricId = _ACTIVITIES[metric]
        pynvml.nvmlGpmMetricsGet(request)
        # A share is one counter by another, which are not read at quite the same moment.
        return {
            metric: library.absence_of(slot.nvmlReturn)
            if slot.nvmlReturn
            else (100.0 if 100.0 < slot.value <= _MOST_PERCENT else slot.value)
            for metric, slot in slots.items()
        }


@cache
def _plain(nvml: str) -> tuple[Any, tuple[int, ...], _Part]:
    """Of a cell of metrics.csv: the call or the field's number, what goes with it, and the part
    of the answer. "nvmlDeviceGetUtilizationRates.gpu", "NVML_FI_DEV_NVLINK_GET_STATE 3".
    """
    name, *passed = nvml.split()
    name, _, part = name.partition(".")
    of: _Part = itemgetter(int(part)) if part.isdigit() else attrgetter(part) if part else float
    numbers = (int(x) if x.isdigit() else getattr(pynvml, x) for x in passed)
    return _OURS.get(name) or getattr(pynvml, name), tuple(numbers), of


def _memory(handle: object) -> SimpleNamespace:
    try:
        told = pynvml.nvmlDeviceGetMemoryInfo(handle, pynvml.nvmlMemory_v2)
        fits = memory_fits(told.total, told.used, told.free, told.reserved)
        reserved = told.reserved if fits else Absence.IMPOSSIBLE
    except (pynvml.NVMLError_NotSupported, pynvml.NVMLError_FunctionNotFound):
        # The newer call may be there and refuse all the same. The older one counts the reserved
        # part as used and cannot tell it apart.
        told, reserved = pynvml.nvmlDeviceGetMemoryInfo(handle), Absence.NOT_IN_DRIVER
    sizes = {"used": told.used, "free": told.free, "reserved": reserved, "total": told.total}
    if not memory_fits(told.total, told.used, told.free):
        sizes = dict.fromkeys(sizes, Absence.IMPOSSIBLE)
    elif not told.total:
        sizes = dict.fromkeys(sizes, Absence.NOT_SUPPORTED)
    return SimpleNamespace(**sizes)


def _performance_state(handle: object) -> Figure:
    state: int = pynvml.nvmlDeviceGetPerformanceState(handle)
    return Absence.NOT_SUPPORTED if state == pynvml.NVML_PSTATE_UNKNOWN else state


def _reasons(handle: object) -> SimpleNamespace:
    """Resting goes together with a slowdown: the header says that one is also reported while
    the performance state changes. But not every slowdown there is at once. There may be bits
    that came after this program.
    """
    mask = int(pynvml.nvmlDeviceGetCurrentClocksThrottleReasons(handle))
    if mask & _SLOWDOWNS == _SLOWDOWNS:
        return SimpleNamespace(**dict.fromkeys(_BITS, Absence.IMPOSSIBLE))
    return SimpleNamespace(**{why: mask & bit > 0 for why, bit in _BITS.items()})


def _fan_turns(handle: object, fan: int) -> int:
    """The binding's own call asks for the first fan only."""
    info = pynvml.c_nvmlFanSpeedInfo_t(version=pynvml.nvmlFanSpeedInfo_v1, fan=fan)
    if code := library.function("nvmlDeviceGetFanSpeedRPM")(handle, ctypes.byref(info)):
        raise pynvml.NVMLError(code)
    return int(info.speed)


# In the place of the binding's own.
_OURS: Mapping[str, Callable[..., Any]] = {
    "nvmlDeviceGetCurrentClocksThrottleReasons": _reasons,
    "nvmlDeviceGetFanSpeedRPM": _fan_turns,
    "nvmlDeviceGetMemoryInfo": _memory,
    "nvmlDeviceGetPerformanceState": _performance_state,
}


def _of_all(metric: MetricId, links: Sequence[Figure]) -> Figure:
    """Those that are up, or what all carry together. One that is down carries nothing, one
    without word spoils it.
    """
    known = [each for each in links if not isinstance(each, Absence)]
    reasons = [each for each in links if isinstance(each, Absence)]
    if known and set(reasons) <= {Absence.NOT_SUPPORTED}:
        return float(known.count(1.0)) if metric == m.NVLINK_ACTIVE else sum(known)
    return Absence.NEEDS_TWO if Absence.NEEDS_TWO in reasons else reasons[0]


class CardProcesses:
    """Asks for one card's processes. One thread at a time."""

    def __init__(self, card: Card, asking: Asking, instances: Mapping[Pair, CardId]) -> None:
        """`instances`: which MIG instance a list means by its two numbers."""
        self._card, self._asking, self._instances = card, asking, instances

    def read(self) -> list[CardProcess] | None:
        """None when it cannot be had just now. Raises NVMLError where the driver is gone."""
        found: dict[tuple[CardId, int], tuple[ProcessUse, float | Absence]] = {}
        for kind, use in _LISTS.items():
            entries = self._list(kind)
            if entries is None:
                return None
            for entry in entries:
                numbers = entry.gpuInstanceId, entry.computeInstanceId
                key = self._instances.get(numbers, self._card.id), entry.pid
                before, memory = found.get(key, (use, Absence.NOT_TOLD))
                # Two lists tell the same sum for a process that is in both.
                if isinstance(memory, Absence):
                    memory = self._memory(entry.usedGpuMemory)
                found[key] = (use if use is before else ProcessUse.BOTH, memory)
        shares, why = self._shares() if found else ({}, Absence.NO_NEW_SAMPLE)
        unshared = dict.fromkeys(_SHARES, Absence.IN_INSTANCE if self._instances else why)
        rows = []
        for (card, pid), (use, memory) in sorted(found.items()):
            figures = {ProcessFigure.MEMORY: memory, **shares.get(pid, unshared)}
            rows.append(CardProcess(card, pid, use, *sorted_out(figures)))
        return rows

    # Any: a ctypes array knows its entries by name alone.
    def _list(self, kind: str) -> list[Any] | None:
        entries = self._asking.call(_processes, kind)
        if isinstance(entries, Absence):
            # Without the list of what computes nothing is known; the others not every card has.
            lacking = entries.lasting or entries is Absence.NO_PERMISSION
            return [] if lacking and kind != "Compute" else None
        possible = [entry for entry in entries if 0 < entry.pid < _PIDS]
        return possible if possible or not entries else None

    def _memory(self, used: int) -> float | Absence:
        if used == _NOT_AVAILABLE:
            # Windows manages the memory in its subsystem for Linux too.
            windows = sys.platform == "win32" or Path("/dev/dxg").exists()
            return Absence.WINDOWS_KEEPS_IT if windows else Absence.NOT_AVAILABLE
        most = self._card.memory_bytes or 1 << 50
        return float(used) if used <= most else Absence.IMPOSSIBLE

    def _shares(self) -> tuple[dict[int, dict[ProcessFigure, float]], Absence]:
        """By process; and why one that is not among them has none."""
        wall = time.time()
        since = int((wall - _STALE_AFTER) * 1e6)
        samples = self._asking.call(_samples, since)
        if isinstance(samples, Absence):
            return {}, samples
        shares = {}
        # The driver's buffer also holds old and impossible samples, in no order.
        for sample in sorted(samples, key=lambda each: each.timeStamp):
            ratios = {figure: getattr(sample, name) / 100 for figure, name in _SHARES.items()}
            timely = since < sample.timeStamp < (wall + _AHEAD) * 1e6
            if timely and max(ratios.values()) <= 1:
                shares[sample.pid] = ratios
        return shares, Absence.NO_NEW_SAMPLE


# Any: as above, here and below.
def _processes(handle: object, kind: str) -> list[Any]:
    """By the second version of the call. The third, which the binding takes, fills larger
    entries in drivers 535.43 to 535.86 than in all others.
    """
    ask = library.function(f"nvmlDeviceGet{kind}RunningProcesses_v2")
    return _filled(pynvml.c_nvmlProcessInfo_v2_t, _ROOM, partial(ask, handle))


def _samples(handle: object, since: int) -> list[Any]:
    ask, layout = library.function("nvmlDeviceGetProcessUtilization"), _Sample
    return _filled(layout, 4 * _ROOM, lambda n, x: ask(handle, x, n, ctypes.c_ulonglong(since)))


def _filled(
    layout: type[ctypes.Structure], room: int, call: Callable[[Any, Any], int]
) -> list[Any]:
    """The driver's list, by a call that takes its length and its place: offer room, and more of
    it when that was too little.
    """
    count = ctypes.c_uint(room)
    for _ in range(4):
        room = count.value
        entries = (layout * room)()
        code = call(ctypes.byref(count), entries)
        if code == pynvml.NVML_SUCCESS and count.value <= room:
            return list(entries[: count.value])
        if code != pynvml.NVML_ERROR_INSUFFICIENT_SIZE or count.value > _MOST_ENTRIES:
            break
        count.value = count.value * 2 + 5  # processes may start meanwhile
    raise pynvml.NVMLError(code or pynvml.NVML_ERROR_UNKNOWN)
