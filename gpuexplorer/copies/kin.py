"""Kin: copies over ways of the same kind, which ought to be equally fast."""

import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from gpuexplorer.copies.asked_for import HOST
from gpuexplorer.copies.plan import Kind, kind_of
from gpuexplorer.copies.result import CopyResult
from gpuexplorer.copies.route import Wire


@dataclass(frozen=True, slots=True)
class Kin:
    """Some results of one kind, summed up. None: none of them has such a figure."""

    words: str  # "NVLink pairs", "Across the sockets, staged"
    results: Sequence[CopyResult]
    rate: float | None  # the median
    share: float | None

    @property
    def pairs(self) -> Sequence[tuple[str, str]]:
        return [(each.job.source, each.job.target) for each in self.results]


def kin_of(results: Iterable[CopyResult]) -> list[Kin]:
    """In the order in which their first ones came."""
    groups: dict[tuple[object, ...], list[CopyResult]] = {}
    for result in results:
        groups.setdefault(_key(result), []).append(result)
    return [_summed_up(group) for group in groups.values()]


def words_of(result: CopyResult) -> str:
    """The kind of way this one takes."""
    job, route = result.job, result.route
    if job.local:
        return "Inside the host" if job.source == HOST else "Inside a card"
    if job.source == HOST:
        return "Host to card"
    if job.target == HOST:
        return "Card to host"
    wires = {leg.wire for leg in route.legs} if route is not None else set()
    if Wire.NVLINK in wires:
        return "NVLink pairs"
    staged = ", staged" if route is not None and route.direct is False else ""
    if Wire.SOCKETS in wires:
        return f"Across the sockets{staged}"
    if route is not None and route.words.startswith("direct over one"):
        return "On one PCIe switch"
    return f"Inside one socket{staged}" if route is not None else "Card to card"


def _key(result: CopyResult) -> tuple[object, ...]:
    job = result.job
    limit = None if result.limit is None else round(result.limit)
    kind = kind_of(job)
    # What latency is compared by is not what the wire could carry.
    return words_of(result), kind, job.bytes, job.pieces, job.beside, limit


def _summed_up(group: Sequence[CopyResult]) -> Kin:
    rates = [each.rate for each in group if each.rate is not None]
    shares = [each.share for each in group if each.share is not None]
    kind = kind_of(group[0].job)
    words = words_of(group[0])
    if kind not in (Kind.ONE_WAY, Kind.STAGED):
        words = f"{words}, {kind.value}"
    return Kin(
        words,
        tuple(group),
        statistics.median(rates) if rates else None,
        statistics.median(shares) if shares else None,
    )
