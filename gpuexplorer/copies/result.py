"""CopyResult: what a measurement gave beside what the way could carry; several of one path as
a curve over sizes, and all of them as JSON, schema 1, and as CSV.
"""

import math
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise, takewhile
from random import Random
from typing import TypeAlias

from gpuexplorer.copies.routes import Route
from gpuexplorer.core.harmless import csv_of
from gpuexplorer.core.records import written
from gpuexplorer.core.units import gigabytes_per_second
from gpuexplorer.core.words import NOTHING, Message, told
from gpuexplorer.lab.events import Measured
from gpuexplorer.lab.wire import CopyJob

SCHEMA = 1
Json: TypeAlias = "str | int | float | bool | None | Sequence[Json] | Mapping[str, Json]"
COLUMNS = (
    *("source", "target", "bytes", "mode", "pinned", "direction", "median_s", "min_s", "max_s"),
    *("variation", "host_s", "rate_gbs", "back_rate_gbs", "limit_gbs", "share_of_limit"),
    *("path", "direct", "gated", "intact", "simulated", "modelled", "notes"),
)
SAMPLES = 7
_SPREAD = 0.004  # of what is modelled
_AT_ONCE = 0.9
_FLAT = 1.25  # so much longer than the shortest, and only the beginning costs


_NOTHING_MEASURED = Measured(0, ())


@dataclass(frozen=True, slots=True)
class Busy:
    """A device that others used while something was measured on it: `share` of its time, from 0
    to 1, shortly before.
    """

    device: str
    share: float

    @property
    def sentence(self) -> Message:
        return Message(
            "{device} was busy: {share:.0f} %.", device=self.device, share=self.share * 100
        )


@dataclass(frozen=True, slots=True)
class CopyResult:
    """One job, once measured or modelled, or the sentence why it could not be."""

    job: CopyJob
    measured: Measured | None
    route: Route | None
    failure: Message = NOTHING
    hint: Message = NOTHING
    busy: Sequence[Busy] = ()  # what others used while it was measured

    @property
    def seen(self) -> Measured:
        """What was measured, or one in which nothing is."""
        return self.measured or _NOTHING_MEASURED

    @property
    def why(self) -> Message:
        """Why it could not be, and what to do."""
        return told(self.failure, self.hint)

    @property
    def bytes(self) -> int:
        """That were copied: fewer than asked for where so many did not fit."""
        return self.seen.fewer_bytes or self.job.bytes

    @property
    def wrong(self) -> bool:
        return self.seen.intact is False

    @property
    def compared(self) -> Message:
        """What was compared with what had been sent; empty where nothing was."""
        if not self.seen.compared_samples:
            return NOTHING
        samples = Message.counted(
            "The last copy of {count} sample was compared with what was sent.",
            "The last copy of each of {count} samples was compared with what was sent.",
            self.seen.compared_samples,
        )
        if not self.seen.compared_copies:
            return samples
        copies = Message.counted(
            "{count} more was compared by itself.",
            "{count} more were compared one by one.",
            self.seen.compared_copies,
        )
        return told(samples, copies)

    @property
    def seconds(self) -> float | None:
        """The median of the samples. A copy that arrives wrong has no time worth telling."""
        samples = self.seen.samples_s
        return None if self.wrong or not samples else statistics.median(samples)

    @property
    def rate(self) -> float | None:
        """Bytes per second, one direction; a local copy's bytes count once."""
        return self.bytes / self.seconds if self.seconds else None

    @property
    def unit(self) -> Message:
        """Of its rate: within a device no way is meant."""
        if self.job.local:
            return Message("GB/s")
        return Message("GB/s each way") if self.job.both_ways else Message("GB/s one way")

    @property
    def in_cache(self) -> bool:
        """The memory took no part: both ends fit into the card's cache."""
        return self.seen.in_cache

    @property
    def traffic(self) -> float | None:
        """Of a local copy, what its memory read and wrote, in bytes per second."""
        if self.rate is None or not self.job.local or self.job.mode != "copy" or self.in_cache:
            return None
        return 2 * self.rate

    @property
    def back_rate(self) -> float | None:
        """Of the other direction, where both were measured at once."""
        samples = self.seen.back_samples_s
        return None if self.wrong or not samples else self.bytes / statistics.median(samples)

    @property
    def limit(self) -> float | None:
        return None if self.route is None else self.route.limit

    @property
    def share(self) -> float | None:
        """Of what the narrowest wire could carry."""
        if self.rate is None or not self.limit or self.in_cache:
            return None
        return self.rate / self.limit

    @property
    def direct(self) -> bool | None:
        """As the driver said while it was measured; before that, as the wiring promises."""
        if self.job.mode == "staged":
            return False
        if self.seen.direct is None and self.route is not None:
            return self.route.direct
        return self.seen.direct

    @property
    def modelled(self) -> bool:
        return self.seen.modelled

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
    def overlap(self) -> float | None:
        """Of several copies, the share of the shortest in which all were under way; None where
        a gate let them begin at once, or there is but one.
        """
        return self.seen.overlap

    @property
    def at_once(self) -> bool:
        """Its several copies ran at the same time, so that their rates can be added up."""
        return self.overlap is None or self.overlap >= _AT_ONCE

    @property
    def variation(self) -> float | None:
        """Standard deviation as a share of the mean."""
        return variation_of(self.seen.samples_s)

    @property
    def notes(self) -> tuple[Message, ...]:
        """Sentences: what is to be known of it beside its figures."""
        route, no_limit, traffic = self.route, NOTHING, NOTHING
        if self.traffic is not None:
            traffic = Message(
                "Copied bytes count once: memory traffic is {traffic} GB/s.",
                traffic=gigabytes_per_second(self.traffic),
            )
        if route is not None and route.limit is None and route.limit_reason:
            no_limit = Message("No limit: {reason}.", reason=route.limit_reason)
        said = (
            Message("Not measured: {why}", why=self.why) if self.failure else NOTHING,
            Message("It arrived WRONG: a wrong copy has no rate.") if self.wrong else NOTHING,
            Message("Modelled: no bytes were moved.") if self.modelled else NOTHING,
            self.compared,
            *self.seen.notes,
            *(each.sentence for each in self.busy),
            traffic,
            *(() if route is None else route.notes),
            no_limit,
        )
        return tuple(filter(None, said))


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
    job, seen = result.job, written(result.seen)
    figures = (
        *("samples_s", "host_s", "asked_s", "back_samples_s", "alone_s", "copying_s"),
        *("together_s", "in_cache", "gated", "intact", "wrong", "compared_samples"),
        "compared_copies",
    )
    lists = ("samples_s", "back_samples_s", "wrong")
    return {
        **{name: written(job)[name] for name in ("source", "target", "mode", "pinned")},
        "bytes": result.bytes,
        "bytes_asked_for": job.bytes,
        "direction": "both" if job.both_ways else "one",
        "pieces": job.pieces,
        "beside": written(job.beside),
        **{
            name: rounded(seen[name], 12) if result.measured or name in lists else None
            for name in figures
        },
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
    return None if rate is None else round(rate / 1e9, 6)


def rounded(value: float | None, digits: int = 6) -> float | None:
    return round(value, digits) if isinstance(value, float) else value


@dataclass(frozen=True, slots=True)
class Point:
    bytes: int
    seconds: float
    in_cache: bool = False  # of a card, whose memory took no part

    @property
    def rate(self) -> float:
        return self.bytes / self.seconds


class Curve:
    """One path over many sizes: points by size, two at least."""

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
        longest = _FLAT * min(point.seconds for point in self.points)
        flat = [*takewhile(lambda point: point.seconds <= longest, self.points)]
        return statistics.median(point.seconds for point in flat) if len(flat) > 1 else None

    @property
    def floor_bytes(self) -> int | None:
        """Up to this size the price is the floor."""
        if (floor := self.floor) is None:
            return None
        return max(point.bytes for point in self.points if point.seconds <= _FLAT * floor)

    @property
    def half_rate_bytes(self) -> float | None:
        """The size that reaches half of the top; None: each that was measured reached more."""
        half = self.top / 2
        for one, two in pairwise(self.points):
            if one.rate < half <= two.rate:
                return _between((one.rate, one.bytes), half, (two.rate, two.bytes))
        return None

    def seconds_for(self, size: float) -> float:
        """By the two sizes beside it; beyond all, by the shortest and by the highest rate."""
        first, last = self.points[0], self.points[-1]
        if size <= first.bytes or size >= last.bytes:
            return (
                first.seconds
                if size <= first.bytes
                else last.seconds + (size - last.bytes) / self.top
            )
        one, two = next(pair for pair in pairwise(self.points) if size <= pair[1].bytes)
        return _between((one.bytes, one.seconds), size, (two.bytes, two.seconds))


def curve_of(results: Iterable[CopyResult]) -> Curve | None:
    """Of results of one path; None where fewer than two have a time."""
    points = {
        result.job.bytes: Point(result.job.bytes, result.seconds, result.in_cache)
        for result in results
        if result.seconds is not None
    }
    return Curve(list(points.values())) if len(points) > 1 else None


def _between(one: tuple[float, float], at: float, two: tuple[float, float]) -> float:
    """On the straight line between two points, both axes being logarithmic."""
    (x, y), (right, above) = one, two
    share = math.log(at / x) / math.log(right / x)
    return y * math.pow(above / y, share)
