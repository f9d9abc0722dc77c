"""How long the event loop does not answer while much goes on at once, and on a driver that is
faulty every other second.
"""

import itertools
import tempfile
import threading
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QTimer

from bench.memory import day
from bench.stage import Turns, let_run, stage
from bench.table import Figure
from gpuexplorer.app import App
from gpuexplorer.core.cards import CardId
from gpuexplorer.core.metrics import METRICS, MetricId
from gpuexplorer.gui.desk import VIEWS
from gpuexplorer.gui.theme.palette import Scheme
from gpuexplorer.telemetry.trace import Heading, TraceColumn, write_traces
from tests.nvml_stub.stub import Stub

_GOAL = 0.050
_WRITTEN = ("gpu_utilization", "memory_used", "power_draw", "temperature")
_DAY = 86_400.0
_ON_SCREENS = ("overview", "card", "processes", "events")
_SECONDS_EACH = 15.0
_AT_START = 0.100
# What is told to the stand-in driver while the fault holds, and when it does not.
_FAULTS = {
    "cards are lost": ("lost=1,3", "lost=none"),
    "the driver is gone": ("driver=gone", "driver=back"),
    "every figure is refused": ("refused=all", "refused=none"),
    "figures are impossible": ("garbage=all", "garbage=none"),
    "calls are slow": ("slow=2:0.3", "slow=2:0"),
}


def figures() -> Sequence[Figure]:
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
    return [*rows, *_faulty()]


def _faulty() -> Sequence[Figure]:
    """What of a wait the window's own thread works is said too: on a busy machine it also
    waits for others.
    """
    stub = Stub.load()
    stub.configure("cards=8 procs=all:3")
    with stage(None) as app:
        rows = [_while(app, "it starts on 8 cards", partial(let_run, 5.0), _AT_START)]
        for screen in _ON_SCREENS:
            _open(app, screen)
        for name, (on, off) in _FAULTS.items():
            for screen in _ON_SCREENS:
                _open(app, screen)
                what = f"{name} every other second, on “{screen}”"
                rows.append(_while(app, what, partial(_switching, stub, on, off)))
            let_run(2)
    return rows


def _switching(stub: Stub, on: str, off: str) -> None:
    holds = itertools.cycle([on, off])
    timer = QTimer(interval=1000)
    timer.timeout.connect(lambda: stub.set(next(holds)))
    timer.start()
    let_run(_SECONDS_EACH)
    timer.stop()
    stub.set(off)


def longest_wait(app: App, happening: Callable[[], object]) -> float:
    """Seconds for which the event loop did not answer meanwhile."""
    heart = app.window.diagnostics.heartbeat
    heart.longest_wait = 0.0
    heart.start()
    happening()
    let_run(0.3)
    heart.stop()
    return heart.longest_wait


def _while(app: App, what: str, happening: Callable[[], object], goal: float = _GOAL) -> Figure:
    turns = Turns()
    turns.start()
    longest = longest_wait(app, happening)
    turns.stop()
    return Figure(
        f"longest wait while {what}; processor of the longest turn",
        f"{longest * 1e3:.0f} ms; {turns.longest * 1e3:.0f} ms",
        f"within {goal * 1e3:.0f} ms",
        longest <= goal,
    )


def _open(app: App, screen: str) -> None:
    if screen == "card" and app.session is not None:
        app.window.navigation.open_card(app.session.cards()[1].id)
    else:
        app.window.navigation.open_screen(screen)
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
