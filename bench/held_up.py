"""How long the event loop does not answer while much goes on at once."""

import tempfile
import threading
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from bench.memory import day
from bench.stage import in_a_process_of_its_own, let_run, report, stage
from bench.table import Figure
from gpuexplorer.app import App
from gpuexplorer.core.cards import CardId
from gpuexplorer.core.metrics import METRICS, MetricId
from gpuexplorer.gui.theme.palette import Scheme
from gpuexplorer.gui.view_list import VIEWS
from gpuexplorer.telemetry.trace_csv import Heading, TraceColumn, write_traces

_GOAL = 0.050
_WRITTEN = ("gpu_utilization", "memory_used", "power_draw", "temperature")
_DAY = 86_400.0


def figures() -> list[Figure]:
    return in_a_process_of_its_own("bench.held_up")


def _measure() -> Sequence[Figure]:
    rows = []
    with stage("8xH100+nvlink") as app:
        let_run(3)
        rows.append(_while(app, "8 cards, nothing special", partial(let_run, 10)))
        for entry in VIEWS:
            opening = partial(_open, app, entry.name)
            rows.append(_while(app, f"the screen “{entry.name}” is opened", opening))
        for entry in VIEWS:
            _open(app, entry.name)
            changing = partial(_change_theme, app)
            rows.append(_while(app, f"the theme changes on “{entry.name}”", changing))
        _open(app, "overview")
        writing = partial(_write, _a_day())
        rows.append(_while(app, "a CSV of 24 h is written", writing))
    for what, spec, faults in (
        ("a driver call hangs for 10 s, 8 cards", "8xH100", "hung:1@2s"),
        ("a card is lost, 8 cards", "8xH100", "lost:1@4s"),
        ("the driver goes and comes back, 8 cards", "8xH100", "driver@4s"),
        ("64 cards report", "64xH200", ""),
    ):
        with stage(spec, faults) as app:
            let_run(2)
            rows.append(_while(app, what, partial(let_run, 11)))
    return rows


def longest_wait(app: App, happening: Callable[[], object]) -> float:
    """Seconds for which the event loop did not answer meanwhile."""
    heart = app.diagnostics.heartbeat
    heart.longest_wait = 0.0
    heart.start()
    happening()
    let_run(0.3)
    heart.stop()
    return heart.longest_wait


def _while(app: App, what: str, happening: Callable[[], object]) -> Figure:
    longest = longest_wait(app, happening)
    return Figure(
        f"longest wait while {what}",
        f"{longest * 1e3:.0f} ms",
        "within 50 ms",
        longest <= _GOAL,
    )


def _open(app: App, name: str) -> None:
    app.window.navigation.open_screen(name)
    let_run(1)


def _change_theme(app: App) -> None:
    for scheme in (Scheme.LIGHT, Scheme.DARK, Scheme.LIGHT, Scheme.DARK):
        app.window.look.choose(scheme)
        let_run(0.5)


def _a_day() -> Sequence[TraceColumn]:
    history = day(1, 1.0, _DAY)
    card = CardId("0")
    return [
        TraceColumn(
            "0",
            METRICS[MetricId(name)],
            history.trace(card, MetricId(name), 0.0, _DAY, 10_000_000),
        )
        for name in _WRITTEN
    ]


def _write(columns: Sequence[TraceColumn]) -> None:
    """In a thread, as the window does it."""
    heading = Heading("bench", simulated=True, start=0.0, end=_DAY, offset=1.7e9)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "day.csv"
        writing = threading.Thread(target=write_traces, args=(path, columns, heading))
        writing.start()
        while writing.is_alive():
            let_run(0.05)


if __name__ == "__main__":
    report(_measure)
