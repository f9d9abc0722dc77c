"""Moving a card's screen through 24 hours of ten readings a second: what each frame takes."""

import gc
import math
import time
from collections.abc import Callable, Sequence
from random import Random

from bench.stage import let_run, stage
from bench.table import Figure
from gpuexplorer.app import App
from gpuexplorer.core.cards import Sample
from gpuexplorer.core.metrics import METRICS, Cadence, metrics_of
from gpuexplorer.gui.measuring.diagnostics import Spread
from gpuexplorer.telemetry.history import History
from gpuexplorer.telemetry.session import Session

_DAY, _HOUR, _MINUTE = 86_400.0, 3600.0, 60.0
_BEAT = 0.1
_FRAMES = 240
_GOAL = 1 / 60
_MOMENTS = 997  # different ones, so that no two columns are alike


def figures() -> Sequence[Figure]:
    with stage("1xH100", screen="card") as app:
        assert app.session is not None
        app.window.time_window.show_past(_live_a_day(app.session))
        let_run(2)
        # As the program does once its window is open. A day of moments is more still.
        gc.freeze()
        window, end = app.window.time_window, app.session.clock.now()

        def pan(step: float) -> None:
            start = end - _DAY + step * (_DAY - _HOUR)
            window.look_at(start, start + _HOUR)

        def pan_wide(step: float) -> None:
            start = end - _DAY + step * _DAY / 4
            window.look_at(start, start + 0.75 * _DAY)

        def zoom(step: float) -> None:
            span = _MINUTE * (_DAY / _MINUTE) ** step
            window.look_at(end - _DAY / 2 - span / 2, end - _DAY / 2 + span / 2)

        name = "card over 24 h at 10 a second"
        return [
            *moving(app, f"{name}, panning, an hour seen", pan),
            *moving(app, f"{name}, panning, 18 hours seen", pan_wide),
            *moving(app, f"{name}, zooming from a minute to a day", zoom),
        ]


def moving(app: App, what: str, move: Callable[[float], None]) -> Sequence[Figure]:
    """`move` is told how far it is, from 0 on to 1."""
    frames = app.window.diagnostics
    frames.wall, frames.cpu = Spread(), Spread()
    # A frame begins with its pull; what a scene puts in order before it is painted is in these.
    moves = Spread()
    for number in range(_FRAMES):
        began = time.thread_time()
        move(number / _FRAMES)
        let_run(0.002)
        moves.append(time.thread_time() - began)
    if len(frames.wall) < _FRAMES * 0.9:
        raise RuntimeError(f"Of {_FRAMES} moves only {len(frames.wall)} were drawn.")
    name = f"{what}: median, 99 %"
    return [
        _figure(f"{name} of frames", frames.wall),
        _figure(f"{name} of all that a move takes, on the processor", moves),
    ]


def _figure(what: str, seconds: Spread) -> Figure:
    late = seconds.percentile(99)
    return Figure(
        what,
        f"{seconds.percentile(50) * 1e3:.1f}, {late * 1e3:.1f} ms",
        "99 % within 16.7 ms",
        late <= _GOAL,
    )


def _live_a_day(session: Session) -> History:
    """A past as the sampler would have left it, of which the session lived but a moment."""
    [card] = session.cards()
    plotted = [m for m in metrics_of(card, [Cadence.FAST]) if METRICS[m].plotted]
    random, now = Random(1), session.clock.now()
    reading = session.reading(card.id)
    usual = {} if reading is None else reading.values
    moments = [
        {
            metric: usual.get(metric, 1.0)
            * (0.6 + 0.3 * math.sin(number / 30) + 0.1 * random.random())
            for metric in plotted
        }
        for number in range(_MOMENTS)
    ]
    history = History(_BEAT)
    for step in range(int(_DAY / _BEAT)):
        at = now - _DAY + step * _BEAT
        history.append(Sample(card.id, at, moments[step % _MOMENTS]))
    # Whoever asks for the past asks this one; what is read from now on goes there too.
    session.past.trace = history.trace  # type: ignore[method-assign]  # a bench may do so
    return history
