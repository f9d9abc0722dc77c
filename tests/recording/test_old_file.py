"""Files of version 1 open as they are; the past that is kept goes over into a new one."""

import shutil
from contextlib import closing
from pathlib import Path

import pytest

from gpuexplorer.core.cards import CardId, CardState
from gpuexplorer.core.metrics import GPU_UTILIZATION
from gpuexplorer.recording.recorded_session import RecordedPast
from gpuexplorer.recording.recording import open_recording
from gpuexplorer.telemetry.happenings import Kind
from tests.clocks import ManualClock
from tests.recording.made import BEGAN, kept_in

OLD = Path(__file__).parent / "version1.gpurec"
CARD = CardId("SIM-0")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return Path(shutil.copy(OLD, tmp_path / "old.gpurec"))


@pytest.mark.parametrize("later", [[], [1000.0, 2000.0]])
def test_an_old_file_tells_what_it_told_and_is_converted_where_it_is_kept(
    path: Path, later: list[float]
) -> None:
    """Ninety seconds of one card, which was lost after sixty."""
    content = path.read_bytes()
    for after in later:
        kept_in(path, ManualClock(wall=BEGAN + after), days=30).stop()
    with closing(open_recording(path)) as recording:
        run, *more = recording.runs
        assert [run.began for run in more] == [BEGAN + after for after in later]
        assert (run.began, run.whole, run.machine.source.simulated) == (BEGAN, True, True)
        assert run.ended == BEGAN + 91
        assert [card.id for card in recording.cards(BEGAN + 50)] == [CARD]
        assert len(recording.metrics(CARD)) == 138
        readings = recording.readings(CARD, GPU_UTILIZATION, BEGAN, BEGAN + 100)
        assert readings.times == [BEGAN + second for second in range(91)]
        assert sum(each == each for each in readings.values) == 60  # noqa: PLR0124 - no NaN
        before = recording.sample(CARD, [GPU_UTILIZATION], BEGAN + 50)
        after_it = recording.sample(CARD, [GPU_UTILIZATION], BEGAN + 80)
        assert (before.state, after_it.state) == (CardState.WORKING, CardState.LOST)
        assert before.values[GPU_UTILIZATION] == readings.values[50]
        assert recording.processes(CARD, BEGAN + 50)
        assert recording.processes(CARD, BEGAN + 80) is None
        assert Kind.CARD_LOST in {each.kind for each in recording.happenings()}
        assert recording.topology(BEGAN + 50) is not None
        for columns in (1, 3, 1500):
            window = BEGAN, BEGAN + 91
            trace = RecordedPast(recording).trace(CARD, GPU_UTILIZATION, *window, columns)
            assert trace.counts.sum() == 60
        recording.check()
        assert recording.notes() == []
    assert later or path.read_bytes() == content
    assert [each.name for each in path.parent.iterdir()] == [path.name]
