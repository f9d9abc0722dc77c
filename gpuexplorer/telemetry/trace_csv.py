"""Traces as CSV: a row per moment, a column per line, blanks where nothing was read."""

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gpuexplorer.core.metric import Metric, Unit
from gpuexplorer.telemetry.trace import Trace
from gpuexplorer.telemetry.whole_file import write_whole

_ROWS_AT_ONCE = 200
# These count up, and are read as differences; of others a sensor knows no seven digits.
_EXACT = frozenset({Unit.COUNT, Unit.JOULES, Unit.SECONDS, Unit.BYTES})


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


def write_traces(path: Path, columns: Sequence[TraceColumn], heading: Heading) -> int:
    """How many moments were written. Takes seconds for a day of ten readings a second, and
    lets other threads run meanwhile. Raises `Trouble` where the file cannot be written.
    """
    times = _moments(columns, heading)
    write_whole(path, _chunks(columns, heading, times))
    return int(times.size)


def _chunks(
    columns: Sequence[TraceColumn], heading: Heading, times: NDArray[np.float64]
) -> Iterator[bytes]:
    yield _lines([*_comments(columns, heading), _headings(columns)])
    cells = [cell for column in columns for cell in _cells(column, times)]
    for first in range(0, times.size, _ROWS_AT_ONCE):
        some = slice(first, first + _ROWS_AT_ONCE)
        moments = times[some].tolist()
        rows = zip(
            [_iso(at + heading.offset) for at in moments],
            [f"{at:.3f}" for at in moments],
            *(
                [_text(value, digits) for value in values[some].tolist()]
                for values, digits in cells
            ),
            strict=True,
        )
        yield _lines(rows)


def _comments(columns: Sequence[TraceColumn], heading: Heading) -> Iterator[Sequence[str]]:
    if heading.simulated:
        yield ["# simulated: no real card was read; all figures are made up"]
    yield [f"# GPU Explorer; {heading.source}"]
    start, end = (_iso(at + heading.offset) for at in (heading.start, heading.end))
    yield [f"# from {start} to {end}; SI units; a blank was not read"]
    for column in columns:
        if column.reason and not len(column.trace):
            yield [f"# {_name(column)}: {column.reason}"]


def _headings(columns: Sequence[TraceColumn]) -> list[str]:
    names = ["time", "steady_s"]
    for column in columns:
        name = _name(column)
        names += [name]
        if _of_several(column.trace):
            names += [f"{name} min", f"{name} max"]
    return [_harmless(name) for name in names]


def _name(column: TraceColumn) -> str:
    return f"{column.card} {column.metric.id} [{column.metric.unit}]".strip()


def _of_several(trace: Trace) -> bool:
    return bool((trace.counts > 1).any())


def _moments(columns: Sequence[TraceColumn], heading: Heading) -> NDArray[np.float64]:
    found = [column.trace.times for column in columns if len(column.trace)]
    if not found:
        return np.empty(0)
    times = np.unique(np.concatenate(found))
    return times[(times >= heading.start) & (times <= heading.end)]


def _cells(
    column: TraceColumn, times: NDArray[np.float64]
) -> Iterator[tuple[NDArray[np.float64], int]]:
    """The column's figures at every moment; no number where it has none."""
    trace = column.trace
    digits = 12 if column.metric.unit in _EXACT else 7
    kinds = [trace.means]
    if _of_several(trace):
        kinds += [trace.minima, trace.maxima]
    row = np.searchsorted(times, trace.times)
    known = row < times.size
    known[known] = times[row[known]] == trace.times[known]
    for kind in kinds:
        values = np.full(times.size, np.nan)
        values[row[known]] = kind[known]
        yield values, digits


def _text(value: float, digits: int) -> str:
    # Only no number differs from itself.
    return "" if value != value else f"{value:.{digits}g}"  # noqa: PLR0124


def _iso(wall: float) -> str:
    return datetime.fromtimestamp(wall, UTC).astimezone().isoformat(timespec="milliseconds")


def _harmless(text: str) -> str:
    """A spreadsheet takes a text that begins so for a formula."""
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "\t", "\r")) else text


def _lines(rows: Iterator[Sequence[str]] | Sequence[Sequence[str]]) -> bytes:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue().encode()
