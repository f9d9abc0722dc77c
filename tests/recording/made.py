"""Recordings of simulated cards, made by the real recorder without waiting; and Life, one card
whose readings are told to a history and to a recorder alike.
"""

import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from random import Random

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import HOST_ID, Card, CardId, CardKind, Sample
from gpuexplorer.core.metrics import GPU_UTILIZATION, POWER_DRAW, Cadence
from gpuexplorer.core.words import Message
from gpuexplorer.recording.recorder import Kept, Listening, Recorder, machine_of
from gpuexplorer.recording.schema import Machine
from gpuexplorer.telemetry.backend import Source
from gpuexplorer.telemetry.history import History
from gpuexplorer.telemetry.local import Local
from gpuexplorer.telemetry.session import Session, session_on
from gpuexplorer.telemetry.sources import simulated
from tests.clocks import ManualClock

BEGAN = 1_790_000_000.0  # an evening in September 2026
CARD = CardId("GPU-1")
CARDS = (Card(CARD, 0, "H100", 1),)
HOST = Card(HOST_ID, 0, "cpu", 1, kind=CardKind.HOST)
MACHINE = Machine("box", Source("nvml", Message("driver")), 1.0, HOST)
_AT_LEAST = {Cadence.FAST: 0.0, Cadence.SLOW: 5.0, Cadence.ON_DEMAND: 2.0}
_PROCESSES = 2.0
_WRITTEN_EVERY = 60
# What they have open stays so, as long as there are tests.
_NEVER_ENDED: list[Recorder] = []


def kept_in(path: Path, clock: ManualClock, days: int = 2, most_bytes: int = 1 << 30) -> Kept:
    return Kept(path, MACHINE, clock, days=days, most_bytes=most_bytes)


def make_recording(
    path: Path,
    spec: str = "2xH100",
    seconds: float = 600.0,
    interval: float = 1.0,
    faults: str = "",
    *,
    seed: int = 0,
    anonymous: bool = False,
    wall: float = BEGAN,
    whole: bool = True,
) -> Path:
    """All cadences are read. Not `whole`: as if it had been killed after its last batch."""
    clock = ManualClock(wall=wall)
    session = session_on(simulated(spec, faults, seed, clock), (), interval, clock)
    machine = machine_of(session)
    recorder = Recorder(path, machine, clock, anonymous=anonymous)
    listening = Listening(session, recorder)
    assert listening.wiring.answered_within(5.0)
    live(session, clock, seconds, interval, recorder)
    listening.stop()
    session.stop()
    if whole:
        recorder.stop()
    else:
        _NEVER_ENDED.append(recorder)
    assert recorder.trouble is None
    return path


def make_killed(path: Path, **more: object) -> Path:
    """One whose writer was killed after its last batch."""
    code = (
        "import os, pathlib, sys; from tests.recording.made import make_recording;"
        f"make_recording(pathlib.Path(sys.argv[1]), whole=False, **{more!r}); os._exit(0)"
    )
    root = Path(__file__).parents[2]
    subprocess.run([sys.executable, "-c", code, path], cwd=root, check=True, timeout=60)
    return path


def live(
    session: Session, clock: ManualClock, seconds: float, interval: float, recorder: Recorder
) -> None:
    """So many seconds, lived through quickly."""
    steps = round(seconds / interval)
    seldom = {
        cadence: max(1, round(at_least / interval)) for cadence, at_least in _AT_LEAST.items()
    }
    for step in range(steps + 1):
        due = [cadence for cadence, every in seldom.items() if step % every == 0]
        stream = session.stream
        assert isinstance(stream, Local)
        session.take(stream.host_now())
        stream.read_now(due, users=step % max(1, round(_PROCESSES / interval)) == 0)
        if step % _WRITTEN_EVERY == 0 or step == steps:
            recorder.write_now()
        clock.advance(interval)


class Life:
    """What became of it is in `history`, and in the recorder's file."""

    def __init__(self, recorder: Recorder, clock: ManualClock) -> None:
        self.recorder, self.clock = recorder, clock
        self.history = History()
        self.random = Random(1)
        self.count = 0

    def live(self, steps: Iterable[float]) -> None:
        for number, step in enumerate(steps):
            self.clock.advance(step)
            values, missing = {POWER_DRAW: 300.0}, {GPU_UTILIZATION: Absence.REFUSED}
            value = 0.5 + 0.4 * self.random.random() * (number % 300 < 200)
            if number % 97 != 50:
                values, missing = {GPU_UTILIZATION: value, **values}, {}
                self.count += 1
            sample = Sample(CARD, self.clock.now(), values, missing)
            self.history.append(sample)
            self.recorder.put(sample)
            if number % 50 == 0:
                self.recorder.write_now()
        self.recorder.write_now()


def lived(path: Path, steps: Iterable[float], *, whole: bool) -> Life:
    clock = ManualClock(wall=BEGAN)
    life = Life(Recorder(path, MACHINE, clock), clock)
    life.live(steps)
    if whole:
        life.recorder.stop()
    return life
