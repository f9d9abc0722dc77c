"""Readings of one card, told to a history and to a recorder alike, without waiting."""

from collections.abc import Iterable
from pathlib import Path
from random import Random

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import HOST_ID, Card, CardId, CardKind, Sample
from gpuexplorer.core.metrics import GPU_UTILIZATION, POWER_DRAW
from gpuexplorer.core.words import Message
from gpuexplorer.recording.recorder import Recorder
from gpuexplorer.recording.schema import Machine
from gpuexplorer.telemetry.backend import Source
from gpuexplorer.telemetry.history import History
from tests.clocks import ManualClock

CARD = CardId("GPU-1")
WALL = 1_790_000_000.0
MACHINE = Machine(
    "here",
    Source("test", Message("Test")),
    1.0,
    Card(HOST_ID, 0, "Host", 1, kind=CardKind.HOST),
)


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
            value = 0.5 + 0.4 * self.random.random() * (number % 300 < 200)
            lost = number % 97 == 50
            sample = Sample(
                CARD,
                self.clock.now(),
                {POWER_DRAW: 300.0} if lost else {GPU_UTILIZATION: value, POWER_DRAW: 300.0},
                {GPU_UTILIZATION: Absence.REFUSED} if lost else {},
            )
            self.count += not lost
            self.history.append(sample)
            self.recorder.put(sample)
            if number % 50 == 0:
                self.recorder.write_now()
        self.recorder.write_now()


def recorded(path: Path, steps: Iterable[float], *, whole: bool) -> Life:
    clock = ManualClock(wall=WALL)
    life = Life(Recorder(path, MACHINE, clock, asleep=lambda: 0.0), clock)
    life.live(steps)
    if whole:
        life.recorder.stop()
    return life
