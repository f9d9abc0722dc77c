"""Question: one driver call and the metrics it answers; Rest, when it was refused; and Belief:
which of a card's answers cannot be true, whatever the driver says.
"""

import math
from collections.abc import Callable, Collection, Iterable, Sequence

import pynvml

from gpuexplorer.core import metrics as m
from gpuexplorer.core.absence import Absence
from gpuexplorer.core.clock import Clock
from gpuexplorer.core.metrics import METRICS, Metric, MetricId, Unit
from gpuexplorer.telemetry.backends.nvml.library import CARD_LOST, DRIVER_GONE, absence_of
from gpuexplorer.telemetry.topology import pcie_rate

Figure = float | Absence
Values = dict[MetricId, float]
Missing = dict[MetricId, Absence]
Ask = Callable[[], Sequence[Figure]]

# How long something that the driver refused is left alone before it is asked again.
_FIRST, _LONGEST = 1.0, 60.0
_MEMBERS = ("dVal", "uiVal", "ulVal", "ullVal", "sllVal", "siVal", "usVal")  # by NVML's number


class Rest:
    """Doubles with each refusal, from 1 to 60 s; an answer ends it.

    What never answered and is refused for a lasting reason rests for the longest time at
    once, so that a card without the part costs nothing.
    """

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        """The card is another than before: ask at once, as if it had never been asked."""
        self._reason: Absence | None = None
        self._until = self._seconds = 0.0
        self._answered = False

    def reason(self, now: float) -> Absence | None:
        """Why it is not asked now; None when it is to be asked."""
        return self._reason if now < self._until else None

    def note(self, figure: Figure | None, now: float) -> None:
        if not isinstance(figure, Absence):
            self._answered, self._until, self._seconds = True, 0.0, 0.0
            return
        never = figure.lasting and not self._answered
        self._seconds = _LONGEST if never else min(2 * self._seconds or _FIRST, _LONGEST)
        self._reason, self._until = figure, now + self._seconds


class Question:
    """`ask` gives a figure or a reason for each of its metrics; raises NVMLError when refused.

    `rest` is about the call as a whole; where its figures are refused one by one, each has
    its own among `rests`.
    """

    def __init__(
        self,
        answers: Sequence[MetricId],
        ask: Ask,
        rests: Sequence[Rest] = (),
    ) -> None:
        self.answers = answers
        self.ask = ask
        self.rest = Rest()
        self._rests = rests

    def forget_refusals(self) -> None:
        for rest in (self.rest, *self._rests):
            rest.forget()


def fields(handle: object, asked: Sequence[tuple[int, int]]) -> list[tuple[Figure, float]]:
    """Many figures of one card in one call: each with the driver's own time of it in seconds,
    0 where that is not told. Raises NVMLError when the whole call is refused.
    """
    told = pynvml.nvmlDeviceGetFieldValues(handle, asked) if asked else ()
    return [(_figure(each), each.timestamp * 1e-6) for each in told]


def _figure(told: pynvml.c_nvmlFieldValue_t) -> Figure:
    # A driver that is older than a field calls its number an invalid argument.
    if told.nvmlReturn == pynvml.NVML_ERROR_INVALID_ARGUMENT:
        return Absence.NOT_IN_DRIVER
    if told.nvmlReturn:
        return absence_of(told.nvmlReturn)
    known = told.valueType < len(_MEMBERS)
    return getattr(told.value, _MEMBERS[told.valueType]) if known else math.nan


class Fields:
    """The same again and again; refused ones rest, and the others are asked on."""

    def __init__(self, handle: object, asked: Sequence[tuple[int, int]], clock: Clock) -> None:
        self._handle, self._asked, self._clock = handle, asked, clock
        self.rests = [Rest() for _ in asked]
        self.times: list[float] = [0.0] * len(asked)  # when each was taken; 0: not told

    def read(self) -> list[Figure]:
        now = self._clock.now()
        found: list[tuple[Figure | None, float]] = [(x.reason(now), 0.0) for x in self.rests]
        awake = [place for place, (reason, _) in enumerate(found) if reason is None]
        told = fields(self._handle, [self._asked[place] for place in awake])
        for place, each in zip(awake, told, strict=True):
            found[place] = each
            self.rests[place].note(each[0], now)
        self.times = [taken for _, taken in found]
        return [figure for figure, _ in found if figure is not None]


def patient(call: Callable[[], float], rest: Rest, clock: Clock) -> Figure:
    """One figure that a call of its own gives where a field does not; rests when refused.
    Raises NVMLError only where the card or the driver is gone.
    """
    now = clock.now()
    resting = rest.reason(now)
    if resting is not None:
        return resting
    try:
        figure: Figure = call()
    except pynvml.NVMLError as error:
        if error.value in CARD_LOST | DRIVER_GONE:
            raise
        figure = absence_of(error.value)
    rest.note(figure, now)
    return figure


MEMORY = (m.MEMORY_USED, m.MEMORY_FREE, m.MEMORY_RESERVED, m.MEMORY_TOTAL)
# What drivers write where they know no count.
_NO_COUNT = (float(2**32 - 1), float(2**64 - 1))
_COUNTERS = frozenset(metric.id for metric in m.METRICS.values() if metric.counter)
# The first is no more than so many times the second, which may be of an earlier reading.
_AT_MOST = (
    (m.CLOCK_GRAPHICS, m.CLOCK_GRAPHICS_MAX, 2.0),
    (m.CLOCK_SM, m.CLOCK_SM_MAX, 2.0),
    (m.CLOCK_MEMORY, m.CLOCK_MEMORY_MAX, 2.0),
    (m.CLOCK_VIDEO, m.CLOCK_VIDEO_MAX, 2.0),
    (m.PCIE_GENERATION, m.PCIE_GENERATION_CARD, 1.0),
    (m.PCIE_GENERATION_MAX, m.PCIE_GENERATION_CARD, 1.0),
)
_YARDSTICKS = frozenset(yardstick for _, yardstick, _ in _AT_MOST)
# Of these nobody knows which is wrong. The power limit in force may lie outside the range: a
# laptop on its battery or the management of a server sets it from elsewhere.
_IN_ORDER = (
    (m.POWER_LIMIT_MIN, m.POWER_LIMIT_MAX),
    (m.TEMPERATURE_SLOWDOWN, m.TEMPERATURE_SHUTDOWN),
    (m.BAR1_USED, m.BAR1_TOTAL),
)
# Parts of memory are read a moment apart from each other.
_SHARE_OF_MEMORY_ASTRAY = 0.01
# A rate over 20 ms is as exact as the moments at which its two readings were taken.
_PCIE_TOLERANCE = 1.25
# The fastest link there is today, where a card does not say what its own is.
_FASTEST_PCIE = 121e9
# No card has more. How many a link has is not held against it: virtual machines make it up.
_MOST_LANES = 16


def memory_fits(total: float, *parts: float) -> bool:
    """Whether the parts can be of that whole.

    They may fall short of it: where programs share a card, the driver may be made to say only
    what this one uses.
    """
    return sum(parts) <= total * (1 + _SHARE_OF_MEMORY_ASTRAY) and max(parts) <= total


def pcie_can_carry(rate: float, most: float) -> bool:
    return rate <= most * _PCIE_TOLERANCE


def _choices(metric: Metric) -> Collection[float]:
    if metric.id in (m.PCIE_WIDTH, m.PCIE_WIDTH_MAX, m.PCIE_WIDTH_SLOT):
        return {1, 2, 4, 8, 12, 16, 32}
    return metric.choices or ({0, 1} if metric.unit is Unit.FLAG else ())


_CHOICES = {metric.id: found for metric in METRICS.values() if (found := _choices(metric))}


def _can_be(metric: MetricId, value: float) -> bool:
    choices = _CHOICES.get(metric)
    return METRICS[metric].plausible(value) if choices is None else value in choices


class Belief:
    """Remembers of one card what its next answers are held against.

    Only hard bounds, impossible combinations and counters that run backwards count. What is
    merely unlikely stays: it may be the very thing that a person is looking for.
    """

    def __init__(self, memory_total: float | None = None) -> None:
        self._known: Values = {}
        self._doubted: Values = {}
        if memory_total is not None:
            self._known[m.MEMORY_TOTAL] = memory_total

    @property
    def pcie_most(self) -> float:
        """Bytes per second that no PCIe link of this card can exceed."""
        generation = self._known.get(m.PCIE_GENERATION_CARD, 0.0)
        return pcie_rate(int(generation), _MOST_LANES) or _FASTEST_PCIE

    def sift(self, values: Values, missing: Missing) -> None:
        """Take out of the values what cannot be."""

        def reject(metrics: Iterable[MetricId]) -> None:
            for metric in metrics:
                if values.pop(metric, None) is not None:
                    missing[metric] = Absence.IMPOSSIBLE

        reject([metric for metric, value in values.items() if not _can_be(metric, value)])
        for metric, yardstick, times in _AT_MOST:
            most = values.get(yardstick) or self._known.get(yardstick, math.inf)
            if values.get(metric, 0.0) > times * most:
                reject([metric])
        for pair in _IN_ORDER:
            if values.get(pair[0], -math.inf) > values.get(pair[1], math.inf):
                reject(pair)
        reject([each for each in _COUNTERS & values.keys() if self._doubts(each, values)])
        if m.MEMORY_TOTAL in values and self._doubts(m.MEMORY_TOTAL, values):
            reject(MEMORY)
        for metric in _YARDSTICKS & values.keys():
            self._known[metric] = values[metric]
        # What is known of the link now may be more than when its traffic was looked at.
        for metric in (m.PCIE_RECEIVE, m.PCIE_TRANSMIT):
            if not pcie_can_carry(values.get(metric, 0.0), self.pcie_most):
                reject([metric])

    def _doubts(self, metric: MetricId, values: Values) -> bool:
        """A counter that goes back is wrong once; begun anew, it goes on from there. Memory
        does not grow or shrink, unless two readings in a row say the same.
        """
        value, counts = values[metric], metric in _COUNTERS
        before, doubted = self._known.get(metric, value), self._doubted.pop(metric, None)
        if counts and value in _NO_COUNT:
            return True
        new = value < before if counts else value != before
        goes_on = doubted is not None and (value >= doubted if counts else value == doubted)
        if new and not goes_on:
            self._doubted[metric] = value
            return True
        self._known[metric] = value
        return False
