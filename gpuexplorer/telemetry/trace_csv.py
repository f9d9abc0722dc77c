"""Traces as CSV: a row for each beat, a column for each metric of a card."""

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gpuexplorer.core.metric import Metric, Unit
from gpuexplorer.core.newer_python import UTC
from gpuexplorer.core.spreadsheet import harmless
from gpuexplorer.telemetry.trace import Trace
from gpuexplorer.telemetry.whole_file import write_whole

_ROWS_AT_ONCE = 200
_READINGS_AT_ONCE = 10_000
# The share of a period after which a reading belongs to the next beat. Rounds are started one
# after the other, so that a slow one may come a moment before the beat that it belongs to.
_REACH = 0.9
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


@dataclass(frozen=True, slots=True, eq=False)
class _Cells:
    """One column of the file: what stands in it, and in which rows; blank in all others."""

    rows: NDArray[np.int64]
    values: NDArray[np.float64]
    digits: int


def write_traces(path: Path, columns: Sequence[TraceColumn], heading: Heading) -> int:
    """How many beats were written. Takes seconds for a day of ten readings a second, and
    lets other threads run meanwhile. Raises `Trouble` where the file cannot be written.
    """
    read = [_read(column.trace, heading) for column in columns]
    times, rows = _beats(
        [column.trace.times[some] for column, some in zip(columns, read, strict=True)]
    )
    cells = [
        each
        for column, some, own in zip(columns, read, rows, strict=True)
        for each in _cells(column, some, own)
    ]
    write_whole(path, _chunks(columns, heading, times, cells))
    return int(times.size)


def _chunks(
    columns: Sequence[TraceColumn],
    heading: Heading,
    times: NDArray[np.float64],
    cells: Sequence[_Cells],
) -> Iterator[bytes]:
    yield _lines([*_comments(columns, heading), _headings(columns)])
    for first in range(0, times.size, _ROWS_AT_ONCE):
        moments = times[first : first + _ROWS_AT_ONCE].tolist()
        yield _lines(
            zip(
                [_iso(at + heading.offset) for at in moments],
                [f"{at:.3f}" for at in moments],
                *(_texts(each, first, len(moments)) for each in cells),
                strict=True,
            )
        )


def _texts(cells: _Cells, first: int, count: int) -> Sequence[str]:
    begin, end = cells.rows.searchsorted((first, first + count)).tolist()
    texts = [""] * count
    rows = (cells.rows[begin:end] - first).tolist()
    for row, value in zip(rows, cells.values[begin:end].tolist(), strict=True):
        texts[row] = f"{value:.{cells.digits}g}"
    return texts


def _comments(columns: Sequence[TraceColumn], heading: Heading) -> Iterator[Sequence[str]]:
    if heading.simulated:
        yield ["# simulated: no real card was read; all figures are made up"]
    yield [f"# GPU Explorer; {heading.source}"]
    start, end = (_iso(at + heading.offset) for at in (heading.start, heading.end))
    yield [f"# from {start} to {end}; SI units"]
    yield ["# a row is one beat of the readings; blank: not read at this beat"]
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
    return [harmless(name) for name in names]


def _name(column: TraceColumn) -> str:
    return f"{column.card} {column.metric.id} [{column.metric.unit}]".strip()


def _of_several(trace: Trace) -> bool:
    return bool((trace.counts > 1).any())


def _read(trace: Trace, heading: Heading) -> NDArray[np.bool_]:
    """Which entries of the trace are readings of that stretch, and no gaps."""
    times = trace.times
    return (times >= heading.start) & (times <= heading.end) & ~np.isnan(trace.means)


def _beats(
    readings: Sequence[NDArray[np.float64]],
) -> tuple[NDArray[np.float64], list[NDArray[np.int64]]]:
    """When each beat began, and which one each reading of each column belongs to.

    Cards are read one after the other, and no reading says with which others it was taken. So a
    beat ends when a column is read again, or when the period of one of its readings is over.
    """
    sizes = [times.size for times in readings]
    columns = np.repeat(np.arange(len(readings), dtype=np.int16), sizes)
    times = np.concatenate([np.empty(0), *readings])
    reaches = np.concatenate([np.empty(0), *map(_reaches, readings)])
    order = np.argsort(times, kind="stable")
    beats = np.empty(times.size, np.int64)
    begins: list[float] = []
    newest = [-1] * len(readings)  # the beat in which each column was read last
    beat, end = -1, -np.inf
    for first in range(0, order.size, _READINGS_AT_ONCE):
        some = order[first : first + _READINGS_AT_ONCE]
        found = []
        for column, at, reach in zip(
            columns[some].tolist(), times[some].tolist(), reaches[some].tolist(), strict=True
        ):
            if at >= end or newest[column] == beat:
                begins.append(at)
                beat, end = beat + 1, at + reach
            newest[column] = beat
            end = min(end, begins[-1] + reach)
            found.append(beat)
        beats[some] = found
    return np.array(begins), np.split(beats, np.cumsum(sizes))[:-1]


def _reaches(times: NDArray[np.float64]) -> NDArray[np.float64]:
    """How long after its beginning a beat with each of these readings can last."""
    apart = np.diff(times, prepend=-np.inf, append=np.inf)
    return _REACH * np.minimum(apart[:-1], apart[1:])


def _cells(
    column: TraceColumn, read: NDArray[np.bool_], rows: NDArray[np.int64]
) -> Iterator[_Cells]:
    trace = column.trace
    digits = 12 if column.metric.unit in _EXACT else 7
    kinds = [trace.means]
    if _of_several(trace):
        kinds += [trace.minima, trace.maxima]
    for kind in kinds:
        yield _Cells(rows, kind[read], digits)


def _iso(wall: float) -> str:
    return datetime.fromtimestamp(wall, UTC).astimezone().isoformat(timespec="milliseconds")


def _lines(rows: Iterator[Sequence[str]] | Sequence[Sequence[str]]) -> bytes:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue().encode()
