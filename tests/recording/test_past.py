"""The past of a recording: in plots as it was live and played as if it were now."""

import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from gpuexplorer.core.cards import HOST_ID, CardId
from gpuexplorer.core.metrics import GPU_UTILIZATION, MEMORY_USED, POWER_DRAW
from gpuexplorer.recording.recorded_session import (
    JoinedPast,
    Playhead,
    RecordedPast,
    RecordedSession,
)
from gpuexplorer.recording.recording import Recording, open_recording
from gpuexplorer.telemetry.backend import MADE_UP
from gpuexplorer.telemetry.facts import Reading
from gpuexplorer.telemetry.processes import ProcessFigure
from gpuexplorer.telemetry.trace import Trace
from tests.clocks import ManualClock
from tests.recording.made import BEGAN, CARD, Life, kept_in, make_recording
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


SECONDS = 120.0
PATIENCE = 60.0


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("recordings")
    return make_recording(folder / "a.gpurec", seconds=SECONDS, faults="lost:1@60s")


class Steady:
    seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


@pytest.fixture
def session(path: Path) -> Iterator[RecordedSession]:
    recording = open_recording(path)
    playhead = Playhead(recording.began, recording.ended, recording.wall, Steady())
    recorded = RecordedSession(recording, playhead)
    yield recorded
    assert recorded.stop(5.0)


def reading_at(session: RecordedSession, second: float, number: int = 0) -> Reading:
    session.playhead.seek(session.recording.began + second)
    session.look()
    reading = session.reading(session.cards()[number].id)
    assert reading is not None
    return reading


def test_it_begins_where_it_ends_and_says_what_it_is(session: RecordedSession) -> None:
    session.look()
    assert session.clock.now() == session.recording.ended
    assert session.clock.wall() == pytest.approx(BEGAN + SECONDS, abs=2.0)
    assert [card.id for card in session.cards()] == ["SIM-0", "SIM-1"]
    assert session.cards() is session.cards()
    machine = session.recording.run(session.clock.now()).machine
    assert (session.computer, session.host) == (machine.name, machine.host)
    host = session.reading(HOST_ID)
    assert host is not None
    assert host.values
    assert (session.source.name, session.simulated, session.bare) == ("recording", True, False)
    notes = list(session.notes())
    assert "a.gpurec" in str(notes[0])
    assert notes.count(MADE_UP) == 1
    topology = session.stream.wiring()
    assert set(topology.cards) == {"SIM-0", "SIM-1"}
    assert topology.links


def test_its_readings_are_those_of_the_moment_looked_at(session: RecordedSession) -> None:
    session.want()
    seen = []
    for second in (10.0, 50.0, 10.0):
        reading, now = reading_at(session, second), session.clock.now()
        told = session.recording.sample(reading.card, {GPU_UTILIZATION, MEMORY_USED}, now)
        assert told.values.items() <= reading.values.items()
        assert reading.at <= now
        seen.append(reading.values[GPU_UTILIZATION])
    assert seen[0] == seen[2] != seen[1]


def test_processes_have_their_names_and_past_as_recorded(session: RecordedSession) -> None:
    session.want(processes=True)
    card, now = reading_at(session, 50.0).card, session.clock.now()
    named = session.process_book.living()
    cards = [each.id for each in session.cards()]
    seen = [one for each in cards for one in session.recording.processes(each, now) or ()]
    assert named
    assert [each.command for each in named] == [each.facts.command for each in seen]
    assert all(each.simulated and each.identity is None for each in named)
    rows = session.process_book.rows()
    session.look()
    assert session.process_book.rows() is rows
    assert session.process_book.looked_at(card) == now
    process = named[0].process
    past = session.process_book.past(process.card, process.pid)
    assert now - 3.0 < past.times[-1] <= now
    assert past.memory[-1] == process.values[ProcessFigure.MEMORY]
    assert len(past.sm) == len(past.cpu) == len(past.times) > 1


def test_a_card_that_could_not_tell_who_uses_it_is_said_to(session: RecordedSession) -> None:
    session.want(processes=True)
    session.look()
    assert list(session.processes_unknown()) == ["SIM-1"]


def waited(until: Callable[[], bool]) -> None:
    last = time.monotonic() + PATIENCE
    while not until():
        assert time.monotonic() < last
        threading.Event().wait(0.005)


@pytest.fixture
def live(path: Path) -> Iterator[RecordedSession]:
    """By the computer's own clock, and read in its thread."""
    session = RecordedSession(open_recording(path))
    session.want()
    session.start()
    yield session
    assert session.stop(5.0)


def test_while_it_plays_it_is_read_and_to_the_very_end(live: RecordedSession) -> None:
    waited(lambda: live.beats().taken > 0)
    before, ended = live.beats().taken, live.recording.ended
    live.playhead.seek(live.recording.began)
    live.playhead.play(1.0)
    waited(lambda: live.beats().taken > before + 4)
    live.playhead.seek(ended - 50.0)
    live.playhead.play(100.0)
    card = live.cards()[0].id
    newest = live.recording.sample(card, {GPU_UTILIZATION}, ended).at
    waited(lambda: not live.playhead.playing and _read_at(live, card) >= newest)


def _read_at(session: RecordedSession, card: CardId) -> float:
    reading = session.reading(card)
    return 0.0 if reading is None else reading.at
