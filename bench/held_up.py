"""How long the event loop does not answer while much goes on at once, and on a driver that is
faulty every other second.
"""

import itertools
import tempfile
import threading
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from PySide6.QtCore import QTimer

from bench.memory import DAY, day
from bench.stage import LongestTurn, let_run, measured, stage
from bench.table import Figure, at_most
from gpuexplorer.app import App
from gpuexplorer.core.cards import CardId
from gpuexplorer.core.metrics import METRICS, MetricId
from gpuexplorer.gui.desk import VIEWS
from gpuexplorer.gui.theme.palette import Scheme
from gpuexplorer.telemetry.trace import Heading, TraceColumn, write_traces
from tests.nvml_stub.stub import Stub

_WRITTEN = ("gpu_utilization", "memory_used", "power_draw", "temperature")
_ON_SCREENS = ("overview", "card", "processes", "events")
_SIMULATED = (
    ("a driver call hangs for 10 s, 8 cards", "8xH100", "hung:1@2s"),
    ("a card is lost, 8 cards", "8xH100", "lost:1@4s"),
    ("the driver goes and comes back, 8 cards", "8xH100", "driver@4s"),
    ("64 cards report", "64xH200", ""),
)
# What is told to the stand-in driver while the fault holds, and when it does not.
_FAULTS = {
    "cards are lost": ("lost=1,3", "lost=none"),
    "the driver is gone": ("driver=gone", "driver=back"),
    "every figure is refused": ("refused=all", "refused=none"),
    "figures are impossible": ("garbage=all", "garbage=none"),
    "calls are slow": ("slow=2:0.3", "slow=2:0"),
}


def figures() -> Iterator[Figure]:
    yield from measured("held_up")


def on_stage() -> Iterator[Figure]:
    with stage("8xH100+nvlink") as app:
        let_run(3)
        yield _while(app, "8 cards, nothing special", partial(let_run, 10))
        for entry in VIEWS:
            yield _while(app, f"“{entry.name}” is opened", partial(_open, app, entry.name))
            yield _while(app, f"the theme changes on “{entry.name}”", partial(_recolour, app))
        _open(app, "overview")
        yield _while(app, "a CSV of 24 h is written", partial(_write, _a_day()))
    for what, spec, faults in _SIMULATED:
        with stage(spec, faults) as app:
            let_run(2)
            yield _while(app, what, partial(let_run, 11))
    stub = Stub.load()
    stub.configure("cards=8 procs=all:3")
    with stage(None) as app:
        yield _while(app, "it starts on 8 cards", partial(let_run, 5.0), most=100)
        for name, (on, off) in _FAULTS.items():
            for screen in _ON_SCREENS:
                _open(app, screen)
                what = f"{name} every other second, on “{screen}”"
                yield _while(app, what, partial(_switching, stub, on, off))
            let_run(2)


def _while(app: App, what: str, happening: Callable[[], object], most: float = 50) -> Figure:
    """A busy machine makes it wait for others too: the second figure is its own work."""
    heart, turn = app.window.diagnostics.heartbeat, LongestTurn()
    heart.longest_wait = 0.0
    heart.start()
    own = turn.of(happening) * 1e3
    let_run(0.3)
    heart.stop()
    wait = heart.longest_wait * 1e3
    said = f"{wait:.0f}, {own:.0f} ms"
    return at_most(f"{what}: longest wait, of it the processor", wait, most, "ms", said)


def _open(app: App, screen: str) -> None:
    if screen == "card" and app.session.cards():
        app.window.navigation.open_card(app.session.cards()[1].id)
    else:
        app.window.navigation.open_screen(screen)
    let_run(1)


def _recolour(app: App) -> None:
    for scheme in (Scheme.LIGHT, Scheme.DARK):
        app.window.look.choose(scheme)
        let_run(0.5)


def _switching(stub: Stub, on: str, off: str) -> None:
    holds = itertools.cycle([on, off])
    timer = QTimer(interval=1000)
    timer.timeout.connect(lambda: stub.set(next(holds)))
    timer.start()
    let_run(15)
    timer.stop()
    stub.set(off)


def _a_day() -> list[TraceColumn]:
    history, card = day(1, DAY), CardId("0")
    traces = (
        (each, history.trace(card, each, 0.0, DAY, 10**7)) for each in map(MetricId, _WRITTEN)
    )
    return [TraceColumn("0", METRICS[metric], trace) for metric, trace in traces]


def _write(columns: list[TraceColumn]) -> None:
    """In a thread, as the window does it."""
    heading = Heading("bench", simulated=True, start=0.0, end=DAY, offset=1.7e9)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "day.csv"
        writing = threading.Thread(target=write_traces, args=(path, columns, heading))
        writing.start()
        while writing.is_alive():
            let_run(0.05)
