"""Recordings of simulated cards, made by the real recorder without waiting."""

from pathlib import Path

from gpuexplorer.core.clock import ManualClock
from gpuexplorer.core.metrics import Cadence
from gpuexplorer.recording.recorder import Listening, Recorder, machine_of
from gpuexplorer.telemetry.local import Local
from gpuexplorer.telemetry.session import Session, session_on
from gpuexplorer.telemetry.sources import simulated

BEGAN = 1_790_000_000.0  # an evening in September 2026
_AT_LEAST = {Cadence.FAST: 0.0, Cadence.SLOW: 5.0, Cadence.ON_DEMAND: 2.0}
_PROCESSES = 2.0
_WRITTEN_EVERY = 60
# What they have open stays so, as long as there are tests.
_NEVER_ENDED: list[Recorder] = []


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
    machine = machine_of(session, anonymous=anonymous)
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
