"""100 000 copies in the timeline of the window: what a frame costs, however much is seen."""

import random
import statistics
import time
from collections.abc import Callable, Sequence
from functools import partial

from bench.stage import let_run
from bench.table import Figure
from gpuexplorer.copies.copy_book import CopyBook
from gpuexplorer.copies.timeline import Timeline
from gpuexplorer.gui.copies.moving.timeline_panel import TimeFrame, TimelineView
from gpuexplorer.gui.state.lab.devices import BenchDevice
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Scheme
from gpuexplorer.lab.events import Began, Finished, Span, Spans, Transferred
from gpuexplorer.lab.ledger import Ledger
from gpuexplorer.lab.wire import Run

_COPIES, _OF_A_LINE, _CARDS = 100_000, 200, 8
_WIDTH = 1330
_ZOOMS = (1, 10, 100, 1000, 10_000)
_FRAMES = 60
_GOAL = 1 / 60


def figures() -> Sequence[Figure]:
    ledger, book, timeline = _session(), CopyBook(), Timeline()
    book.take(ledger)
    timeline.take(ledger, book)
    devices = {name: BenchDevice(name, "", name[-1], at) for at, name in enumerate(_cards())}
    look().choose(Scheme.DARK)
    view = TimelineView()
    view.show_session(timeline, book, devices)
    view.resize(_WIDTH, view.height())
    view.show()
    let_run(0.2)  # nothing is drawn before
    rows = []
    for zoom in _ZOOMS:
        span = timeline.length / zoom
        begins = [(timeline.length - span) * (0.4 + each * 1e-3) for each in range(_FRAMES)]
        frames = [TimeFrame(begin, begin + span) for begin in begins]
        if zoom == 1:
            spans = [timeline.length * 0.99**each for each in range(_FRAMES)]
            frames = [TimeFrame(0.0, span) for span in spans]
        what = f"panned, {zoom} times larger" if zoom > 1 else "zoomed from all of it"
        rows.append(_figure(view, what, [partial(view.show_frame, each) for each in frames]))
    moments = [frames[-1].begin + span * each / _FRAMES for each in range(_FRAMES)]
    rows.append(_figure(view, "played", [partial(view.show_playhead, at) for at in moments]))
    return rows


def _figure(view: TimelineView, what: str, changes: Sequence[Callable[[], None]]) -> Figure:
    """Processor time: what else runs on this computer is not counted."""
    taken = []
    for change in (changes[0], *changes):
        began = time.process_time()
        change()
        view.viewport().repaint()
        taken.append(time.process_time() - began)
    del taken[0]  # the session is drawn once
    median = statistics.median(taken)
    return Figure(
        f"{_COPIES} copies on {_CARDS} cards, {what}: a frame, longest",
        f"{median * 1e3:.1f}, {max(taken) * 1e3:.1f} ms",
        "median under 16.7 ms",
        median < _GOAL,
    )


def _session() -> Ledger:
    ledger, dice = Ledger(), random.Random(1)
    places = ["cpu", *_cards()]
    for number in range(1, _COPIES // _OF_A_LINE + 1):
        ledger.sent(Run(number, "a loop", number))
        ledger.apply(Began(number))
        at, spans = 0.0, []
        for _ in range(_OF_A_LINE):
            source, target = dice.sample(places, 2)
            long = dice.uniform(1e-6, 5e-3)
            with_host = "cpu" in (source, target)
            ledger.apply(
                Transferred(
                    number,
                    source,
                    target,
                    1 << 20,
                    long,
                    what="X",
                    how="cuda",
                    pinned=False if with_host else None,
                    blocking=with_host,
                    host_seconds=long,
                    asked_at=at,
                    begin=at,
                    end=at + long,
                )
            )
            spans.append(Span(dice.choice(_cards()), at, at + long * 0.7, long * 0.7))
            at += long * 0.8
        ledger.apply(Spans(number, tuple(spans)))
        ledger.apply(Finished(number, at, at))
    return ledger


def _cards() -> Sequence[str]:
    return [f"cuda:{number}" for number in range(_CARDS)]
