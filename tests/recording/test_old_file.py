"""Files of version 1 open as they are; the past that is kept goes over into a new one."""

import shutil
from contextlib import closing
from pathlib import Path

import pytest

from gpuexplorer.core.cards import CardId, CardState
from gpuexplorer.core.clock import ManualClock
from gpuexplorer.core.metrics import GPU_UTILIZATION
from gpuexplorer.recording.recorded_session import RecordedPast
from gpuexplorer.recording.recorder import Kept
from gpuexplorer.recording.recording import Recording, open_recording
from gpuexplorer.telemetry.happenings import Kind
from tests.recording.life import MACHINE
from tests.recording.made import BEGAN

OLD = Path(__file__).parent / "version1.gpurec"
CARD = CardId("SIM-0")


def tells_what_it_told(recording: Recording) -> None:
    """Ninety seconds of one card, which was lost after sixty."""
    run = recording.runs[0]
    assert (run.began, run.whole, run.machine.source.simulated) == (BEGAN, True, True)
    assert run.ended == BEGAN + 91
    assert [card.id for card in recording.cards(BEGAN + 50)] == [CARD]
    assert len(recording.metrics(CARD)) == 138
    readings = recording.readings(CARD, GPU_UTILIZATION, BEGAN, BEGAN + 100)
    assert readings.times == [BEGAN + second for second in range(91)]
    assert sum(each == each for each in readings.values) == 60  # noqa: PLR0124 - no NaN
    before = recording.sample(CARD, [GPU_UTILIZATION], BEGAN + 50)
    after = recording.sample(CARD, [GPU_UTILIZATION], BEGAN + 80)
    assert (before.state, after.state) == (CardState.WORKING, CardState.LOST)
    assert before.values[GPU_UTILIZATION] == readings.values[50]
    assert recording.processes(CARD, BEGAN + 50)
    assert recording.processes(CARD, BEGAN + 80) is None
    assert Kind.CARD_LOST in {each.kind for each in recording.happenings()}
    assert recording.topology(BEGAN + 50) is not None
    past = RecordedPast(recording)
    for columns in (1, 3, 1500):
        trace = past.trace(CARD, GPU_UTILIZATION, BEGAN, BEGAN + 91, columns)
        assert trace.counts.sum() == 60


def test_an_old_file_opens_and_nothing_is_written(tmp_path: Path) -> None:
    path = Path(shutil.copy(OLD, tmp_path / "old.gpurec"))
    content = path.read_bytes()
    with closing(open_recording(path)) as recording:
        tells_what_it_told(recording)
        recording.check()
        assert recording.notes() == []
    assert path.read_bytes() == content


def test_the_past_that_is_kept_is_converted_once(tmp_path: Path) -> None:
    path = Path(shutil.copy(OLD, tmp_path / "kept.gpurec"))
    for later in (1000.0, 2000.0):
        kept = Kept(
            *(path, MACHINE, ManualClock(wall=BEGAN + later)),
            days=30,
            most_bytes=1 << 30,
            asleep=lambda: 0.0,
        )
        kept.stop()
    assert [each.name for each in tmp_path.iterdir()] == [path.name]
    with closing(open_recording(path)) as recording:
        tells_what_it_told(recording)
        recording.check()
        assert recording.notes() == []
        assert [run.began for run in recording.runs[1:]] == [BEGAN + 1000, BEGAN + 2000]


def test_readings_that_are_forgotten_of_an_old_file_are_sums(tmp_path: Path) -> None:
    path = Path(shutil.copy(OLD, tmp_path / "kept.gpurec"))
    clock = ManualClock(wall=BEGAN + 2 * 86400)
    kept = Kept(*(path, MACHINE, clock), days=30, most_bytes=1 << 30, asleep=lambda: 0.0)
    kept.write_now()
    kept.stop()
    with closing(open_recording(path)) as recording:
        assert not recording.readings(CARD, GPU_UTILIZATION, BEGAN, BEGAN + 100).times
        found = recording.strand(CARD, GPU_UTILIZATION).sums(
            GPU_UTILIZATION, BEGAN, BEGAN + 100, forgotten=True
        )
        assert sum(found[-1]) == pytest.approx(60)
