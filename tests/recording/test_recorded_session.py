"""A recording as a session: what is on the screens is what was so where the playhead stands."""

import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from gpuexplorer.core.cards import HOST_ID, CardId
from gpuexplorer.core.metrics import GPU_UTILIZATION, MEMORY_USED
from gpuexplorer.recording.recorded_session import Playhead, RecordedSession
from gpuexplorer.recording.recording import open_recording
from gpuexplorer.telemetry.backend import MADE_UP
from gpuexplorer.telemetry.facts import Reading
from gpuexplorer.telemetry.processes import ProcessFigure
from tests.recording.made import BEGAN, make_recording

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


def test_it_begins_where_the_recording_ends_and_says_that_it_is_one(
    session: RecordedSession,
) -> None:
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


def test_processes_have_their_names_and_last_minutes_as_recorded(
    session: RecordedSession,
) -> None:
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


def test_standing_still_nothing_is_read_and_after_a_jump_at_once(live: RecordedSession) -> None:
    waited(lambda: live.beats().taken > 0)
    before = live.beats().taken
    assert not threading.Event().wait(0.5)
    assert live.beats().taken == before
    began = time.monotonic()
    live.playhead.seek(live.recording.began + 20.0)
    waited(lambda: live.beats().taken > before)
    assert time.monotonic() - began < 1.0
    assert live.stream.silence(live.cards()[0].id) is None


def test_while_it_plays_it_is_read_again_and_again_and_to_the_very_end(
    live: RecordedSession,
) -> None:
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
