"""What was read together, in order of time, in stretches that memory has room for."""

import math
from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from heapq import merge
from itertools import pairwise
from typing import NamedTuple

from gpuexplorer.core.cards import CardId
from gpuexplorer.core.metrics import MetricId
from gpuexplorer.recording.export.choosing import Choice
from gpuexplorer.recording.schema import LEVELS

BUCKET = float(LEVELS[0])
_FIGURES_AT_ONCE = 1_000_000
_SHORTEST, _LONGEST = 60.0, 3600.0  # of a stretch, in seconds
# The share of a period after which a reading belongs to the next beat; see trace_csv.py.
_REACH = 0.9
_Columns = Sequence[Sequence[float]]  # times first
_Key = tuple[CardId, bytes, int]


class StoppedError(Exception):
    """Somebody wants no more of it."""


class Round(NamedTuple):
    """Metrics of one card that were read at the same moment; or, where only those are kept, the
    means of a bucket that began then, with its lowest and highest figures.
    """

    at: float
    until: float  # a reading from then on is of the next beat
    card: CardId
    metrics: tuple[MetricId, ...]
    values: Sequence[float]  # NaN: there was none
    lowest: Sequence[float] = ()
    highest: Sequence[float] = ()


def rounds(choice: Choice, stop: Callable[[], bool]) -> Iterator[Round]:
    """Raises StoppedError."""
    past_end = math.nextafter(choice.end, math.inf)
    count = max(1, sum(map(len, choice.metrics.values())))
    first = choice.start
    while first < past_end:
        interval = choice.recording.run(first).machine.interval
        seconds = min(max(_SHORTEST, _FIGURES_AT_ONCE * interval / count), _LONGEST)
        last = min(first + seconds, past_end)
        groups = _groups(choice, first, last, stop)
        yield from merge(*groups, key=lambda each: each.at)
        first = last if groups else _next(choice, last)


def condensed(choice: Choice, card: CardId, metric: MetricId) -> bool:
    """Whether means of buckets are among its figures. Readings are dropped oldest first."""
    at, level = choice.start, LEVELS[-1]
    coarse = choice.recording.buckets(card, metric, at - level, choice.end, level)
    begins = [each for each in coarse.times if each + level > at]
    first = max(at, begins[0]) if begins else at
    last = min(first + level, choice.end)
    return bool(_columns(choice, card, metric, first, last)[1][0])


def _next(choice: Choice, at: float) -> float:
    """Where the next piece begins: a pause may be as long as somebody likes."""
    recording, end = choice.recording, choice.end
    strands = [each for card in choice.metrics for each in recording.strands(card)]
    found = [strand.within(at, end) for strand in strands] + [
        recording.pieces.within(series, LEVELS[0], at, end)
        for strand in strands
        for series in strand.series.values()
    ]
    return min((first for some in found for first in some if first >= at), default=math.inf)


def _groups(
    choice: Choice, first: float, last: float, stop: Callable[[], bool]
) -> Sequence[Iterator[Round]]:
    """Those of a rhythm share their times: one iterator for all of these."""
    together: dict[_Key, list[tuple[MetricId, _Columns]]] = {}
    for card, metrics in choice.metrics.items():
        for metric in metrics:
            if stop():
                raise StoppedError
            for columns in _columns(choice, card, metric, first, last):
                if columns[0]:
                    key = card, array("d", columns[0]).tobytes(), len(columns)
                    together.setdefault(key, []).append((metric, columns))
    return [_together(card, members) for (card, *_), members in together.items()]


def _columns(
    choice: Choice, card: CardId, metric: MetricId, first: float, last: float
) -> tuple[_Columns, _Columns]:
    """From `first` to right before `last`: times and values; and of the buckets before the
    first of these times, means, lowest and highest figures.
    """
    end = math.nextafter(last, -math.inf)
    readings = choice.recording.readings(card, metric, first, end)
    until = readings.times[0] - BUCKET if readings.times else end
    if until < first:
        return readings, ([],)
    found = choice.recording.buckets(card, metric, first, until, LEVELS[0])
    begin = bisect_left(found.times, first)
    columns = (found.times, found.means, found.minima, found.maxima)
    return readings, [each[begin:] for each in columns]


def _together(card: CardId, members: Sequence[tuple[MetricId, _Columns]]) -> Iterator[Round]:
    metrics = tuple(metric for metric, _ in members)
    times = members[0][1][0]
    # One column of all members after the other: values, and of buckets lowest and highest too.
    kinds = [
        zip(*kind, strict=True) for kind in zip(*(each[1:] for _, each in members), strict=True)
    ]
    apart = [after - before for before, after in pairwise(times)]
    reaches = map(min, [math.inf, *apart], [*apart, math.inf]) if apart else [math.inf]
    for at, reach, *figures in zip(times, reaches, *kinds, strict=True):
        yield Round(at, at + _REACH * reach, card, metrics, *figures)
