"""Rates, which need two readings: NVLink traffic, activity of the multiprocessors."""

from functools import partial

import pynvml

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.catalogue import links as k
from gpuexplorer.core.catalogue import utilization as u
from gpuexplorer.core.clock import Clock
from gpuexplorer.core.metrics import METRICS, MetricId
from gpuexplorer.telemetry.backends.nvml import library
from gpuexplorer.telemetry.backends.nvml.belief import nvlink_can_carry
from gpuexplorer.telemetry.backends.nvml.calls import FieldBatch, PatientBatch, PatientCall
from gpuexplorer.telemetry.backends.nvml.questions import Missing, Question, Values, put

# Slower traffic than this is possible on every link.
_SLOWEST_NVLINK = 19e9


class _Meter:
    """Turns a running counter into a rate, by the counter's own clock where it has one."""

    def __init__(self, bytes_per_count: float) -> None:
        self.bytes_per_count = bytes_per_count
        self.last: tuple[float, float] | None = None
        self.rate: float | Absence = Absence.NEEDS_TWO

    def step(self, count: float | Absence, seconds: float) -> float | Absence:
        if isinstance(count, Absence):
            self.last = None
            return count
        before, self.last = self.last, (count, seconds)
        if before is None:
            self.rate = Absence.NEEDS_TWO
        elif seconds != before[1]:
            grown = count - before[0]
            # A counter or a clock that went back was reset: there is no rate across that.
            self.rate = (
                grown * self.bytes_per_count / (seconds - before[1])
                if grown >= 0 and seconds > before[1]
                else Absence.NEEDS_TWO
            )
        else:
            self.last = before  # the driver repeats itself: the rate of before still stands
        return self.rate


def nvlink_questions(handle: object, links: int, clock: Clock) -> list[Question]:
    if not links:
        return []
    return [_nvlink_rates(handle, links, clock), _nvlink_states(handle, links, clock)]


def _nvlink_rates(handle: object, links: int, clock: Clock) -> Question:
    receive, transmit = (
        pynvml.NVML_FI_DEV_NVLINK_THROUGHPUT_DATA_RX,
        pynvml.NVML_FI_DEV_NVLINK_THROUGHPUT_DATA_TX,
    )
    batch = PatientBatch(
        handle,
        [(receive, link) for link in range(links)]
        + [(transmit, link) for link in range(links)],
        clock,
    )
    most: list[float | None] = [None] * links  # what each link says that it can carry

    def can_be(rate: float, link: int) -> bool:
        if rate > _SLOWEST_NVLINK and most[link] is None:
            most[link] = _line_rate(handle, link)
        return nvlink_can_carry(rate, most[link])

    meters = [_Meter(1024.0) for _ in range(2 * links)]
    metrics = [k.nvlink_receive(link) for link in range(links)]
    metrics += [k.nvlink_transmit(link) for link in range(links)]

    def ask(values: Values, missing: Missing) -> None:
        counts = batch.read()
        now = clock.now()
        rates: list[float | Absence] = []
        for position, meter in enumerate(meters):
            micros = batch.micros[position]
            rate = meter.step(counts[position], micros * 1e-6 if micros else now)
            if not isinstance(rate, Absence) and not can_be(rate, position % links):
                rate = Absence.IMPOSSIBLE
            rates.append(rate)
            put(values, missing, metrics[position], rate)
        put(values, missing, k.NVLINK_RECEIVE, _sum(rates[:links]))
        put(values, missing, k.NVLINK_TRANSMIT, _sum(rates[links:]))

    return Question((k.NVLINK_RECEIVE, k.NVLINK_TRANSMIT, *metrics), ask, batch.pauses)


def _line_rate(handle: object, link: int) -> float | None:
    """Bytes per second that the link says it can carry."""
    try:
        [speed] = FieldBatch(handle, [(pynvml.NVML_FI_DEV_NVLINK_GET_SPEED, link)]).read()
    except pynvml.NVMLError as error:
        if error.value in library.CARD_LOST | library.DRIVER_GONE:
            raise
        return None
    if isinstance(speed, Absence) or not _SLOWEST_NVLINK <= speed * 1e6 <= k.MOST_NVLINK_RATE:
        return None
    return speed * 1e6  # the driver says it in MB/s


def _sum(rates: list[float | Absence]) -> float | Absence:
    """All links together; one that is down carries nothing, one without word spoils it."""
    known = [rate for rate in rates if not isinstance(rate, Absence)]
    if known and all(
        not isinstance(rate, Absence) or rate is Absence.NOT_SUPPORTED for rate in rates
    ):
        return sum(known)
    reasons = [rate for rate in rates if isinstance(rate, Absence)]
    return Absence.NEEDS_TWO if Absence.NEEDS_TWO in reasons else reasons[0]


def _nvlink_states(handle: object, links: int, clock: Clock) -> Question:
    state = pynvml.NVML_FI_DEV_NVLINK_GET_STATE
    batch = PatientBatch(handle, [(state, link) for link in range(links)], clock)
    # Drivers before the field have a call for one link at a time.
    calls = [
        PatientCall(partial(pynvml.nvmlDeviceGetNvLinkState, handle, link), clock)
        for link in range(links)
    ]
    known = METRICS[k.nvlink_state(0)].choices
    metrics = [k.nvlink_state(link) for link in range(links)]

    def ask(values: Values, missing: Missing) -> None:
        figures = batch.read()
        up = 0.0
        unknown: Absence | None = None
        for link, metric in enumerate(metrics):
            figure = figures[link]
            if isinstance(figure, Absence):
                figure = calls[link].ask()
            put(values, missing, metric, figure)
            if isinstance(figure, Absence) or figure not in known:
                # Of links of which one says nothing, the number that is up is not known.
                unknown = figure if isinstance(figure, Absence) else Absence.IMPOSSIBLE
            up += figure == 1
        put(values, missing, k.NVLINK_ACTIVE, up if unknown is None else unknown)

    pauses = [*batch.pauses, *(call.pause for call in calls)]
    return Question((k.NVLINK_ACTIVE, *metrics), ask, pauses)


_ACTIVITIES: tuple[tuple[int, MetricId], ...] = (
    (pynvml.NVML_GPM_METRIC_SM_UTIL, u.SM_ACTIVITY),
    (pynvml.NVML_GPM_METRIC_SM_OCCUPANCY, u.SM_OCCUPANCY),
    (pynvml.NVML_GPM_METRIC_ANY_TENSOR_UTIL, u.TENSOR_ACTIVITY),
)


# A share is one counter by another, which are not read at quite the same moment.
_MOST_PERCENT = 101.0


def _share(percent: float) -> float:
    return 1.0 if 100.0 < percent <= _MOST_PERCENT else percent / 100


class ActivityMeter:
    """GPM of Hopper and later: two samples of the driver, the older kept for next time."""

    def __init__(self, handle: object, gpu_instance: int | None = None) -> None:
        self._handle = handle
        self._gpu_instance = gpu_instance
        self._samples: list[object] = []
        self._supported: bool | None = None

    def question(self) -> Question:
        return Question(tuple(metric for _, metric in _ACTIVITIES), self._ask)

    def free(self) -> None:
        """Give the samples back; they do not outlive the connection to the driver."""
        samples, self._samples = self._samples, []
        for sample in samples:
            try:
                pynvml.nvmlGpmSampleFree(sample)
            except pynvml.NVMLError:
                continue  # the driver that made it is gone, and the sample with it

    def _ask(self, values: Values, missing: Missing) -> None:
        if self._supported is None:
            support = pynvml.nvmlGpmQueryDeviceSupport(self._handle)
            self._supported = bool(support.isSupportedDevice)
        if not self._supported:
            self._supported = None  # asked again when the refusal has rested
            raise pynvml.NVMLError(pynvml.NVML_ERROR_NOT_SUPPORTED)
        sample = self._take()
        self._samples.append(sample)
        if len(self._samples) < 2:
            for _, metric in _ACTIVITIES:
                missing[metric] = Absence.NEEDS_TWO
            return
        request = pynvml.c_nvmlGpmMetricsGet_t()
        request.version = pynvml.NVML_GPM_METRICS_GET_VERSION
        request.numMetrics = len(_ACTIVITIES)
        request.sample1, request.sample2 = self._samples
        for slot, (number, _) in zip(request.metrics, _ACTIVITIES, strict=False):
            slot.metricId = number
        older = self._samples.pop(0)
        try:
            pynvml.nvmlGpmMetricsGet(request)
        finally:
            pynvml.nvmlGpmSampleFree(older)
        for slot, (_, metric) in zip(request.metrics, _ACTIVITIES, strict=False):
            code = slot.nvmlReturn
            figure = library.absence_of(code) if code else _share(slot.value)
            put(values, missing, metric, figure)

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
