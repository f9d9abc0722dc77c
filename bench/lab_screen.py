"""1000 tensors on a shelf, in a window: what the frames of the lab's screen take meanwhile."""

from collections.abc import Callable, Sequence

from PySide6.QtWidgets import QScrollBar, QWidget

from bench.stage import Turns, let_run, stage
from bench.table import Figure
from gpuexplorer.app import App
from gpuexplorer.gui.event_loop import Sweeping
from gpuexplorer.gui.measuring.diagnostics import Spread
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.gui.state.lab.worker_slot import Stage

_TENSORS, _AT_ONCE = 1000, 50
_GOAL = 1 / 60
_STEPS = 60
_MOST_WAITED = 60.0


def figures() -> Sequence[Figure]:
    with stage("2xTitanRTX", screen="lab") as app:
        let_run(3)
        [lab] = app.window.findChildren(Lab)
        lab.run("x = torch.ones(2, 3, device='cuda:0')")
        _settled(lab)
        # As the program does once its window is open.
        Sweeping(app.window)
        rows = _frames(app, "come", lambda: _make(lab))
        rows += _frames(app, "are there", lambda: let_run(3))
        for bar in _bars(app.window):
            rows += _frames(app, f"are there and {_whose(bar)} scrolls", lambda: _scroll(bar))  # noqa: B023 - called at once
        rows += _frames(app, "are there and one more comes", lambda: _one_more(lab))
        app.window.navigation.open_screen("overview")
        let_run(1)
        rows += _frames(app, "are there and the screen is opened", lambda: _come_back(app))
        return rows


def _make(lab: Lab) -> None:
    """Faster than a hand could, and slower than would fill the pipe."""
    for first in range(0, _TENSORS, _AT_ONCE):
        lines = [
            f"t{n} = torch.rand(2, 3, device='cuda:0')" for n in range(first, first + _AT_ONCE)
        ]
        for line in lines:
            lab.run(line)
            let_run(0.001)
        _settled(lab)


def _one_more(lab: Lab) -> None:
    for number in range(5):
        lab.run(f"y{number} = torch.rand(2, 3, device='cuda:0')")
        _settled(lab)


def _come_back(app: App) -> None:
    app.window.navigation.open_screen("lab")
    let_run(0.5)


def _settled(lab: Lab) -> None:
    waited = 0.0
    while lab.stage is not Stage.READY:
        let_run(0.02)
        waited += 0.02
        if lab.stage is Stage.FAILED or waited > _MOST_WAITED:
            raise RuntimeError(lab.sentence or f"The worker is {lab.stage}.")
    let_run(0.1)


def _bars(window: QWidget) -> list[QScrollBar]:
    return [
        bar
        for bar in window.findChildren(QScrollBar)
        if bar.isVisible() and bar.maximum() > bar.minimum()
    ]


def _whose(bar: QScrollBar) -> str:
    owner = bar.parentWidget()
    while owner is not None and not owner.accessibleName():
        owner = owner.parentWidget()
    return "a list" if owner is None else f"“{owner.accessibleName()}”"


def _scroll(bar: QScrollBar) -> None:
    for step in range(_STEPS):
        bar.setValue(bar.minimum() + (bar.maximum() - bar.minimum()) * step // _STEPS)
        let_run(0.005)


def _frames(app: App, what: str, happening: Callable[[], object]) -> list[Figure]:
    frames, turns = app.window.diagnostics, Turns()
    frames.cpu = Spread()
    turns.start()
    happening()
    turns.stop()
    told = f"{frames.cpu.percentile(50) * 1e3:.1f}, {frames.cpu.percentile(100) * 1e3:.1f} ms"
    return [
        Figure(
            f"{_TENSORS} tensors {what}: {len(frames.cpu)} frames, median, longest",
            told,
            "none over 16.7 ms",
            frames.cpu.percentile(100) <= _GOAL,
        ),
        Figure(
            f"{_TENSORS} tensors {what}: longest turn of the event loop",
            f"{turns.longest * 1e3:.1f} ms",
            "within 50 ms",
            turns.longest <= 0.05,
        ),
    ]
