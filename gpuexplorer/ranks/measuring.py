"""Measuring between ranks: each pair, and all together, a size at a time."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.units import bytes_words
from gpuexplorer.core.words import Message
from gpuexplorer.ranks.company import PATIENCE, Company
from gpuexplorer.ranks.meeting import Met, meet
from gpuexplorer.ranks.result import ALL, RankResult
from gpuexplorer.ranks.wire import Expects, Take, Taken, Told, Way

_SLOWER = 3.0  # than it was expected to be
# A time beyond is none, whatever a host says.
_SHORTEST, _LONGEST = 1e-9, 86_400.0
_FEWEST = 2


class Asked(NamedTuple):
    ways: Sequence[Way]
    sizes: Sequence[int]


def measure(
    company: Company,
    asked: Asked,
    on_met: Callable[[Met], None],
    on_result: Callable[[RankResult], None],
    on_progress: Callable[[Message], None],
) -> None:
    """To the end, in this thread. Raises Trouble as soon as a host fails."""
    world = len(company.members)
    on_progress(Message("Starting PyTorch on {count} hosts", count=world))
    here = company.start(
        lambda ready: on_progress(
            Message("PyTorch is ready on {ready} of {count} hosts", ready=ready, count=world)
        )
    )
    on_progress(Message("Looking how the hosts reach each other"))
    met = meet(company, here, max(asked.sizes))
    on_met(met)
    jobs = list(_jobs(asked, world))
    names = [each.name for each in company.members]
    for number, job in enumerate(jobs):
        on_progress(
            Message(
                "{number} of {all}: {way}, {source} to {target}, {size}",
                number=number + 1,
                all=len(jobs),
                way=job.way.value,
                source=ALL if job.way.together else names[job.source],
                target=ALL if job.way.together else names[job.target],
                size=bytes_words(job.bytes),
            )
        )
        on_result(_result(company, met, job._replace(number=number), names))


class _Job(NamedTuple):
    way: Way
    bytes: int
    source: int
    target: int
    number: int = 0


def _jobs(asked: Asked, world: int) -> Iterator[_Job]:
    """Both ways at once is one question for two; one way, it is two."""
    for way in asked.ways:
        pairs = [(a, b) for a in range(world) for b in range(world) if a != b]
        if way is Way.BOTH_WAYS:
            pairs = [(a, b) for a, b in pairs if a < b]
        for source, target in [(0, 1)] if way.together else pairs:
            for size in asked.sizes:
                yield _Job(way, size, source, target)


def _result(company: Company, met: Met, job: _Job, names: Sequence[str]) -> RankResult:
    world = len(names)
    ranks = range(world) if job.way.together else (job.source, job.target)
    order = Take(job.number, job.way, job.bytes, job.source, job.target)
    for rank in ranks:
        company.tell(rank, order)

    def longer(_rank: int, told: Told) -> float:
        if isinstance(told, Expects) and told.number == job.number:
            return PATIENCE + _SLOWER * min(max(0.0, told.seconds), _LONGEST)
        return 0.0

    late = Message(
        "No bytes pass between {hosts}, though all of them answer.",
        hosts=", ".join(names[rank] for rank in ranks),
    )
    told = company.answers(Taken, ranks, 2 * PATIENCE, late, longer)
    seconds = _together(told)
    if len(seconds) < _FEWEST:
        raise Trouble("The hosts took no times that could be used.")
    paths = (
        list(met.paths.values()) if job.way.together else [met.paths[job.source, job.target]]
    )
    promises = [each.promised for each in paths]
    known = [each for each in promises if each is not None]
    checked = [each.intact for each in told.values() if each.intact is not None]
    return RankResult(
        job.way,
        ALL if job.way.together else names[job.source],
        ALL if job.way.together else names[job.target],
        max(1, told[min(told)].bytes),
        seconds,
        bool(checked) and all(checked),
        world if job.way.together else 2,
        met.backend,
        "" if job.way.together else paths[0].words,
        min(known) if len(known) == len(promises) else None,
    )


def _together(told: Mapping[int, Taken]) -> Sequence[float]:
    """Of all who took times, the slowest each time: it is not over before."""
    taken = [each.seconds for each in told.values() if each.seconds]
    slowest = map(max, zip(*taken, strict=False))
    return [each for each in slowest if _SHORTEST <= each <= _LONGEST]
