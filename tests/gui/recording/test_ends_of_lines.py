"""The last figure of a line that ends with a recording, and how large its file is called."""

from contextlib import closing
from pathlib import Path

import pytest

from gpuexplorer.core.metrics import METRICS, POWER_DRAW
from gpuexplorer.gui.plots.content import PlotLine, Stretch, summarise
from gpuexplorer.recording.recorded_session import RecordedPast
from gpuexplorer.recording.recorder import Recorder
from gpuexplorer.recording.recording import open_recording
from tests.clocks import ManualClock
from tests.recording.made import BEGAN as WALL
from tests.recording.made import CARD, MACHINE, Life


@pytest.mark.parametrize("after", [0.1, 0.6, 0.95])
def test_a_line_that_goes_to_the_end_of_a_recording_has_its_last_figure(
    tmp_path: Path, after: float
) -> None:
    clock = ManualClock(wall=WALL)
    life = Life(Recorder(tmp_path / "a.gpurec", MACHINE, clock), clock)
    life.live([1.0] * 3700)
    clock.advance(after)
    life.recorder.stop()
    with closing(open_recording(tmp_path / "a.gpurec")) as recording:
        past = RecordedPast(recording)
        for seconds in (60, 621, 1800, recording.ended - recording.began):
            start = recording.ended - seconds
            stretch = Stretch(start, recording.ended, following=False, offset=0.0)
            for columns in range(2, 1500, 7):
                trace = past.trace(CARD, POWER_DRAW, start, recording.ended, columns)
                line = PlotLine("card", METRICS[POWER_DRAW], trace)
                assert summarise(line, stretch).now == 300.0, (seconds, columns)


def test_while_it_is_made_it_is_said_to_be_as_large_as_its_file_will_be(tmp_path: Path) -> None:
    clock = ManualClock(wall=WALL)
    life = Life(Recorder(tmp_path / "a.gpurec", MACHINE, clock), clock)
    life.live([1.0] * 600)
    said = life.recorder.size
    life.recorder.stop()
    whole = (tmp_path / "a.gpurec").stat().st_size
    assert life.recorder.size == whole
    assert said == pytest.approx(whole, rel=0.25)
