"""SweepRow: what was measured of one way over all sizes, with its curve and its figures."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from gpuexplorer.copies.result import CopyResult, Curve, curve_of
from gpuexplorer.copies.routes import Route, Way
from gpuexplorer.core.units import gigabytes_per_second
from gpuexplorer.core.words import tr
from gpuexplorer.gui.copies.shared_parts import size_words
from gpuexplorer.gui.copies.sweep_ways import (
    SIZES,
    SweepWay,
    dashes_of,
    ends_words,
    how_words,
    place_words,
)
from gpuexplorer.lab.wire import CopyJob

_FLAT = 1.3  # so much more for twice the bytes, and it is not at its top yet


@dataclass(frozen=True, slots=True)
class LimitLine:
    """What a wire could carry, and its name."""

    rate: float
    name: str  # "PCIe 4.0 x16"

    @property
    def words(self) -> str:
        return f"{self.name}, {gigabytes_per_second(self.rate)} GB/s"


@dataclass(frozen=True, slots=True, eq=False)
class SweepRow:
    """`colour` is the card's whose data it is; None: the host's, or cards have none."""

    way: SweepWay
    ends: str  # "host to 0"
    how: str  # "pinned"; empty where there is but one way
    colour: int | None
    dash: int
    results: Sequence[CopyResult]  # by size
    curve: Curve | None
    limit: LimitLine | None
    no_limit: str  # why there is none
    trouble: str = ""  # what was not measured, and why
    wrong: bool = False  # of some size, at least

    @property
    def words(self) -> str:
        return tr("{ends}, {how}", ends=self.ends, how=self.how) if self.how else self.ends

    @property
    def times(self) -> Sequence[tuple[int, float]]:
        """Bytes and seconds of all that was measured."""
        return [
            (each.job.bytes, each.seconds) for each in self.results if each.seconds is not None
        ]

    @property
    def spreads(self) -> Sequence[tuple[int, float, float]]:
        """Bytes, and the seconds of the shortest and of the longest sample."""
        return [
            (each.job.bytes, min(each.measured.samples_s), max(each.measured.samples_s))
            for each in self.results
            if each.measured is not None and each.seconds is not None
        ]

    @property
    def share(self) -> float | None:
        if self.curve is None or self.limit is None or self.curve.in_cache:
            return None
        return self.curve.top / self.limit.rate

    @property
    def half_rate_bytes(self) -> float | None:
        """None too where the rate still rises: nobody knows yet what half of it is."""
        return None if self.curve is None or self.still_rises else self.curve.half_rate_bytes

    @property
    def still_rises(self) -> bool:
        if self.curve is None:
            return False
        before, last = self.curve.points[-2:]
        doublings = math.log2(last.bytes / before.bytes)
        return last.rate > before.rate * math.pow(_FLAT, doublings)

    def seconds(self, size: int) -> float | None:
        """As measured, else between what was; None where nothing tells."""
        for measured, seconds in self.times:
            if measured == size:
                return seconds
        return None if self.curve is None else self.curve.seconds_for(size)

    def is_measured(self, size: int) -> bool:
        return any(measured == size for measured, _ in self.times)


def rows_of(
    ways: Sequence[SweepWay],
    results: Mapping[CopyJob, CopyResult],
    chips: Mapping[str, str],
    colours: Mapping[str, int | None],
    route: Callable[[SweepWay], Route | None],
) -> list[SweepRow]:
    """By what the largest copies reach, so that what leads from a curve's end to its row does
    not cross what leads from another.
    """
    rows = [
        _row(way, dash, results, chips, colours, route(way))
        for way, dash in zip(ways, dashes_of(ways), strict=True)
    ]
    return sorted(rows, key=lambda row: -row.curve.points[-1].rate if row.curve else 0.0)


def _row(
    way: SweepWay,
    dash: int,
    results: Mapping[CopyJob, CopyResult],
    chips: Mapping[str, str],
    colours: Mapping[str, int | None],
    route: Route | None,
) -> SweepRow:
    jobs = [way.job(size) for size in SIZES]
    own = [results[job] for job in jobs if job is not None and job in results]
    limit, why = _limit(way, chips, route)
    return SweepRow(
        way,
        ends_words(way.source, way.target, chips),
        how_words(way, route),
        colours.get(way.source),
        dash,
        own,
        curve_of(own),
        limit,
        why,
        _trouble(own),
        any(each.wrong for each in own),
    )


def _limit(
    way: SweepWay, chips: Mapping[str, str], route: Route | None
) -> tuple[LimitLine | None, str]:
    if route is None:
        return None, tr("nothing is known of the wiring")
    if route.limit is None:
        return None, tr(route.limit_reason)
    if way.source == way.target:
        place = place_words(way.source, chips)
        name = tr("Memory of {device}, read and written", device=place)
    elif route.way is Way.NVLINK and route.direct:
        name = tr(route.words)
    else:
        name = tr(route.limit_reason or route.words)
    return LimitLine(route.limit, name), ""


def _trouble(results: Sequence[CopyResult]) -> str:
    for each in results:
        if each.wrong:
            return tr(
                "{size} arrives WRONG. A wrong copy has no rate.",
                size=size_words(each.job.bytes),
            )
        if each.failure:
            return tr("{size}: {why}", size=size_words(each.job.bytes), why=each.why)
    return ""
