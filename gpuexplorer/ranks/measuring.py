"""Measuring between ranks: each pair, and all together, a size at a time; the results by
nccl-tests' definitions, as JSON and CSV.
"""

import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import NamedTuple, TypeAlias

from gpuexplorer.copies.result_json import COLUMNS as COPIES_COLUMNS
from gpuexplorer.copies.result_json import SCHEMA, Json, gigabytes
from gpuexplorer.core.harmless import csv_of
from gpuexplorer.core.units import bytes_words
from gpuexplorer.core.words import NOTHING, Message, mark
from gpuexplorer.ranks.company import PATIENCE, Company
from gpuexplorer.ranks.meeting import Met, meet
from gpuexplorer.ranks.wire import Take, Taken, Way

ALL = "all"
_OURS = ("lower_s", "upper_s", "bus_rate_gbs", "ranks", "backend")
_WRONG = Message("It arrived WRONG: a wrong copy has no rate.")
Row: TypeAlias = "dict[str, Json]"


class Asked(NamedTuple):
    ways: Sequence[Way]
    sizes: Sequence[int]


@dataclass(frozen=True)
class RankResult:
    """`source` and `target` are machines; of all together both are ALL."""

    way: Way
    source: str
    target: str
    bytes: int
    seconds: Sequence[float]  # of each time
    intact: bool
    ranks: int
    backend: str
    path: str = ""
    promised: float | None = None  # by the narrowest wire, bytes per second

    @property
    def quartiles(self) -> tuple[float, float, float]:
        low, middle, high = statistics.quantiles(self.seconds, n=4, method="inclusive")
        return low, middle, high

    @property
    def rate(self) -> float | None:
        """algbw: bytes by time. What is wrong has none."""
        return self.bytes / self.quartiles[1] if self.intact else None

    @property
    def bus_rate(self) -> float | None:
        """busbw: what a wire has to carry for it, whatever the number of ranks."""
        together = self.way is Way.ALL_REDUCE
        factor = 2 * (self.ranks - 1) / self.ranks if together else 1.0
        return None if self.rate is None else self.rate * factor

    @property
    def share(self) -> float | None:
        if self.bus_rate is None or self.promised is None:
            return None
        return self.bus_rate / self.promised

    def as_json(self) -> Row:
        """The fields of a copy, empty where it has none such, and a few more."""
        low, middle, high = self.quartiles
        return {
            **dict.fromkeys(COPIES_COLUMNS),
            "source": self.source,
            "target": self.target,
            "bytes": self.bytes,
            "mode": "copy" if self.way is Way.ONE_WAY else self.way.value,
            "direction": "one",
            "samples_s": list(self.seconds),
            "median_s": middle,
            "min_s": min(self.seconds),
            "max_s": max(self.seconds),
            "lower_s": low,
            "upper_s": high,
            "rate_gbs": gigabytes(self.rate),
            "bus_rate_gbs": gigabytes(self.bus_rate),
            "limit_gbs": gigabytes(self.promised),
            "share_of_limit": self.share,
            "path": self.path,
            "intact": self.intact,
            "ranks": self.ranks,
            "backend": self.backend,
            "simulated": False,
            "modelled": False,
            "notes": [] if self.intact else [_WRONG],
        }


def as_json(hosts: Sequence[str], results: Sequence[RankResult], *, complete: bool) -> Row:
    return {
        "schema": SCHEMA,
        "simulated": False,
        "modelled": False,
        "hosts": list(hosts),
        "results": [each.as_json() for each in results],
        "complete": complete,
    }


def as_csv(results: Sequence[RankResult]) -> str:
    """The columns of copies in their places, and ours behind them."""
    rows = [{**each.as_json(), "notes": "" if each.intact else _WRONG} for each in results]
    return csv_of((*COPIES_COLUMNS, *_OURS), rows)


def measure(
    company: Company,
    asked: Asked,
    on_met: Callable[[Met], None],
    on_result: Callable[[RankResult], None],
    on_progress: Callable[[Message], None],
) -> None:
    """To the end, in this thread. Raises Trouble as soon as a host fails."""
    names = [each.name for each in company.members]
    ranks = range(len(names))
    on_progress(Message("Starting PyTorch on {count} hosts", count=len(names)))
    here = company.start()
    on_progress(Message("Looking how the hosts reach each other"))
    met = meet(company, here, max(asked.sizes))
    on_met(met)
    jobs = []
    for way in asked.ways:
        if way is Way.ALL_REDUCE:  # of numbers, of four bytes each
            jobs += [Take(way, max(4, size // 4 * 4)) for size in asked.sizes]
        else:
            pairs = permutations(ranks, 2)
            jobs += [Take(way, size, *pair) for pair in pairs for size in asked.sizes]
    for number, job in enumerate(jobs, 1):
        known = {"number": number, "all": len(jobs), "size": bytes_words(job.bytes)}
        if job.way is Way.ALL_REDUCE:
            who, source, target, path = list(ranks), ALL, ALL, NOTHING
            promises = [each.promised for each in met.paths.values()]
            on_progress(Message("{number} of {all}: all-reduce, {size}", **known))
        else:
            who = [job.source, job.target]
            source, target = (names[each] for each in who)
            between = met.paths[job.source, job.target]
            path, promises = between.words, [between.promised]
            known |= {"source": source, "target": target}
            on_progress(Message("{number} of {all}: {source} to {target}, {size}", **known))
        for rank in who:
            company.tell(rank, job)
        nothing = mark("No bytes pass between {hosts}, though all of them answer.")
        told = company.answers(Taken, who, 2 * PATIENCE, nothing).values()
        # Of all who took times, the slowest each time: it is not over before.
        taken = [each.seconds for each in told if each.seconds]
        slowest = list(map(max, zip(*taken, strict=True)))
        intact = all(each.intact for each in told)
        known_promises = [each for each in promises if each is not None]
        narrowest = min(known_promises) if len(known_promises) == len(promises) else None
        ends = job.way, source, target, job.bytes
        on_result(RankResult(*ends, slowest, intact, len(who), met.backend, path, narrowest))
