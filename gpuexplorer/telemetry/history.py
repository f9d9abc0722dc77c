"""History: what every card said in the last hour, and in sums a minute for a day; and how a
past, live or recorded, becomes a trace: at most so many columns, gaps left open.
"""

import math
import threading
from array import array
from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from gpuexplorer.core.cards import CardId, Sample
from gpuexplorer.core.metrics import METRICS, Cadence, MetricId, Unit
from gpuexplorer.telemetry.trace import Trace, empty_trace

Column: TypeAlias = "array[float]"
Floats: TypeAlias = NDArray[np.float64]

GAP = 2.5  # times the usual distance: beyond it something was not seen
MINUTE = 60.0
FASTEST_BEAT = 0.1  # seconds; samples that come faster than this shorten the hour
# A beat is learnt from so many distances, so a single gap does not change it. Of the times that
# go on before those looked at there is one more.
_LEARNT = 5
_HEAD = _LEARNT + 1
_SHORTEST = 1.0  # rounds that somebody asked for in between do not make a second seem long
_SHARES = 64  # too many readings are forgotten in so many parts
_SUM = 4  # of a minute: the least, the most, the mean, and how many readings
# These count up without end and are read as differences: seven digits are not enough.
_EXACT_UNITS = frozenset({Unit.COUNT, Unit.JOULES, Unit.SECONDS})


@dataclass(frozen=True, slots=True, eq=False)
class Past:
    """Readings, or sums of them, of one metric: one of them an entry, oldest first.

    Figures are as they are stored: an hour of ten a second is large, and is asked for often.
    """

    times: Floats
    broken: NDArray[np.bool_]  # whether a gap lies before this entry
    minima: NDArray[np.floating]
    maxima: NDArray[np.floating]
    means: NDArray[np.floating]
    counts: NDArray[np.integer]
    usual: float  # seconds from one entry to the next, as a rule

    @staticmethod
    def nothing(usual: float = 1.0) -> "Past":
        none = np.empty(0)
        return Past(none, none.astype(bool), none, none, none, none.astype(int), usual)

    @staticmethod
    def of_readings(times: Floats, values: NDArray[np.floating], shortest: float) -> "Past":
        """`times` begin with _HEAD that go before."""
        counts = (~np.isnan(values)).astype(np.uint8)
        usual = max(float(np.median(np.diff(times[-_HEAD:]))), shortest)
        broken = gaps(times, shortest)
        return Past(times[_HEAD:], broken, values, values, values, counts, usual)

    def followed_by(self, newer: "Past") -> "Past":
        if not self.times.size or not newer.times.size:
            return self if self.times.size else newer
        return Past(
            np.concatenate((self.times, newer.times)),
            np.concatenate((self.broken, newer.broken)),
            np.concatenate((self.minima, newer.minima)),
            np.concatenate((self.maxima, newer.maxima)),
            np.concatenate((self.means, newer.means)),
            np.concatenate((self.counts, newer.counts)),
            newer.usual,
        )

    def then(self, newer: "Past") -> "Past":
        """With a gap between them where there is one."""
        if self.times.size and newer.times.size:
            broken = newer.broken.copy()
            apart = newer.times[0] - self.times[-1]
            broken[0] = apart > self.usual + GAP * newer.usual
            newer = replace(newer, broken=broken)
        return self.followed_by(newer)


def headed(times: Floats, period: float) -> Floats:
    """As if it had gone on like that before."""
    return np.concatenate((times[0] + np.arange(-_HEAD, 0) * period, times))


def gaps(times: Floats, shortest: float) -> NDArray[np.bool_]:
    """Before which of them, from _HEAD on, something was not seen, by what was usual then."""
    apart = np.diff(times)
    found: NDArray[np.bool_] = apart[_LEARNT:] > GAP * shortest
    some = np.flatnonzero(found)
    usual = np.median(apart[some[:, None] + np.arange(_LEARNT)], axis=1)
    found[some] = apart[some + _LEARNT] > GAP * np.maximum(usual, shortest)
    return found


def firsts(times: Floats, bucket: float = MINUTE) -> NDArray[np.intp]:
    """Which of them is the first of a minute."""
    return np.flatnonzero(np.diff(times // bucket, prepend=-np.inf))


def summed(times: Floats, columns: NDArray[np.floating], bucket: float = MINUTE) -> Floats:
    """Of each column the least of each minute, the most, the mean, and of how many readings."""
    places, there = firsts(times, bucket), ~np.isnan(columns)
    counts = np.add.reduceat(there, places, axis=-1, dtype=np.float64)
    whole = np.where(there, columns, 0.0)
    with np.errstate(invalid="ignore"):
        means = np.add.reduceat(whole, places, axis=-1, dtype=np.float64) / counts
    least, most = (each.reduceat(columns, places, axis=-1) for each in (np.fmin, np.fmax))
    found: Floats = np.stack((least, most, means, counts), axis=-2)
    return found


def condensed(past: Past, start: float, end: float, columns: int) -> Trace:
    """A column for each entry if they are few enough, and else columns of equal width."""
    if past.times.size == 0 or columns < 1:
        return empty_trace(past.usual)
    # A sum may begin before the window does.
    times = np.maximum(past.times, start)
    fresh = np.append(True, times[1:] > times[:-1])
    starts, open_at, gap_times = np.zeros(1, np.intp), np.zeros(0, np.intp), np.empty(0)
    at, width = times[:1], float(times[-1] - times[0])
    if np.count_nonzero(fresh) + np.count_nonzero(past.broken[1:]) <= columns:
        starts = np.flatnonzero(fresh)
        at = times[starts]
        width = float(np.median(np.diff(at))) if at.size > 1 else past.usual
        open_at = np.flatnonzero(past.broken[starts[1:]]) + 1
        before = at[open_at - 1]
        gap_times = np.minimum(before + width, (before + at[open_at]) / 2)
    elif columns > 1:
        # They begin at multiples of their width, so that those of a moving window stand still.
        # It is the window's over 1, 2, 4, 8 …: the smallest that the entries allow.
        seconds = min(end - start, 2.0**20 * width)  # it may be endless
        halvings = max(0.0, np.floor(np.log2(seconds / width)))
        # One column is kept back for windows that begin inside one; the rest is for rounding.
        width = float(seconds / 2.0**halvings / (columns - 1) * (1 + 1e-9))
        cells = np.arange(np.floor(times[0] / width), np.floor(times[-1] / width) + 1)
        starts = times.searchsorted(cells * width)
        starts[0] = 0  # dividing may have rounded up
        inhabited = np.diff(starts, append=times.size) > 0
        starts, cells = starts[inhabited], cells[inhabited]
        at = cells * width
        open_at = np.flatnonzero(past.broken[starts[1:]] & (np.diff(cells) > 1)) + 1
        gap_times = (cells[open_at - 1] + 1) * width
    counts = np.add.reduceat(past.counts, starts, dtype=np.int64)
    if not counts.any():
        return empty_trace(width)
    minima = np.fmin.reduceat(past.minima, starts).astype(np.float64)
    maxima = np.fmax.reduceat(past.maxima, starts).astype(np.float64)
    weighted = np.multiply(past.means, past.counts, dtype=np.float64)
    weighted[past.counts == 0] = 0.0
    with np.errstate(invalid="ignore"):
        means = np.add.reduceat(weighted, starts) / counts
    # Rounding may carry a mean past what it is the mean of.
    means = np.clip(means, minima, maxima)
    # Columns before the first value say nothing, nor do gaps before it.
    first = int(np.flatnonzero(counts)[0])
    some = open_at > first
    places = open_at[some] - first
    return Trace(
        np.insert(at[first:], places, gap_times[some]),
        np.insert(minima[first:], places, np.nan),
        np.insert(maxima[first:], places, np.nan),
        np.insert(means[first:], places, np.nan),
        np.insert(counts[first:], places, 0),
        width,
    )


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
        self._full, self._day, self._bucket = full_seconds, day_seconds, bucket_seconds
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
        values, missing = sample.values, sample.missing
        # Whoever is new makes room, and must not take a card along that is just beginning.
        with self._lock:
            strips = self._strips.get(sample.card)
            if strips is None:
                strips = self._strips_of_new_card(sample)
            for cadence, metrics in _METRICS.items():
                none = metrics.isdisjoint(values)
                strip = strips.get(cadence)
                if strip is None and not none:
                    fresh = _Strip(
                        metrics, self._beats[cadence], self._full, self._day, self._bucket
                    )
                    strip = strips.setdefault(cadence, fresh)
                if strip is not None and not (none and metrics.isdisjoint(missing)):
                    with strip.lock:
                        strip.append(sample.at, values)

    def trace(
        self, card: CardId, metric: MetricId, start: float, end: float, columns: int = 1500
    ) -> Trace:
        return condensed(self.past(card, metric, start, end), start, end, columns)

    def past(self, card: CardId, metric: MetricId, start: float, end: float) -> Past:
        """The same uncondensed."""
        cadence = METRICS[metric].cadence if metric in METRICS else Cadence.FAST
        strip = self._strips.get(card, {}).get(cadence)
        if strip is None:
            return Past.nothing(0.0)
        with strip.lock:
            return strip.past(metric, start, end)

    def cards(self) -> tuple[CardId, ...]:
        """Those with a past, in the order in which they were first heard of."""
        return tuple(card for card, strips in self._strips.items() if strips)

    def clear(self) -> None:
        with self._lock:
            self._strips = {}
            self.began = None

    def memory_bytes(self) -> int:
        strips = [each for some in list(self._strips.values()) for each in list(some.values())]
        return sum(strip.memory_bytes() for strip in strips)

    def _strips_of_new_card(self, sample: Sample) -> "dict[Cadence, _Strip]":
        """Also forgets cards that have been silent for a day, as MIG instances come and go."""
        oldest = sample.at - self._day
        heard = {
            card: strips
            for card, strips in self._strips.items()
            if not strips or any(each.newest >= oldest for each in strips.values())
        }
        strips = heard.setdefault(sample.card, {})
        self.began = sample.at if self.began is None else min(self.began, sample.at)
        self._strips = heard
        return strips


class _Strip:
    """Metrics of one card that are read together: a growing column for each. The oldest
    readings are put into sums; a reading is in one of the two at any time. Whoever calls has
    the lock.
    """

    def __init__(
        self,
        metrics: frozenset[MetricId],
        beat: float,
        full: float,
        day: float,
        bucket: float,
    ) -> None:
        self.lock = threading.Lock()
        self._metrics, self._beat = metrics, beat
        self._full, self._day, self._bucket = full, day, bucket
        self._shortest = min(beat, _SHORTEST)
        self._most = math.ceil((full + 3 * bucket) / FASTEST_BEAT)
        self._times = array("d")  # with a head
        self._starts, self._broken = array("d"), array("b")  # of sums; a gap lies before it
        self._columns: dict[MetricId, Column] = {}
        self._sums: dict[MetricId, Column] = {}

    @property
    def newest(self) -> float:
        return self._times[-1] if self._times else -math.inf

    def append(self, at: float, values: Mapping[MetricId, float]) -> None:
        if not self._times:
            self._times.frombytes(headed(np.array([at]), self._beat)[:-1].tobytes())
        if not values.keys() <= self._columns.keys():
            self._meet(values)
        at = max(at, self.newest)
        self._times.append(at)
        get, nothing = values.get, math.nan
        for metric, column in self._columns.items():
            column.append(get(metric, nothing))
        count = len(self._times) - _HEAD
        if at - self._times[_HEAD] > self._full + 2 * self._bucket or count > self._most:
            self._make_sums(at, count)

    def past(self, metric: MetricId, start: float, end: float) -> Past:
        """A copy of what is known of a metric in a window; sums on its edges are whole."""
        column = self._columns.get(metric)
        if column is None:
            return Past.nothing(self._beat)
        times = np.frombuffer(self._times)
        first = times[_HEAD:].searchsorted(start)
        last = max(first, times[_HEAD:].searchsorted(end, side="right"))
        values = np.frombuffer(column, column.typecode)[first:last].copy()
        singly = Past.of_readings(times[first : last + _HEAD].copy(), values, self._shortest)
        starts = np.frombuffer(self._starts)
        begin = starts.searchsorted(np.floor(start / self._bucket) * self._bucket)
        some = slice(begin, starts.searchsorted(end, side="right"))
        sums = self._sums[metric]
        low, high, mean, count = (
            np.frombuffer(sums, sums.typecode).reshape(-1, _SUM)[some].T.copy()
        )
        broken, counts = np.frombuffer(self._broken, bool)[some].copy(), count.astype(np.int64)
        outline = Past(starts[some].copy(), broken, low, high, mean, counts, self._bucket)
        return outline.followed_by(singly)

    def memory_bytes(self) -> int:
        columns = *self._columns.values(), *self._sums.values(), self._times, self._starts
        return len(self._broken) + sum(len(each) * each.itemsize for each in columns)

    def _meet(self, values: Mapping[MetricId, float]) -> None:
        for metric in (values.keys() & self._metrics) - self._columns.keys():
            code = "d" if METRICS[metric].unit in _EXACT_UNITS else "f"
            nothing = [math.nan, math.nan, math.nan, 0.0]
            self._columns[metric] = array(code, nothing[:1]) * (len(self._times) - _HEAD)
            self._sums[metric] = array(code, nothing) * len(self._starts)

    def _make_sums(self, now: float, count: int) -> None:
        """Of whole buckets that are too old, and of a share where there are too many."""
        bucket = self._bucket
        oldest = bisect_left(self._times, (now - self._full) // bucket * bucket, _HEAD) - _HEAD
        if count > self._most:
            oldest = max(oldest, self._most // _SHARES)
        times = np.array(self._times[: oldest + _HEAD])
        for metric, column in self._columns.items():
            values = np.array(column[:oldest], column.typecode)
            figures = summed(times[_HEAD:], values, bucket)
            self._sums[metric].frombytes(figures.T.astype(column.typecode).tobytes())
            del column[:oldest]
        places = firsts(times[_HEAD:], bucket)
        self._starts.frombytes(times[_HEAD:][places].tobytes())
        self._broken.frombytes(gaps(times, self._shortest)[places].tobytes())
        forgotten = bisect_left(self._starts, now - self._day - bucket)
        for sums in self._sums.values():
            del sums[: forgotten * _SUM]
        del self._times[:oldest], self._starts[:forgotten], self._broken[:forgotten]


_METRICS = {
    cadence: frozenset(
        metric.id for metric in METRICS.values() if metric.plotted and metric.cadence is cadence
    )
    for cadence in Cadence
}
