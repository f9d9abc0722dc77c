"""RankResult: one size one way between ranks, by nccl-tests' definitions; as JSON and CSV."""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from gpuexplorer.copies.result_json import COLUMNS as COPIES_COLUMNS
from gpuexplorer.copies.result_json import SCHEMA, Json, gigabytes
from gpuexplorer.core.spreadsheet import csv_of
from gpuexplorer.core.words import Message
from gpuexplorer.ranks.wire import Way

ALL = "all"
_OURS = ("lower_s", "upper_s", "bus_rate_gbs", "ranks", "backend")
Row: TypeAlias = "dict[str, Json]"


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


_WRONG = Message("It arrived WRONG: a wrong copy has no rate.")


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
    notes = {True: "", False: _WRONG}
    rows = [{**each.as_json(), "notes": notes[each.intact]} for each in results]
    return csv_of((*COPIES_COLUMNS, *_OURS), rows)
