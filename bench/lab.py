"""The lab: a worker that is ready, a round trip, a watched step, many copies, many tensors."""

import json
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from PySide6.QtWidgets import QScrollBar

from bench.child import run
from bench.lab_worker import Worker, lab_python
from bench.stage import LongestTurn, let_run, measured, stage
from bench.table import Figure, at_most, beside, in_turns
from gpuexplorer.app import App
from gpuexplorer.copies.copy_book import CopyBook
from gpuexplorer.copies.timeline import Timeline
from gpuexplorer.gui.measuring.diagnostics import Spread
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.gui.state.lab.worker_slot import Stage
from gpuexplorer.lab.events import Began, Transferred
from gpuexplorer.lab.ledger import Ledger
from gpuexplorer.lab.wire import Run

_ROUNDS, _TRIPS = 7, 500
_LOOP = 10_000
_TENSORS, _AT_ONCE, _STEPS = 1000, 50, 60
# Until it is imported: a worker that is ready has not ended either.
_IMPORT = ("-c", "import torch; print('here', flush=True)")


def figures() -> Iterator[Figure]:
    python = lab_python()

    def ready() -> float:
        began = time.perf_counter()
        with Worker(python):
            return time.perf_counter() - began

    def imported() -> float:
        began = time.perf_counter()
        with subprocess.Popen([python, *_IMPORT], stdout=subprocess.PIPE) as bare:
            assert bare.stdout is not None
            bare.stdout.readline()
            return time.perf_counter() - began

    turns = in_turns(ready, imported, _ROUNDS)
    yield beside("a worker is ready / `import torch`", turns, "s", 1.3)
    with Worker(python) as worker:
        trips = Spread()
        trips.extend(worker.run("len([])") for _ in range(_TRIPS))
    median, late = (trips.percentile(each) * 1e3 for each in (50, 99))
    said = f"{median:.2f}, {late:.2f} ms"
    yield at_most("round trip of an empty cell, median, 99 %", median, 1, "ms", said)
    home = Path(__file__).parents[1]
    told = run([str(python), "-m", "bench.lab_step"], {}, home).told
    for what, pairs, most in json.loads(told):
        yield beside(f"{what}, watched / bare", pairs, "s", most)
    yield from _many_copies(python)
    yield from measured("lab")


def _many_copies(python: Path) -> Iterator[Figure]:
    """And what the window has to do with them, in one turn of its own."""
    code = f"for i in range({_LOOP}): s.item()"
    with Worker(python, simulated=True) as worker:
        worker.run("import torch\ns = torch.ones(2, 3, device='{0}').sum()")
        worker.seen.clear()
        took = worker.run(code)
    rows = sum(isinstance(each, Transferred) for each in worker.seen)
    ledger, book, timeline = Ledger(), CopyBook(), Timeline()
    ledger.sent(Run(worker.last(Began).id, code, 2))
    began = time.perf_counter()
    for event in worker.seen:
        ledger.apply(event)
    book.take(ledger)
    timeline.take(ledger, book)
    turn = time.perf_counter() - began
    yield Figure(f"a cell of {_LOOP} copies, simulated", f"{took:.2f} s")
    yield at_most(f"a cell of {_LOOP} copies: rows that tell of them", rows, 1, "row")
    yield at_most(f"a cell of {_LOOP} copies: the window's turn", turn * 1e3, 50, "ms")


def on_stage() -> Iterator[Figure]:
    with stage("2xTitanRTX", screen="lab") as app:
        let_run(3)
        [lab] = app.window.findChildren(Lab)
        lab.run("import torch\nx = torch.ones(2, 3, device='cuda:0')")
        _settled(lab)
        yield from _frames(app, "come", lambda: _make(lab))
        yield from _frames(app, "are there", lambda: let_run(3))
        for bar in app.window.findChildren(QScrollBar):
            if bar.isVisible() and bar.maximum() > bar.minimum():
                yield from _frames(app, f"and {_whose(bar)} scrolls", lambda: _scroll(bar))  # noqa: B023 - called at once
        yield from _frames(app, "and five more come", lambda: _more(lab))
        app.window.navigation.open_screen("overview")
        let_run(1)
        yield from _frames(app, "and the lab is opened", lambda: _come_back(app))


def _frames(app: App, what: str, happening: Callable[[], object]) -> Iterator[Figure]:
    cpu = app.window.diagnostics.cpu = Spread()
    turn = LongestTurn().of(happening) * 1e3
    median, longest = (cpu.percentile(each) * 1e3 for each in (50, 100))
    name, said = f"{_TENSORS} tensors {what}", f"{median:.1f}, {longest:.1f} ms"
    yield at_most(f"{name}: {len(cpu)} frames, median, longest", longest, 16.7, "ms", said)
    yield at_most(f"{name}: longest turn of the event loop", turn, 50, "ms")


def _make(lab: Lab) -> None:
    """Faster than a hand could, and slower than would fill the pipe."""
    for first in range(0, _TENSORS, _AT_ONCE):
        for number in range(first, first + _AT_ONCE):
            lab.run(f"t{number} = torch.rand(2, 3, device='cuda:0')")
            let_run(0.001)
        _settled(lab)


def _more(lab: Lab) -> None:
    for number in range(5):
        lab.run(f"y{number} = torch.rand(2, 3, device='cuda:0')")
        _settled(lab)


def _come_back(app: App) -> None:
    app.window.navigation.open_screen("lab")
    let_run(0.5)


def _settled(lab: Lab) -> None:
    while lab.stage is not Stage.READY:
        if lab.stage is Stage.FAILED:
            raise RuntimeError(lab.sentence)
        let_run(0.02)
    let_run(0.1)


def _whose(bar: QScrollBar) -> str:
    owner = bar.parentWidget()
    while owner is not None and not owner.accessibleName():
        owner = owner.parentWidget()
    return "a list" if owner is None else f"“{owner.accessibleName()}”"


def _scroll(bar: QScrollBar) -> None:
    for step in range(_STEPS):
        bar.setValue(bar.minimum() + (bar.maximum() - bar.minimum()) * step // _STEPS)
        let_run(0.005)
