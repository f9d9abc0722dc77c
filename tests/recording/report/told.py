"""Recordings of cards that do as a test says, made by the real recorder."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import HOST_ID, Card, CardId, CardKind, Sample
from gpuexplorer.core.clock import ManualClock
from gpuexplorer.core.metrics import MetricId
from gpuexplorer.core.words import Message
from gpuexplorer.recording.recorder import Recorder
from gpuexplorer.recording.recording import Recording, open_recording
from gpuexplorer.recording.told import Machine, Topic
from gpuexplorer.telemetry.backend import Source
from gpuexplorer.telemetry.happenings import Happening
from tests.recording.made import BEGAN

GIB = float(1 << 30)
HOST = Card(HOST_ID, 0, "cpu", 1, kind=CardKind.HOST)
Figures = Mapping[str, float]


def machine(name: str = "box", *, simulated: bool = False) -> Machine:
    return Machine(name, Source("nvml", Message("driver 590"), simulated), 1.0, HOST)


def card(number: int, name: str = "RTX 4090") -> Card:
    return Card(CardId(f"GPU-{number}"), number, name, int(24 * GIB))


def recorded(
    path: Path,
    cards: Sequence[Card],
    figures: Callable[[int, int], Figures | None],
    seconds: int = 120,
    *,
    happenings: Sequence[Happening] = (),
    said: Sequence[tuple[Topic, str]] = (),
    told: Machine | None = None,
) -> Recording:
    """`figures` of a card's number and a second; None: it was not read then. `at` of happenings
    are seconds since the beginning.
    """
    clock = ManualClock(wall=BEGAN)
    recorder = Recorder(path, told or machine(), clock)
    recorder.put_cards(cards)
    began = clock.now()
    for topic, text in said:
        recorder.put_said(topic, text)
    for second in range(seconds):
        for each in cards:
            read = figures(each.index, second)
            if read is not None:
                values = {MetricId(name): value for name, value in read.items()}
                missing = {MetricId("energy"): Absence.NOT_SUPPORTED}
                recorder.put(Sample(each.id, clock.now(), values, missing))
        for one in happenings:
            if one.at == second:
                recorder.put_happening(one._replace(at=began + second, wall=BEGAN + second))
        if second % 60 == 0:
            recorder.write_now()
        clock.advance(1.0)
    recorder.stop()
    assert recorder.trouble is None
    return open_recording(path)
