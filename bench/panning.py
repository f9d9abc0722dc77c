"""Moving the screens through a day, live or recorded: what each frame and each move takes."""

import gc
import math
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

from bench.memory import DAY
from bench.recording_file import write_long_recording
from bench.stage import let_run, measured, stage
from bench.table import Figure, at_most
from gpuexplorer.app import App
from gpuexplorer.core.cards import Sample
from gpuexplorer.core.metrics import METRICS, Cadence, metrics_of
from gpuexplorer.gui.measuring.diagnostics import Spread
from gpuexplorer.gui.window_commands import Do
from gpuexplorer.telemetry.history import History
from gpuexplorer.telemetry.session import Session

HOUR, MINUTE = 3600.0, 60.0
FRAMES = 240
_BEAT = 0.1
_MOMENTS = 997  # different ones, so that no two columns are alike

Window = Callable[[float], tuple[float, float]]  # how far it is, from 0 on to 1


def figures() -> Iterator[Figure]:
    yield from measured("panning", "live")
    yield from measured("panning", "recorded")


def on_stage(what: str) -> Iterator[Figure]:
    yield from _live() if what == "live" else _recorded()


def moves(began: float, end: float) -> Iterator[tuple[str, Window]]:
    middle, whole = (began + end) / 2, end - began

    def pan(step: float) -> tuple[float, float]:
        start = end - DAY + step * (DAY - HOUR)
        return start, start + HOUR

    def pan_wide(step: float) -> tuple[float, float]:
        start = began + step * whole / 4
        return start, start + 0.75 * whole

    def zoom(step: float) -> tuple[float, float]:
        span = MINUTE * (whole / MINUTE) ** step
        return middle - span / 2, middle + span / 2

    yield "panning, an hour seen", pan
    yield "panning, three quarters seen", pan_wide
    yield "zooming from a minute to all", zoom


def late(what: str, seconds: Spread) -> Figure:
    usual, slow = (seconds.percentile(each) * 1e3 for each in (50, 99))
    return at_most(f"{what}, median, 99 %", slow, 16.7, "ms", f"{usual:.1f}, {slow:.1f} ms")


def _live() -> Iterator[Figure]:
    with stage("1xH100", screen="card") as app:
        app.window.time_window.show_past(_a_day_of(app.session))
        let_run(2)
        end = app.session.clock.now()
        yield from _moved(app, "card over 24 h at 10 a second", end - DAY, end)


def _recorded() -> Iterator[Figure]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "day.gpurec")
        write_long_recording(path, int(DAY), int(DAY))
        for screen in ("card", "overview"):
            with stage("1xH100", screen=screen) as app:
                yield from _of(app, path, f"{screen} over a recorded day")


def _of(app: App, path: Path, what: str) -> Iterator[Figure]:
    let_run(1)
    began = time.perf_counter()
    app.window.open_recording(path)
    while not app.window.time_window.replaying:
        let_run(0.001)
    app.window.repaint()
    yield at_most(f"{what}: open and drawn", time.perf_counter() - began, 0.5, "s")
    let_run(1)
    yield from _moved(app, what, *app.window.time_window.stretch())
    app.window.commands[Do.COMPARE_HOUR].trigger()
    let_run(1)
    yield from _moved(app, f"{what} and an hour earlier", *app.window.time_window.stretch())


def _moved(app: App, name: str, began: float, end: float) -> Iterator[Figure]:
    gc.freeze()  # as the program does once its window is open; a day of moments is more still
    frames = app.window.diagnostics
    for what, window in moves(began, end):
        frames.wall = Spread()
        # A frame begins with its pull; what a scene puts in order before it is painted is here.
        taken = Spread()
        for number in range(FRAMES):
            at = time.thread_time()
            app.window.time_window.look_at(*window(number / FRAMES))
            let_run(0.002)
            taken.append(time.thread_time() - at)
        if len(frames.wall) < FRAMES * 0.9:
            raise RuntimeError(f"Of {FRAMES} moves only {len(frames.wall)} were drawn.")
        yield late(f"{name}, {what}: frames", frames.wall)
        yield late(f"{name}, {what}: a move on the processor", taken)


def _a_day_of(session: Session) -> History:
    """A past as the sampler would have left it, of which the session lived but a moment."""
    [card] = session.cards()
    plotted = [m for m in metrics_of(card, [Cadence.FAST]) if METRICS[m].plotted]
    random, now, reading = Random(1), session.clock.now(), session.reading(card.id)
    usual = {} if reading is None else reading.values
    waves = [0.6 + 0.3 * math.sin(number / 30) for number in range(_MOMENTS)]
    moments = [
        {metric: usual.get(metric, 1.0) * (wave + 0.1 * random.random()) for metric in plotted}
        for wave in waves
    ]
    history = History(_BEAT)
    for step in range(int(DAY / _BEAT)):
        at = now - DAY + step * _BEAT
        history.append(Sample(card.id, at, moments[step % _MOMENTS]))
    return history
