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
    database: sqlite3.Connection, series: int, level: int, buckets: list[Bucket]
) -> None:
    """To the newest piece while that is not full. A bucket that was not over when it was
    written is made one with the rest of it.
    """
    if not buckets:
        return
    newest = database.execute(
        "SELECT id, count, data FROM piece WHERE series = ? AND level = ?"
        " ORDER BY first DESC LIMIT 1",
        (series, level),
    ).fetchone()
    piece, before = (None, []) if newest is None else (newest[0], _read(newest[2], newest[1]))
    if before and before[-1].start == buckets[0].start:
        before[-1], buckets = _together(before[-1], buckets[0]), buckets[1:]
    if before and len(before) < FULL:
        before, buckets = before + buckets, []
    for stored, each in ((piece, before), (None, buckets)):
        if each:
            _store(database, series, level, stored, each)


def _store(
    database: sqlite3.Connection,
    series: int,
    level: int,
    piece: int | None,
    buckets: Sequence[Bucket],
) -> None:
    data = packed([value for column in zip(*buckets, strict=True) for value in column])
    database.execute(
        "INSERT OR REPLACE INTO piece (id, series, level, first, last, count, data)"
        " VALUES (?, ?, ?, ?, ?, ?, ?)",
        (piece, series, level, buckets[0].start, buckets[-1].start + level, len(buckets), data),
    )


def _read(data: bytes, count: int) -> list[Bucket]:
    try:
        plain = unpacked(data, BUCKET * count)
    except DamagedError:
        return []  # what stands there stays, and others are written after it
    return list(
        map(Bucket, *(plain[each * count : (each + 1) * count] for each in range(BUCKET)))
    )
