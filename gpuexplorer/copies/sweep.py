"""Curve: one path over many sizes: its floor, its half-rate size, and what others will take."""

import math
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from gpuexplorer.copies.result import CopyResult

_FLAT = 1.25  # so much longer than the shortest, and only the beginning costs


@dataclass(frozen=True, slots=True)
class Point:
    bytes: int
    seconds: float
    in_cache: bool = False  # of a card, whose memory took no part

    @property
    def rate(self) -> float:
        return self.bytes / self.seconds


@dataclass(frozen=True, slots=True)
class Line:
    """Seconds as a beginning and so many bytes per second."""

    latency: float
    rate: float

    def seconds(self, size: float) -> float:
        return self.latency + size / self.rate


class Curve:
    """Points by size, two at least."""

    def __init__(self, points: Sequence[Point]) -> None:
        self.points = tuple(sorted(points, key=lambda point: point.bytes))

    @property
    def top(self) -> float:
        """The highest rate that was measured; that of a cache only where nothing else was."""
        outside = [point for point in self.points if not point.in_cache]
        return max(point.rate for point in outside or self.points)

    @property
    def in_cache(self) -> bool:
        """Nothing was measured that the card's memory took part in."""
        return all(point.in_cache for point in self.points)

    @property
    def floor(self) -> float | None:
        """What the smallest copies take, whatever their size; None: none was small enough."""
        shortest = min(point.seconds for point in self.points)
        flat = []
        for point in self.points:
            if point.seconds > _FLAT * shortest:
                break
            flat.append(point.seconds)
        return statistics.median(flat) if len(flat) > 1 else None

    @property
    def floor_bytes(self) -> int | None:
        """Up to this size the price is the floor."""
        floor = self.floor
        if floor is None:
            return None
        return max(point.bytes for point in self.points if point.seconds <= _FLAT * floor)

    @property
    def half_rate_bytes(self) -> float | None:
        """The size that reaches half of the top; None: each that was measured reached more."""
        half = self.top / 2
        for before, after in pairwise(self.points):
            if before.rate < half <= after.rate:
                share = _share(before.rate, half, after.rate)
                return _between(before.bytes, after.bytes, share)
        return None

    @property
    def line(self) -> Line:
        """The beginning and the rate that suit all sizes best, each by its own measure."""
        # Least squares of (a + b x - t) / t.
        weights = [1 / point.seconds**2 for point in self.points]
        sizes = [float(point.bytes) for point in self.points]
        times = [point.seconds for point in self.points]
        total = sum(weights)
        x = sum(w * size for w, size in zip(weights, sizes, strict=True)) / total
        t = sum(w * time for w, time in zip(weights, times, strict=True)) / total
        spread = sum(w * (s - x) ** 2 for w, s in zip(weights, sizes, strict=True))
        joint = sum(
            w * (s - x) * (time - t) for w, s, time in zip(weights, sizes, times, strict=True)
        )
        slope = joint / spread if spread and joint > 0 else 1 / self.top
        return Line(max(0.0, t - slope * x), 1 / slope)

    def seconds_for(self, size: float) -> float:
        """Between what was measured, by the two sizes beside it; beyond, by floor and rate."""
        first, last = self.points[0], self.points[-1]
        if size <= first.bytes:
            line = self.line
            least = first.seconds - first.bytes / line.rate
            return max(least, 0.0) + size / line.rate
        if size >= last.bytes:
            return last.seconds + (size - last.bytes) / self.top
        for before, after in pairwise(self.points):
            if size <= after.bytes:
                share = _share(before.bytes, size, after.bytes)
                return _between(before.seconds, after.seconds, share)
        return last.seconds


def curve_of(results: Iterable[CopyResult]) -> Curve | None:
    """Of results of one path; None where fewer than two have a time."""
    points = {
        result.job.bytes: Point(result.job.bytes, result.seconds, result.in_cache)
        for result in results
        if result.seconds is not None
    }
    return Curve(list(points.values())) if len(points) > 1 else None


def _share(least: float, value: float, most: float) -> float:
    """Where it stands between the two, each step being so many times the one before."""
    if least <= 0 or most <= least:
        return 1.0
    return math.log(value / least) / math.log(most / least)


def _between(least: float, most: float, share: float) -> float:
    return math.exp(math.log(least) + share * math.log(most / least))
