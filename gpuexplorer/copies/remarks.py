"""Remarks: what is to be known of measured copies, though no wire is at fault."""

from collections.abc import Iterator, Sequence

from gpuexplorer.copies.finding import (
    Bar,
    Cell,
    Finding,
    Matter,
    cell_of,
    cells_of,
    from_to,
    unit_of,
)
from gpuexplorer.copies.plan import Kind, kind_of
from gpuexplorer.copies.result import CopyResult
from gpuexplorer.core.units import memory
from gpuexplorer.core.words import Message

_DEARER = 0.8
_UNSTEADY = 0.15
_FASTER = 1.05


def faster(results: Sequence[CopyResult]) -> Iterator[Finding]:
    """Than the wire could carry: then something that was told is not so."""
    found = [each for each in results if (each.share or 0.0) > _FASTER]
    if not found:
        return
    rates = [each.rate for each in found if each.rate is not None]
    limits = [each.limit for each in found if each.limit is not None]
    yield Finding(
        Matter.FASTER,
        Message("Faster than the wire could carry"),
        Message(
            "{rates} {unit}, where {limits} are the limit.",
            rates=from_to(rates),
            unit=unit_of(found),
            limits=from_to(limits),
        ),
        cells_of(found),
        hint=Message("What the driver reports of the link, or the datasheet, may be too low."),
    )


def pageable(results: Sequence[CopyResult]) -> Iterator[Finding]:
    pinned = {
        (cell_of(each), each.job.bytes): each
        for each in results
        if kind_of(each.job) is Kind.ONE_WAY and each.job.pinned
    }
    dear: list[tuple[CopyResult, CopyResult]] = []
    for result in results:
        other = pinned.get((cell_of(result), result.job.bytes))
        if kind_of(result.job) is not Kind.PAGEABLE or other is None:
            continue
        if (result.rate or 0.0) < _DEARER * (other.rate or 0.0):
            dear.append((result, other))
    if not dear:
        return
    slow = [each.rate for each, _ in dear if each.rate]
    fast = [each.rate for _, each in dear if each.rate]
    times = [o.rate / each.rate for each, o in dear if o.rate and each.rate]
    yield Finding(
        Matter.PAGEABLE,
        Message("Memory that is not pinned is slow"),
        Message(
            "{slow} GB/s one way, where pinned memory reaches {fast}: it takes {times} times "
            "as long.",
            slow=from_to(slow),
            fast=from_to(fast),
            times=from_to(times, "{:.1f}"),
        ),
        cells_of(each for each, _ in dear),
        hint=Message("Pin what is copied again and again, once: pin_memory()."),
        bars=(
            Bar(Message("Not pinned"), max(slow)),
            Bar(Message("Pinned"), max(fast)),
        ),
    )


def busy(results: Sequence[CopyResult]) -> Iterator[Finding]:
    seen: dict[str, float] = {}
    cells: dict[str, list[Cell]] = {}
    for result in results:
        for each in result.busy if result.measured is not None else ():
            seen[each.device] = max(each.share, seen.get(each.device, 0.0))
            cells.setdefault(each.device, []).append(cell_of(result))
    if not seen:
        return
    shares = ", ".join(f"{share * 100:.0f} %" for share in seen.values())
    yield Finding(
        Matter.BUSY,
        Message("Busy while it was measured: {shares}", shares=shares),
        Message.counted(
            "Other programs used it meanwhile, so these figures may be too low.",
            "Other programs used them meanwhile, so these figures may be too low.",
            len(seen),
        ),
        tuple(dict.fromkeys(cell for found in cells.values() for cell in found)),
        tuple(seen),
        Message("Measure again when nothing else runs."),
    )


def unsteady(results: Sequence[CopyResult]) -> Iterator[Finding]:
    varied = [each for each in results if (each.variation or 0.0) > _UNSTEADY]
    if not varied:
        return
    most = max(each.variation or 0.0 for each in varied)
    yield Finding(
        Matter.UNSTEADY,
        Message("Varied from sample to sample"),
        Message.counted(
            "By {share:.0f} % (standard deviation): something else used the way meanwhile.",
            "By {share:.0f} % (standard deviation) at most: something else used the way "
            "meanwhile.",
            len(varied),
            share=most * 100,
        ),
        cells_of(varied),
        hint=Message("Close what else runs, and measure again."),
    )


def not_at_once(results: Sequence[CopyResult]) -> Iterator[Finding]:
    apart = [each for each in results if not each.at_once]
    if not apart:
        return
    yield Finding(
        Matter.NOT_AT_ONCE,
        Message("Not at the same time"),
        Message(
            "Asked for at once, these copies were under way together for {shares} % of the "
            "shortest: their rates must not be added up.",
            shares=from_to([(each.overlap or 0.0) * 100 for each in apart], "{:.0f}"),
        ),
        cells_of(apart),
    )


def fewer_bytes(results: Sequence[CopyResult]) -> Iterator[Finding]:
    fewer = [each for each in results if each.bytes < each.job.bytes]
    if not fewer:
        return
    least = min(fewer, key=lambda each: each.bytes)
    yield Finding(
        Matter.FEWER_BYTES,
        Message("Fewer bytes were copied than asked for"),
        Message(
            "{size} instead of {asked}: more would have taken too much of the memory that "
            "is free.",
            size=str(memory(least.bytes)),
            asked=str(memory(least.job.bytes)),
        ),
        cells_of(fewer),
        hint=Message("End what holds the memory, and measure again."),
    )


def not_measured(results: Sequence[CopyResult]) -> Iterator[Finding]:
    alike: dict[tuple[Message, Message], list[CopyResult]] = {}
    for result in results:
        if result.measured is None:
            alike.setdefault((result.failure, result.hint), []).append(result)
    for (failure, hint), group in alike.items():
        yield Finding(
            Matter.NOT_MEASURED,
            Message("Not measured"),
            failure,
            cells_of(group),
            hint=hint,
        )
