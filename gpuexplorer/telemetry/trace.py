"""Trace, what a chart draws of one metric of one card; TraceSource, where charts get it; and
what was read over time as CSV: a row for each beat, a column for each metric of a card.
"""

import csv
import io
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from heapq import merge
from itertools import pairwise
from operator import attrgetter
from pathlib import Path
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from gpuexplorer.core.cards import CardId
from gpuexplorer.core.harmless import clean, harmless
from gpuexplorer.core.metrics import Metric, MetricId, Unit
from gpuexplorer.core.newer_python import UTC
from gpuexplorer.telemetry.whole_file import write_whole


@dataclass(frozen=True, slots=True, eq=False)
class Trace:
    """One metric in columns, oldest first; a column of NaN is a gap, not to be bridged.

    Columns need not touch: where the past is sparser than was asked for there are fewer of
    them, and a time without samples, however long, is one column. None begins with a gap.
    """

    times: NDArray[np.float64]  # when each column starts, seconds on the steady clock
    minima: NDArray[np.float64]
    maxima: NDArray[np.float64]
    means: NDArray[np.float64]
    counts: NDArray[np.int64]  # how many readings a column stands for; 0 in a gap
    column_seconds: float  # the time one column usually stands for

    def __len__(self) -> int:
        return int(self.times.size)


def empty_trace(column_seconds: float = 0.0) -> Trace:
    nothing = np.empty(0)
    counts = np.empty(0, np.int64)
    return Trace(nothing, nothing, nothing, nothing, counts, column_seconds)


class TraceSource(Protocol):
    """The past of cards: the live history or an opened recording; a view cannot tell which."""

    @property
    def began(self) -> float | None:
        """When reading began, in steady seconds; None as long as nothing was read."""
        ...

    @property
    def ended(self) -> float | None:
        """When it ended, which may lie after now; None where it goes on with now."""
        ...

    def trace(
        self, card: CardId, metric: MetricId, start: float, end: float, columns: int = 1500
    ) -> Trace:
        """What is known from `start` to `end`, in at most `columns` columns."""
        ...


class Past(TraceSource, Protocol):
    """All that a session remembers."""

    def cards(self) -> Sequence[CardId]:
        """Those with a past, in the order in which they were first heard of."""
        ...

    def memory_bytes(self) -> int: ...


SIMULATED = "simulated: no real card was read; all figures of cards are made up"
BLANKS = "a row is one beat of the readings; blank: not read at this beat"
_LONGEST = 300  # letters of a comment
# The share of a period after which a reading belongs to the next beat. Rounds are started one
# after the other, so that a slow one may come a moment before the beat that it belongs to.
_REACH = 0.9
# These count up, and are read as differences; of others a sensor knows no seven digits.
_EXACT = frozenset({Unit.COUNT, Unit.JOULES, Unit.SECONDS, Unit.BYTES})


class Read(NamedTuple):
    """What was read together; a reading from `until` on is of the next beat."""

    at: float
    until: float
    cells: Mapping[int, str]  # by their columns


@dataclass(frozen=True, slots=True, eq=False)
class TraceColumn:
    """One metric of one card. `reason` says why it is empty, where it is."""

    card: str
    metric: Metric
    trace: Trace
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Heading:
    """What stands above the figures."""

    source: str
    simulated: bool
    start: float  # steady seconds
    end: float
    offset: float  # makes seconds since 1970 out of steady ones


def write_traces(path: Path, columns: Sequence[TraceColumn], heading: Heading) -> None:
    """Takes seconds for a day of ten readings a second, and lets other threads run meanwhile.
    Raises `Trouble` where the file cannot be written.
    """
    names: list[str] = []
    reads: list[Iterator[Read]] = []
    empty: list[str] = []
    for column in columns:
        trace, name = column.trace, column_name(column.card, column.metric)
        kinds = {name: trace.means}
        if (trace.counts > 1).any():  # then each has its least and most
            kinds |= {f"{name} min": trace.minima, f"{name} max": trace.maxima}
        some = (
            (trace.times >= heading.start) & (trace.times <= heading.end) & (trace.counts > 0)
        )
        figures = np.stack((trace.times, *kinds.values()), axis=-1)[some]
        reads.append(_reads(figures.tolist(), len(names), figure_form(column.metric)))
        names += kinds
        if column.reason and not len(trace):
            empty.append(f"{name}: {column.reason}")
    start, end = (iso(at + heading.offset) for at in (heading.start, heading.end))
    comments = [SIMULATED] * heading.simulated
    comments += [f"GPU Explorer; {heading.source}", f"from {start} to {end}; SI units", BLANKS]
    lines = beat_lines(
        comments + empty,
        names,
        merge(*reads, key=attrgetter("at")),
        lambda at: (iso(at + heading.offset), f"{at:.3f}"),
    )
    write_whole(path, in_pieces(lines))


def beat_lines(
    comments: Iterable[str],
    names: Sequence[str],
    reads: Iterable[Read],
    times: Callable[[float], tuple[str, str]],
) -> Iterator[str]:
    """A beat ends when something is read again, or when the period of what was read is over.
    Which others something was read with, no reading says.
    """
    # Without commas they stay in one cell, and begin with their sign.
    yield from (f"# {clean(each, _LONGEST).replace(',', ';')}\n" for each in comments)
    head = io.StringIO()
    csv.writer(head, lineterminator="\n").writerow(["time", "steady_s", *map(harmless, names)])
    yield head.getvalue()
    row: list[str] = []
    read: set[int] = set()
    until = math.inf
    for at, ends, cells in reads:
        if not row or at >= until or not read.isdisjoint(cells):
            if row:
                yield ",".join(row) + "\n"
            row, read, until = [*times(at), *[""] * len(names)], set(), ends
        read.update(cells)
        until = min(until, ends)
        for column, text in cells.items():
            row[column + 2] = text
    if row:
        yield ",".join(row) + "\n"


def in_pieces(lines: Iterator[str]) -> Iterator[bytes]:
    return (line.encode("utf-8", "replace") for line in lines)


def untils(times: Sequence[float]) -> list[float]:
    """How long a beat with each of these readings can last."""
    apart = [after - before for before, after in pairwise(times)]
    reaches = map(min, [math.inf, *apart], [*apart, math.inf])
    return [at + _REACH * reach for at, reach in zip(times, reaches, strict=False)]


def column_name(card: str, metric: Metric) -> str:
    return f"{card} {metric.id} [{metric.unit}]".strip()


def figure_form(metric: Metric) -> str:
    return "%.12g" if metric.unit in _EXACT else "%.7g"


def iso(wall: float) -> str:
    """The time of day with its zone, to the millisecond."""
    return datetime.fromtimestamp(wall, UTC).astimezone().isoformat(timespec="milliseconds")


def _reads(rows: Sequence[Sequence[float]], place: int, form: str) -> Iterator[Read]:
    for (at, *figures), until in zip(rows, untils([row[0] for row in rows]), strict=True):
        yield Read(at, until, {place + n: form % each for n, each in enumerate(figures)})
