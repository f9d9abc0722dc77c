"""Moving the screens of a window through a recording of 24 hours: what each frame takes."""

import gc
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from bench.panning import moving
from bench.recording_file import CARDS, KEPT, write_long_recording
from bench.stage import let_run, stage
from bench.table import Figure
from gpuexplorer.app import App
from gpuexplorer.gui.window_commands import Do

_DAY, _HOUR, _MINUTE = 86_400, 3600.0, 60.0
_GOAL = 0.5


def figures() -> Sequence[Figure]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "day.gpurec")
        write_long_recording(path, _DAY, _DAY)
        return [
            figure
            for screen in ("card", "overview")
            for compared in (False, True)
            for figure in _of(path, screen, compared=compared)
        ]


def _of(path: Path, screen: str, *, compared: bool) -> Iterator[Figure]:
    what = f"{screen} over a recording of 24 h, {len(CARDS)} cards, {len(KEPT)} metrics"
    with stage("1xH100", screen=screen) as app:
        let_run(1)
        began = time.perf_counter()
        app.window.open_recording(path)
        while not app.window.time_window.replaying:
            let_run(0.001)
        app.window.repaint()
        took = time.perf_counter() - began
        if compared:
            what += ", compared with an hour earlier"
            app.window.commands[Do.COMPARE_HOUR].trigger()
        else:
            yield Figure(
                f"{what}: open and drawn", f"{took:.3f} s", f"within {_GOAL} s", took <= _GOAL
            )
        let_run(1)
        gc.freeze()
        yield from _moved(app, what)


def _moved(app: App, what: str) -> Iterator[Figure]:
    window = app.window.time_window
    began, end = window.stretch()
    middle, whole = (began + end) / 2, end - began

    def pan(step: float) -> None:
        start = began + _HOUR + step * (whole - 2 * _HOUR)
        window.look_at(start, start + _HOUR)

    def pan_wide(step: float) -> None:
        start = began + step * whole / 4
        window.look_at(start, start + 0.75 * whole)

    def zoom(step: float) -> None:
        span = _MINUTE * (whole / _MINUTE) ** step
        window.look_at(middle - span / 2, middle + span / 2)

    yield from moving(app, f"{what}, panning, an hour seen", pan)
    yield from moving(app, f"{what}, panning, 18 hours seen", pan_wide)
    yield from moving(app, f"{what}, zooming from a minute to the whole", zoom)
