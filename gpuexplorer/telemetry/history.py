"""History: what every card said in the last hour, and in sums a minute for a day; and how a
past, live or recorded, becomes a trace: at most so many columns, gaps left open.
"""

import math
import threading
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from gpuexplorer.core.cards import CardId, Sample
from gpuexplorer.core.metrics import METRICS, Cadence, MetricId, Unit
from gpuexplorer.telemetry.facts import round_of
from gpuexplorer.telemetry.trace import Trace, empty_trace

Floats = NDArray[np.float64]
Figures = NDArray[np.floating]  # rows: the least, the most, the mean, and of how many readings

GAP = 2.5  # times the usual distance: beyond it something was not seen
MINUTE = 60.0
# A beat is learnt from so many distances, so a single gap does not change it. Of the times that
# go on before those looked at there is one more.
_LEARNT = 5
_HEAD = _LEARNT + 1
_SHORTEST = 1.0  # rounds that somebody asked for in between do not make a second seem long
# More than an hour of them at one a second; at ten a second eight to ten minutes.
_MOST_READINGS = 3_600
# These count up without end and are read as differences: seven digits are not enough.
_EXACT_UNITS = frozenset({Unit.COUNT, Unit.JOULES, Unit.SECONDS})


@dataclass(frozen=True, slots=True, eq=False)
class Past:
    """Readings, or sums of them, of one metric: one of them an entry, oldest first."""

    times: Floats
    broken: NDArray[np.bool_]  # whether a gap lies before this entry
    figures: Figures
    usual: float = 1.0  # seconds from one entry to the next, as a rule

    @staticmethod
    def nothing() -> "Past":
        return Past(np.empty(0), np.empty(0, bool), np.empty((4, 0)))

    @staticmethod
    def of_readings(times: Floats, values: Figures, shortest: float) -> "Past":
        """`times` begin with _HEAD that go before."""
        usual = max(_median(np.diff(times[-_HEAD:])), shortest)
        return Past(times[_HEAD:], gaps(times, shortest), _singly(values), usual)

    def followed_by(self, newer: "Past") -> "Past":
        if not self.times.size or not newer.times.size:
            return self if self.times.size else newer
        return Past(
            np.concatenate((self.times, newer.times)),
            np.concatenate((self.broken, newer.broken)),
            np.concatenate((self.figures, newer.figures), axis=1),
            newer.usual,
        )

    def then(self, newer: "Past") -> "Past":
        """With a gap between them where there is one."""
        if self.times.size and newer.times.size:
            gap = newer.times[0] - self.times[-1] > self.usual + GAP * newer.usual
            newer = replace(newer, broken=np.append(gap, newer.broken[1:]))
        return self.followed_by(newer)


def headed(times: Floats, period: float) -> Floats:
    """As if it had gone on like that before."""
    return np.concatenate((times[0] + np.arange(-_HEAD, 0) * period, times))


def gaps(times: Floats, shortest: float) -> NDArray[np.bool_]:
    """Before which of them, from _HEAD on, something was not seen, by what was usual then."""
    apart = times[1:] - times[:-1]
    found: NDArray[np.bool_] = apart[_LEARNT:] > GAP * shortest
    [some] = found.nonzero()
    if not some.size:
        return found
    usual = np.median(apart[some[:, None] + np.arange(_LEARNT)], axis=1)
    found[some] = apart[some + _LEARNT] > GAP * np.maximum(usual, shortest)
    return found


def firsts(times: Floats, bucket: float = MINUTE) -> NDArray[np.intp]:
    """Which of them is the first of a minute."""
    return np.flatnonzero(np.diff(times // bucket, prepend=-np.inf))


def summed(times: Floats, columns: Figures, bucket: float = MINUTE) -> Floats:
    """Of each column the least of each minute, the most, the mean, and of how many readings."""
    return _merged(_singly(columns), firsts(times, bucket))


def _median(values: Floats) -> float:
    """Of two in the middle the greater."""
    middle = values.size // 2
    few = values.size < 16  # Python sorts them in a tenth of numpy's time
    return float((sorted(values.tolist()) if few else np.partition(values, middle))[middle])


def _singly(values: Figures) -> Figures:
    figures: Figures = np.empty((*values.shape[:-1], 4, values.shape[-1]), values.dtype)
    figures[..., :3, :] = values[..., None, :]
    figures[..., 3, :] = ~np.isnan(values)
    return figures


def _merged(figures: Figures, places: NDArray[np.intp]) -> Floats:
    """What comes of entries where a new one begins at each of these places."""
    low, high, mean, count = (figures[..., at, :] for at in range(4))
    least = np.fmin.reduceat(low, places, axis=-1)
    most = np.fmax.reduceat(high, places, axis=-1)
    counts = np.add.reduceat(count, places, axis=-1, dtype=np.float64)
    weighted = np.where(count > 0, np.multiply(mean, count, dtype=np.float64), 0.0)
    with np.errstate(invalid="ignore"):
        means = np.add.reduceat(weighted, places, axis=-1) / counts
    # Rounding may carry a mean past what it is the mean of.
    within = np.minimum(np.maximum(means, least), most)
    return np.concatenate([each[..., None, :] for each in (least, most, within, counts)], -2)


def condensed(past: Past, start: float, end: float, columns: int) -> Trace:
    """A column for each entry if they are few enough, and else columns of equal width: of
    those two may be needed where one is asked for.
    """
    if past.times.size == 0 or columns < 1:
        return empty_trace(past.usual)
    # A sum may begin before the window does.
    times = np.maximum(past.times, start)
    starts = np.concatenate(([0], (times[1:] > times[:-1]).nonzero()[0] + 1))
    at, width, beside = times[starts], float(times[-1] - times[0]), 0.0
    if starts.size + np.count_nonzero(past.broken[1:]) <= columns:
        width = _median(at[1:] - at[:-1]) if at.size > 1 else past.usual
    else:
        # They begin at multiples of their width, so that those of a moving window stand still.
        # It is the window's over 1, 2, 4, 8 …: the smallest that the entries allow.
        seconds = min(end - start, 2.0**20 * width)  # it may be endless
        halvings = max(0.0, np.floor(np.log2(seconds / width)))
        # One column is kept back for windows that begin inside one; the rest is for rounding.
        width = float(seconds / 2.0**halvings / max(columns - 1, 1) * (1 + 1e-9))
        cells = np.arange(np.floor(times[0] / width), np.floor(times[-1] / width) + 1)
        starts = times.searchsorted(cells * width)
        starts[0] = 0  # dividing may have rounded up
        inhabited = np.concatenate((starts[1:], [times.size])) > starts
        starts, at, beside = starts[inhabited], cells[inhabited] * width, 1.5 * width
    open_at = (past.broken[starts[1:]] & (at[1:] - at[:-1] > beside)).nonzero()[0] + 1
    before = at[open_at - 1]
    gap_times = np.minimum(before + width, (before + at[open_at]) / 2)
    single = starts.size == times.size
    figures = past.figures if single else _merged(past.figures, starts)
    [there] = figures[-1].nonzero()
    if not there.size:
        return empty_trace(width)
    # Columns before the first value say nothing, nor do gaps before it.
    first = there[0]
    some = open_at > first
    times, figures = at[first:], figures[:, first:]
    if some.any():
        places, nothing = open_at[some] - first, [[np.nan], [np.nan], [np.nan], [0.0]]
        figures = np.insert(figures, places, nothing, axis=1)
        times = np.insert(times, places, gap_times[some])
    least, most, means, counts = figures
    return Trace(times, least, most, means, counts.astype(np.int64), width)


class History:
    """Of each card so much and no more. Every method may be called from any thread."""

    ended: float | None = None  # it goes on

    def __init__(
        self,
        beat: float = 1.0,
        full_seconds: float = 3600.0,
        day_seconds: float = 86400.0,
        *,
        bucket_seconds: float = MINUTE,
    ) -> None:
        self._spans = full_seconds, day_seconds, bucket_seconds
        self._beats: Mapping[Cadence, float] = {
            Cadence.FAST: beat,
            Cadence.SLOW: max(beat, 5.0),
            Cadence.ON_DEMAND: max(beat, 2.0),
        }
        self._strips: dict[CardId, dict[Cadence, _Strip]] = {}
        self._lock = threading.Lock()
        # When the first sample came, be it kept still or not; None before that.
        self.began: float | None = None

    def append(self, sample: Sample) -> None:
        """Keep what can be plotted. A time before the newest one counts as the newest one."""
        round_ = round_of(sample)
        with self._lock:
            if self.began is None:
                self.began = sample.at
            if sample.card not in self._strips:
                # Cards that have been silent for a day go: MIG instances come and go.
                oldest = sample.at - self._spans[1]
                self._strips = {
                    card: strips
                    for card, strips in self._strips.items()
                    if any(each.newest >= oldest for each in strips.values())
                }
            strips = self._strips.setdefault(sample.card, {})
            if sample.values and round_ and round_ not in strips:
                strips[round_] = _Strip(self._beats[round_], *self._spans)
            if round_ in strips:
                strips[round_].append(sample.at, sample.values)

    def trace(
        self, card: CardId, metric: MetricId, start: float, end: float, columns: int = 1500
    ) -> Trace:
        return condensed(self.past(card, metric, start, end), start, end, columns)

    def past(self, card: CardId, metric: MetricId, start: float, end: float) -> Past:
        """The same uncondensed; sums on its edges are whole."""
        with self._lock:
            for strip in self._strips.get(card, {}).values():
                if metric in strip.columns:
                    return strip.past(metric, start, end)
        return Past.nothing()

    def cards(self) -> tuple[CardId, ...]:
        """Those with a past, in the order in which they were first heard of."""
        with self._lock:
            return tuple(card for card, strips in self._strips.items() if strips)

    def memory_bytes(self) -> int:
        with self._lock:
            return sum(
                x.memory_bytes() for some in self._strips.values() for x in some.values()
            )


class _Strip:
    """Metrics of one card that are read together: a growing column for each. The oldest
    readings are put into sums; a reading is in one of the two at any time.
    """

    def __init__(self, beat: float, full: float, day: float, bucket: float) -> None:
        self._full, self._day, self._bucket = full, day, bucket
        self._beat, self._shortest = beat, min(beat, _SHORTEST)
        self._times = array("d")  # with a head
        self.columns: dict[MetricId, array[float]] = {}
        # Of sums: when they start, whether a gap lies before them, and what they are.
        self._starts, self._broken = np.empty(0), np.empty(0, bool)
        self._sums: dict[MetricId, Figures] = {}

    @property
    def newest(self) -> float:
        return self._times[-1]

    def append(self, at: float, values: Mapping[MetricId, float]) -> None:
        times = self._times
        if not times:
            times.extend(headed(np.array([at]), self._beat)[:-1].tolist())
        new = values.keys() - self.columns.keys()
        for metric in [each for each in new if METRICS[each].plotted]:
            code = "d" if METRICS[metric].unit in _EXACT_UNITS else "f"
            self.columns[metric] = array(code, [math.nan]) * (len(times) - _HEAD)
            self._sums[metric] = _singly(np.full(self._starts.size, math.nan, code))
        at = max(at, times[-1])
        times.append(at)
        for metric, column in self.columns.items():
            column.append(values.get(metric, math.nan))
        oldest = max(at - self._full, times[-min(len(times), _MOST_READINGS)])
        if times[_HEAD] < oldest - 2 * self._bucket:
            self._sum_up(oldest, at)

    def past(self, metric: MetricId, start: float, end: float) -> Past:
        first = bisect_left(self._times, start, _HEAD)
        last = max(first, bisect_right(self._times, end, _HEAD))
        times = np.array(self._times[first - _HEAD : last])
        values = np.array(self.columns[metric][first - _HEAD : last - _HEAD])
        readings = Past.of_readings(times, values, self._shortest)
        begin = self._starts.searchsorted(np.floor(start / self._bucket) * self._bucket)
        some = slice(begin, self._starts.searchsorted(end, side="right"))
        sums = self._sums[metric][:, some]
        outline = Past(self._starts[some], self._broken[some], sums, self._bucket)
        return outline.followed_by(readings)

    def memory_bytes(self) -> int:
        columns = [len(each) * each.itemsize for each in (self._times, *self.columns.values())]
        sums = (self._starts, self._broken, *self._sums.values())
        return sum(columns) + sum(each.nbytes for each in sums)

    def _sum_up(self, oldest: float, now: float) -> None:
        """Whole buckets that are too old."""
        count = bisect_left(self._times, oldest // self._bucket * self._bucket, _HEAD)
        times = np.array(self._times[:count])
        own = times[_HEAD:]
        places = firsts(own, self._bucket)
        kept = slice(self._starts.searchsorted(now - self._day - self._bucket), None)
        self._starts = np.append(self._starts, own[places])[kept]
        self._broken = np.append(self._broken, gaps(times, self._shortest)[places])[kept]
        for metric, column in self.columns.items():
            fresh = summed(own, np.array(column[: own.size]), self._bucket)
            sums = np.append(self._sums[metric], fresh, axis=1)[:, kept]
            self._sums[metric] = sums.astype(column.typecode)
            del column[: own.size]
        del self._times[: own.size]
