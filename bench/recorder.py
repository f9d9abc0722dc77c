"""What recording costs: room on the disk, the processor's time, and how much it can take."""

import random
import tempfile
import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from bench.table import Figure
from gpuexplorer.core.cards import Sample
from gpuexplorer.core.metrics import METRICS, Cadence, metrics_of
from gpuexplorer.recording.recorder import Recorder, machine_of
from gpuexplorer.recording.recording import open_recording
from gpuexplorer.telemetry.session import session_on
from gpuexplorer.telemetry.sources import simulated
from tests.clocks import ManualClock

_METRICS = 30
_DAY = 86400
_MANY, _FAST, _MINUTES = 64, 0.1, 10
_UNEVEN = 1e-3  # seconds; no beat falls exactly
_REPEATED = 600  # beats of many cards that are made up; then they come again


def figures() -> list[Figure]:
    with tempfile.TemporaryDirectory() as folder:
        return [*_day(Path(folder)), *_many(Path(folder))]


def _day(folder: Path) -> list[Figure]:
    """Every second is a batch of its own, as it would be."""
    clock = ManualClock()
    session = session_on(simulated("8xH100+nvlink", clock=clock), clock=clock)
    recorder = Recorder(folder / "day.gpurec", machine_of(session), clock)
    cards = session.cards()
    asked = [each for each in METRICS if each in metrics_of(cards[0])][:_METRICS]
    chance = random.Random(1)
    took, longest = 0.0, 0.0
    for _ in range(_DAY):
        samples = [session.backend.read(card.id, asked) for card in cards]
        used, waited = _took(recorder, samples)
        took, longest = took + used, max(longest, waited)
        clock.advance(1.0 + chance.gauss(0.0, _UNEVEN))
    recorder.stop()
    _check(recorder, folder / "day.gpurec", _DAY * len(cards))
    size, share = recorder.size / 1e6, took / _DAY
    what = f"8 cards, {_METRICS} metrics, 1 s, 24 h"
    return [
        Figure(f"{what}: the file", f"{size:.1f} MB", "under 100 MB", size < 100),
        Figure(f"{what}: of a core", f"{share:.2%}", "under 0.5 %", share < 0.005),
        Figure("the longest batch", f"{longest * 1e3:.0f} ms"),
    ]


def _many(folder: Path) -> list[Figure]:
    clock = ManualClock()
    session = session_on(simulated(f"{_MANY}xH100", clock=clock), clock=clock)
    recorder = Recorder(folder / "many.gpurec", machine_of(session), clock)
    cards = session.cards()
    asked = metrics_of(cards[0], [Cadence.FAST])
    known: list[Sequence[Sample]] = []
    longest, batch = 0.0, round(1 / _FAST)
    beats = round(_MINUTES * 60 / _FAST)
    took = 0.0
    for first in range(0, beats, batch):
        waiting: list[Sample] = []
        for beat in range(first, first + batch):
            if len(known) < _REPEATED:
                known.append([session.backend.read(card.id, asked) for card in cards])
            waiting += (each._replace(at=clock.now()) for each in known[beat % _REPEATED])
            clock.advance(_FAST)
        used, waited = _took(recorder, waiting)
        took, longest = took + used, max(longest, waited)
    recorder.stop()
    _check(recorder, folder / "many.gpurec", beats * len(cards))
    what = f"{_MANY} cards, {_FAST:g} s, {_MINUTES} min, {len(asked)} metrics, none lost"
    share = took / (_MINUTES * 60)
    return [
        Figure(
            f"{what}: the longest batch of a second",
            f"{longest * 1e3:.0f} ms",
            "under 1000 ms",
            longest < 1,
        ),
        Figure(f"{what}: of a core", f"{share:.1%}"),
    ]


def _took(recorder: Recorder, samples: Sequence[Sample]) -> tuple[float, float]:
    """For taking and writing them: the processor's seconds, and those of the disk as well."""
    used, waited = time.process_time(), time.perf_counter()
    for sample in samples:
        recorder.put(sample)
    recorder.write_now()
    return time.process_time() - used, time.perf_counter() - waited


def _check(recorder: Recorder, path: Path, samples: int) -> None:
    """Every one of them stands in the file."""
    with closing(open_recording(path)) as recording:
        kept = 0
        for card in recording.with_readings():
            metric = recording.metrics(card)[0]
            kept += len(recording.readings(card, metric, 0.0, recording.ended).times)
    if recorder.trouble is not None or kept != samples:
        raise RuntimeError(f"{kept} of {samples} samples are in the file: {recorder.trouble}")
