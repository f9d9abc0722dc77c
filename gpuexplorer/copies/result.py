"""CopyResult: what a measurement gave beside what the way could carry; several of one path as
a curve over sizes, and all of them as JSON, schema 1, and as CSV.
"""

import math
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise, takewhile
from random import Random
from typing import NamedTuple, TypeAlias

from gpuexplorer.copies.routes import Route
from gpuexplorer.core.harmless import csv_of
from gpuexplorer.core.records import written
from gpuexplorer.core.units import gigabytes_per_second
from gpuexplorer.core.words import NOTHING, Message, mark, told
from gpuexplorer.lab.events import Measured
from gpuexplorer.lab.wire import CopyJob

SCHEMA = 1
Json: TypeAlias = "str | int | float | bool | None | Sequence[Json] | Mapping[str, Json]"
COLUMNS = (
    *("source", "target", "bytes", "mode", "pinned", "direction", "median_s", "min_s", "max_s"),
    *("variation", "host_s", "rate_gbs", "back_rate_gbs", "limit_gbs", "share_of_limit"),
    *("path", "direct", "gated", "intact", "simulated", "modelled", "notes"),
)
_FIGURES = (
    *("samples_s", "host_s", "asked_s", "back_samples_s", "alone_s", "copying_s"),
    *("together_s", "in_cache", "gated", "intact", "wrong", "compared_samples"),
    "compared_copies",
)
SAMPLES = 7
_SPREAD = 0.004  # of what is modelled
_AT_ONCE = 0.9
_FLAT = 1.25  # so much longer than the shortest, and only the beginning costs


class Busy(NamedTuple):
    """A device that others used while something was measured on it: `share` of its time, from 0
    to 1, shortly before.
    """

    device: str
    share: float

    @property
    def sentence(self) -> Message:
        percent = self.share * 100
        return Message("{device} was busy: {share:.0f} %.", device=self.device, share=percent)


@dataclass
class CopyResult:
    """One job, once measured or modelled, or the sentence why it could not be. Rates are in
    bytes per second, one direction; those of a copy that arrives wrong are None.
    """

    job: CopyJob
    measured: Measured | None
    route: Route | None
    failure: Message = NOTHING
    hint: Message = NOTHING
    busy: Sequence[Busy] = ()  # what others used while it was measured

    def __post_init__(self) -> None:
        job, route, seen = self.job, self.route, self.measured or Measured(0, ())
        self.seen = seen  # what was measured, or one in which nothing is
        self.why = told(self.failure, self.hint)
        # Fewer than asked for where so many did not fit.
        self.bytes = seen.fewer_bytes or job.bytes
        self.wrong = seen.intact is False
        self.modelled, self.in_cache = seen.modelled, seen.in_cache
        self.variation = variation_of(seen.samples_s)
        self.seconds = None if self.wrong else _median(seen.samples_s)
        back = None if self.wrong else _median(seen.back_samples_s)
        # A local copy's bytes count once; its memory reads and writes them.
        self.rate = self.bytes / self.seconds if self.seconds else None
        self.back_rate = self.bytes / back if back else None
        plain = job.local and job.mode == "copy" and not seen.in_cache
        self.traffic = 2 * self.rate if plain and self.rate else None
        self.limit = None if route is None else route.limit
        # Of what the narrowest wire could carry; a cache has none.
        share = self.rate / self.limit if self.rate and self.limit else None
        self.share = None if seen.in_cache else share
        # As the driver said while it was measured; before that, as the wiring promises.
        promised = None if route is None else route.direct
        direct = promised if seen.direct is None else seen.direct
        self.direct = False if job.mode == "staged" else direct
        # Of several copies, the share of the shortest in which all were under way; None where
        # a gate let them begin at once, or there is but one. Only then do rates add up.
        self.overlap = seen.overlap
        self.at_once = seen.overlap is None or seen.overlap >= _AT_ONCE

    @property
    def unit(self) -> Message:
        """Of its rate: within a device no way is meant."""
        if self.job.local:
            return Message("GB/s")
        return Message("GB/s each way") if self.job.both_ways else Message("GB/s one way")

    @property
    def beside_work(self) -> tuple[float, float, float] | None:
        """Seconds of computing alone, of copying alone and of both at once, for one copy."""
        seen, loops = self.seen, self.seen.loops
        if self.wrong or not (seen.alone_s and seen.copying_s) or seen.together_s is None:
            return None
        return seen.alone_s / loops, seen.copying_s / loops, seen.together_s / loops

    @property
    def hidden(self) -> float | None:
        """Of the shorter of copies and computation, the share that cost no time of its own."""
        if self.beside_work is None:
            return None
        computing, copying, together = self.beside_work
        return min(1.0, max(0.0, (computing + copying - together) / min(computing, copying)))

    @property
    def compared(self) -> Message:
        """What was compared with what had been sent; empty where nothing was."""
        samples, copies = self.seen.compared_samples, self.seen.compared_copies
        last = mark(
            "The last copy of each of {samples} samples was compared with what was sent."
        )
        more = mark("{copies} more were compared one by one.")
        return told(
            Message(last, samples=samples) if samples else NOTHING,
            Message(more, copies=copies) if copies else NOTHING,
        )

    @property
    def notes(self) -> tuple[Message, ...]:
        """Sentences: what is to be known of it beside its figures."""
        route, said = self.route, list[Message]()
        if self.failure:
            said.append(Message("Not measured: {why}", why=self.why))
        if self.wrong:
            said.append(Message("It arrived WRONG: a wrong copy has no rate."))
        if self.modelled:
            said.append(Message("Modelled: no bytes were moved."))
        said += (self.compared, *self.seen.notes, *(each.sentence for each in self.busy))
        if self.traffic is not None:
            traffic = gigabytes_per_second(self.traffic)
            once = mark("Copied bytes count once: memory traffic is {traffic} GB/s.")
            said.append(Message(once, traffic=traffic))
        if route is not None:
            said += route.notes
            if route.limit is None and route.limit_reason:
                said.append(Message("No limit: {reason}.", reason=route.limit_reason))
        return tuple(filter(None, said))


def _median(samples: Sequence[float]) -> float | None:
    return statistics.median(samples) if samples else None


def variation_of(samples: Sequence[float]) -> float | None:
    """Standard deviation as a share of the mean."""
    if len(samples) < 2:
        return None
    mean = statistics.fmean(samples)
    # statistics.stdev would compute it as a fraction: of 65 devices for 0.4 s.
    return math.dist(samples, [mean] * len(samples)) / math.sqrt(len(samples) - 1) / mean


def spread(seconds: float, chance: Random) -> tuple[float, ...]:
    """Samples whose median is what the model says: as many as are measured, spread as those."""
    by = [abs(chance.gauss(0.0, _SPREAD)) for _ in range(SAMPLES - 1)]
    offsets = [*(-each for each in by[: SAMPLES // 2]), 0.0, *by[SAMPLES // 2 :]]
    chance.shuffle(offsets)
    return tuple(seconds * (1.0 + offset) for offset in offsets)


def as_json(
    results: Iterable[CopyResult], *, simulated: bool, machine: str | None = None
) -> dict[str, Json]:
    """`machine`: where that is not this computer."""
    told = list(results)
    return {
        "schema": SCHEMA,
        **({} if machine is None else {"machine": machine}),
        "simulated": simulated,
        "modelled": simulated or any(each.modelled for each in told),
        "results": [result_as_json(each) for each in told],
    }


def result_as_json(result: CopyResult) -> dict[str, Json]:
    """Whatever was not measured is null, and a note says why."""
    job, seen = written(result.job), written(result.seen)
    if result.measured is None:
        seen |= dict.fromkeys(("in_cache", "compared_samples", "compared_copies"))
    told = {name: job[name] for name in ("source", "target", "mode", "pinned")}
    told |= {
        "bytes": result.bytes,
        "bytes_asked_for": result.job.bytes,
        "direction": "both" if result.job.both_ways else "one",
        "pieces": result.job.pieces,
        "beside": job["beside"],
    }
    figures = {name: seen[name] for name in _FIGURES}
    told |= {n: round(e, 12) if isinstance(e, float) else e for n, e in figures.items()}
    return {
        **told,
        "host_memory_near": seen["near"],
        "median_s": rounded(result.seconds, 12),
        "variation": rounded(result.variation),
        "hidden_share": rounded(result.hidden),
        "rate_gbs": gigabytes(result.rate),
        "back_rate_gbs": gigabytes(result.back_rate),
        "limit_gbs": gigabytes(result.limit),
        "share_of_limit": rounded(result.share),
        "path": "" if result.route is None else result.route.words,
        "direct": result.direct,
        "overlap": rounded(result.overlap),
        "modelled": result.modelled,
        "notes": list(result.notes),
    }


def as_csv(
    results: Iterable[CopyResult], *, simulated: bool, machine: str | None = None
) -> str:
    """A header and one line each; an empty field is a figure that there is not. What is of a
    `machine` other than this computer has a column for it.
    """
    columns = COLUMNS if machine is None else (*COLUMNS, "machine")
    rows = []
    for result in results:
        row = {**result_as_json(result), "simulated": simulated, "machine": machine}
        row["notes"] = " ".join(result.notes)
        if result.seconds is not None:
            row |= {"min_s": min(result.seen.samples_s), "max_s": max(result.seen.samples_s)}
        rows.append(row)
    return csv_of(columns, rows)


def gigabytes(rate: float | None) -> float | None:
    return rounded(rate, size=1e9)


def rounded(value: float | None, digits: int = 6, size: float = 1.0) -> float | None:
    return None if value is None else round(value / size, digits)


class Point(NamedTuple):
    bytes: int
    seconds: float
    in_cache: bool = False  # of a card, whose memory took no part

    @property
    def rate(self) -> float:
        return self.bytes / self.seconds


class Curve:
    """One path over many sizes: points by size, two at least."""

    def __init__(self, points: Iterable[Point]) -> None:
        self.points = tuple(sorted(points))
        outside = [point for point in self.points if not point.in_cache]
        # The highest rate that was measured; that of a cache only where nothing else was.
        self.top = max(point.rate for point in outside or self.points)
        longest = _FLAT * min(point.seconds for point in self.points)
        flat = [*takewhile(lambda point: point.seconds <= longest, self.points)]
        # What the smallest copies take, whatever their size; None: none was small enough.
        self.floor = statistics.median(each.seconds for each in flat) if len(flat) > 1 else None
        longest = _FLAT * (self.floor or 0.0)
        # Up to this size the price is the floor.
        cheap = (point.bytes for point in self.points if point.seconds <= longest)
        self.floor_bytes = max(cheap, default=None)

    @property
    def half_rate_bytes(self) -> float | None:
        """The size that reaches half of the top, between the logarithms of the two beside it;
        None: each that was measured reached more.
        """
        half = self.top / 2
        for one, two in pairwise(self.points):
            if one.rate < half <= two.rate:
                share = math.log(half / one.rate) / math.log(two.rate / one.rate)
                return one.bytes * math.pow(two.bytes / one.bytes, share)
        return None


def curve_of(results: Iterable[CopyResult]) -> Curve | None:
    """Of results of one path; None where fewer than two have a time."""
    points = {
        result.job.bytes: Point(result.job.bytes, result.seconds, result.in_cache)
        for result in results
        if result.seconds is not None
    }
    return Curve(points.values()) if len(points) > 1 else None
