"""Kin: copies over ways of the same kind, which ought to be equally fast."""

import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from gpuexplorer.copies.asked_for import HOST
from gpuexplorer.copies.plan import Kind, kind_of
from gpuexplorer.copies.result import CopyResult
from gpuexplorer.copies.route import Way, Wire
from gpuexplorer.core.words import Message


@dataclass(frozen=True, slots=True)
class Kin:
    """Some results of one kind, summed up. None: none of them has such a figure."""

    words: Message  # "NVLink pairs", "Across the sockets, staged"
    kind: Kind
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


def words_of(result: CopyResult) -> Message:
    """The kind of way this one takes."""
    job, route = result.job, result.route
    if job.local:
        return Message("Inside the host") if job.source == HOST else Message("Inside a card")
    if job.source == HOST:
        return Message("Host to card")
    if job.target == HOST:
        return Message("Card to host")
    if route is None:
        return Message("Card to card")
    wires = {leg.wire for leg in route.legs}
    if Wire.NVLINK in wires:
        return Message("NVLink pairs")
    staged = route.direct is False
    if Wire.SOCKETS in wires:
        across = Message("Across the sockets")
        return Message("Across the sockets, staged") if staged else across
    if route.way is Way.SWITCH:
        return Message("On one PCIe switch")
    return Message("Inside one socket, staged") if staged else Message("Inside one socket")


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
    return Kin(
        words_of(group[0]),
        kind,
        tuple(group),
        statistics.median(rates) if rates else None,
        statistics.median(shares) if shares else None,
    )
