"""Opening a recording: what is in it is told, and what is none gets a sentence."""

import os
import shutil
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import HOST_ID, CardState
from gpuexplorer.core.clock import ManualClock
from gpuexplorer.core.metrics import GPU_UTILIZATION, PCIE_RECEIVE, Cadence, metrics_of
from gpuexplorer.core.metrics import POWER_DRAW as POWER
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.recording.recorder import Listening, Recorder, machine_of
from gpuexplorer.recording.recording import Recording, open_recording
from gpuexplorer.recording.schema import Record, Turn, put_fact, put_line
from gpuexplorer.telemetry.happenings import Kind
from gpuexplorer.telemetry.local import Local
from gpuexplorer.telemetry.session import Session
from gpuexplorer.telemetry.sources import simulated
from tests.recording.life import WALL, recorded
from tests.recording.made import BEGAN, make_recording

SECONDS = 700.0


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("recordings") / "made.gpurec"
    return make_recording(path, seconds=SECONDS, faults="lost:1@300s")


@pytest.fixture
def recording(made: Path) -> Iterator[Recording]:
    with closing(open_recording(made)) as opened:
        yield opened


@pytest.fixture
def copy(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(made, tmp_path / "copy.gpurec"))


def refusal(path: Path) -> str:
    with pytest.raises(Trouble) as caught:
        open_recording(path)
    return str(caught.value)


def test_a_recording_tells_its_run_and_its_cards(recording: Recording) -> None:
    [run] = recording.runs
    assert run.whole
    assert run.machine.source.simulated
    assert recording.began == BEGAN
    assert recording.ended - recording.began == pytest.approx(SECONDS, abs=2)
    assert [card.name for card in recording.cards(recording.ended)] == [
        "NVIDIA H100 80GB HBM3"
    ] * 2
    assert recording.cards(BEGAN + 5) is recording.cards(BEGAN + 6)
    assert recording.topology(recording.ended) is not None
    assert recording.notes() == []
    assert not recording.being_written
    assert not recording.anonymous


def test_every_metric_has_a_value_or_a_reason_at_any_moment(recording: Recording) -> None:
    for card in recording.cards():
        asked = metrics_of(card)
        for at in (BEGAN, BEGAN + 250.3, BEGAN + 520, recording.ended):
            sample = recording.sample(card.id, asked, at)
            assert sample.values.keys() | sample.missing.keys() == asked
            assert not sample.values.keys() & sample.missing.keys()
            assert at - 1.0 <= sample.at <= at


def test_a_card_that_was_lost_is_lost_from_then_on(recording: Recording) -> None:
    _, lost = recording.cards()
    before = recording.sample(lost.id, [POWER], BEGAN + 290)
    after = recording.sample(lost.id, [POWER], BEGAN + 400)
    assert before.state is CardState.WORKING
    assert POWER in before.values
    assert after.state is CardState.LOST
    assert after.missing[POWER] is Absence.LOST
    [happening] = [each for each in recording.happenings() if each.kind is Kind.CARD_LOST]
    assert happening.card == lost.id
    assert happening.at - BEGAN == pytest.approx(300, abs=3)


def test_what_nobody_asked_for_meanwhile_is_not_read_and_not_awaited(tmp_path: Path) -> None:
    clock = ManualClock(wall=BEGAN)
    stream = Local(simulated("1xH100", "", 0, clock), (), clock)
    session = Session(stream)
    path = tmp_path / "looked-away.gpurec"
    recorder = Recorder(path, machine_of(session, anonymous=False), clock)
    listening = Listening(session, recorder)
    for second in range(60):
        looked = (Cadence.ON_DEMAND,) if second < 10 else ()
        stream.read_now((Cadence.FAST, *looked), users=False)
        clock.advance(1.0)
    listening.stop()
    session.stop()
    recorder.stop()
    recording = open_recording(path)
    card, at = recording.cards()[0], recording.ended
    assert recording.sample(card.id, [PCIE_RECEIVE], at).missing == {
        PCIE_RECEIVE: Absence.NOT_ASKED
    }


def test_long_after_the_end_nothing_is_known_any_more(recording: Recording) -> None:
    card = recording.cards()[0]
    sample = recording.sample(card.id, [POWER], recording.ended + 60)
    assert sample.missing == {POWER: Absence.NOT_YET}
    assert recording.processes(card.id, recording.ended + 60) is None


def test_the_host_and_the_processes_are_told(recording: Recording) -> None:
    host = recording.sample(HOST_ID, recording.metrics(HOST_ID), BEGAN + 30)
    assert host.values
    card = recording.cards()[0]
    seen = recording.processes(card.id, BEGAN + 30)
    assert seen
    assert all(each.facts.card == card.id and each.facts.simulated for each in seen)


def test_readings_and_sums_say_the_same(recording: Recording) -> None:
    card = recording.cards()[0].id
    readings = recording.readings(card, GPU_UTILIZATION, BEGAN, recording.ended)
    assert len(readings.times) == SECONDS + 1
    [strand] = (each for each in recording.strands(card) if GPU_UTILIZATION in each.metrics)
    _, _, most, means, counts = strand.sums(GPU_UTILIZATION, BEGAN, recording.ended)
    assert counts.sum() == len(readings.times)
    assert (means * counts).sum() == pytest.approx(sum(readings.values))
    assert most.max() == max(readings.values)
    # Nothing is told of a time twice.
    assert (
        not recording.strand(card, GPU_UTILIZATION)
        .sums(GPU_UTILIZATION, BEGAN, recording.ended, forgotten=True)
        .size
    )


def test_the_time_of_day_goes_to_the_axis_and_back(copy: Path) -> None:
    with closing(sqlite3.connect(copy)) as database:
        for at, shift in ((BEGAN + 100, 3600.0), (BEGAN + 200, -50.0)):
            put_fact(database, at, Turn.CLOCK, shift)
        database.commit()
    with closing(open_recording(copy)) as recording:
        assert recording.wall(BEGAN + 50) == BEGAN + 50
        assert recording.wall(BEGAN + 150) == BEGAN + 3750
        assert recording.at(BEGAN + 3750) == BEGAN + 150
        # It was that late twice, and is told of the last.
        assert recording.wall(BEGAN + 225) == BEGAN + 175
        assert recording.at(BEGAN + 160) == BEGAN + 210
        # An hour that was skipped was over when the clock was set.
        assert recording.at(BEGAN + 2000) == BEGAN + 100


def test_any_thread_may_ask(recording: Recording) -> None:
    card = recording.cards()[0].id
    found: list[int] = []

    def ask() -> None:
        moments = range(0, int(SECONDS), 50)
        found.extend(len(recording.sample(card, [POWER], BEGAN + at).values) for at in moments)

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(found) == {1}
    recording.close()
    assert list(recording.said()) == []


def test_what_was_written_before_a_kill_is_there(tmp_path: Path) -> None:
    path = tmp_path / "killed.gpurec"
    code = (
        "import os, pathlib, sys; from tests.recording.made import make_recording;"
        "make_recording(pathlib.Path(sys.argv[1]), seconds=120, whole=False); os._exit(0)"
    )
    subprocess.run([sys.executable, "-c", code, path], check=True, timeout=60)
    for log in tmp_path.glob("killed.gpurec-*"):
        os.utime(log, (BEGAN, BEGAN))
    os.utime(path, (BEGAN, BEGAN))
    with closing(open_recording(path)) as recording:
        assert not recording.runs[-1].whole
        assert recording.ended == BEGAN + 120
        assert not recording.being_written
        [note] = recording.notes()
        assert "ended before its time" in note


def test_a_file_that_this_very_process_writes_is_being_written(tmp_path: Path) -> None:
    path = tmp_path / "now.gpurec"
    life = recorded(path, [1.0] * 60, whole=False)
    with closing(open_recording(path)) as recording:
        assert recording.being_written
        assert recording.ended == WALL + 60
        assert "being written" in recording.notes()[0]
    life.recorder.stop()


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "is empty"),
        (b"Some text.\n" * 1000, "is no recording"),
        (b"SQLite format 3\0", "is no recording"),
        (bytes(100_000), "is no recording"),
    ],
)
def test_what_is_no_recording_is_called_none(tmp_path: Path, content: bytes, said: str) -> None:
    path = tmp_path / "any.gpurec"
    path.write_bytes(content)
    assert said in refusal(path)


def test_what_is_no_file_is_not_even_opened(tmp_path: Path) -> None:
    assert "There is no file" in refusal(tmp_path / "none.gpurec")
    assert "is a folder" in refusal(tmp_path)
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe")
        assert "a device or a pipe" in refusal(tmp_path / "pipe")


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may all")
def test_a_file_that_may_not_be_read_says_so(copy: Path) -> None:
    copy.chmod(0)
    assert "may not read" in refusal(copy)


def test_another_sqlite_file_is_no_recording(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    with closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE a (b)")
    assert "is no recording" in refusal(path)


def test_a_recording_from_the_future_asks_for_an_update(copy: Path) -> None:
    with closing(sqlite3.connect(copy)) as database:
        database.execute("PRAGMA user_version = 9")
    assert "newer version" in refusal(copy)
    assert "Update" in refusal(copy)


@pytest.mark.parametrize(
    "change",
    [
        "CREATE VIEW more AS SELECT 1",
        "CREATE TRIGGER more AFTER INSERT ON fact BEGIN SELECT 1; END",
        "CREATE TABLE more (a, b AS (a + 1))",
        "ALTER TABLE fact ADD COLUMN b AS (json)",
        "CREATE INDEX more ON fact (abs(at))",
        "DROP TABLE sums",
    ],
)
def test_nothing_of_a_strangers_tables_is_run(copy: Path, change: str) -> None:
    with closing(sqlite3.connect(copy)) as database:
        database.execute(change)
        database.commit()
    assert "its tables are others" in refusal(copy)


def test_a_locked_file_says_so(copy: Path) -> None:
    with closing(sqlite3.connect(copy, isolation_level=None)) as database:
        database.execute("BEGIN EXCLUSIVE")
        assert "locked" in refusal(copy)


def test_any_name_of_a_file_will_do(copy: Path, tmp_path: Path) -> None:
    odd = copy.rename(tmp_path / "50% off?mode=rw#1 'ü'.gpurec")
    with closing(open_recording(odd)) as recording:
        assert recording.cards()


def test_one_without_a_run_says_that_there_is_nothing_yet(copy: Path) -> None:
    with closing(sqlite3.connect(copy)) as database:
        database.execute("DELETE FROM fact WHERE kind = 'run'")
        database.commit()
    assert "holds no recording yet" in refusal(copy)


def test_a_later_run_is_a_gap_and_knows_nothing_of_the_one_before(copy: Path) -> None:
    with closing(sqlite3.connect(copy)) as database:
        (text,) = database.execute("SELECT json FROM fact WHERE kind = 'run'").fetchone()
        (ended,) = database.execute("SELECT at FROM fact WHERE kind = 'ended'").fetchone()
        run = put_line(database, ended + 0.5, Record.RUN, text)
        put_fact(database, ended + 100, Record.ENDED, run)
        database.commit()
    with closing(open_recording(copy)) as recording:
        first, second = recording.runs
        card = recording.cards()[0].id
        assert recording.run(first.ended - 1) == first
        assert recording.sample(card, [POWER], first.ended).values
        assert not recording.sample(card, [POWER], second.began + 0.1).values
        assert recording.processes(card, second.began + 0.1) is None
        assert recording.turns(Turn.CARDS)
