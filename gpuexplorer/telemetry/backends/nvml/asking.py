"""Question: one driver call and the metrics it answers; and Rest, when it was refused."""

import math
from collections.abc import Callable, Sequence

import pynvml

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.clock import Clock
from gpuexplorer.core.metrics import MetricId
from gpuexplorer.telemetry.backends.nvml.library import CARD_LOST, DRIVER_GONE, absence_of

Figure = float | Absence
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
