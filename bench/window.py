"""The window: what it costs to start, to keep open and to draw, beside what its peers cost."""

import json
import os
import statistics
import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.child import OURS, processor_in_terminal, run
from bench.table import Figure
from tests.nvml_stub.stub import environment
from tests.xvfb.display import there_is_one, x_server

_ROUNDS = 7
_SECONDS = 40.0  # long enough that a start of a second is no longer seen in a minute's cost
_MOST_MEMORY = 190e6
_CARD_FRAME = 10.0  # milliseconds
# Of eight cards on the overview, milliseconds: what plots that were painted by hand took where
# these figures were first taken. `before.py` compares on any machine.
_READING = 13.0
OFFSCREEN = {"QT_QPA_PLATFORM": "offscreen"}
_BARE = "import PySide6.QtWidgets, pyqtgraph"
_SETTLING = 4.0
_WINDOW = ("--size", "1600x1000", "--theme", "dark")
OVERVIEW = ("--view", "overview", *_WINDOW)
CARD = ("--view", "card", "--simulate", "8xH100+nvlink", *_WINDOW)
# The program as it is, without the diagnostics: to ask the event loop 50 times a second whether
# it answers costs a third of what the window costs itself.
_WATCHED = """
import sys, time
from PySide6.QtCore import QTimer
import gpuexplorer.app as app
from gpuexplorer.__main__ import main
seconds, minimised = float(sys.argv.pop()), sys.argv.pop() == "minimised"
make, used = app.App.__init__, []
def watched(self, *needs, **more):
    make(self, *needs, **more)
    if minimised:
        self.window.show = self.window.showMinimized
    for at in (4.0, 4.0 + seconds):
        QTimer.singleShot(
            round(at * 1000), lambda: used.append((time.process_time(), time.thread_time()))
        )
app.App.__init__ = watched
status = main(sys.argv[1:])
print(*(after - before for before, after in zip(*used)))
raise SystemExit(status)
"""

# What JSON holds. Everything that is taken out of it is made a number on the spot.
Told = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Spent:
    """Processor seconds, without the start, which is measured by itself."""

    minute: float  # of the whole program
    reading: float  # of the window's thread, for one reading of all cards


def figures(seconds: float = _SECONDS) -> list[Figure]:
    rows = [_start(), *_card(seconds / 2)]
    peers = {cards: _nvitop(cards, seconds) for cards in (8, 64)}
    with ExitStack() as stack:
        screens: dict[str, Mapping[str, str]] = {"offscreen": OFFSCREEN}
        if there_is_one():
            screens["Xvfb"] = stack.enter_context(x_server())
        for cards, peer in peers.items():
            for name, screen in screens.items():
                rows += _open(cards, name, screen, peer, seconds)
            away = spent(OVERVIEW, seconds, {**OFFSCREEN, **stub(cards)}, "minimised")
            what = f"{cards} cards, minimised: processor per minute"
            rows.append(_beside(what, away.minute, peer, 0.25))
    return rows


def _start() -> Figure:
    """Taken in turn, since machines drift."""
    bare, ours = [], []
    # The first time of each is to compile what it imports.
    for warm in (False, *[True] * _ROUNDS):
        import_alone = run([sys.executable, "-c", _BARE], OFFSCREEN).seconds
        told = diagnostics(["--simulate", "8xH100"], 0.5, OFFSCREEN)
        if warm:
            bare.append(import_alone)
            ours.append(float(told["first_reading_seconds"]))
    mine, theirs = statistics.median(ours), statistics.median(bare)
    ratio = statistics.median(a / b for a, b in zip(ours, bare, strict=True))
    return Figure(
        "start to the first drawn reading, beside importing Qt and pyqtgraph",
        f"{mine:.2f} s / {theirs:.2f} s = {ratio:.2f}",
        "at most 1.6",
        ratio <= 1.6,
    )


def _open(
    cards: int, name: str, screen: Mapping[str, str], peer: float | None, seconds: float
) -> list[Figure]:
    told = diagnostics(OVERVIEW, seconds / 2, {**screen, **stub(cards)})
    used = spent(OVERVIEW, seconds, {**screen, **stub(cards)})
    memory = float(told["resident_bytes"]["now"])
    what = f"{cards} cards, overview, 1600x1000, {name}"
    rows = [
        _beside(f"{what}: processor per minute", used.minute, peer, 1.0),
        _reading(what, used, _READING if cards == 8 else None),
        Figure(
            f"{what}: memory",
            f"{memory / 1e6:.0f} MB",
            f"at most {_MOST_MEMORY / 1e6:.0f} MB",
            memory <= _MOST_MEMORY,
        ),
        _frame(what, told),
        Figure(
            f"{what}: longest wait of the event loop",
            f"{told['event_loop']['longest_wait_ms']:.0f} ms",
        ),
    ]
    beats = told["beats"]
    rows.append(Figure(f"{what}: beats taken, missed", f"{beats['taken']}, {beats['missed']}"))
    return rows


def _card(seconds: float) -> Sequence[Figure]:
    """Simulated, since its plots shall move."""
    told, what = diagnostics(CARD, seconds, OFFSCREEN), "a card's screen, 1600x1000, offscreen"
    return [
        _frame(what, told, _CARD_FRAME),
        _reading(what, spent(CARD, seconds, OFFSCREEN)),
    ]


def _reading(what: str, used: Spent, most: float | None = None) -> Figure:
    """`most` in milliseconds. It may be several frames, and what a scene puts in order."""
    spent_ms = used.reading * 1e3
    return Figure(
        f"{what}: the window's thread, a reading",
        f"{spent_ms:.1f} ms",
        "" if most is None else f"at most {most:g} ms",
        None if most is None else spent_ms <= most,
    )


def _frame(what: str, told: Told, most: float | None = None) -> Figure:
    """`most` in milliseconds. Decision 8 says what a frame is."""
    frame = told["frames"]["cpu_ms"]
    return Figure(
        f"{what}: a frame on the processor, median, 99 %, longest",
        f"{frame['median']:.1f}, {frame['p99']:.1f}, {frame['longest']:.1f} ms",
        "" if most is None else f"median at most {most:g} ms",
        None if most is None else float(frame["median"]) <= most,
    )


def spent(
    words: Sequence[str],
    seconds: float,
    more: Mapping[str, str],
    how: str = "seen",
    checkout: Path | None = None,
) -> Spent:
    until = f"{_SETTLING + seconds + 0.5:g}"
    command = [sys.executable, "-c", _WATCHED, *words, "--quit-after", until]
    used = run([*command, how, f"{seconds:g}"], more, checkout).told.split()
    program, window = map(float, used)
    return Spent(program / seconds * 60, window / seconds)


def _beside(what: str, minute: float, peer: float | None, share: float) -> Figure:
    if peer is None:
        return Figure(what, f"{minute:.2f} s")
    allowed = "nvitop's" if share == 1.0 else f"{share:g} of nvitop's"
    return Figure(
        what,
        f"{minute:.2f} s / {peer:.2f} s = {minute / peer:.2f}",
        f"at most {allowed}",
        minute <= peer * share,
    )


def _nvitop(cards: int, seconds: float) -> float | None:
    """Its text screen, at one look a second; processor seconds in a minute."""
    program = Path(sys.executable).parent / "nvitop"
    if not program.exists():
        return None
    words = [str(program), "--interval", "1"]
    return processor_in_terminal(words, _SETTLING, seconds, stub(cards)) / seconds * 60


def diagnostics(
    words: Sequence[str],
    seconds: float,
    more: Mapping[str, str],
    checkout: Path | None = None,
) -> Told:
    asked = ["--quit-after", f"{seconds:g}", "--diagnostics", "-"]
    told: Told = json.loads(run([*OURS, *words, *asked], more, checkout).told)
    return told


def stub(cards: int) -> Mapping[str, str]:
    wanted = environment(f"cards={cards}")
    return {name: value for name, value in wanted.items() if os.environ.get(name) != value}
