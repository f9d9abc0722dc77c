"""Long recordings, made in seconds: one card's figures are packed as the recorder packs them,
and stand there for every other card as well.
"""

import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gpuexplorer.core.cards import HOST_ID, Card, CardId, CardKind
from gpuexplorer.core.metrics import METRICS, Cadence, MetricId, Unit
from gpuexplorer.core.words import Message
from gpuexplorer.recording import schema
from gpuexplorer.recording.schema import Record, Turn
from gpuexplorer.telemetry.backend import Source
from gpuexplorer.telemetry.happenings import Happening, Kind
from gpuexplorer.telemetry.history import firsts, summed

CARDS = [
    Card(CardId(f"GPU-{number}"), number, "NVIDIA H100", 80 << 30, simulated=True)
    for number in range(8)
]
KEPT = sorted(
    (metric for metric in METRICS.values() if metric.plotted),
    key=lambda metric: metric.cadence is not Cadence.FAST,
)[:30]
_BEGAN = 1_790_000_000.0

Floats = NDArray[np.float64]


def write_long_recording(path: Path, seconds: int, readings: int) -> None:
    """At one reading a second; of those only the newest so many are kept."""
    random = np.random.default_rng(1)
    times = _BEGAN + np.arange(seconds, dtype=np.float64)
    names = *(metric.id for metric in KEPT), schema.STATE
    columns = [times, *(_figures(name, times, random) for name in names)]
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        schema.lay_out(database, anonymous=False)
        database.execute("BEGIN")
        _write_course(database, times)
        facts = [schema.StripFacts(card.id, Cadence.FAST.value, names) for card in CARDS]
        strips = [schema.put_fact(database, times[0], Record.STRIP, each) for each in facts]
        for begin in range(0, seconds, schema.FULL * 60):
            its, *figures = (column[begin : begin + schema.FULL * 60] for column in columns)
            sums = summed(its, np.array(figures))
            for strip in strips:
                schema.put_sums(database, strip, its[firsts(its)], sums)
        for begin in range(seconds - readings, seconds, schema.FULL):
            its, *figures = (column[begin : begin + schema.FULL] for column in columns)
            for strip in strips:
                schema.put_chunk(database, strip, its, figures)
        database.execute("COMMIT")


def _write_course(database: sqlite3.Connection, times: Floats) -> None:
    """Somebody starts or ends a program every minute."""
    host = Card(HOST_ID, 0, "Bench", 1 << 38, kind=CardKind.HOST)
    source = Source("simulated", Message("Bench"), simulated=True)
    machine = schema.Machine("bench", source, 1.0, host)
    began = schema.Began(schema.Writer("Bench", 0, 0.0), machine)
    run = schema.put_fact(database, times[0], Record.RUN, began)
    schema.put_fact(database, times[-1], Record.ENDED, run)
    schema.put_fact(database, times[0], Turn.CARDS, CARDS)
    schema.put_fact(database, times[0], Turn.CLOCK, 0.0)
    words = Message("Process {pid} uses the card", pid=1)
    for at in times[::60].tolist():
        schema.put_fact(database, at, Turn.PROCESSES, [], CARDS[0].id)
        happening = Happening(at, at, Kind.PROCESS_APPEARED, CARDS[0].id, words, "1")
        schema.put_fact(database, at, Record.HAPPENING, happening)


def _figures(metric: str, times: Floats, random: np.random.Generator) -> Floats:
    """Work that comes and goes, in the steps in which drivers count."""
    if metric == schema.STATE:
        return np.ones(times.size)
    if METRICS[MetricId(metric)].unit is Unit.FLAG:
        # A card is slowed for a while, and again; not for six reasons every other second.
        return np.where(np.sin(times / random.uniform(300, 3000)) > 0.9, 1.0, 0.0)
    busy = (np.sin(times / random.uniform(300, 3000)) > 0) * random.uniform(0.5, 1, times.size)
    whole: Floats = np.round(100 * busy + random.normal(0, 2, times.size))
    return whole / 100
