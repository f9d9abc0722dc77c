"""SweepRow: what was measured of one way over all sizes, with its curve and its figures."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from gpuexplorer.copies.result import CopyResult
from gpuexplorer.copies.route import Route, Way
from gpuexplorer.copies.sweep import Curve, curve_of
from gpuexplorer.core.units import Quantity, duration, gigabytes_per_second, memory, ratio
from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.wording.copies.sizes import size_words
from gpuexplorer.gui.wording.copies.sweep.ways import (
    SIZES,
    SweepWay,
    dashes_of,
    ends_words,
    how_words,
    place_words,
)
from gpuexplorer.lab.copy_job import CopyJob

_FLAT = 1.3  # so much more for twice the bytes, and it is not at its top yet
NOT_MEASURED = mark("not measured yet")
NOT_REACHED = mark("no size that was measured is below half of the rate")
STILL_RISES = mark("the rate still rises at the largest size that was measured")
NO_FLOOR = mark("no size that was measured is small enough")

_IN_CACHE = mark("all sizes that were measured fit into the card's cache")


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
        return None if self.curve is None or self._still_rises else self.curve.half_rate_bytes

    @property
    def no_half(self) -> str:
        return tr(STILL_RISES if self._still_rises else NOT_REACHED)

    @property
    def _still_rises(self) -> bool:
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


def figures_of(row: SweepRow) -> Sequence[tuple[Quantity | None, str]]:
    """Rate, share of the limit, half-rate size and floor; None comes with its reason."""
    curve = row.curve
    if curve is None:
        return [(None, row.trouble or tr(NOT_MEASURED))] * 4
    share, half, floor = row.share, row.half_rate_bytes, curve.floor
    no_share = tr(_IN_CACHE) if curve.in_cache else row.no_limit
    return [
        (Quantity(gigabytes_per_second(curve.top)), ""),
        (None, no_share) if share is None else (ratio(share), ""),
        (None, row.no_half) if half is None else (memory(half), ""),
        (None, tr(NO_FLOOR)) if floor is None else (duration(floor), ""),
    ]


def floor_words(row: SweepRow) -> Sequence[str]:
    """What is to be said of small copies, in two lines; none where none was small enough."""
    if row.curve is None or row.curve.floor is None or row.curve.floor_bytes is None:
        return ()
    size, price = size_words(row.curve.floor_bytes), str(duration(row.curve.floor))
    return (
        tr("Up to {size} the price is {price},", size=size, price=price),
        tr("whatever the size"),
    )


def row_said(row: SweepRow) -> str:
    """All of a row, for whoever does not see it."""
    if row.curve is None:
        why = row.trouble or tr(NOT_MEASURED)
        return tr("{way}: {why}", way=row.words, why=why)
    told = []
    (rate, _), (share, _), (half, _), (floor, _) = figures_of(row)
    if rate is not None:
        told.append(f"{rate.number} GB/s")
    if share is not None:
        told.append(tr("{share} of the limit", share=str(share)))
    if half is not None:
        told.append(tr("half at {size}", size=str(half)))
    if floor is not None:
        told.append(tr("floor {time}", time=str(floor)))
    if row.wrong:
        told.append(tr("some sizes arrive WRONG"))
    return tr("{way}: {figures}", way=row.words, figures=", ".join(told))


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
        ends_words(way, chips),
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
