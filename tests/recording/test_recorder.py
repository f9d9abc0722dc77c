"""What a session says stands in the file, whole, and nothing else does."""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import HOST_ID, Card, CardId, CardKind, CardState, Sample
from gpuexplorer.core.clock import ManualClock
from gpuexplorer.core.metrics import MetricId
from gpuexplorer.core.records import from_text
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import Message
from gpuexplorer.recording.columns import REASONS, STATES, from_raw, reason_number, unpacked
from gpuexplorer.recording.recorder import Recorder
from gpuexplorer.recording.schema import BUCKET, LEVELS, STATE, TIMES
from gpuexplorer.recording.told import Lost, Machine, ProgramFacts, Topic, Turn
from gpuexplorer.telemetry.backend import Source
from tests.recording.made import BEGAN, make_recording

CARD = CardId("GPU-1")
BUSY, POWER = MetricId("gpu_utilization"), MetricId("power_draw")
MACHINE = Machine(
    "box",
    Source("nvml", Message("driver")),
    1.0,
    Card(HOST_ID, 0, "cpu", 1, kind=CardKind.HOST),
)
PIECES = (
    "SELECT piece.first, piece.last, piece.count, piece.data FROM piece JOIN series"
    " ON series.id = piece.series JOIN subject ON subject.id = series.subject"
    " WHERE subject.name = ? AND metric = ? AND level = ? ORDER BY piece.first, piece.id"
)


def sample(at: float, busy: float = 0.5, **more: float) -> Sample:
    values = {BUSY: busy, **{MetricId(name): value for name, value in more.items()}}
    return Sample(CARD, at, values, {POWER: Absence.NOT_SUPPORTED})


@contextmanager
def opened(path: Path) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(path)) as database:
        yield database


def column(database: sqlite3.Connection, metric: str, name: str = CARD) -> list[float]:
    rows = database.execute(PIECES, (name, metric, 0)).fetchall()
    return [value for *_, count, data in rows for value in unpacked(data, count)]


def turns(path: Path, kind: Turn) -> list[tuple[float, str]]:
    with opened(path) as database:
        return database.execute(
            "SELECT at, value FROM turn WHERE kind = ? ORDER BY id", (kind.value,)
        ).fetchall()


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(wall=BEGAN)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "it.gpurec"


@pytest.fixture
def recorder(path: Path, clock: ManualClock) -> Recorder:
    return Recorder(path, MACHINE, clock, asleep=lambda: 0.0)


def beat(recorder: Recorder, clock: ManualClock, count: int) -> None:
    for step in range(count):
        recorder.put(sample(clock.now(), step / count))
        recorder.write_now()
        clock.advance(1.0)


def test_every_reading_stands_in_the_file_with_its_time_and_state(
    recorder: Recorder, clock: ManualClock, path: Path
) -> None:
    beat(recorder, clock, 1200)
    recorder.stop()
    with opened(path) as database:
        assert column(database, BUSY) == [step / 1200 for step in range(1200)]
        assert column(database, TIMES) == [BEGAN + step for step in range(1200)]
        assert {STATES[round(each) - 1] for each in column(database, STATE)} == {
            CardState.WORKING
        }
        reasons = {REASONS[reason_number(each) - 1] for each in column(database, POWER)}
        assert reasons == {Absence.NOT_SUPPORTED}
        assert database.execute("SELECT count(*) FROM tail").fetchone() == (0,)
        ended = database.execute("SELECT ended FROM run").fetchone()
        assert ended == (BEGAN + 1200,)


def test_the_newest_readings_stand_in_the_tail_after_each_batch(
    recorder: Recorder, clock: ManualClock, path: Path
) -> None:
    beat(recorder, clock, 3)
    with opened(path) as database:
        rows = database.execute(
            "SELECT at, data, metrics FROM tail JOIN layout ON layout = layout.id"
        )
        told = [(at, json.loads(metrics), data) for at, data, metrics in rows]
    recorder.stop()
    assert [at for at, *_ in told] == [BEGAN, BEGAN + 1, BEGAN + 2]
    metrics, data = told[-1][1:]
    assert metrics == [BUSY, POWER, STATE]
    assert from_raw(data, 3)[0] == 2 / 3


@pytest.mark.parametrize("level", LEVELS)
def test_buckets_say_what_lies_in_them_even_where_one_was_not_over(
    recorder: Recorder, clock: ManualClock, path: Path, level: int
) -> None:
    clock.advance(3.0)  # so that pieces end in the middle of buckets
    beat(recorder, clock, 7000)
    recorder.stop()
    expected: dict[float, list[float]] = {}
    for step in range(7000):
        start = (BEGAN + 3 + step) // level * level
        expected.setdefault(start, []).append(step / 7000)
    found = []
    with opened(path) as database:
        for first, last, count, data in database.execute(PIECES, (CARD, BUSY, level)):
            plain = unpacked(data, BUCKET * count)
            assert (first, last) == (plain[0], plain[count - 1] + level)
            found += list(
                zip(*(plain[n * count :][:count] for n in range(BUCKET)), strict=True)
            )
        assert database.execute(PIECES, (CARD, POWER, level)).fetchall() == []
    assert [each[0] for each in found] == sorted(expected)
    for start, low, high, mean, count in found:
        there = expected[start]
        assert (low, high, count) == (min(there), max(there), len(there))
        assert mean == pytest.approx(sum(there) / len(there))


def test_a_card_that_is_asked_something_else_keeps_what_it_said_before(
    recorder: Recorder, clock: ManualClock, path: Path
) -> None:
    for step in range(6):
        more = {"temperature": 50.0} if step >= 3 else {}
        recorder.put(sample(clock.now(), **more))
        clock.advance(1.0)
        recorder.write_now()
    recorder.stop()
    with opened(path) as database:
        assert len(column(database, BUSY)) == 6
        assert column(database, "temperature") == [50.0] * 3


def test_cards_that_come_and_go_are_told_once_each(
    recorder: Recorder, clock: ManualClock, path: Path
) -> None:
    one = Card(CARD, 0, "H100", 1)
    two = Card(CardId("GPU-2"), 1, "H100", 1)
    for cards in ([one], [one], [one, two], [two], [two]):
        recorder.put_cards(cards)
        clock.advance(1.0)
    recorder.stop()
    kind = tuple[Card, ...]
    told = [(at, from_text(kind, value)) for at, value in turns(path, Turn.CARDS)]
    assert told == [(BEGAN, (one,)), (BEGAN + 2, (one, two)), (BEGAN + 3, (two,))]


def test_sleep_and_a_clock_that_was_set_are_part_of_the_record(
    path: Path, clock: ManualClock
) -> None:
    asleep = 0.0
    recorder = Recorder(path, MACHINE, clock, asleep=lambda: asleep)
    beat(recorder, clock, 2)
    asleep = 3600.0
    clock.step(3600.0)  # the time of day went on
    beat(recorder, clock, 2)
    clock.step(-7200.0)
    beat(recorder, clock, 2)
    recorder.stop()
    assert turns(path, Turn.SUSPENDED) == [(BEGAN + 3602, "3600.0")]
    assert turns(path, Turn.CLOCK) == [(BEGAN, "0.0"), (BEGAN + 3604, "-7200.0")]
    with opened(path) as database:
        later = [BEGAN + 3602 + step for step in range(4)]
        assert column(database, TIMES) == [BEGAN, BEGAN + 1, *later]


def test_what_a_disk_does_not_take_in_time_is_counted_and_never_waited_for(
    recorder: Recorder, clock: ManualClock, path: Path
) -> None:
    for _ in range(20_500):
        recorder.put(sample(clock.now()))
        clock.advance(0.001)
    recorder.write_now()
    recorder.stop()
    ((_, value),) = turns(path, Turn.LOST)
    lost: Lost = from_text(Lost, value)
    assert lost.samples == 500
    assert lost.since == pytest.approx(BEGAN + 20.0)
    with opened(path) as database:
        assert len(column(database, BUSY)) == 20_000


def test_a_simulated_machine_is_recorded_with_all_that_happened(tmp_path: Path) -> None:
    path = make_recording(tmp_path / "it.gpurec", faults="lost:1@100s")
    with opened(path) as database:
        kinds = {kind for (kind,) in database.execute("SELECT kind FROM happening")}
        assert {"card lost", "xid", "process appeared"} <= kinds
        (facts,) = database.execute(
            "SELECT facts FROM subject WHERE kind = 'process' LIMIT 1"
        ).fetchone()
        assert from_text(ProgramFacts, facts).simulated
        assert len(column(database, "gpu_utilization", "SIM-0")) == 601
        assert len(column(database, "memory_used", HOST_ID)) == 601
        assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    assert [at for at, _ in turns(path, Turn.TOPOLOGY)] == [BEGAN]
    lost = {at: json.loads(value)["SIM-1"] for at, value in turns(path, Turn.PROCESSES)[1:]}
    assert lost[BEGAN + 100] is None


def test_a_line_of_the_lab_is_kept_as_it_was_said(recorder: Recorder, path: Path) -> None:
    recorder.put_said(Topic.CELL, '{"is":"run"}')
    recorder.stop()
    with opened(path) as database:
        said = database.execute("SELECT what, text FROM said").fetchall()
    assert said == [("cell", '{"is":"run"}')]


def test_a_finished_recording_is_one_plain_file(recorder: Recorder, path: Path) -> None:
    recorder.start()
    assert recorder.stop()
    assert [each.name for each in path.parent.iterdir() if "gpurec" in each.name] == [path.name]
    assert recorder.size == path.stat().st_size


def test_a_file_that_is_there_is_never_replaced(path: Path, clock: ManualClock) -> None:
    path.write_text("a thesis")
    with pytest.raises(Trouble, match="is there already, and a recording never replaces"):
        Recorder(path, MACHINE, clock)
    assert path.read_text() == "a thesis"


def test_a_folder_that_is_not_there_is_named(tmp_path: Path, clock: ManualClock) -> None:
    with pytest.raises(Trouble, match="cannot be made: No such file or directory"):
        Recorder(tmp_path / "nowhere" / "it.gpurec", MACHINE, clock)


def test_a_file_that_was_taken_away_ends_the_recording(path: Path, clock: ManualClock) -> None:
    heard: list[Trouble] = []
    recorder = Recorder(path, MACHINE, clock, on_trouble=heard.append)
    beat(recorder, clock, 2)
    path.rename(path.with_name("elsewhere.gpurec"))
    beat(recorder, clock, 2)
    assert recorder.trouble in heard
    assert "was moved or removed while it was written" in str(recorder.trouble)
    assert recorder.stop()
    assert recorder.seconds < 4
