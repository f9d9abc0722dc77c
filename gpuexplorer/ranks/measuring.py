"""Measuring between ranks: each pair, and all together, a size at a time."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import permutations
from typing import NamedTuple

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.units import bytes_words
from gpuexplorer.core.words import NOTHING, Message, mark
from gpuexplorer.ranks.company import LONGEST, PATIENCE, Company
from gpuexplorer.ranks.meeting import Met, meet
from gpuexplorer.ranks.result import ALL, RankResult
from gpuexplorer.ranks.wire import Take, Taken, Way

_NOTHING_PASSES = mark("No bytes pass between {hosts}, though all of them answer.")
_SHORTEST = 1e-9
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
    here = company.start()
    on_progress(Message("Looking how the hosts reach each other"))
    met = meet(company, here, max(asked.sizes))
    on_met(met)
    jobs = list(_jobs(asked, world))
    for number, job in enumerate(jobs, 1):
        source, target = (company.members[each].name for each in (job.source, job.target))
        known = {"number": number, "all": len(jobs), "size": bytes_words(job.bytes)}
        if job.way is Way.ALL_REDUCE:
            source = target = ALL
            on_progress(Message("{number} of {all}: all-reduce, {size}", **known))
        else:
            known |= {"source": source, "target": target}
            on_progress(Message("{number} of {all}: {source} to {target}, {size}", **known))
        on_result(_result(company, met, job, source, target))


def _jobs(asked: Asked, world: int) -> Iterator[Take]:
    for way in asked.ways:
        if way is Way.ALL_REDUCE:  # of numbers, of four bytes each
            yield from (Take(way, max(4, size // 4 * 4)) for size in asked.sizes)
        else:
            for source, target in permutations(range(world), 2):
                yield from (Take(way, size, source, target) for size in asked.sizes)


def _result(company: Company, met: Met, job: Take, source: str, target: str) -> RankResult:
    if job.way is Way.ALL_REDUCE:
        ranks: Sequence[int] = range(len(company.members))
        paths, words = list(met.paths.values()), NOTHING
    else:
        ranks = job.source, job.target
        paths = [met.paths[job.source, job.target]]
        words = paths[0].words
    for rank in ranks:
        company.tell(rank, job)
    told = company.answers(Taken, ranks, 2 * PATIENCE, _NOTHING_PASSES)
    promises = [each.promised for each in paths]
    known = [each for each in promises if each is not None]
    return RankResult(
        job.way,
        source,
        target,
        job.bytes,
        _together(told.values()),
        all(each.intact for each in told.values()),
        len(ranks),
        met.backend,
        words,
        min(known) if len(known) == len(promises) else None,
    )


def _together(told: Iterable[Taken]) -> Sequence[float]:
    """Of all who took times, the slowest each time: it is not over before."""
    slowest = map(max, zip(*(each.seconds for each in told if each.seconds), strict=False))
    times = [each for each in slowest if _SHORTEST <= each <= LONGEST]
    if len(times) < _FEWEST:
        raise Trouble("The hosts took no times that could be used.")
    return times
