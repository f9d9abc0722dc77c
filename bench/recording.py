"""Recordings: what writing them costs, how soon they are open, and plots over them."""

import random
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

from bench.memory import DAY
from bench.panning import FRAMES, late, moves
from bench.recording_file import CARDS, KEPT, write_long_recording
from bench.table import Figure, at_most
from gpuexplorer.core.cards import Sample
from gpuexplorer.core.metrics import METRICS, Cadence, metrics_of
from gpuexplorer.gui.measuring.diagnostics import Spread
from gpuexplorer.recording.recorded_session import RecordedPast
from gpuexplorer.recording.recorder import Recorder, machine_of
from gpuexplorer.recording.recording import open_recording
from gpuexplorer.telemetry.session import session_on
from gpuexplorer.telemetry.sources import simulated
from tests.clocks import ManualClock

_CURVES = KEPT[:3]  # of each card
_ROUNDS = 15
_PLAYED = 100  # seconds of the recording for each of those who watch
_REPEATED = 600  # beats that are made up; then they come again


def figures() -> Iterator[Figure]:
    with tempfile.TemporaryDirectory() as folder:
        day, month = Path(folder, "day.gpurec"), Path(folder, "month.gpurec")
        yield from _written(day, "8 cards, 1 s, 24 h", "8xH100+nvlink", 1.0, int(DAY), 0.5)
        yield at_most("8 cards, 1 s, 24 h: the file", day.stat().st_size / 1e6, 100, "MB")
        many = Path(folder, "many.gpurec")
        yield from _written(many, "64 cards, 0.1 s, 10 min", "64xH100", 0.1, 6000, 100)
        day.unlink()
        write_long_recording(day, int(DAY), int(DAY))
        write_long_recording(month, 30 * int(DAY), int(DAY))
        yield from _read(day, "a day of 8 cards", 0.5)
        yield from _read(month, "30 days of 8 cards, older than a day in outline", 1.0)


def _written(
    path: Path, what: str, spec: str, beat: float, beats: int, share: float
) -> Iterator[Figure]:
    """What comes in a second is a batch of its own; `share`: percents of a core."""
    clock, chance = ManualClock(), random.Random(1)
    session = session_on(simulated(spec, clock=clock), clock=clock)
    recorder, cards = Recorder(path, machine_of(session), clock), session.cards()
    cadences = list(Cadence) if beat == 1.0 else [Cadence.FAST]
    metrics = [each for each in METRICS if each in metrics_of(cards[0], cadences)][:30]
    known: list[Sequence[Sample]] = []
    took, longest, batch = 0.0, 0.0, round(1 / beat)
    for first in range(0, beats, batch):
        waiting: list[Sample] = []
        for number in range(first, first + batch):
            if len(known) < _REPEATED:
                known.append([session.backend.read(card.id, metrics) for card in cards])
            again = known[number % _REPEATED]
            waiting += (each._replace(at=clock.now()) for each in again)
            clock.advance(beat + chance.gauss(0.0, beat * 1e-3))  # none falls exactly
        used, waited = time.process_time(), time.perf_counter()
        for sample in waiting:
            recorder.put(sample)
        recorder.write_now()
        took += time.process_time() - used
        longest = max(longest, time.perf_counter() - waited)
    recorder.stop()
    with closing(open_recording(path)) as recording:
        kept = 0
        for card_id in recording.with_readings():
            metric = recording.metrics(card_id)[0]
            kept += len(recording.readings(card_id, metric, 0.0, recording.ended).times)
    if recorder.trouble is not None or kept != beats * len(cards):
        raise RuntimeError(f"{kept} samples are in the file: {recorder.trouble}")
    yield at_most(f"{what}: of a core", took / beats / beat * 100, share, "%")
    yield at_most(f"{what}: the longest batch of a second", longest * 1e3, 1000, "ms")


def _read(path: Path, what: str, goal: float) -> Iterator[Figure]:
    took = Spread()
    for _ in range(_ROUNDS):
        at = time.perf_counter()
        with closing(open_recording(path)) as recording:
            _frame(RecordedPast(recording), recording.began, recording.ended)
            for card in recording.cards():
                recording.sample(card.id, recording.metrics(card.id), recording.ended)
            recording.happenings()
            took.append(time.perf_counter() - at)
    name = f"{what}: open, with {len(CARDS) * len(_CURVES)} curves, figures, events"
    yield at_most(name, took.percentile(99), goal, "s")
    with closing(open_recording(path)) as recording:
        took, past = Spread(), RecordedPast(recording)
        for step in range(FRAMES):
            at = time.thread_time()
            for card in CARDS:
                moment = recording.ended - DAY / 2 + step * _PLAYED
                recording.sample(card.id, recording.metrics(card.id), moment)
            took.append(time.thread_time() - at)
        yield late(f"{what}: figures while it plays at {_PLAYED}x", took)
        for name, window in moves(recording.began, recording.ended):
            took = Spread()
            for number in range(FRAMES):
                at = time.thread_time()
                _frame(past, *window(number / FRAMES))
                took.append(time.thread_time() - at)
            yield late(f"{what}, {name}: frames", took)


def _frame(past: RecordedPast, start: float, end: float) -> None:
    for card in CARDS:
        for metric in _CURVES:
            past.trace(card.id, metric.id, start, end)
