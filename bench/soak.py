"""64 cards at ten readings a second, without a window and then with one: is every beat counted,
does memory grow, does anything wear out?
"""

import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence

from bench.stage import let_run, measured, stage
from bench.table import Figure, at_most
from gpuexplorer.gui.measuring.diagnostics import resident_bytes
from gpuexplorer.telemetry.session import Session, remembering, session_on
from gpuexplorer.telemetry.sources import simulated

_BEAT, _SPEC = 0.1, "64xH200"
_SETTLING = 300.0


def figures(seconds: float) -> Iterator[Figure]:
    session = remembering(session_on(simulated(_SPEC), interval=_BEAT))
    session.want()
    session.start()
    rows, grown = _soaked(session, seconds, "no window", threading.Event().wait)
    yield from rows
    ended = session.stop(2.0)
    yield Figure("no window: all threads ended", str(ended), "True", ended)
    yield from measured("soak", f"{seconds:g}", str(grown))


def on_stage(seconds: str, past: str) -> Iterator[Figure]:
    """`past`: the bytes that grew without a window, which is the past that fills."""
    with stage(_SPEC, interval=_BEAT) as app:
        let_run(2.0)
        frames, references = app.window.diagnostics, sys.getrefcount(None)
        drawn = frames.drawn
        rows, grown = _soaked(app.session, float(seconds), "a window", let_run)
        yield from rows
        more = (grown - int(past)) / 1e6
        yield at_most("a window: memory grown beyond that without one", more, 5, "MB")
        usual, late = (frames.cpu.percentile(each) * 1e3 for each in (50, 99))
        yield Figure("a window: a frame, median, 99 %", f"{usual:.1f}, {late:.1f} ms")
        # Up to Python 3.11 a reference lost with each frame ends the program (decision 1).
        drawn = frames.drawn - drawn
        lost = (references - sys.getrefcount(None)) / drawn
        what = f"a window: references to None that are lost with each of {drawn} frames"
        yield at_most(what, max(0.0, lost), 0.05, "")


def _soaked(
    session: Session, seconds: float, what: str, wait: Callable[[float], object]
) -> tuple[Sequence[Figure], int]:
    """What came in the first five minutes, or the first quarter, does not count as growth."""
    settled = min(_SETTLING, seconds / 4)
    before, began, used = session.beats(), time.monotonic(), time.process_time()
    wait(settled)
    memory = resident_bytes()
    wait(seconds - settled)
    beats, grown = session.beats(), resident_bytes() - memory
    lasted, used = time.monotonic() - began, time.process_time() - used
    taken, missed = beats.taken - before.taken, beats.missed - before.missed
    uncounted = abs(int(lasted / _BEAT) - taken - missed)
    rows = [
        Figure(f"{what}: beats taken, missed", f"{taken}, {missed}"),
        at_most(f"{what}: beats neither taken nor counted as missed", uncounted, 1, "beat"),
        Figure(f"{what}: processor", f"{used / lasted * 100:.0f} % of a core"),
        Figure(f"{what}: memory, grown by", f"{memory / 1e6:.0f}, {grown / 1e6:+.1f} MB"),
    ]
    return rows, grown
