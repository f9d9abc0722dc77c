"""Rows and Buckets: preallocated arrays, oldest row first, moved down only when full; and Plan,
how many rows keep what a history promises.

Memory that no row has reached yet is not taken from the computer, so large tables start cheap.
"""

import math
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import DTypeLike, NDArray

Kind = TypeVar("Kind", bound=np.generic)
FASTEST_BEAT = 0.1  # seconds; samples that come faster than this may shorten the past
SHARES = 64  # a full table gives up one of so many equal parts


class Lengths(NamedTuple):
    """How far back a history reaches, in seconds."""

    full_seconds: float  # every reading of at least this long
    day_seconds: float  # then minimum, maximum, mean and count of each bucket
    bucket_seconds: float


@dataclass(frozen=True, slots=True)
class Plan:
    """The sizes of one tape, whose samples are announced to be `period` seconds apart."""

    lengths: Lengths
    period: float

    @property
    def rows(self) -> int:
        """Room for single readings, with some to spare for a beat that is a little early."""
        full, day, bucket = self.lengths
        # A bucket costs as much as four readings, so rare ones are kept singly all day long.
        seconds = max(full, day) if self.period >= bucket / 4 else full
        return _with_slack(seconds / self.period, bucket / self.period)

    @property
    def most_rows(self) -> int:
        """What `rows` may grow to when samples come faster than announced."""
        full, _, bucket = self.lengths
        return max(self.rows, _with_slack(full / FASTEST_BEAT, bucket / FASTEST_BEAT))

    @property
    def buckets(self) -> int:
        """Room for the time before the one that is kept in single readings."""
        full, day, bucket = self.lengths
        return _with_slack(max(0.0, day - full) / bucket, 1)


def _with_slack(rows: float, bucket: float) -> int:
    # The oldest share and the bucket begun there are given up at once; the rest must be enough.
    return math.ceil(rows * (1 + 2 / SHARES) + bucket) + 2


class Rows:
    """One row for each sample, one column for each metric."""

    def __init__(self, capacity: int, kind: DTypeLike) -> None:
        self.capacity = capacity
        self.length = 0
        self.times = np.empty(capacity)
        self.broken = np.empty(capacity, np.bool_)  # whether a gap lies before this row
        self.values: NDArray[np.floating] = np.empty((capacity, 0), kind)

    def append(self, at: float, broken: bool, values: list[float]) -> None:
        row = self.length
        self.times[row] = at
        self.broken[row] = broken
        self.values[row] = values
        self.length = row + 1

    def discard(self, oldest: int) -> None:
        for array in (self.times, self.broken, self.values):
            _move_down(array, oldest, self.length)
        self.length -= oldest

    def widen(self, columns: int) -> None:
        self.values = _resized(self.values, (self.capacity, columns), self.length, math.nan)

    def grow(self, capacity: int) -> None:
        self.capacity = capacity
        self.times = _resized(self.times, (capacity,), self.length)
        self.broken = _resized(self.broken, (capacity,), self.length)
        shape = (capacity, self.values.shape[1])
        self.values = _resized(self.values, shape, self.length)

    def memory_bytes(self) -> int:
        return self.times.nbytes + self.broken.nbytes + self.values.nbytes


@dataclass(slots=True)
class Folded:
    """Some buckets, one a row: when each begins and ends, and its figures for every metric."""

    firsts: NDArray[np.float64]
    lasts: NDArray[np.float64]
    broken: NDArray[np.bool_]
    minima: NDArray[np.floating]
    maxima: NDArray[np.floating]
    means: NDArray[np.floating]
    counts: NDArray[np.uint16]

    def arrays(self) -> tuple[NDArray[np.generic], ...]:
        figures = (self.minima, self.maxima, self.means, self.counts)
        return (self.firsts, self.lasts, self.broken, *figures)


class Buckets:
    """One row for each bucket of time in which there was a sample."""

    # More samples than this do not fit into the count of one bucket.
    MOST_COUNTED = np.iinfo(np.uint16).max

    def __init__(self, capacity: int, columns: int, kind: DTypeLike) -> None:
        self.capacity = capacity
        self.length = 0
        shape = (capacity, columns)
        self.rows = Folded(
            firsts=np.empty(capacity),
            lasts=np.empty(capacity),
            broken=np.empty(capacity, np.bool_),
            minima=np.empty(shape, kind),
            maxima=np.empty(shape, kind),
            means=np.empty(shape, kind),
            counts=np.empty(shape, np.uint16),
        )

    def extend(self, folded: Folded) -> None:
        """Add newer buckets; the oldest go when there is no room."""
        new = min(folded.firsts.size, self.capacity)
        if self.length + new > self.capacity:
            self.discard(min(self.length, max(new, self.capacity // SHARES)))
        for mine, its in zip(self.rows.arrays(), folded.arrays(), strict=True):
            mine[self.length : self.length + new] = its[-new:]
        self.length += new

    def discard(self, oldest: int) -> None:
        for array in self.rows.arrays():
            _move_down(array, oldest, self.length)
        self.length -= oldest

    def widen(self, columns: int) -> None:
        rows, shape, length = self.rows, (self.capacity, columns), self.length
        rows.minima = _resized(rows.minima, shape, length, math.nan)
        rows.maxima = _resized(rows.maxima, shape, length, math.nan)
        rows.means = _resized(rows.means, shape, length, math.nan)
        rows.counts = _resized(rows.counts, shape, length)

    def memory_bytes(self) -> int:
        return sum(array.nbytes for array in self.rows.arrays())


def _move_down(array: NDArray[np.generic], oldest: int, length: int) -> None:
    array[: length - oldest] = array[oldest:length]


def _resized(
    array: NDArray[Kind], shape: tuple[int, ...], length: int, fill: float = 0
) -> NDArray[Kind]:
    """A copy with more room; columns that are new to the rows in use hold `fill`."""
    larger = np.empty(shape, array.dtype)
    if array.ndim == 1:
        larger[:length] = array[:length]
    else:
        larger[:length, : array.shape[1]] = array[:length]
        larger[:length, array.shape[1] :] = fill
    return larger
