"""SweepRow: one way of the bytes over many sizes: its figures, and what is said of them."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from gpuexplorer.copies.jobs import HOST, Kind, job_of, sweep_sizes
from gpuexplorer.copies.result import CopyResult, curve_of
from gpuexplorer.copies.routes import Route, Way, Wire
from gpuexplorer.core.units import Quantity, duration, gigabytes_per_second, memory, ratio
from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.copies.shared_parts import size_words
from gpuexplorer.gui.state.lab.devices import BenchDevice
from gpuexplorer.lab.wire import CopyJob

SIZES = sweep_sizes()
_HOW = {Kind.PAGEABLE: mark("pageable"), Kind.STAGED: mark("staged")}
_DASH = {Kind.PAGEABLE: 4, Kind.STAGED: 2}  # whole lines for what goes straight
_FLAT = 1.3  # so much more for twice the bytes, and it is not at its top yet
NOT_MEASURED = mark("not measured yet")
STILL_RISES = mark("the rate still rises at the largest size that was measured")


@dataclass(frozen=True, slots=True)
class SweepWay:
    """From one device to another, "cpu" or "cuda:0", and how."""

    source: str
    target: str
    kind: Kind = Kind.ONE_WAY

    def job(self, size: int) -> CopyJob | None:
        return job_of(self.kind, self.source, self.target, size)

    def how(self, route: Route | None = None) -> str:
        """Empty where there is but one way, or nobody can tell which it is."""
        if self.kind is not Kind.ONE_WAY:
            return tr(_HOW[self.kind])
        if (self.source == HOST) != (self.target == HOST):
            return tr("pinned")
        if self.source == self.target or route is None or route.direct is None:
            return ""
        if not route.direct:
            return tr("through the host")
        return "NVLink" if any(leg.wire is Wire.NVLINK for leg in route.legs) else tr("direct")


def jobs_of(ways: Iterable[SweepWay], sizes: Sequence[int] = SIZES) -> list[CopyJob]:
    """Small sizes first, so that all curves grow beside each other."""
    asked = list(ways)
    return [job for size in sizes for way in asked if (job := way.job(size)) is not None]


def ways_between(source: str, target: str) -> list[SweepWay]:
    ways = [SweepWay(source, target, kind) for kind in (Kind.ONE_WAY, *_HOW)]
    return [way for way in ways if way.job(SIZES[-1]) is not None]


def proposed(
    devices: Sequence[BenchDevice], route: Callable[[str, str], Route | None]
) -> list[SweepWay]:
    """A few that show what matters most on these devices."""
    cards = [each.name for each in devices if each.is_card]
    if not cards:
        return [SweepWay(each.name, each.name) for each in devices]
    first = cards[0]
    ways = [SweepWay(HOST, first), SweepWay(HOST, first, Kind.PAGEABLE)]
    if len(cards) == 1:
        return [*ways, SweepWay(first, HOST), SweepWay(first, first)]
    there = route(first, cards[1])
    ways.append(SweepWay(first, cards[1]))
    # Where the driver itself goes through the host, staging by hand would be the same again.
    if there is not None and there.direct is False:
        return [*ways, SweepWay(first, HOST)]
    return [*ways, SweepWay(first, cards[1], Kind.STAGED)]


def ends_words(source: str, target: str, chips: Mapping[str, str]) -> str:
    """Such as "host to 0"; `chips` are the devices' numbers in this window."""
    names = [tr("host") if each == HOST else chips.get(each, each) for each in (source, target)]
    if source != target:
        return tr("{source} to {target}", source=names[0], target=names[1])
    return tr("inside the host") if source == HOST else tr("inside {device}", device=names[0])


class SweepRow:
    """`colour` is the card's whose data it is; None: the host's, or cards have none."""

    def __init__(
        self,
        way: SweepWay,
        results: Sequence[CopyResult],
        chips: Mapping[str, str],
        colour: int | None,
        dash: int,
        route: Route | None,
    ) -> None:
        self.way, self.results, self.colour, self.dash = way, results, colour, dash
        self.how = way.how(route)
        ends = ends_words(way.source, way.target, chips)
        self.words = tr("{ends}, {how}", ends=ends, how=self.how) if self.how else ends
        self.curve = curve_of(results)
        self.times = {r.job.bytes: r.seconds for r in results if r.seconds is not None}
        self.limit = None if route is None else route.limit
        self.limit_words = "" if route is None else _wire(way, ends, route)
        bad = next((each for each in results if each.wrong or each.failure), None)
        self.wrong = any(each.wrong for each in results)
        self.trouble = ""  # what was not measured, and why
        if bad is not None:
            why = tr("arrives WRONG. A wrong copy has no rate.") if bad.wrong else bad.why
            self.trouble = tr("{size}: {why}", size=size_words(bad.job.bytes), why=why)

    @property
    def half_rate_bytes(self) -> float | None:
        """None too where the rate still rises: nobody knows yet what half of it is."""
        return None if self.curve is None or self.rises else self.curve.half_rate_bytes

    @property
    def rises(self) -> bool:
        if self.curve is None:
            return False
        before, last = self.curve.points[-2:]
        return last.rate > before.rate * math.pow(_FLAT, math.log2(last.bytes / before.bytes))

    @property
    def figures(self) -> Sequence[tuple[Quantity | None, str]]:
        """Rate, share of the limit, half-rate size and floor; None comes with its reason."""
        curve, half = self.curve, self.half_rate_bytes
        if curve is None:
            return [(None, self.trouble or tr(NOT_MEASURED))] * 4
        share: tuple[Quantity | None, str] = None, tr("nothing tells what the wire could carry")
        if curve.in_cache:
            share = None, tr("all sizes that were measured fit into the card's cache")
        elif self.limit is not None:
            share = ratio(curve.top / self.limit), ""
        no_half = STILL_RISES if self.rises else mark("no size was below half of the rate")
        return [
            (Quantity(gigabytes_per_second(curve.top)), ""),
            share,
            (None, tr(no_half)) if half is None else (memory(half), ""),
            (None, tr("no size that was measured is small enough"))
            if curve.floor is None
            else (duration(curve.floor), ""),
        ]

    @property
    def said(self) -> str:
        """All of it, for whoever does not see it."""
        if self.curve is None:
            return tr("{way}: {why}", way=self.words, why=self.figures[0][1])
        rate, share, half, floor = (figure for figure, _ in self.figures)
        told = [
            f"{rate.number} GB/s" if rate else "",
            tr("{share} of the limit", share=share) if share else "",
            tr("half at {size}", size=half) if half else "",
            tr("floor {time}", time=floor) if floor else "",
            tr("some sizes arrive WRONG") if self.wrong else "",
        ]
        return tr("{way}: {figures}", way=self.words, figures=", ".join(filter(None, told)))


def rows_of(
    ways: Sequence[SweepWay],
    results: Mapping[CopyJob, CopyResult],
    chips: Mapping[str, str],
    colours: Mapping[str, int | None],
    route: Callable[[SweepWay], Route | None],
) -> list[SweepRow]:
    """The fastest first."""
    rows = []
    for way, dash in zip(ways, dashes_of(ways), strict=True):
        own = [results[job] for job in jobs_of([way]) if job in results]
        rows.append(SweepRow(way, own, chips, colours.get(way.source), dash, route(way)))
    return sorted(rows, key=lambda row: -row.curve.points[-1].rate if row.curve else 0.0)


def dashes_of(ways: Sequence[SweepWay]) -> Iterator[int]:
    """Whole where the way is straight, and never twice in one colour."""
    taken: set[tuple[str, int]] = set()
    for way in ways:
        wanted = _DASH.get(way.kind, 0)
        free = (at for at in (wanted, *range(8)) if (way.source, at) not in taken)
        dash = next(free, wanted)
        taken.add((way.source, dash))
        yield dash


def _wire(way: SweepWay, ends: str, route: Route) -> str:
    """What limits it, and to how much."""
    if route.limit is None:
        return ""
    name = tr(route.limit_reason or route.words)
    if way.source == way.target:
        name = tr("Memory {inside}, read and written", inside=ends)
    elif route.way is Way.NVLINK and route.direct:
        name = tr(route.words)
    return f"{name}, {gigabytes_per_second(route.limit)} GB/s"


def figures_at(size: int, seconds: float) -> str:
    """Small copies reach thousandths of a GB/s, which are not nothing."""
    gigabytes = size / seconds / 1e9
    small = f"{gigabytes:.2g}" if gigabytes >= 1e-4 else f"{gigabytes:.5f}"
    rate = gigabytes_per_second(gigabytes * 1e9) if gigabytes >= 0.1 else small
    return f"{rate} GB/s, {duration(seconds)}"


def said_at(rows: Sequence[SweepRow], size: int) -> str:
    told = [
        f"{row.words} {figures_at(size, row.times[size])}"
        if size in row.times
        else tr("{way} not measured", way=row.words)
        for row in rows
    ]
    return tr("{size}: {figures}", size=size_words(size), figures="; ".join(told))
