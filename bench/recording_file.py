"""Long recordings, made in seconds: one card's figures are folded as the recorder folds them,
and stand there for every other card as well.
"""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpuexplorer.core.cards import HOST_ID, Card, CardId, CardKind
from gpuexplorer.core.metrics import METRICS, Cadence, MetricId, Unit
from gpuexplorer.core.records import text_of
from gpuexplorer.core.words import Message
from gpuexplorer.recording.columns import packed
from gpuexplorer.recording.folding import FULL
from gpuexplorer.recording.schema import LEVELS, STATE, TIMES
from gpuexplorer.recording.tables import lay_out
from gpuexplorer.recording.told import Machine, Turn, Writer
from gpuexplorer.telemetry.backend import Source

CARDS = [
    Card(CardId(f"GPU-{number}"), number, "NVIDIA H100", 80 << 30, simulated=True)
    for number in range(8)
]
KEPT = sorted(
    (metric for metric in METRICS.values() if metric.plotted),
    key=lambda metric: metric.cadence is not Cadence.FAST,
)[:30]
_BEGAN = 1_790_000_000.0
_HOST = Card(HOST_ID, 0, "Bench", 1 << 38, kind=CardKind.HOST)

Floats = NDArray[np.floating]


class _Piece(NamedTuple):
    level: int
    first: float
    last: float
    entries: int
    data: bytes


def write_long_recording(path: Path, seconds: int, readings: int) -> None:
    """At one reading a second; of those only the newest so many are kept."""
    random = np.random.default_rng(1)
    times = _BEGAN + np.arange(seconds)
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        lay_out(database, anonymous=False)
        database.execute("BEGIN")
        _write_course(database, times)
        subjects = [
            _insert(
                *(database, "subject (kind, name, first, last, facts)"),
                *("card", card.id, times[0], times[-1], "{}"),
            )
            for card in CARDS
        ]
        for metric in (TIMES, *(metric.id for metric in KEPT), STATE):
            values = times if metric == TIMES else _figures(metric, times, random)
            pieces = list(_pieces(times, values, readings))
            if metric != TIMES:
                pieces += _buckets(times, values)
            for subject in subjects:
                series = _insert(
                    *(database, "series (subject, rhythm, metric)"),
                    *(subject, Cadence.FAST.value, metric),
                )
                database.executemany(
                    "INSERT INTO piece (series, level, first, last, count, data)"
                    f" VALUES ({series}, ?, ?, ?, ?, ?)",
                    pieces,
                )
        database.execute("COMMIT")


def _write_course(database: sqlite3.Connection, times: Floats) -> None:
    machine = Machine(
        "bench", Source("simulated", Message("Bench"), simulated=True), 1.0, _HOST
    )
    _insert(
        *(database, "run (began, ended, writer, machine)"),
        *(times[0], times[-1], text_of(Writer("Bench", 0, 0.0)), text_of(machine)),
    )
    for kind, value in ((Turn.CARDS, CARDS), (Turn.CLOCK, 0.0)):
        _insert(database, "turn (at, kind, value)", times[0], kind.value, text_of(value))
    # Somebody starts or ends a program every minute.
    for at in times[::60].tolist():
        users = text_of({card.id: [] for card in CARDS})
        _insert(database, "turn (at, kind, value)", at, Turn.PROCESSES.value, users)
        _insert(
            *(database, "happening (at, wall, kind, card, sentence, about, lasted)"),
            *(at, at, "process appeared", CARDS[0].id),
            *(text_of(Message("Process {pid} uses the card", pid=1)), "1", None),
        )


def _figures(metric: str, times: Floats, random: np.random.Generator) -> Floats:
    """Work that comes and goes, in the steps in which drivers count."""
    if metric == STATE:
        return np.ones(times.size)
    if METRICS[MetricId(metric)].unit is Unit.FLAG:
        # A card is slowed for a while, and again; not for six reasons every other second.
        return np.where(np.sin(times / random.uniform(300, 3000)) > 0.9, 1.0, 0.0)
    busy = (np.sin(times / random.uniform(300, 3000)) > 0) * random.uniform(0.5, 1, times.size)
    whole: Floats = np.round(100 * busy + random.normal(0, 2, times.size))
    return whole / 100


def _pieces(times: Floats, values: Floats, readings: int) -> Iterator[_Piece]:
    for begin in range(times.size - readings, times.size, FULL):
        at, some = times[begin : begin + FULL], values[begin : begin + FULL]
        yield _Piece(0, at[0], at[-1], at.size, packed(some.tolist()))


def _buckets(times: Floats, values: Floats) -> Sequence[_Piece]:
    found = []
    for level in LEVELS:
        numbers = times // level
        starts = np.flatnonzero(np.diff(numbers, prepend=-1))
        counts = np.diff(starts, append=times.size)
        columns = np.stack(
            (
                numbers[starts] * level,
                np.minimum.reduceat(values, starts),
                np.maximum.reduceat(values, starts),
                np.add.reduceat(values, starts) / counts,
                counts,
            )
        )
        for begin in range(0, starts.size, FULL):
            some = columns[:, begin : begin + FULL]
            first, last = some[0, 0], some[0, -1] + level
            found.append(
                _Piece(level, first, last, some.shape[1], packed(some.ravel().tolist()))
            )
    return found


def _insert(database: sqlite3.Connection, table: str, *values: object) -> int:
    marks = ", ".join("?" * len(values))
    done = database.execute(f"INSERT INTO {table} VALUES ({marks})", values)
    assert done.lastrowid is not None
    return done.lastrowid
