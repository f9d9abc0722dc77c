"""Rates, which need two readings: traffic of NVLink and PCIe, activity of multiprocessors."""

import threading
from functools import partial

import pynvml

from gpuexplorer.core import metrics as m
from gpuexplorer.core.absence import Absence
from gpuexplorer.core.clock import Clock
from gpuexplorer.core.metrics import METRICS, MetricId
from gpuexplorer.telemetry.backends.nvml import library
from gpuexplorer.telemetry.backends.nvml.asking import (
    Belief,
    Fields,
    Figure,
    Question,
    Rest,
    fields,
    patient,
    pcie_can_carry,
)

# Slower traffic than this is possible on every NVLink.
_SLOWEST_NVLINK = 19e9
_NVLINK_TOLERANCE = 1.05
# Two readings of PCIe's counters are so far apart, or further: as long as the driver's own call
# watches, which is exact enough, and PCIe 5 x16 wraps after 68 ms.
_APART = 0.02
# When a busy computer comes back too late for the second one, both are taken again.
_ATTEMPTS = 3
_WRAPS_AT = 2**32
_ACTIVITIES = {
    MetricId("sm_activity"): pynvml.NVML_GPM_METRIC_SM_UTIL,
    MetricId("sm_occupancy"): pynvml.NVML_GPM_METRIC_SM_OCCUPANCY,
    MetricId("tensor_activity"): pynvml.NVML_GPM_METRIC_ANY_TENSOR_UTIL,
}
# A share is one counter by another, which are not read at quite the same moment.
_MOST_PERCENT = 101.0


class Meter:
    """Turns a running counter into a rate."""

    def __init__(self) -> None:
        self._last: tuple[float, float] | None = None
        self.rate: Figure = Absence.NEEDS_TWO

    def step(self, count: Figure, seconds: float, wraps_at: float = 0.0) -> Figure:
        """`seconds`: the counter's own clock where it has one."""
        before, self._last = self._last, None
        if isinstance(count, Absence):
            return count
        self._last = (count, seconds)
        if before is None:
            self.rate = Absence.NEEDS_TWO
        elif seconds != before[1]:
            grown = (count - before[0]) % wraps_at if wraps_at else count - before[0]
            # A counter or a clock that went back was reset: there is no rate across that.
            good = grown >= 0 and seconds > before[1]
            self.rate = grown / (seconds - before[1]) if good else Absence.NEEDS_TWO
        else:
            self._last = before  # the driver repeats itself: the rate of before still stands
        return self.rate


def nvlink_questions(handle: object, links: int, clock: Clock) -> list[Question]:
    if not links:
        return []
    return [_nvlink_rates(handle, links, clock), _nvlink_states(handle, links, clock)]


def _nvlink_rates(handle: object, links: int, clock: Clock) -> Question:
    ways = (
        pynvml.NVML_FI_DEV_NVLINK_THROUGHPUT_DATA_RX,
        pynvml.NVML_FI_DEV_NVLINK_THROUGHPUT_DATA_TX,
    )
    asked = [(way, link) for way in ways for link in range(links)]
    batch, meters = Fields(handle, asked, clock), [Meter() for _ in asked]
    most: dict[int, float] = {}  # what each link can carry

    def believed(rate: Figure, link: int) -> Figure:
        if isinstance(rate, Absence):
            return rate
        if rate > _SLOWEST_NVLINK and link not in most:
            most[link] = _line_rate(handle, link)
        return rate if rate <= most.get(link, m.MOST_NVLINK_RATE) else Absence.IMPOSSIBLE

    def ask() -> list[Figure]:
        counts, now = batch.read(), clock.now()
        rates = [
            believed(
                meter.step(count if isinstance(count, Absence) else count * 1024, at or now),
                link,
            )
            for meter, count, at, (_, link) in zip(
                meters, counts, batch.times, asked, strict=True
            )
        ]
        return [_sum(rates[:links]), _sum(rates[links:]), *rates]

    metrics = (*_each("receive", links), *_each("transmit", links))
    return Question((m.NVLINK_RECEIVE, m.NVLINK_TRANSMIT, *metrics), ask, batch.rests)


def _each(what: str, links: int) -> list[MetricId]:
    return [MetricId(f"nvlink_{link}_{what}") for link in range(links)]


def _line_rate(handle: object, link: int) -> float:
    """Bytes per second that the link says it can carry, or that any can."""
    try:
        [(speed, _)] = fields(handle, [(pynvml.NVML_FI_DEV_NVLINK_GET_SPEED, link)])
    except pynvml.NVMLError as error:
        if error.value in library.CARD_LOST | library.DRIVER_GONE:
            raise
        return m.MOST_NVLINK_RATE
    known = 0.0 if isinstance(speed, Absence) else speed * 1e6  # the driver says it in MB/s
    told = _SLOWEST_NVLINK <= known <= m.MOST_NVLINK_RATE
    return known * _NVLINK_TOLERANCE if told else m.MOST_NVLINK_RATE


def _sum(rates: list[Figure]) -> Figure:
    """All links together; one that is down carries nothing, one without word spoils it."""
    known = [rate for rate in rates if not isinstance(rate, Absence)]
    reasons = [rate for rate in rates if isinstance(rate, Absence)]
    if known and all(reason is Absence.NOT_SUPPORTED for reason in reasons):
        return sum(known)
    return Absence.NEEDS_TWO if Absence.NEEDS_TWO in reasons else reasons[0]


def _nvlink_states(handle: object, links: int, clock: Clock) -> Question:
    asked = [(pynvml.NVML_FI_DEV_NVLINK_GET_STATE, link) for link in range(links)]
    batch, rests = Fields(handle, asked, clock), [Rest() for _ in asked]
    known = METRICS[MetricId("nvlink_0_state")].choices

    def ask() -> list[Figure]:
        states = batch.read()
        for link, state in enumerate(states):
            if isinstance(state, Absence):  # drivers before the field have a call for one link
                call = partial(pynvml.nvmlDeviceGetNvLinkState, handle, link)
                states[link] = patient(call, rests[link], clock)
        # Of links of which one says nothing, the number that is up is not known.
        unknown = [each for each in states if isinstance(each, Absence) or each not in known]
        if not unknown:
            return [float(sum(each == 1 for each in states)), *states]
        last = unknown[-1]
        return [last if isinstance(last, Absence) else Absence.IMPOSSIBLE, *states]

    return Question((m.NVLINK_ACTIVE, *_each("state", links)), ask, [*batch.rests, *rests])


class PcieTraffic:
    """Newer drivers count bytes; the older call watches for 20 ms in each direction.

    Some drivers count in 32 bits, so that two readings a beat apart tell nothing. A pair is
    read within the beat instead, until a count of 2**32 or more proves that there are 64.
    """

    _WAYS = (pynvml.NVML_PCIE_UTIL_RX_BYTES, pynvml.NVML_PCIE_UTIL_TX_BYTES)
    _COUNTERS = (pynvml.NVML_FI_DEV_PCIE_COUNT_RX_BYTES, pynvml.NVML_FI_DEV_PCIE_COUNT_TX_BYTES)

    def __init__(self, handle: object, clock: Clock, belief: Belief) -> None:
        self._handle, self._clock, self._belief = handle, clock, belief
        self._batch = Fields(handle, [(field, 0) for field in self._COUNTERS], clock)
        self._rests = [Rest() for _ in self._WAYS]
        self._meters = [Meter() for _ in self._WAYS]
        self._wraps_at = _WRAPS_AT  # 0 once it is known to be wider

    def question(self) -> Question:
        rests = [*self._batch.rests, *self._rests]
        return Question((m.PCIE_RECEIVE, m.PCIE_TRANSMIT), self._ask, rests)

    def _ask(self) -> list[Figure]:
        try:
            rates = self._measured()
        except pynvml.NVMLError_FunctionNotFound:
            rates = [Absence.NOT_IN_DRIVER] * 2
        return [self._believed(place, rate) for place, rate in enumerate(rates)]

    def _believed(self, place: int, rate: Figure) -> Figure:
        if isinstance(rate, Absence):
            call = partial(self._watched, self._WAYS[place])
            watched = patient(call, self._rests[place], self._clock)
            if isinstance(watched, Absence) and rate is Absence.NEEDS_TWO:
                return rate
            rate = watched
        impossible = not isinstance(rate, Absence) and not pcie_can_carry(
            rate, self._belief.pcie_most
        )
        return Absence.IMPOSSIBLE if impossible else rate

    def _watched(self, way: int) -> float:
        return float(pynvml.nvmlDeviceGetPcieThroughput(self._handle, way) * 1000)

    def _measured(self) -> list[Figure]:
        if not self._wraps_at:
            return self._count()
        self._meters = [Meter() for _ in self._WAYS]
        at, rates = self._clock.now(), self._count()
        if not any(rate is Absence.NEEDS_TWO for rate in rates):
            return rates
        for _ in range(_ATTEMPTS):
            if (left := at + _APART - self._clock.now()) > 0:
                self._clock.wait(threading.Event(), left)
            before, at, times = at, self._clock.now(), self._batch.times
            rates = self._count()
            told = [b - a for a, b in zip(times, self._batch.times, strict=True) if a and b]
            # A count that is older may have wrapped more than once since.
            longest = _WRAPS_AT / self._belief.pcie_most
            if not self._wraps_at or max(told, default=at - before) <= longest:
                return rates
        return [Absence.NEEDS_TWO] * 2

    def _count(self) -> list[Figure]:
        at, counts = self._clock.now(), self._batch.read()
        if any(not isinstance(x, Absence) and x >= _WRAPS_AT for x in counts):
            self._wraps_at = 0
        return [
            meter.step(count, taken or at, self._wraps_at)
            for meter, count, taken in zip(self._meters, counts, self._batch.times, strict=True)
        ]


class ActivityMeter:
    """GPM of Hopper and later: two samples of the driver, the older kept for next time."""

    def __init__(self, handle: object, gpu_instance: int | None = None) -> None:
        self._handle = handle
        self._gpu_instance = gpu_instance
        self._older: object = None
        self._supported = False

    def question(self) -> Question:
        return Question(tuple(_ACTIVITIES), self._ask)

    def free(self) -> None:
        """Give the sample back; it does not outlive the connection to the driver."""
        older, self._older = self._older, None
        if older is not None:
            try:
                pynvml.nvmlGpmSampleFree(older)
            except pynvml.NVMLError:
                return  # the driver that made it is gone, and the sample with it

    def _ask(self) -> list[Figure]:
        if not self._supported:
            support = pynvml.nvmlGpmQueryDeviceSupport(self._handle)
            if not support.isSupportedDevice:
                raise pynvml.NVMLError(pynvml.NVML_ERROR_NOT_SUPPORTED)
            self._supported = True
        older, self._older = self._older, self._take()
        if older is None:
            return [Absence.NEEDS_TWO] * len(_ACTIVITIES)
        request = pynvml.c_nvmlGpmMetricsGet_t()
        request.version = pynvml.NVML_GPM_METRICS_GET_VERSION
        request.numMetrics = len(_ACTIVITIES)
        request.sample1, request.sample2 = older, self._older
        slots = request.metrics[: len(_ACTIVITIES)]
        for slot, number in zip(slots, _ACTIVITIES.values(), strict=True):
            slot.metricId = number
        try:
            pynvml.nvmlGpmMetricsGet(request)
        finally:
            pynvml.nvmlGpmSampleFree(older)
        return [
            library.absence_of(slot.nvmlReturn) if slot.nvmlReturn else _share(slot.value)
            for slot in request.metrics[: len(_ACTIVITIES)]
        ]

    def _take(self) -> object:
        sample = pynvml.nvmlGpmSampleAlloc()
        try:
            if self._gpu_instance is None:
                pynvml.nvmlGpmSampleGet(self._handle, sample)
            else:
                pynvml.nvmlGpmMigSampleGet(self._handle, self._gpu_instance, sample)
        except pynvml.NVMLError:
            pynvml.nvmlGpmSampleFree(sample)
            raise
        return sample


def _share(percent: float) -> float:
    return 1.0 if 100.0 < percent <= _MOST_PERCENT else percent / 100
