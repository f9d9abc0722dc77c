"""Readings folded away: out of the tail, one row each, into pieces of columns and buckets."""

import sqlite3
from array import array
from collections.abc import Sequence
from itertools import groupby
from typing import NamedTuple

from gpuexplorer.recording.columns import DamagedError, packed, unpacked
from gpuexplorer.recording.schema import BUCKET, LEVELS

# So many readings, or buckets, are a piece.
FULL = 512


class Strand:
    """The readings of one rhythm of one subject that are in no piece yet."""

    def __init__(
        self, layout: int, subject: int, metrics: Sequence[str], series: Sequence[int]
    ) -> None:
        self.layout = layout
        self.subject = subject
        self.metrics = metrics
        self.series = series  # of its times, and of each metric
        self.rows: list[int] = []
        self.times = array("d")
        self.values = array("d")  # row after row

    def add(self, row: int, at: float, values: "array[float]") -> None:
        self.rows.append(row)
        self.times.append(at)
        self.values.extend(values)

    def __len__(self) -> int:
        return len(self.rows)


class Bucket(NamedTuple):
    start: float
    minimum: float
    maximum: float
    mean: float
    readings: float


def fold(database: sqlite3.Connection, strand: Strand, *, with_buckets: bool) -> None:
    """What the strand holds becomes pieces, and the strand is empty."""
    if not strand.rows:
        return
    times, count, wide = strand.times, len(strand), len(strand.metrics)
    columns = [strand.values[each::wide] for each in range(wide)]
    database.executemany(
        "INSERT INTO piece (series, level, first, last, count, data) VALUES (?, 0, ?, ?, ?, ?)",
        [
            (series, times[0], times[-1], count, packed(column))
            for series, column in zip(strand.series, (times, *columns), strict=True)
        ],
    )
    if with_buckets:
        spans = _spans(times, LEVELS[0])
        for series, column in zip(strand.series[1:], columns, strict=True):
            buckets = _buckets(column, spans)
            for level in LEVELS:
                buckets = _coarser(buckets, level)
                _append(database, series, level, buckets)
    database.executemany("DELETE FROM tail WHERE id = ?", [(row,) for row in strand.rows])
    database.execute("UPDATE subject SET last = ? WHERE id = ?", (times[-1], strand.subject))
    strand.rows, strand.times, strand.values = [], array("d"), array("d")


def _spans(times: Sequence[float], level: float) -> list[tuple[float, int, int]]:
    """The start of each bucket, and which readings fall into it."""
    found, end = [], 0
    for number, each in groupby(times, lambda at: at // level):
        begin, end = end, end + len(list(each))
        found.append((number * level, begin, end))
    return found


def _buckets(column: "array[float]", spans: Sequence[tuple[float, int, int]]) -> list[Bucket]:
    whole = sum(column)
    if whole == whole:  # noqa: PLR0124 - a NaN, which stands for no reading, is not itself
        return [
            Bucket(start, min(some), max(some), sum(some) / (end - begin), end - begin)
            for start, begin, end in spans
            if (some := column[begin:end])
        ]
    return [
        Bucket(start, min(there), max(there), sum(there) / len(there), len(there))
        for start, begin, end in spans
        if (there := [value for value in column[begin:end] if value == value])  # noqa: PLR0124
    ]


def _coarser(buckets: Sequence[Bucket], level: float) -> list[Bucket]:
    found: list[Bucket] = []
    for each in buckets:
        start = each.start // level * level
        moved = each._replace(start=start)
        if found and found[-1].start == start:
            found[-1] = _together(found[-1], moved)
        else:
            found.append(moved)
    return found


def _together(a: Bucket, b: Bucket) -> Bucket:
    readings = a.readings + b.readings
    mean = (a.mean * a.readings + b.mean * b.readings) / readings
    low, high = min(a.minimum, b.minimum), max(a.maximum, b.maximum)
    return Bucket(a.start, low, high, mean, readings)


def _append(
    database: sqlite3.Connection, series: int, level: int, buckets: Sequence[Bucket]
) -> None:
    """To the newest piece while that is not full. A bucket that was not over when it was
    written is made one with the rest of it.
    """
    newest = database.execute(
        "SELECT id, count, data FROM piece WHERE series = ? AND level = ?"
        " ORDER BY first DESC LIMIT 1",
        (series, level),
    ).fetchone()
    if newest is not None and buckets:
        piece, count, data = newest
        columns = _columns(data, count)
        if columns and columns[0][-1] == buckets[0].start:
            last = Bucket(*(column[-1] for column in columns))
            for column, value in zip(columns, _together(last, buckets[0]), strict=True):
                column[-1] = value
            buckets = buckets[1:]
        if columns and count < FULL and buckets:
            for column, more in zip(columns, zip(*buckets, strict=True), strict=True):
                column.extend(more)
            buckets = ()
        if columns:
            _store(database, series, level, columns, piece)
    if buckets:
        columns = [array("d", column) for column in zip(*buckets, strict=True)]
        _store(database, series, level, columns)


def _store(
    database: sqlite3.Connection,
    series: int,
    level: int,
    columns: "Sequence[array[float]]",
    piece: int | None = None,
) -> None:
    starts, together = columns[0], array("d")
    for column in columns:
        together.extend(column)
    database.execute(
        "INSERT OR REPLACE INTO piece (id, series, level, first, last, count, data)"
        " VALUES (?, ?, ?, ?, ?, ?, ?)",
        (piece, series, level, starts[0], starts[-1] + level, len(starts), packed(together)),
    )


def _columns(data: bytes, count: int) -> "list[array[float]]":
    try:
        plain = unpacked(data, BUCKET * count)
    except DamagedError:
        return []  # what stands there stays, and others are written after it
    return [plain[each * count : (each + 1) * count] for each in range(BUCKET)]
