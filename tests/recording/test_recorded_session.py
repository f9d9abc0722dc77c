"""A recording as a session: what is on the screens is what was so where the playhead stands."""

import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from gpuexplorer.core.cards import HOST_ID, CardId, CardState
from gpuexplorer.core.metrics import GPU_UTILIZATION, MEMORY_USED, Cadence
from gpuexplorer.recording.recorded_session import Playhead, RecordedSession
from gpuexplorer.recording.recording import open_recording
from gpuexplorer.telemetry.backend import MADE_UP
from gpuexplorer.telemetry.happenings import Kind
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


def looks(session: RecordedSession, beyond: int) -> None:
    """Wait until it was looked into the file again."""
    until = time.monotonic() + PATIENCE
    while session.beats().taken <= beyond:
        assert time.monotonic() < until
        threading.Event().wait(0.005)


def test_it_begins_where_the_recording_ends(session: RecordedSession) -> None:
    assert session.clock.now() == session.recording.ended
    assert session.clock.wall() == pytest.approx(BEGAN + SECONDS, abs=2.0)
    assert [card.id for card in session.cards()] == ["SIM-0", "SIM-1"]
    assert session.cards() is session.cards()


def test_its_readings_are_those_of_the_moment_looked_at(session: RecordedSession) -> None:
    session.want()
    seen: dict[float, list[float]] = {}
    for second in (10.0, 50.0, 10.0):
        session.playhead.seek(session.recording.began + second)
        session.look()
        reading = session.reading(session.cards()[0].id)
        assert reading is not None
        told = session.recording.sample(
            reading.card, {GPU_UTILIZATION, MEMORY_USED}, session.clock.now()
        )
        assert reading.values[GPU_UTILIZATION] == told.values[GPU_UTILIZATION]
        assert reading.values[MEMORY_USED] == told.values[MEMORY_USED]
        assert reading.at <= session.clock.now()
        seen.setdefault(second, []).append(reading.values[GPU_UTILIZATION])
    assert seen[10.0][0] == seen[10.0][1]
    assert seen[10.0][0] != seen[50.0][0]


def test_a_card_is_lost_only_where_it_was_then(session: RecordedSession) -> None:
    session.want()
    card = session.cards()[1].id
    session.look()
    reading = session.reading(card)
    assert reading is not None
    assert reading.state is CardState.LOST
    session.playhead.seek(session.recording.began + 30.0)
    session.look()
    reading = session.reading(card)
    assert reading is not None
    assert reading.state is CardState.WORKING
    assert GPU_UTILIZATION in reading.values


def test_the_computer_is_the_one_of_the_recording(session: RecordedSession) -> None:
    session.look()
    machine = session.recording.run(session.clock.now()).machine
    assert session.computer == machine.name
    assert session.host == machine.host
    host = session.reading(HOST_ID)
    assert host is not None
    assert host.values


def test_what_happened_is_known_up_to_the_playhead(session: RecordedSession) -> None:
    kinds = {each.kind for each in session.happenings()}
    assert Kind.CARD_LOST in kinds
    session.playhead.seek(session.recording.began + 30.0)
    assert Kind.CARD_LOST not in {each.kind for each in session.happenings()}
    session.look()
    session.playhead.seek(session.recording.ended)
    session.look()
    assert len(session.happenings()) == len(session.recording.happenings())


def test_processes_have_their_names_as_recorded(session: RecordedSession) -> None:
    session.want(processes=True)
    session.playhead.seek(session.recording.began + 50.0)
    session.look()
    named = session.named_processes()
    seen = [
        each
        for card in session.cards()
        for each in session.recording.processes(card.id, session.clock.now()) or ()
    ]
    assert named
    assert [each.command for each in named] == [each.facts.command for each in seen]
    assert all(each.simulated and each.identity is None for each in named)
    rows = session.process_rows()
    session.look()
    assert session.process_rows() is rows
    assert session.process_book.looked_at(session.cards()[0].id) == session.clock.now()


def test_the_last_minutes_of_a_process_are_those_before_the_playhead(
    session: RecordedSession,
) -> None:
    session.want(processes=True)
    session.playhead.seek(session.recording.began + 50.0)
    session.look()
    named = session.named_processes()[0]
    past = session.process_book.past(named.process.card, named.process.pid)
    assert past.times[-1] <= session.clock.now()
    assert past.times[-1] > session.clock.now() - 3.0
    assert past.memory[-1] == named.process.values[ProcessFigure.MEMORY]
    assert len(past.sm) == len(past.cpu) == len(past.times) > 1


def test_a_card_that_could_not_tell_who_uses_it_is_said_to(session: RecordedSession) -> None:
    session.want(processes=True)
    session.look()
    assert list(session.processes_unknown()) == ["SIM-1"]


def test_what_nobody_wants_is_not_read(session: RecordedSession) -> None:
    session.want((Cadence.FAST,), processes=False)
    session.look()
    reading = session.reading(session.cards()[0].id)
    assert reading is not None
    assert MEMORY_USED in reading.values
    assert not session.named_processes()


def test_it_says_that_it_is_a_recording_and_that_its_cards_were_simulated(
    session: RecordedSession,
) -> None:
    assert session.source.name == "recording"
    assert session.simulated
    assert not session.bare
    notes = list(session.notes())
    assert "a.gpurec" in str(notes[0])
    assert notes.count(MADE_UP) == 1


def test_the_wiring_is_the_recorded_one(session: RecordedSession) -> None:
    topology = session.stream.wiring()
    assert set(topology.cards) == {"SIM-0", "SIM-1"}
    assert topology.links


@pytest.fixture
def live(path: Path) -> Iterator[RecordedSession]:
    """By the computer's own clock, and read in its thread."""
    session = RecordedSession(open_recording(path))
    session.want()
    session.start()
    yield session
    assert session.stop(5.0)


def test_standing_still_nothing_is_read_and_after_a_jump_at_once(live: RecordedSession) -> None:
    looks(live, 0)
    before = live.beats().taken
    assert not threading.Event().wait(0.5)
    assert live.beats().taken == before
    began = time.monotonic()
    live.playhead.seek(live.recording.began + 20.0)
    looks(live, before)
    assert time.monotonic() - began < 1.0
    assert live.silence(live.cards()[0].id) is None


def test_while_it_plays_it_is_read_again_and_again_and_to_the_very_end(
    live: RecordedSession,
) -> None:
    looks(live, 0)
    before, ended = live.beats().taken, live.recording.ended
    live.playhead.seek(live.recording.began)
    live.playhead.play(1.0)
    looks(live, before + 4)
    live.playhead.seek(ended - 50.0)
    live.playhead.play(100.0)
    card = live.cards()[0].id
    newest = live.recording.sample(card, {GPU_UTILIZATION}, ended).at
    until = time.monotonic() + PATIENCE
    while live.playhead.playing or _read_at(live, card) < newest:
        assert time.monotonic() < until
        threading.Event().wait(0.01)


def _read_at(session: RecordedSession, card: CardId) -> float:
    reading = session.reading(card)
    return 0.0 if reading is None else reading.at
