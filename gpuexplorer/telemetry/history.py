"""History: what every card said in the last hour, and in sums a minute for a day; and how a
past becomes a trace: at most so many columns, gaps left open.
"""

import math
import threading
from array import array
from bisect import bisect_left
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gpuexplorer.core.cards import CardId, Sample
from gpuexplorer.core.metrics import METRICS, Cadence, MetricId, Unit
from gpuexplorer.telemetry.trace import Trace, empty_trace

Floats: TypeAlias = NDArray[np.floating]

GAP = 2.5  # times the usual distance: beyond it something was not seen
FASTEST_BEAT = 0.1  # seconds; samples that come faster than this shorten the hour
_SHARES = 64  # too many readings are forgotten in so many parts
_NO_SUM = np.array([[math.nan], [math.nan], [math.nan], [0.0]])  # without readings
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
    minima: Floats
    maxima: Floats
    means: Floats
    counts: NDArray[np.integer]
    usual: float  # seconds from one entry to the next, as a rule

    @staticmethod
    def nothing(usual: float) -> "Past":
        return _read(np.empty(0), np.empty(0, np.bool_), np.empty(0), usual)

    def followed_by(self, newer: "Past") -> "Past":
        """Always a copy."""
        *names, _ = (each.name for each in fields(self))
        pairs = ((getattr(self, name), getattr(newer, name)) for name in names)
        both = dict(zip(names, map(np.concatenate, pairs), strict=True))
        return replace(newer, **both)  # type: ignore[arg-type]  # `usual`, a float, is not in it


def _read(
    times: NDArray[np.float64], broken: NDArray[np.bool_], values: Floats, usual: float
) -> Past:
    """Of single readings."""
    counts = (~np.isnan(values)).astype(np.uint8)
    return Past(times, broken, values, values, values, counts, usual)


class _Grid(NamedTuple):
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
    times = np.maximum(past.times, start)
    fresh = np.append(True, times[1:] > times[:-1])
    if np.count_nonzero(fresh) + np.count_nonzero(past.broken[1:]) <= columns:
        grid = _column_for_each(times, np.flatnonzero(fresh), past)
    elif columns == 1:
        whole = np.zeros(1, np.intp)
        grid = _Grid(whole, times[:1], whole[:0], times[:0], times[-1] - times[0])
    else:
        grid = _columns_of_equal_width(times, past.broken, end - start, columns)
    sums = _sums(past, grid.starts)
    told = np.flatnonzero(sums[-1])
    if not told.size:
        return empty_trace(grid.column_seconds)
    # Columns before the first value say nothing, nor do gaps before it.
    first = told[0]
    some = grid.gaps > first
    gaps = grid.gaps[some] - first
    times = np.insert(grid.times[first:], gaps, grid.gap_times[some])
    low, high, mean, counts = np.insert(sums[:, first:], gaps, _NO_SUM, axis=1)
    return Trace(times, low, high, mean, counts.astype(np.int64), grid.column_seconds)


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


def _sums(past: Past, starts: NDArray[np.intp]) -> NDArray[np.float64]:
    """From each start to the next: the least, the most, the mean, and how many readings."""
    counts = np.add.reduceat(past.counts, starts, dtype=np.float64)
    minima = np.fmin.reduceat(past.minima, starts).astype(np.float64)
    maxima = np.fmax.reduceat(past.maxima, starts).astype(np.float64)
    weighted = np.multiply(past.means, past.counts, dtype=np.float64)
    weighted[past.counts == 0] = 0.0
    with np.errstate(invalid="ignore"):
        means = np.add.reduceat(weighted, starts) / counts
    # Rounding may carry a mean past what it is the mean of.
    return np.stack((minima, maxima, np.clip(means, minima, maxima), counts))


class History:
    """Of each card so much and no more. Every method may be called from any thread."""

    ended = None  # it goes on

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
        self._strips: dict[tuple[CardId, Cadence], _Strip] = {}  # replaced whole
        self._lock = threading.Lock()
        # When the first sample came, be it kept still or not; None before that.
        self.began: float | None = None

    def append(self, sample: Sample) -> None:
        """Keep what can be plotted. A time before the newest one counts as the newest one."""
        if self.began is None:
            self.began = sample.at
        for cadence, metrics in _METRICS.items():
            key, some = (sample.card, cadence), not metrics.isdisjoint(sample.values)
            if some and key not in self._strips:
                self._begin(key, sample.at)
            strip = self._strips.get(key)
            if strip is not None and (some or not metrics.isdisjoint(sample.missing)):
                with strip.lock:
                    strip.append(sample.at, sample.values)

    def trace(
        self, card: CardId, metric: MetricId, start: float, end: float, columns: int = 1500
    ) -> Trace:
        return condensed(self.past(card, metric, start, end), start, end, columns)

    def past(self, card: CardId, metric: MetricId, start: float, end: float) -> Past:
        """The same uncondensed."""
        cadence = METRICS[metric].cadence if metric in METRICS else Cadence.FAST
        strip = self._strips.get((card, cadence))
        if strip is None:
            return Past.nothing(0.0)
        with strip.lock:
            return strip.past(metric, start, end)

    def cards(self) -> tuple[CardId, ...]:
        """Those with a past, in the order in which they were first heard of."""
        return tuple(dict.fromkeys(card for card, _ in self._strips))

    def memory_bytes(self) -> int:
        strips = self._strips.values()
        return sum(each.readings.memory_bytes() + each.sums.memory_bytes() for each in strips)

    def _begin(self, key: tuple[CardId, Cadence], at: float) -> None:
        """Also forgets cards that have been silent for a day, as MIG instances come and go."""
        oldest, cadence = at - self._lengths.day, key[1]
        with self._lock:
            heard = {each: x for each, x in self._strips.items() if x.newest >= oldest}
            fresh = _Strip(self._lengths, self._beats[cadence], _METRICS[cadence], at)
            self._strips = {**heard, key: heard.get(key, fresh)}


class _Rows:
    """Times, and a growing column for each metric, of one or several figures a row."""

    def __init__(self, nothing: Sequence[float]) -> None:
        self.times, self.broken = array("d"), array("b")  # whether a gap lies before it
        self.columns: dict[MetricId, array[float]] = {}
        self._nothing = nothing  # a row of a metric of which nothing was told

    def meet(self, metric: MetricId) -> None:
        code = "d" if METRICS[metric].unit in _EXACT_UNITS else "f"
        self.columns[metric] = array(code, self._nothing) * len(self.times)

    def window(
        self, metric: MetricId, start: float, end: float
    ) -> tuple[NDArray[np.float64], NDArray[np.bool_], Floats]:
        """Views: as long as they are held nothing can be added."""
        times, column = np.frombuffer(self.times), self.columns[metric]
        some = slice(times.searchsorted(start), times.searchsorted(end, side="right"))
        figures = np.frombuffer(column, column.typecode).reshape(-1, len(self._nothing))
        return times[some], np.frombuffer(self.broken, np.bool_)[some], figures[some]

    def forget(self, rows: int) -> None:
        del self.times[:rows], self.broken[:rows]
        for column in self.columns.values():
            del column[: rows * len(self._nothing)]

    def memory_bytes(self) -> int:
        columns = [self.times, *self.columns.values()]
        return len(self.broken) + sum(len(each) * each.itemsize for each in columns)


class _Strip:
    """Metrics of one card that are read together. The oldest readings are put into sums; a
    reading is in one of the two at any time. Whoever calls has the lock.
    """

    def __init__(
        self, lengths: _Lengths, beat: float, metrics: frozenset[MetricId], began: float
    ) -> None:
        self.lock, self.newest = threading.Lock(), began
        self.readings, self.sums = _Rows([math.nan]), _Rows(_NO_SUM[:, 0].tolist())
        self._lengths, self._beat, self._metrics = lengths, beat, metrics
        self._most = math.ceil((lengths.full + 3 * lengths.bucket) / FASTEST_BEAT)
        self._distances = deque([beat] * 5, maxlen=5)

    @property
    def _usual(self) -> float:
        """A new beat is learnt after three samples; a single gap does not change it."""
        # Rounds that somebody asked for in between do not make a second seem long.
        return max(sorted(self._distances)[2], min(self._beat, 1.0))

    def append(self, at: float, values: Mapping[MetricId, float]) -> None:
        rows = self.readings
        for metric in (values.keys() & self._metrics) - rows.columns.keys():
            rows.meet(metric)
            self.sums.meet(metric)
        usual, distance = self._usual, 0.0
        if rows.times:
            at = max(at, self.newest)
            distance = at - self.newest
            self._distances.append(distance)
        self.newest = at
        rows.times.append(at)
        rows.broken.append(bool(distance > GAP * usual))
        for metric, column in rows.columns.items():
            column.append(values.get(metric, math.nan))
        full, _, bucket = self._lengths
        if at - rows.times[0] > full + 2 * bucket or len(rows.times) > self._most:
            self._make_sums(at)

    def past(self, metric: MetricId, start: float, end: float) -> Past:
        """A copy of what is known of a metric in a window; sums on its edges are whole."""
        if metric not in self.readings.columns:
            return Past.nothing(self._beat)
        times, broken, values = self.readings.window(metric, start, end)
        singly = _read(times, broken, values[:, 0], self._usual)
        bucket = self._lengths.bucket
        first = math.floor(start / bucket) * bucket if math.isfinite(start) else start
        times, broken, told = self.sums.window(metric, first, end)
        low, high, mean, number = told.T
        outline = Past(times, broken, low, high, mean, number.astype(np.int64), bucket)
        return outline.followed_by(singly)

    def _make_sums(self, now: float) -> None:
        """Of whole buckets that are too old, and of a share where there are too many."""
        full, day, bucket = self._lengths
        rows, sums = self.readings, self.sums
        oldest = bisect_left(rows.times, (now - full) // bucket * bucket)
        if len(rows.times) > self._most:
            oldest = max(oldest, self._most // _SHARES)
        times, broken = np.array(rows.times[:oldest]), np.array(rows.broken[:oldest], np.bool_)
        places = np.flatnonzero(np.diff(times // bucket, prepend=-math.inf))
        sums.times.extend(times[places])
        sums.broken.extend(broken[places].tolist())
        for metric, column in rows.columns.items():
            values = np.array(column[:oldest])
            told = _sums(_read(times, broken, values, bucket), places)
            sums.columns[metric].frombytes(told.T.astype(column.typecode).tobytes())
        rows.forget(oldest)
        sums.forget(bisect_left(sums.times, now - day - bucket))


_METRICS = {
    cadence: frozenset(
        metric.id for metric in METRICS.values() if metric.plotted and metric.cadence is cadence
    )
    for cadence in Cadence
}
