"""What was read over time as CSV: a row for each beat, a column for each metric of a card; of
plots of the window here, and of recordings.
"""

import csv
import io
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from heapq import merge
from itertools import islice, pairwise
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from gpuexplorer.core.harmless import clean, harmless
from gpuexplorer.core.metrics import Metric, Unit
from gpuexplorer.core.newer_python import UTC
from gpuexplorer.telemetry.whole_file import write_whole

if TYPE_CHECKING:  # it brings NumPy along, which an export does without
    from gpuexplorer.telemetry.trace import Trace

SIMULATED = "simulated: no real card was read; all figures of cards are made up"
BLANKS = "a row is one beat of the readings; blank: not read at this beat"
_LONGEST = 300  # letters of a comment
_LINES_AT_ONCE = 200
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
    trace: "Trace"
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
        name = column_name(column.card, column.metric)
        trace, of_several = column.trace, bool((column.trace.counts > 1).any())
        reads.append(_reads(column, heading, len(names), of_several=of_several))
        names += [name, f"{name} min", f"{name} max"] if of_several else [name]
        if column.reason and not len(trace):
            empty.append(f"{name}: {column.reason}")
    start, end = (iso(at + heading.offset) for at in (heading.start, heading.end))
    comments = [
        *([SIMULATED] if heading.simulated else []),
        f"GPU Explorer; {heading.source}",
        f"from {start} to {end}; SI units",
        *(BLANKS, *empty),
    ]
    lines = beat_lines(
        comments,
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
    named = ["time", "steady_s", *map(harmless, names)]
    csv.writer(head, lineterminator="\n").writerow(named)
    yield head.getvalue()
    row: list[str] = []
    read: set[int] = set()
    until = -math.inf
    for at, ends, cells in reads:
        if at >= until or not read.isdisjoint(cells):
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
    while some := "".join(islice(lines, _LINES_AT_ONCE)):
        yield some.encode("utf-8", "replace")


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


def _reads(
    column: TraceColumn, heading: Heading, place: int, *, of_several: bool
) -> Iterator[Read]:
    """Of that stretch, and no gaps; a figure of several readings has its least and most."""
    trace, form = column.trace, figure_form(column.metric)
    there = (trace.times >= heading.start) & (trace.times <= heading.end)
    there &= trace.means == trace.means
    kinds = (trace.means, trace.minima, trace.maxima) if of_several else (trace.means,)
    times = trace.times[there].tolist()
    figures = zip(*(kind[there].tolist() for kind in kinds), strict=True)
    for at, until, some in zip(times, untils(times), figures, strict=True):
        yield Read(at, until, {place + n: form % each for n, each in enumerate(some)})
