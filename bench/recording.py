"""Recordings of a day and of a month: how soon they are open, and what plots cost over them."""

import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path

from bench.recording_file import CARDS, KEPT, write_long_recording
from bench.table import Figure
from gpuexplorer.gui.measuring.diagnostics import Spread
from gpuexplorer.recording.recorded_session import RecordedPast
from gpuexplorer.recording.recording import open_recording

_MINUTE, _HOUR, _DAY = 60, 3600, 86_400
_CURVES = KEPT[:3]  # of each card
_FRAMES = 240
_GOAL = 1 / 60
_ROUNDS = 15
_PLAYED = 100  # seconds of the recording for each of those who watch


def figures() -> Sequence[Figure]:
    with tempfile.TemporaryDirectory() as folder:
        day, month = Path(folder, "day.gpurec"), Path(folder, "month.gpurec")
        write_long_recording(day, _DAY, _DAY)
        write_long_recording(month, 30 * _DAY, _DAY)
        what = f"{len(CARDS)} cards, {len(KEPT)} metrics, 1 s"
        return [
            *_of(day, f"24 h of {what}", 0.5),
            *_of(month, f"30 days of {what}, older than a day in outline", 1.0),
        ]


def _of(path: Path, what: str, goal: float) -> Iterator[Figure]:
    yield Figure(f"{what}: the file", f"{path.stat().st_size / 1e6:.0f} MB")
    yield _opening(what, path, goal)
    yield _sampling(what, path)
    with closing(open_recording(path)) as recording:
        began, end = recording.began, recording.ended
    middle, whole = (began + end) / 2, end - began

    def pan(step: float) -> tuple[float, float]:
        start = end - _DAY + step * (_DAY - _HOUR)
        return start, start + _HOUR

    def pan_wide(step: float) -> tuple[float, float]:
        start = began + step * whole / 4
        return start, start + 0.75 * whole

    def zoom(step: float) -> tuple[float, float]:
        span = _MINUTE * (whole / _MINUTE) ** step
        return middle - span / 2, middle + span / 2

    yield _moving(f"{what}: panning, an hour seen", path, pan)
    yield _moving(f"{what}: panning, three quarters seen", path, pan_wide)
    yield _moving(f"{what}: zooming from a minute to the whole", path, zoom)


def _opening(what: str, path: Path, goal: float) -> Figure:
    """Until all of it is drawn for the first time."""
    took = Spread()
    for _ in range(_ROUNDS):
        began = time.perf_counter()
        with closing(open_recording(path)) as recording:
            _frame(RecordedPast(recording), recording.began, recording.ended)
            for card in recording.cards():
                recording.sample(card.id, recording.metrics(card.id), recording.ended)
            recording.happenings()
            took.append(time.perf_counter() - began)
    slow = took.percentile(99)
    return Figure(
        f"{what}: open, with figures, events and {len(CARDS) * len(_CURVES)} curves",
        f"{took.percentile(50):.3f}, {slow:.3f} s",
        f"99 % within {goal} s",
        slow <= goal,
    )


def _sampling(what: str, path: Path) -> Figure:
    took = Spread()
    with closing(open_recording(path)) as recording:
        metrics = recording.metrics(CARDS[0].id)
        for step in range(_FRAMES):
            began = time.thread_time()
            at = recording.ended - _DAY / 2 + step * _PLAYED
            for card in CARDS:
                recording.sample(card.id, metrics, at)
            took.append(time.thread_time() - began)
    return Figure(
        f"{what}: one round of figures while it plays at {_PLAYED}x: median, 99 %",
        f"{took.percentile(50) * 1e3:.1f}, {took.percentile(99) * 1e3:.1f} ms",
    )


def _moving(what: str, path: Path, window: Callable[[float], tuple[float, float]]) -> Figure:
    took = Spread()
    with closing(open_recording(path)) as recording:
        past = RecordedPast(recording)
        for number in range(_FRAMES):
            began = time.thread_time()
            _frame(past, *window(number / _FRAMES))
            took.append(time.thread_time() - began)
        kept = past.memory_bytes()
    late = took.percentile(99)
    return Figure(
        f"{what}: median, 99 % of frames, on the processor ({kept / 1e6:.0f} MB kept)",
        f"{took.percentile(50) * 1e3:.1f}, {late * 1e3:.1f} ms",
        "99 % within 16.7 ms",
        late <= _GOAL,
    )


def _frame(past: RecordedPast, start: float, end: float) -> None:
    for card in CARDS:
        for metric in _CURVES:
            past.trace(card.id, metric.id, start, end)
