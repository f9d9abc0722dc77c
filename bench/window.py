"""The window: what it costs to start, to keep open and to draw, beside what its peers cost."""

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from bench.child import OFFSCREEN, OURS, peer, processor_in_terminal, run, stub
from bench.table import Figure, at_most, beside, in_turns
from tests.xvfb.display import there_is_one, x_server

_ROUNDS = 7
_SECONDS = 40.0  # long enough that a start of a second is no longer seen in a minute's cost
_SETTLING = 4.0
_BARE = "import PySide6.QtWidgets, pyqtgraph"
_SIZE = ("--size", "1600x1000", "--theme", "dark")
OVERVIEW = ("--view", "overview", *_SIZE)
CARD = ("--view", "card", "--simulate", "8xH100+nvlink", *_SIZE)
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


def figures() -> Iterator[Figure]:
    bare = [sys.executable, "-c", _BARE]
    turns = in_turns(
        lambda: first_reading(OFFSCREEN), lambda: run(bare, OFFSCREEN).seconds, _ROUNDS
    )
    yield beside("first drawn reading / importing Qt and pyqtgraph", turns, "s", 1.6)
    card = diagnostics(CARD, _SECONDS / 2, OFFSCREEN)
    yield _frame("a card's screen", card, 10.0)
    reading = spent(CARD, _SECONDS / 2, OFFSCREEN)[1]
    yield Figure("a card's screen: the window's thread, a reading", f"{reading * 1e3:.1f} ms")
    with ExitStack() as stack:
        screens: dict[str, Mapping[str, str]] = {"offscreen": OFFSCREEN}
        if there_is_one():
            screens["Xvfb"] = stack.enter_context(x_server())
        for cards in (8, 64):
            theirs = _nvitop(cards)
            for name, screen in screens.items():
                yield from _open(cards, name, {**screen, **stub(cards)}, theirs)
            away, _ = spent(OVERVIEW, _SECONDS, {**OFFSCREEN, **stub(cards)}, how="minimised")
            what = f"{cards} cards, minimised: processor a minute / nvitop"
            yield beside(what, [(away, theirs)], "s", 0.25)


def _open(cards: int, name: str, more: Mapping[str, str], theirs: float) -> Iterator[Figure]:
    what = f"{cards} cards, {name}"
    minute, reading = spent(OVERVIEW, _SECONDS, more)
    yield beside(f"{what}: processor a minute / nvitop", [(minute, theirs)], "s", 1)
    # What plots that were painted by hand took; several frames, and what a scene puts in order.
    thread = f"{what}: the window's thread, a reading"
    few = cards == 8
    if few:
        yield at_most(thread, reading * 1e3, 13, "ms")
    else:
        yield Figure(thread, f"{reading * 1e3:.1f} ms")
    told = diagnostics(OVERVIEW, _SECONDS / 2, more)
    memory = told["resident_bytes"]["now"] / 1e6
    yield at_most(f"{what}: memory", memory, 165 if few else 190, "MB")
    yield _frame(what, told, 11.0 if few else 16.7)
    beats, wait = told["beats"], told["event_loop"]["longest_wait_ms"]
    yield Figure(f"{what}: beats taken, missed", f"{beats['taken']}, {beats['missed']}")
    yield Figure(f"{what}: longest wait of the event loop", f"{wait:.0f} ms")


# Any: what JSON holds.
def _frame(what: str, told: Mapping[str, Any], most: float = 16.7) -> Figure:
    """Decision 8 says what a frame is."""
    cpu = told["frames"]["cpu_ms"]
    said = f"{cpu['median']:.1f}, {cpu['p99']:.1f}, {cpu['longest']:.1f} ms"
    return at_most(f"{what}: a frame, median, 99 %, longest", cpu["median"], most, "ms", said)


def first_reading(more: Mapping[str, str], checkout: Path | None = None) -> float:
    told = diagnostics(["--simulate", "8xH100"], 0.5, more, checkout)
    return float(told["first_reading_seconds"])


def spent(
    words: Sequence[str],
    seconds: float,
    more: Mapping[str, str],
    checkout: Path | None = None,
    how: str = "seen",
) -> tuple[float, float]:
    """Processor seconds without the start: of the program in a minute, and of the window's
    thread for one reading of all cards.
    """
    until = f"{_SETTLING + seconds + 0.5:g}"
    command = [sys.executable, "-c", _WATCHED, *words, "--quit-after", until]
    program, window = map(
        float, run([*command, how, f"{seconds:g}"], more, checkout).told.split()
    )
    return program / seconds * 60, window / seconds


def diagnostics(
    words: Sequence[str], seconds: float, more: Mapping[str, str], checkout: Path | None = None
) -> Mapping[str, Any]:
    asked = ["--quit-after", f"{seconds:g}", "--diagnostics", "-"]
    told: Mapping[str, Any] = json.loads(run([*OURS, *words, *asked], more, checkout).told)
    return told


def _nvitop(cards: int) -> float:
    """Its text screen, at one look a second; processor seconds in a minute."""
    words = [peer("nvitop"), "--interval", "1"]
    return processor_in_terminal(words, _SETTLING, _SECONDS, stub(cards)) / _SECONDS * 60
