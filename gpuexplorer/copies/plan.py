"""Plan: what a person wants to know about some devices, as the copies that answer it."""

from collections.abc import Iterable, Sequence
from enum import StrEnum

from gpuexplorer.copies.asked_for import HOST, refusal
from gpuexplorer.core.words import Message, mark
from gpuexplorer.lab.wire import LATENCY_BYTES, CopyJob

USUAL_BYTES = 256 << 20
SWEEP_LEAST, SWEEP_MOST = 4, 1 << 30


class Kind(StrEnum):
    """What is asked, by the word it is asked with. Host memory is pinned if nothing is said."""

    ONE_WAY = "one-way"
    BOTH_WAYS = "both-ways"
    LATENCY = "latency"
    PAGEABLE = "pageable"
    FRESH = "fresh"
    STAGED = "staged"
    BLOCKING = "blocking"
    OVERLAP = "overlap"
    STRIDED = "strided"
    CONVERTED = "converted"
    RAW = "raw"

    @property
    def words(self) -> Message:
        if self is Kind.LATENCY:
            return Message("Latency, of {bytes} bytes", bytes=LATENCY_BYTES)
        return Message(_WORDS[self])


_WORDS = {
    Kind.ONE_WAY: mark("One way, alone"),
    Kind.BOTH_WAYS: mark("Both ways at once, each direction"),
    Kind.PAGEABLE: mark("From and to memory that is not pinned"),
    Kind.FRESH: mark("From and to memory that nobody has touched"),
    Kind.STAGED: mark("Staged through pinned memory of the host"),
    Kind.BLOCKING: mark("Beside a computation, each copy keeps the host waiting"),
    Kind.OVERLAP: mark("Beside a computation, none keeps the host waiting"),
    Kind.STRIDED: mark("Every other row"),
    Kind.CONVERTED: mark("float32 that arrives as float16"),
    Kind.RAW: mark("The driver's own call"),
}
# What a person may ask for by name; the others are the window's own.
_OTHERS = (Kind.FRESH, Kind.STRIDED, Kind.CONVERTED, Kind.RAW)
TYPED = tuple(each for each in Kind if each not in _OTHERS)
_MODES = {
    Kind.ONE_WAY: "copy",
    Kind.BOTH_WAYS: "copy",
    Kind.PAGEABLE: "copy",
}


def job_of(
    kind: Kind, source: str, target: str, size: int = USUAL_BYTES, *, fit: bool = False
) -> CopyJob | None:
    """None where the question makes no sense between these two. `fit`: fewer bytes will do
    where so many do not fit.
    """
    with_host = (source == HOST) != (target == HOST)
    pinned: bool | None = None
    if HOST in (source, target):
        pinned = with_host and kind not in (Kind.PAGEABLE, Kind.FRESH)
    if kind is Kind.PAGEABLE and not with_host:
        return None
    job = CopyJob(
        source,
        target,
        LATENCY_BYTES if kind is Kind.LATENCY else size,
        _MODES.get(kind, kind.value),
        pinned,
        both_ways=kind is Kind.BOTH_WAYS,
        fit=fit,
    )
    return None if refusal(job) else job


def kind_of(job: CopyJob) -> Kind:
    if job.mode != "copy":
        return Kind(job.mode)
    if job.both_ways:
        return Kind.BOTH_WAYS
    with_host = (job.source == HOST) != (job.target == HOST)
    return Kind.PAGEABLE if with_host and job.pinned is False else Kind.ONE_WAY


def matrix(
    devices: Sequence[str], kind: Kind, size: int = USUAL_BYTES, *, fit: bool = False
) -> list[CopyJob]:
    """Every ordered pair, and each device with itself."""
    jobs = (job_of(kind, one, other, size, fit=fit) for one in devices for other in devices)
    return [job for job in jobs if job is not None]


def all_asked(
    devices: Sequence[str], sizes: Sequence[int], kinds: Iterable[Kind]
) -> list[CopyJob]:
    """Small sizes first, so that something is seen soon; nothing is measured twice. Of the
    usual size alone, fewer bytes will do.
    """
    fit = tuple(sizes) == (USUAL_BYTES,)
    jobs = [
        job
        for kind in kinds
        for size in (sizes if kind is not Kind.LATENCY else sizes[:1])
        for job in matrix(devices, kind, size, fit=fit)
    ]
    return list(dict.fromkeys(jobs))


def sweep_sizes(
    least: int = SWEEP_LEAST, most: int = SWEEP_MOST, factor: int = 2
) -> tuple[int, ...]:
    """From the least on, each so many times the one before, and the largest itself."""
    sizes = []
    size = least
    while size < most:
        sizes.append(size)
        size *= factor
    return (*sizes, most)
