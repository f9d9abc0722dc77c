"""PCIe traffic: from counters that may wrap within 68 ms, or from the driver's own watching."""

import threading
from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import pynvml

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.catalogue import links as k
from gpuexplorer.core.clock import Clock
from gpuexplorer.telemetry.backends.nvml.belief import Belief, pcie_can_carry
from gpuexplorer.telemetry.backends.nvml.calls import PatientBatch, PatientCall
from gpuexplorer.telemetry.backends.nvml.questions import Missing, Question, Values, put

# Two readings are so far apart, or further: as long as the driver's own call watches, which is
# exact enough, and PCIe 5 x16 wraps after 68 ms.
_APART = 0.02
# When a busy computer comes back too late for the second one, both are taken again.
_ATTEMPTS = 3
_WRAPS_AT = 2**32

_DIRECTIONS = (
    (k.PCIE_RECEIVE, pynvml.NVML_FI_DEV_PCIE_COUNT_RX_BYTES, pynvml.NVML_PCIE_UTIL_RX_BYTES),
    (k.PCIE_TRANSMIT, pynvml.NVML_FI_DEV_PCIE_COUNT_TX_BYTES, pynvml.NVML_PCIE_UTIL_TX_BYTES),
)


class _Counted(NamedTuple):
    """Both counters at one moment, with the driver's own microseconds where it has them."""

    at: float
    bytes: Sequence[float | Absence]
    micros: Sequence[int]

    def seconds_to(self, later: "_Counted", place: int) -> float:
        before, after = self.micros[place], later.micros[place]
        return (after - before) * 1e-6 if before and after else later.at - self.at


class PcieTraffic:
    """Newer drivers count bytes; the older call watches for 20 ms in each direction.

    Some drivers count in 32 bits, so that two readings a beat apart tell nothing. A pair is
    read within the beat instead, until a count of 2**32 or more proves that there are 64.
    """

    def __init__(self, handle: object, clock: Clock, belief: Belief) -> None:
        self._clock = clock
        self._belief = belief
        self._batch = PatientBatch(handle, [(field, 0) for _, field, _ in _DIRECTIONS], clock)
        self._watched = [
            PatientCall(partial(_watch, handle, way), clock) for _, _, way in _DIRECTIONS
        ]
        self._wide = False
        self._first: _Counted | None = None  # of a pair: taken when all cards were prepared
        self._last: _Counted | None = None
        self._rates: list[float | Absence] = [Absence.NEEDS_TWO, Absence.NEEDS_TWO]

    def question(self) -> Question:
        metrics = tuple(metric for metric, _, _ in _DIRECTIONS)
        pauses = [*self._batch.pauses, *(call.pause for call in self._watched)]
        return Question(metrics, self._ask, pauses, self._prepare)

    def _prepare(self) -> None:
        if not self._wide:
            self._first = self._count()

    def _ask(self, values: Values, missing: Missing) -> None:
        try:
            self._measure()
        except pynvml.NVMLError_FunctionNotFound:
            self._rates = [Absence.NOT_IN_DRIVER, Absence.NOT_IN_DRIVER]
        most = self._belief.pcie_most
        for place, (metric, _, _) in enumerate(_DIRECTIONS):
            rate = self._rates[place]
            if isinstance(rate, Absence):
                watched = self._watched[place].ask()
                unknown = isinstance(watched, Absence) and rate is Absence.NEEDS_TWO
                rate = rate if unknown else watched
            if not isinstance(rate, Absence) and not pcie_can_carry(rate, most):
                rate = Absence.IMPOSSIBLE
            put(values, missing, metric, rate)

    def _measure(self) -> None:
        first, self._first = self._first, None
        if self._wide and self._last is not None:
            self._compare(self._last, self._count())
            return
        # A count that is older may have wrapped more than once since.
        longest = _WRAPS_AT / self._belief.pcie_most
        if first is None or self._clock.now() - first.at > longest:
            first = self._count()
        for _ in range(_ATTEMPTS):
            if all(isinstance(count, Absence) for count in first.bytes):
                self._compare(first, first)
                return
            self._wait_after(first)
            second = self._count()
            apart = max(first.seconds_to(second, place) for place in range(len(_DIRECTIONS)))
            if self._wide or apart <= longest:
                self._compare(first, second)
                return
            first = second
        self._rates = [Absence.NEEDS_TWO, Absence.NEEDS_TWO]

    def _wait_after(self, first: _Counted) -> None:
        since = self._clock.now() - first.at
        if since < _APART:
            self._clock.wait(threading.Event(), _APART - since)

    def _count(self) -> _Counted:
        at = self._clock.now()
        counts = self._batch.read()
        self._wide |= any(
            not isinstance(count, Absence) and count >= _WRAPS_AT for count in counts
        )
        return _Counted(at, counts, self._batch.micros)

    def _compare(self, first: _Counted, second: _Counted) -> None:
        self._last = second
        for place in range(len(_DIRECTIONS)):
            before, now = first.bytes[place], second.bytes[place]
            if isinstance(before, Absence) or isinstance(now, Absence):
                told = now if isinstance(now, Absence) else Absence.NEEDS_TWO
                self._rates[place] = told
                continue
            seconds = first.seconds_to(second, place)
            grown = now - before if self._wide else (now - before) % _WRAPS_AT
            if seconds > 0 and grown >= 0:
                self._rates[place] = grown / seconds
            elif seconds:
                # A counter or a clock that went back was reset: there is no rate across that.
                self._rates[place] = Absence.NEEDS_TWO
            # Otherwise the driver repeats itself, and the rate of before still stands.


def _watch(handle: object, direction: int) -> float:
    return float(pynvml.nvmlDeviceGetPcieThroughput(handle, direction) * 1000)
