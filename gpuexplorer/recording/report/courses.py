"""Courses: what one metric did in a stretch of a recording, in steps, and sums of them."""

import statistics
from collections.abc import Iterator, Sequence
from itertools import chain, pairwise
from typing import NamedTuple

from gpuexplorer.core.cards import CardId
from gpuexplorer.core.metrics import METRICS, MetricId
from gpuexplorer.recording.export.choosing import Choice
from gpuexplorer.recording.recording import Readings
from gpuexplorer.recording.schema import LEVELS

COLUMNS = 600  # in which a stretch is drawn
_MOST_READINGS = 6000  # of one metric that are looked at one by one
_LASTS = 2.5  # times as long as usual until the next reading: else there is a gap


class Step(NamedTuple):
    """One or more readings without a gap; times are of the axis."""

    begin: float
    end: float
    least: float
    most: float
    mean: float

    @property
    def seconds(self) -> float:
        return self.end - self.begin


class Sums(NamedTuple):
    """Of one metric over all of its steps."""

    seconds: float  # that were read
    least: float
    most: float
    mean: float


class Courses:
    """Of what was chosen of a recording."""

    def __init__(self, choice: Choice) -> None:
        self.choice, self.recording = choice, choice.recording
        self.start, self.end = choice.start, choice.end
        rhythm = min(each.machine.interval for each in self.recording.runs)
        span = self.end - self.start
        # 0: reading by reading.
        self.level = 0
        if span > _MOST_READINGS * max(rhythm, 1e-3):
            fitting = [each for each in LEVELS if each * COLUMNS <= span]
            self.level = fitting[-1] if fitting else LEVELS[0]
        self._known: dict[tuple[CardId, MetricId], Sequence[Step]] = {}

    def of(self, card: CardId, *metrics: MetricId) -> Sequence[Step]:
        """Of several that are read together: their sum. Empty where nothing was read."""
        first, *rest = (self._one(card, each) for each in metrics)
        for other in rest:
            if [each.begin for each in other] == [each.begin for each in first]:
                both = zip(first, other, strict=True)
                first = [Step(*a[:2], a[2] + b[2], a[3] + b[3], a[4] + b[4]) for a, b in both]
        return first

    def sums(self, card: CardId, *metrics: MetricId) -> Sums | None:
        steps = self.of(card, *metrics)
        seconds = sum(each.seconds for each in steps)
        if not seconds:
            return None
        mean = sum(each.mean * each.seconds for each in steps) / seconds
        least, most = min(each.least for each in steps), max(each.most for each in steps)
        return Sums(seconds, least, most, mean)

    def drawn(self, card: CardId, *metrics: MetricId) -> Sequence[Step]:
        """In at most COLUMNS steps. A gap that is shorter than one of them is not seen."""
        found: list[Step] = []
        place = -1
        for step in self.of(card, *metrics):
            now = min(COLUMNS - 1, int(self.share(step.begin) * COLUMNS))
            found[-1:] = [_joined(found[-1], step)] if now == place else [*found[-1:], step]
            place = now
        return found

    def share(self, at: float) -> float:
        """How much of the stretch is over by then."""
        share = (at - self.start) / ((self.end - self.start) or 1.0)
        return min(1.0, max(0.0, share))

    def _one(self, card: CardId, metric: MetricId) -> Sequence[Step]:
        key = card, metric
        if key not in self._known:
            self._known[key] = self._steps(card, metric)
        return self._known[key]

    def _steps(self, card: CardId, metric: MetricId) -> Sequence[Step]:
        """Of what is older than a day there may be buckets alone, of the newest readings."""
        if self.level:
            found = list(self._buckets(card, metric, self.level, self.end))
            since = found[-1].end if found else self.start
            read = self.recording.readings(card, metric, since, self.end)
        else:
            read = self.recording.readings(card, metric, self.start, self.end)
            first = read.times[0] if len(read.times) else self.end
            older = first - self.start > LEVELS[0]
            found = list(self._buckets(card, metric, LEVELS[0], first)) if older else []
        return [*found, *_lasting(metric, read, self.end)]

    def _buckets(
        self, card: CardId, metric: MetricId, level: int, end: float
    ) -> Iterator[Step]:
        plausible = METRICS[metric].plausible  # a damaged file may hold anything
        for at, least, most, mean, count in zip(
            *self.recording.buckets(card, metric, self.start, end, level), strict=True
        ):
            begin, over = max(at, self.start), min(at + level, end)
            possible = plausible(least) and plausible(most) and plausible(mean)
            if count and over > begin and possible:
                yield Step(begin, over, least, most, mean)


def _lasting(metric: MetricId, read: Readings, end: float) -> Iterator[Step]:
    """Each holds until the next one, unless that is late."""
    times, plausible = read.times, METRICS[metric].plausible
    if not len(times):
        return
    usual = statistics.median(b - a for a, b in pairwise(times)) if len(times) > 1 else 1.0
    for at, following, value in zip(times, chain(times[1:], [end]), read.values, strict=True):
        if plausible(value) and following > at:
            lasts = following if following - at <= usual * _LASTS else at + usual
            yield Step(at, min(lasts, end), value, value, value)


def _joined(a: Step, b: Step) -> Step:
    seconds = a.seconds + b.seconds
    mean = (a.mean * a.seconds + b.mean * b.seconds) / seconds if seconds else b.mean
    return Step(a.begin, b.end, min(a.least, b.least), max(a.most, b.most), mean)


def time_above(steps: Sequence[Step], value: float) -> float:
    """Seconds in which it was at least so much, as far as steps are short enough to tell."""
    return sum(each.seconds for each in steps if each.mean >= value)


def growth(steps: Sequence[Step]) -> float:
    """By how much a counter grew while it was read; it may begin anew."""
    grown = sum(each.most - each.least for each in steps)
    return grown + sum(
        max(0.0, b.least - a.most) for a, b in pairwise(steps) if b.begin - a.end < 1e-3
    )
