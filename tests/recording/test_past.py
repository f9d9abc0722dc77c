"""The past of a recording in plots: the same as it was when it was live, at any zoom."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from gpuexplorer.core.metrics import GPU_UTILIZATION, POWER_DRAW
from gpuexplorer.recording.recorded_session import JoinedPast, RecordedPast
from gpuexplorer.recording.recording import Recording, open_recording
from gpuexplorer.telemetry.trace import Trace
from tests.clocks import ManualClock
from tests.recording.made import BEGAN, CARD, Life, kept_in
from tests.recording.made import lived as recorded

BEATS = {
    "steady": [1.0] * 2000,
    "fast": [0.1] * 6000,
    "with a gap": [1.0] * 900 + [40.0] + [1.0] * 900,
    "a beat that changes": [1.0] * 700 + [10.0] * 300 + [1.0] * 600,
    "slow": [60.0] * 600,
}


def same(one: Trace, other: Trace, shift: float) -> None:
    np.testing.assert_allclose(one.times + shift, other.times, atol=1e-6)
    for part in ("means", "minima", "maxima", "counts"):
        np.testing.assert_allclose(getattr(one, part), getattr(other, part), rtol=1e-6)


@pytest.fixture(
    scope="module", params=[(beats, whole) for beats in BEATS for whole in (True, False)]
)
def lived(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[str, Life, Recording]]:
    """One that came to its end, and one that is still in the tail."""
    beats, whole = request.param
    path = tmp_path_factory.mktemp("past") / "a.gpurec"
    life = recorded(path, BEATS[beats], whole=whole)
    with closing(open_recording(path)) as recording:
        yield beats, life, recording
    life.recorder.stop()


def test_readings_are_seen_as_they_were_live(lived: tuple[str, Life, Recording]) -> None:
    beats, life, recording = lived
    past = RecordedPast(recording)
    first = recording.readings(CARD, POWER_DRAW, recording.began, recording.ended).times[0]
    assert life.history.began is not None
    shift = life.history.began - first
    # The live past has to learn how slow it is; and no reading lies on an edge.
    began = recording.began + (600.05 if beats == "slow" else 0.05)
    for first, last in ((5, 60), (5, 500), (650, 1400), (880, 960), (300, 301)):
        start, end = began + first, began + last
        mine = past.trace(CARD, GPU_UTILIZATION, start, end, 1500)
        live = life.history.trace(CARD, GPU_UTILIZATION, start + shift, end + shift, 1500)
        remembered = start >= recording.ended - 3600  # before that sums alone
        if remembered and live.counts.max(initial=0) <= 1:
            same(mine, live, shift)


def test_where_readings_are_forgotten_sums_take_their_place(tmp_path: Path) -> None:
    path = tmp_path / "a.gpurec"
    recorded(path, [1.0] * 8000, whole=True)
    with closing(sqlite3.connect(path)) as database:
        database.execute("DELETE FROM chunk WHERE id < (SELECT avg(id) FROM chunk)")
        database.commit()
    with closing(open_recording(path)) as recording:
        window = recording.began, recording.ended
        for columns in (20, 80, 600, 1500, 10_000):
            trace = RecordedPast(recording).trace(CARD, POWER_DRAW, *window, columns)
            assert trace.counts.sum() == 8000
            assert not np.isnan(trace.means).any()
        sample = recording.sample(CARD, [POWER_DRAW], recording.began + 1000)
        assert sample.values == {POWER_DRAW: 300.0}
        assert recording.strand(CARD, POWER_DRAW).sums(POWER_DRAW, *window, forgotten=True).size
        assert not recording.notes()


@pytest.mark.parametrize("asked", [0, 100, 900])
def test_what_was_kept_goes_over_into_what_is_live(tmp_path: Path, asked: int) -> None:
    path = tmp_path / "kept.gpurec"
    clock = ManualClock(wall=BEGAN)

    first = Life(kept_in(path, clock), clock)
    first.live([1.0] * 1700)
    first.recorder.stop()
    clock.advance(200.0)
    second = Life(kept_in(path, clock), clock)
    second.live([1.0] * asked)
    # Whenever it is opened: what the file has of this run is not seen twice.
    stored = open_recording(path)
    second.live([1.0] * (1000 - asked))
    joined = JoinedPast(second.history, stored, clock)
    assert joined.ended is None
    assert joined.began == pytest.approx(clock.now() - 2900, abs=2)
    assert joined.cards() == (CARD,)
    for columns in (2, 10, 100, 1500):
        trace = joined.trace(CARD, GPU_UTILIZATION, joined.began, clock.now(), columns)
        assert trace.counts.sum() == first.count + second.count
        assert (np.diff(trace.times) > 0).all()
    trace = joined.trace(CARD, POWER_DRAW, joined.began, clock.now())
    [gap] = trace.times[np.isnan(trace.means)]
    assert clock.now() - 1200 <= gap <= clock.now() - 1000
    minute = clock.now() - 60, clock.now()
    recent = joined.trace(CARD, GPU_UTILIZATION, *minute)
    same(recent, second.history.trace(CARD, GPU_UTILIZATION, *minute), 0)
    stored.close()
    second.recorder.stop()
