"""History: what every card said in the last hour, and in sums a minute for a day; and how a
past becomes a trace: at most so many columns, gaps left open.
"""

import math
import threading
from array import array
from bisect import bisect_left
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gpuexplorer.core.cards import CardId, Sample
from gpuexplorer.core.metrics import METRICS, Cadence, MetricId, Unit
from gpuexplorer.telemetry.trace import Trace, empty_trace

Column: TypeAlias = "array[float]"

GAP = 2.5  # times the usual distance: beyond it something was not seen
FASTEST_BEAT = 0.1  # seconds; samples that come faster than this shorten the hour
_SHARES = 64  # too many readings are forgotten in so many parts
_SUM = 4  # of a minute: the least, the most, the mean, and how many readings
# These count up without end and are read as differences: seven digits are not enough.
_EXACT_UNITS = frozenset({Unit.COUNT, Unit.JOULES, Unit.SECONDS})


class _Lengths(NamedTuple):
    """How far back a history reaches, in seconds."""

    full: float  # every reading of at least this long
    day: float  # then sums of each bucket
    bucket: float


@dataclass(frozen=True, slots=True, eq=False)
class Past:
    """Readings, or buckets of them, of one metric: one of them an entry, oldest first.

    Figures are as they are stored: an hour of ten a second is large, and is asked for often.
    """

    times: NDArray[np.float64]
    broken: NDArray[np.bool_]  # whether a gap lies before this entry
    minima: NDArray[np.floating]
    maxima: NDArray[np.floating]
    means: NDArray[np.floating]
    counts: NDArray[np.integer]
    usual: float  # seconds from one entry to the next, as a rule

    @staticmethod
    def nothing(usual: float) -> "Past":
        none = np.empty(0)
        counts = np.empty(0, np.int64)
        return Past(none, np.empty(0, np.bool_), none, none, none, counts, usual)

    def followed_by(self, newer: "Past") -> "Past":
        return Past(
            times=np.concatenate((self.times, newer.times)),
            broken=np.concatenate((self.broken, newer.broken)),
            minima=np.concatenate((self.minima, newer.minima)),
            maxima=np.concatenate((self.maxima, newer.maxima)),
            means=np.concatenate((self.means, newer.means)),
            counts=np.concatenate((self.counts, newer.counts)),
            usual=newer.usual,
        )


@dataclass(frozen=True, slots=True, eq=False)
class _Grid:
    """Which entries share a column, and where a gap needs a column of its own."""

    starts: NDArray[np.intp]  # the first entry of each column
    times: NDArray[np.float64]
    gaps: NDArray[np.intp]  # the columns before which a gap is to be seen
    gap_times: NDArray[np.float64]
    column_seconds: float


def condensed(past: Past, start: float, end: float, columns: int) -> Trace:
    """A column for each entry if they are few enough, and else columns of equal width."""
    if past.times.size == 0 or columns < 1:
        return empty_trace(past.usual)
    # A sum may begin before the window does.
    times = np.maximum(past.times, start) if past.times[0] < start else past.times
    fresh = np.append(True, times[1:] > times[:-1])
    if np.count_nonzero(fresh) + np.count_nonzero(past.broken[1:]) <= columns:
        grid = _column_for_each(times, np.flatnonzero(fresh), past)
    elif columns == 1:
        none = np.empty(0)
        whole = np.zeros(1, np.intp)
        grid = _Grid(whole, times[:1], none.astype(np.intp), none, times[-1] - times[0])
    else:
        grid = _columns_of_equal_width(times, past.broken, end - start, columns)
    return _filled(past, grid)


def _column_for_each(times: NDArray[np.float64], starts: NDArray[np.intp], past: Past) -> _Grid:
    at = times[starts]
    width = float(np.median(np.diff(at))) if at.size > 1 else past.usual
    gaps = np.flatnonzero(past.broken[starts[1:]]) + 1
    before = at[gaps - 1]
    gap_times = np.minimum(before + width, (before + at[gaps]) / 2)
    return _Grid(starts, at, gaps, gap_times, width)


def _columns_of_equal_width(
    times: NDArray[np.float64], broken: NDArray[np.bool_], seconds: float, columns: int
) -> _Grid:
    """Columns begin at multiples of their width, so that those of a moving window stand still.

    Their width is the window's over 1, 2, 4, 8 …: the smallest that the entries allow.
    """
    filled = times[-1] - times[0]
    seconds = min(seconds, 2.0**20 * filled)  # it may be endless
    halvings = max(0.0, np.floor(np.log2(seconds / filled)))
    # One column is kept back for windows that begin inside one; the rest is for rounding.
    width = float(seconds / 2.0**halvings / (columns - 1) * (1 + 1e-9))
    cells = np.arange(np.floor(times[0] / width), np.floor(times[-1] / width) + 1)
    starts = times.searchsorted(cells * width)
    starts[0] = 0  # dividing may have rounded up
    inhabited = np.diff(starts, append=times.size) > 0
    starts, cells = starts[inhabited], cells[inhabited]
    gaps = np.flatnonzero(broken[starts[1:]] & (np.diff(cells) > 1)) + 1
    return _Grid(starts, cells * width, gaps, (cells[gaps - 1] + 1) * width, width)


def _filled(past: Past, grid: _Grid) -> Trace:
    starts = grid.starts
    counts = np.add.reduceat(past.counts, starts, dtype=np.int64)
    if not counts.any():
        return empty_trace(grid.column_seconds)
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
    some = grid.gaps > first
    gaps, nothing = grid.gaps[some] - first, np.nan
    return Trace(
        times=np.insert(grid.times[first:], gaps, grid.gap_times[some]),
        minima=np.insert(minima[first:], gaps, nothing),
        maxima=np.insert(maxima[first:], gaps, nothing),
        means=np.insert(means[first:], gaps, nothing),
        counts=np.insert(counts[first:], gaps, 0),
        column_seconds=grid.column_seconds,
    )


class History:
    """Of each card so much and no more. Every method may be called from any thread."""

    def __init__(
        self,
        beat: float = 1.0,
        full_seconds: float = 3600.0,
        day_seconds: float = 86400.0,
        *,
        bucket_seconds: float = 60.0,
    ) -> None:
        self._lengths = _Lengths(full_seconds, day_seconds, bucket_seconds)
        self._beats: Mapping[Cadence, float] = {
            Cadence.FAST: beat,
            Cadence.SLOW: max(beat, 5.0),
            Cadence.ON_DEMAND: max(beat, 2.0),
        }
        self._strips: dict[CardId, dict[Cadence, _Strip]] = {}
        self._new_card = threading.Lock()
        # When the first sample came, be it kept still or not; None before that.
        self.began: float | None = None

    @property
    def ended(self) -> None:
        """It goes on."""

    def append(self, sample: Sample) -> None:
        """Keep what can be plotted. A time before the newest one counts as the newest one."""
        strips = self._strips.get(sample.card)
        if strips is None:
            strips = self._strips_of_new_card(sample)
        values, missing = sample.values, sample.missing
        for cadence, metrics in _METRICS.items():
            none = metrics.isdisjoint(values)
            if none and metrics.isdisjoint(missing):
                continue
            strip = strips.get(cadence)
            if strip is None and not none:
                fresh = _Strip(self._lengths, self._beats[cadence], metrics)
                strip = strips.setdefault(cadence, fresh)
            if strip is not None:
                with strip.lock:
                    strip.append(sample.at, values)

    def trace(
        self, card: CardId, metric: MetricId, start: float, end: float, columns: int = 1500
    ) -> Trace:
        known = self.past(card, metric, start, end)
        return empty_trace() if known is None else condensed(known, start, end, columns)

    def past(self, card: CardId, metric: MetricId, start: float, end: float) -> Past | None:
        """The same uncondensed; None where nothing was ever heard of it."""
        cadence = METRICS[metric].cadence if metric in METRICS else Cadence.FAST
        strip = self._strips.get(card, {}).get(cadence)
        if strip is None:
            return None
        with strip.lock:
            return strip.past(metric, start, end)

    def cards(self) -> tuple[CardId, ...]:
        """Those with a past, in the order in which they were first heard of."""
        return tuple(card for card, strips in self._strips.items() if strips)

    def clear(self) -> None:
        with self._new_card:
            self._strips = {}
            self.began = None

    def memory_bytes(self) -> int:
        strips = [each for some in list(self._strips.values()) for each in list(some.values())]
        return sum(strip.memory_bytes() for strip in strips)

    def _strips_of_new_card(self, sample: Sample) -> "dict[Cadence, _Strip]":
        """Also forgets cards that have been silent for a day, as MIG instances come and go."""
        oldest = sample.at - self._lengths.day
        with self._new_card:
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

    def __init__(self, lengths: _Lengths, beat: float, metrics: frozenset[MetricId]) -> None:
        self.lock = threading.Lock()
        self.newest = -math.inf
        self._lengths, self._beat, self._metrics = lengths, beat, metrics
        self._rhythm = _Rhythm(beat)
        self._most = math.ceil((lengths.full + 3 * lengths.bucket) / FASTEST_BEAT)
        self._times, self._broken = array("d"), array("b")  # whether a gap lies before it
        self._met: set[MetricId] = set()
        self._columns: dict[MetricId, Column] = {}
        self._starts, self._broken_sums = array("d"), array("b")
        self._sums: dict[MetricId, Column] = {}

    def append(self, at: float, values: Mapping[MetricId, float]) -> None:
        if not values.keys() <= self._met:
            self._meet(values)
        at = max(at, self.newest)
        gap = self.newest > -math.inf and self._rhythm.is_gap(at - self.newest)
        self.newest = at
        self._times.append(at)
        self._broken.append(bool(gap))
        get, nothing = values.get, math.nan
        for metric, column in self._columns.items():
            column.append(get(metric, nothing))
        full, _, bucket = self._lengths
        if at - self._times[0] > full + 2 * bucket or len(self._times) > self._most:
            self._make_sums(at)

    def past(self, metric: MetricId, start: float, end: float) -> Past:
        """A copy of what is known of a metric in a window; sums on its edges are whole."""
        column, sums = self._columns.get(metric), self._sums.get(metric)
        if column is None or sums is None:
            return Past.nothing(self._beat)
        times = np.frombuffer(self._times)
        window = slice(times.searchsorted(start), times.searchsorted(end, side="right"))
        values = np.frombuffer(column, column.typecode)[window].copy()
        broken = np.frombuffer(self._broken, np.bool_)[window].copy()
        counts = (~np.isnan(values)).astype(np.uint8)
        usual = self._rhythm.usual
        singly = Past(times[window].copy(), broken, values, values, values, counts, usual)
        bucket = self._lengths.bucket
        starts = np.frombuffer(self._starts)
        first = np.floor(start / bucket) * bucket
        some = slice(starts.searchsorted(first), starts.searchsorted(end, side="right"))
        if not starts[some].size:
            return singly
        told = np.frombuffer(sums, sums.typecode).reshape(-1, _SUM)[some].T.copy()
        broken = np.frombuffer(self._broken_sums, np.bool_)[some].copy()
        low, high, mean, number = told
        counts = number.astype(np.int64)
        outline = Past(starts[some].copy(), broken, low, high, mean, counts, bucket)
        return outline.followed_by(singly)

    def _meet(self, values: Mapping[MetricId, float]) -> None:
        for metric in (values.keys() - self._met) & self._metrics:
            code = "d" if METRICS[metric].unit in _EXACT_UNITS else "f"
            nothing = [math.nan, math.nan, math.nan, 0.0]
            self._columns[metric] = array(code, nothing[:1]) * len(self._times)
            self._sums[metric] = array(code, nothing) * len(self._starts)
        self._met |= values.keys()

    def memory_bytes(self) -> int:
        columns = [*self._columns.values(), *self._sums.values(), self._times, self._starts]
        marks = len(self._broken) + len(self._broken_sums)
        return marks + sum(len(each) * each.itemsize for each in columns)

    def _make_sums(self, now: float) -> None:
        """Of whole buckets that are too old, and of a share where there are too many."""
        full, day, bucket = self._lengths
        oldest = bisect_left(self._times, (now - full) // bucket * bucket)
        if len(self._times) > self._most:
            oldest = max(oldest, self._most // _SHARES)
        times = np.frombuffer(self._times)[:oldest]
        places = np.flatnonzero(np.diff(times // bucket, prepend=-math.inf))
        self._starts.frombytes(times[places].tobytes())
        self._broken_sums.extend(self._broken[place] for place in places)
        for metric, column in self._columns.items():
            values = np.frombuffer(column, column.typecode)[:oldest]
            there = ~np.isnan(values)
            counts = np.add.reduceat(there, places, dtype=np.int64)
            whole = np.add.reduceat(np.where(there, values, 0.0), places, dtype=np.float64)
            with np.errstate(invalid="ignore"):
                means = whole / counts
            figures = (
                *(np.fmin.reduceat(values, places), np.fmax.reduceat(values, places)),
                *(means, counts),
            )
            self._sums[metric].frombytes(np.stack(figures, 1).astype(column.typecode).tobytes())
        del times, values
        forgotten = bisect_left(self._starts, now - day - bucket)
        for shared, each in ((self._times, self._broken), (self._starts, self._broken_sums)):
            cut = oldest if shared is self._times else forgotten
            del shared[:cut], each[:cut]
        for metric in self._columns:
            del self._columns[metric][:oldest], self._sums[metric][: forgotten * _SUM]


class _Rhythm:
    """Learns a new beat after three samples; a single gap does not change it."""

    def __init__(self, period: float) -> None:
        self._distances = deque([period] * 5, maxlen=5)
        # Rounds that somebody asked for in between do not make a second seem long.
        self._shortest = min(period, 1.0)

    @property
    def usual(self) -> float:
        return max(sorted(self._distances)[2], self._shortest)

    def is_gap(self, distance: float) -> bool:
        usual = self.usual
        self._distances.append(distance)
        return distance > GAP * usual


_METRICS = {
    cadence: frozenset(
        metric.id for metric in METRICS.values() if metric.plotted and metric.cadence is cadence
    )
    for cadence in Cadence
}
