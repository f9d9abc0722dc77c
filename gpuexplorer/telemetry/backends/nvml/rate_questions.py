"""Rates, which need two readings: PCIe and NVLink traffic, activity of the multiprocessors."""

from dataclasses import dataclass, field

import pynvml

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.catalogue import links as k
from gpuexplorer.core.catalogue import utilization as u
from gpuexplorer.core.clock import Clock
from gpuexplorer.core.metrics import MetricId
from gpuexplorer.telemetry.backends.nvml import library
from gpuexplorer.telemetry.backends.nvml.calls import FieldBatch
from gpuexplorer.telemetry.backends.nvml.questions import Missing, Question, Values, put


@dataclass(slots=True)
class _Meter:
    """Turns a running counter into a rate, by the counter's own clock where it has one."""

    bytes_per_count: float
    last: tuple[float, float] | None = None
    rate: float | Absence = Absence.NEEDS_TWO

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


def pcie_question(handle: object, clock: Clock) -> Question:
    """Newer drivers count bytes, at no cost; the older call watches for 20 ms, twice."""
    batch = FieldBatch(
        handle,
        [
            (pynvml.NVML_FI_DEV_PCIE_COUNT_RX_BYTES, 0),
            (pynvml.NVML_FI_DEV_PCIE_COUNT_TX_BYTES, 0),
        ],
    )
    meters = (_Meter(1.0), _Meter(1.0))
    metrics = (k.PCIE_RECEIVE, k.PCIE_TRANSMIT)
    watched = (pynvml.NVML_PCIE_UTIL_RX_BYTES, pynvml.NVML_PCIE_UTIL_TX_BYTES)

    def ask(values: Values, missing: Missing) -> None:
        try:
            counts = batch.read()
        except pynvml.NVMLError_FunctionNotFound:
            counts = [Absence.NOT_IN_DRIVER, Absence.NOT_IN_DRIVER]
        now = clock.now()
        for position, (metric, meter) in enumerate(zip(metrics, meters, strict=True)):
            micros = batch.micros[position]
            rate = meter.step(counts[position], micros * 1e-6 if micros else now)
            if isinstance(rate, Absence):
                rate = _watched(handle, watched[position], rate)
            put(values, missing, metric, rate)

    return Question(metrics, ask)


def _watched(handle: object, direction: int, counted: Absence) -> float | Absence:
    """The rate over 20 ms, where no counter gives one yet."""
    try:
        return float(pynvml.nvmlDeviceGetPcieThroughput(handle, direction) * 1000)
    except pynvml.NVMLError as error:
        if error.value in library.CARD_LOST | library.DRIVER_GONE:
            raise
        return counted if counted is Absence.NEEDS_TWO else library.absence_of(error.value)


def nvlink_questions(handle: object, links: int, clock: Clock) -> list[Question]:
    if not links:
        return []
    return [_nvlink_rates(handle, links, clock), _nvlink_states(handle, links)]


def _nvlink_rates(handle: object, links: int, clock: Clock) -> Question:
    receive, transmit = (
        pynvml.NVML_FI_DEV_NVLINK_THROUGHPUT_DATA_RX,
        pynvml.NVML_FI_DEV_NVLINK_THROUGHPUT_DATA_TX,
    )
    batch = FieldBatch(
        handle,
        [(receive, link) for link in range(links)]
        + [(transmit, link) for link in range(links)],
    )
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
            rates.append(rate)
            put(values, missing, metrics[position], rate)
        put(values, missing, k.NVLINK_RECEIVE, _sum(rates[:links]))
        put(values, missing, k.NVLINK_TRANSMIT, _sum(rates[links:]))

    return Question((k.NVLINK_RECEIVE, k.NVLINK_TRANSMIT, *metrics), ask)


def _sum(rates: list[float | Absence]) -> float | Absence:
    """All links together; one that is down carries nothing, one without word spoils it."""
    known = [rate for rate in rates if not isinstance(rate, Absence)]
    if known and all(
        not isinstance(rate, Absence) or rate is Absence.NOT_SUPPORTED for rate in rates
    ):
        return sum(known)
    reasons = [rate for rate in rates if isinstance(rate, Absence)]
    return Absence.NEEDS_TWO if Absence.NEEDS_TWO in reasons else reasons[0]


def _nvlink_states(handle: object, links: int) -> Question:
    batch = FieldBatch(
        handle, [(pynvml.NVML_FI_DEV_NVLINK_GET_STATE, link) for link in range(links)]
    )
    metrics = [k.nvlink_state(link) for link in range(links)]

    def ask(values: Values, missing: Missing) -> None:
        figures = batch.read()
        up = 0.0
        unknown: Absence | None = None
        for link, metric in enumerate(metrics):
            figure = figures[link]
            if isinstance(figure, Absence):
                figure = _link_state(handle, link)
            put(values, missing, metric, figure)
            if isinstance(figure, Absence) or not 0 <= figure <= 2:
                # Of links of which one says nothing, the number that is up is not known.
                unknown = figure if isinstance(figure, Absence) else Absence.IMPOSSIBLE
            up += figure == 1
        put(values, missing, k.NVLINK_ACTIVE, up if unknown is None else unknown)

    return Question((k.NVLINK_ACTIVE, *metrics), ask)


def _link_state(handle: object, link: int) -> float | Absence:
    """Drivers before the field have a call for one link at a time."""
    try:
        return float(pynvml.nvmlDeviceGetNvLinkState(handle, link))
    except pynvml.NVMLError as error:
        if error.value in library.CARD_LOST | library.DRIVER_GONE:
            raise
        return library.absence_of(error.value)


_ACTIVITIES: tuple[tuple[int, MetricId], ...] = (
    (pynvml.NVML_GPM_METRIC_SM_UTIL, u.SM_ACTIVITY),
    (pynvml.NVML_GPM_METRIC_SM_OCCUPANCY, u.SM_OCCUPANCY),
    (pynvml.NVML_GPM_METRIC_ANY_TENSOR_UTIL, u.TENSOR_ACTIVITY),
)


@dataclass(slots=True)
class ActivityMeter:
    """GPM of Hopper and later: two samples of the driver, the older kept for next time."""

    handle: object
    gpu_instance: int | None = None
    _samples: list[object] = field(default_factory=list)
    _supported: bool | None = None

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
            support = pynvml.nvmlGpmQueryDeviceSupport(self.handle)
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
            figure = library.absence_of(code) if code else slot.value / 100
            put(values, missing, metric, figure)

    def _take(self) -> object:
        sample = pynvml.nvmlGpmSampleAlloc()
        try:
            if self.gpu_instance is None:
                pynvml.nvmlGpmSampleGet(self.handle, sample)
            else:
                pynvml.nvmlGpmMigSampleGet(self.handle, self.gpu_instance, sample)
        except pynvml.NVMLError:
            pynvml.nvmlGpmSampleFree(sample)
            raise
        return sample
