"""The window on a driver that is faulty every other second: how long it does not answer."""

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QTimer

from bench.held_up import longest_wait
from bench.stage import in_a_process_of_its_own, let_run, report, stage
from bench.table import Figure
from bench.turns import Turns
from gpuexplorer.app import App
from tests.nvml_stub.stub import Stub

_CARDS = 8
_SCREENS = ("overview", "card", "processes", "events")
_SECONDS_EACH = 15.0
_START, _GOAL = 0.100, 0.050
# What is told to the stand-in driver while the fault holds, and when it does not.
_FAULTS = {
    "cards are lost": ("lost=1,3", "lost=none"),
    "the driver is gone": ("driver=gone", "driver=back"),
    "every figure is refused": ("refused=all", "refused=none"),
    "figures are impossible": ("garbage=all", "garbage=none"),
    "calls are slow": ("slow=2:0.3", "slow=2:0"),
}


def figures() -> list[Figure]:
    return in_a_process_of_its_own("bench.faulty")


def _measure() -> Sequence[Figure]:
    stub = Stub.load()
    stub.configure(f"cards={_CARDS} procs=all:3")
    rows = []
    with stage(None) as app:
        first = _longest(app, 5.0)
        rows.append(_figure(f"in the first 5 s, {_CARDS} cards", first, _START))
        for screen in _SCREENS:
            _open(app, screen)
        for name, (on, off) in _FAULTS.items():
            each = [_while_faulty(app, stub, on, off, screen) for screen in _SCREENS]
            wait = max(wait for wait, _ in each), max(own for _, own in each)
            rows.append(_figure(f"in a minute in which {name} every other second", wait, _GOAL))
            let_run(2)
    return rows


def _figure(when: str, wait: tuple[float, float], goal: float) -> Figure:
    longest, own = wait
    return Figure(
        f"longest wait {when}; processor of the longest turn",
        f"{longest * 1e3:.0f} ms; {own * 1e3:.0f} ms",
        f"within {goal * 1e3:.0f} ms",
        longest <= goal,
    )


def _longest(app: App, seconds: float) -> tuple[float, float]:
    """The wait as a person has it, and what of it the window's own thread works: on a busy
    machine it also waits for others.
    """
    turns = Turns()
    turns.start()
    wait = longest_wait(app, partial(let_run, seconds))
    turns.stop()
    return wait, turns.longest


def _while_faulty(app: App, stub: Stub, on: str, off: str, screen: str) -> tuple[float, float]:
    _open(app, screen)
    holds = False

    def turn() -> None:
        nonlocal holds
        holds = not holds
        stub.set(on if holds else off)

    timer = QTimer(interval=1000)
    timer.timeout.connect(turn)
    timer.start()
    longest = _longest(app, _SECONDS_EACH)
    timer.stop()
    stub.set(off)
    return longest


def _open(app: App, screen: str) -> None:
    if screen == "card" and app.session is not None:
        app.window.navigation.open_card(app.session.cards()[1].id)
    else:
        app.window.navigation.open_screen(screen)
    let_run(1)


if __name__ == "__main__":
    report(_measure)
