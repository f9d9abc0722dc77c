"""What a session says stands in the file, whole; what is always kept stays small; an anonymous
recording names nobody.
"""

import json
import os
import signal
import sqlite3
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import HOST_ID, Card, CardId, CardKind, CardState, Sample
from gpuexplorer.core.clock import SystemClock
from gpuexplorer.core.metrics import MetricId
from gpuexplorer.core.records import from_text, text_of
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import Message, tr
from gpuexplorer.recording.recorder import Kept, Recorder
from gpuexplorer.recording.recording import Readings, open_recording
from gpuexplorer.recording.schema import (
    REASONS,
    Began,
    Lost,
    Machine,
    ProgramFacts,
    Record,
    Told,
    Topic,
    Turn,
    Writer,
    reason_number,
)
from gpuexplorer.telemetry.facts import Cards, Users
from gpuexplorer.telemetry.happenings import Happening, Kind
from gpuexplorer.telemetry.processes import Ancestor, CardProcess, NamedProcess, ProcessUse
from gpuexplorer.telemetry.topology import Link, PathKind, Topology
from tests.clocks import ManualClock
from tests.recording.made import BEGAN, CARD, CARDS, HOST, MACHINE, kept_in

BUSY, POWER = MetricId("gpu_utilization"), MetricId("power_draw")


def sample(at: float, busy: float = 0.5) -> Sample:
    return Sample(CARD, at, {BUSY: busy}, {POWER: Absence.NOT_SUPPORTED})


def asked(path: Path, question: str, *values: str) -> list[Any]:
    with closing(sqlite3.connect(path)) as database:
        return database.execute(question, values).fetchall()


def told_in(path: Path, kind: str) -> list[tuple[float, str]]:
    return asked(path, "SELECT at, json FROM fact WHERE kind = ? ORDER BY id", str(kind))


def readings(path: Path, metric: MetricId = BUSY) -> Readings:
    with closing(open_recording(path)) as recording:
        return recording.readings(CARD, metric, 0.0, 4e9)


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(wall=BEGAN)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "it.gpurec"


@pytest.fixture
def recorder(path: Path, clock: ManualClock) -> Recorder:
    return Recorder(path, MACHINE, clock)


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
    assert list(readings(path).values) == [step / 1200 for step in range(1200)]
    assert list(readings(path).times) == [BEGAN + step for step in range(1200)]
    with closing(open_recording(path)) as recording:
        told = recording.sample(CARD, [BUSY], BEGAN + 600)
    assert (told.at, told.state) == (BEGAN + 600, CardState.WORKING)
    reasons = {REASONS[reason_number(each) - 1] for each in readings(path, POWER).values}
    assert reasons == {Absence.NOT_SUPPORTED}
    assert asked(path, "SELECT count(*) FROM tail") == [(0,)]
    assert [at for at, _ in told_in(path, Record.ENDED)] == [BEGAN + 1200]
    assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0 or sys.platform == "win32"


def test_sums_tell_each_minute(recorder: Recorder, clock: ManualClock, path: Path) -> None:
    clock.advance(3.0)
    beat(recorder, clock, 7000)
    recorder.stop()
    with closing(open_recording(path)) as recording:
        [strand] = recording.strands(CARD)
        found = strand.sums(BUSY, BEGAN, BEGAN + 8000)
        assert not strand.sums(POWER, BEGAN, BEGAN + 8000).size
    minutes = (BEGAN + 3 + np.arange(7000)) // 60
    for minute in np.unique(minutes):
        there = np.flatnonzero(minutes == minute) / 7000
        # What is packed apart is summed apart.
        _, least, most, means, counts = found[:, found[0] // 60 == minute]
        assert (least.min(), most.max(), counts.sum()) == (there[0], there[-1], there.size)
        assert means @ counts == pytest.approx(there.sum())


def test_new_cards_are_told_once(recorder: Recorder, clock: ManualClock, path: Path) -> None:
    one = Card(CARD, 0, "H100", 1)
    two = Card(CardId("GPU-2"), 1, "H100", 1)
    for cards in ([one], [one], [one, two], [two], [two]):
        recorder.put(Cards(cards, MACHINE.source))
        clock.advance(1.0)
    recorder.stop()
    kind = tuple[Card, ...]
    told = [(at, from_text(kind, value)) for at, value in told_in(path, Turn.CARDS)]
    assert told == [(BEGAN, (one,)), (BEGAN + 2, (one, two)), (BEGAN + 3, (two,))]


def test_sleep_and_a_clock_that_was_set_are_part_of_the_record(
    path: Path, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    asleep = 0.0
    monkeypatch.setattr("gpuexplorer.recording.recorder.slept", lambda: asleep)
    recorder = Recorder(path, MACHINE, clock)
    beat(recorder, clock, 2)
    asleep = 3600.0
    clock.step(3600.0)  # the time of day went on
    beat(recorder, clock, 2)
    clock.step(-7200.0)
    beat(recorder, clock, 2)
    recorder.stop()
    assert told_in(path, Turn.SUSPENDED) == [(BEGAN + 3602, "3600.0")]
    assert told_in(path, Turn.CLOCK) == [(BEGAN, "0.0"), (BEGAN + 3604, "-7200.0")]
    later = [BEGAN + 3602 + step for step in range(4)]
    assert list(readings(path).times) == [BEGAN, BEGAN + 1, *later]


def test_what_a_disk_does_not_take_in_time_is_counted_and_never_waited_for(
    recorder: Recorder, clock: ManualClock, path: Path
) -> None:
    for _ in range(20_500):
        recorder.put(sample(clock.now()))
        clock.advance(0.001)
    recorder.write_now()
    recorder.stop()
    ((_, value),) = told_in(path, Turn.LOST)
    lost: Lost = from_text(Lost, value)
    assert lost.samples == 500
    assert lost.since == pytest.approx(BEGAN + 20.0)
    assert len(readings(path).values) == 20_000


def test_a_file_that_is_there_is_never_replaced(path: Path, clock: ManualClock) -> None:
    path.write_text("a thesis")
    with pytest.raises(Trouble, match="is there already, and a recording never replaces"):
        Recorder(path, MACHINE, clock)
    assert path.read_text() == "a thesis"


METRICS = tuple(MetricId(each) for each in ("gpu_utilization", "power_draw", "temperature"))


def newest(path: Path) -> float:
    """Also looks whether all of the file is sound."""
    with closing(sqlite3.connect(path)) as database:
        assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        ((at,),) = database.execute(
            "SELECT max(at) FROM (SELECT at FROM tail UNION SELECT last FROM chunk)"
        )
    with closing(open_recording(path)) as recording:
        assert recording.ended > at - 0.5  # a look at processes is no reading
    return float(at)


_OFTEN = [Random(seed).uniform(0.0, 4.0) for seed in range(50)]


@pytest.mark.skipif(sys.platform == "win32", reason="it has no such signal")
@pytest.mark.parametrize(
    "seconds", [0.7, *(pytest.param(each, marks=pytest.mark.long) for each in _OFTEN)]
)
def test_a_killed_recording_lacks_two_seconds_at_most(tmp_path: Path, seconds: float) -> None:
    path = tmp_path / "it.gpurec"
    words = ("record", str(path), "--simulate", "4xH100", "--interval", "0.1", "--all")
    process = subprocess.Popen([sys.executable, "-m", "gpuexplorer", *words])
    while not (path.exists() and path.stat().st_size):
        with suppress(subprocess.TimeoutExpired):
            assert process.wait(0.01) is None
    with suppress(subprocess.TimeoutExpired):
        process.wait(1.5 + seconds)
    process.kill()
    at = time.time()
    assert process.wait() == -signal.SIGKILL
    assert at - newest(path) < 2.0


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    if sys.platform != "linux" or os.geteuid() != 0:
        pytest.skip("only an administrator of Linux may mount a file system")
    folder = tmp_path / "small"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=6m", "tmpfs", str(folder)]
    if subprocess.run(mount, check=False, capture_output=True).returncode:
        pytest.skip("no file system can be mounted here")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def test_a_full_disk_ends_it_with_a_sentence_and_the_file_opens(small_disk: Path) -> None:
    path, clock = small_disk / "it.gpurec", ManualClock()
    recorder = Recorder(path, MACHINE, clock)
    chance, written = Random(7), clock.wall()
    while True:
        for card in range(8):  # figures that no packing makes small
            values = {metric: chance.random() for metric in METRICS}
            recorder.put(Sample(CardId(f"GPU-{card}"), clock.now(), values))
        recorder.write_now()
        if recorder.trouble is not None:
            break
        written = clock.wall()
        clock.advance(1.0)
    assert recorder.trouble.told == (
        "The recording ended: the disk is full."
        f" What was recorded until then is in {path}. Look at the disk, and begin another."
    )
    assert recorder.stop()
    assert newest(path) == written
    with closing(open_recording(path)) as recording:
        assert recording.runs[-1].whole
        [note] = recording.notes()
        assert tr(note) == "The recording ended: the disk is full."
    assert [each.name for each in small_disk.iterdir()] == [path.name]  # and lies there alone


def test_nobody_waits_for_a_disk_that_hangs(tmp_path: Path) -> None:
    path = tmp_path / "it.gpurec"
    recorder = Recorder(path, MACHINE, SystemClock())
    # Somebody else holds the file, and nothing can be written.
    with closing(sqlite3.connect(path)) as other:
        other.execute("BEGIN IMMEDIATE")
        recorder.start()
        began = time.perf_counter()
        for _ in range(5000):
            recorder.put(Sample(CARD, SystemClock().now(), dict.fromkeys(METRICS, 1.0)))
        assert time.perf_counter() - began < 0.5
        assert not recorder.stop(1.5)
        other.rollback()
    assert recorder.stop(10.0)
    assert recorder.trouble is None
    assert len(readings(path).times) == 5000


HOUR, DAY = 3600.0, 86400.0


def live(kept: Kept, clock: ManualClock, seconds: float, step: float = 10.0) -> None:
    kept.put(Cards(CARDS, MACHINE.source))
    for count in range(round(seconds / step)):
        kept.put(Sample(CARD, clock.now(), {BUSY: count % 7 / 7}))
        if count % 100 == 0:
            kept.put(
                Happening(clock.now(), clock.wall(), Kind.ASLEEP, CARD, Message("It sleeps"))
            )
        kept.write_now()
        clock.advance(step)
    assert kept.trouble is None


def lived(path: Path, clock: ManualClock, seconds: float) -> None:
    kept = kept_in(path, clock)
    live(kept, clock, seconds)
    kept.stop()


def test_the_next_start_goes_on_where_the_last_one_ended(tmp_path: Path) -> None:
    path = tmp_path / "new" / "past.gpurec"
    clock = ManualClock(wall=BEGAN)
    lived(path, clock, 100.0)
    clock.advance(500.0)
    lived(path, clock, 100.0)
    with closing(open_recording(path)) as recording:
        runs = [(run.began - BEGAN, run.ended - BEGAN) for run in recording.runs]
        assert runs == [(0, 100), (600, 700)]
        times = recording.readings(CARD, BUSY, BEGAN, BEGAN + 1000).times
    assert [at - BEGAN for at in times] == [*range(0, 100, 10), *range(600, 700, 10)]


def test_what_a_killed_program_wrote_is_not_lost(path: Path) -> None:
    clock = ManualClock(wall=BEGAN)
    first = kept_in(path, clock)
    live(first, clock, 100.0)
    copy = path.with_name("copy.gpurec")
    with closing(sqlite3.connect(path)) as now, closing(sqlite3.connect(copy)) as other:
        now.backup(other)  # with what is not folded yet
    first.stop()
    copy.replace(path)
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("DELETE FROM fact WHERE kind = 'ended'")
        told = text_of(Began(Writer("GPU Explorer", os.getpid(), 1.0), MACHINE))
        database.execute("UPDATE fact SET json = ? WHERE kind = 'run'", (told,))
    clock.advance(60.0)
    lived(path, clock, 20.0)
    with closing(open_recording(path)) as recording:
        assert len(recording.readings(CARD, BUSY, BEGAN, BEGAN + 1000).times) == 12


def test_readings_are_kept_for_a_day_and_buckets_for_as_long_as_was_chosen(path: Path) -> None:
    clock = ManualClock(wall=BEGAN)
    kept = kept_in(path, clock)
    live(kept, clock, 5 * DAY, 60.0)
    now = BEGAN + 5 * DAY
    kept.stop()
    recording = open_recording(path)
    first = recording.readings(CARD, BUSY, BEGAN, now).times[0]
    assert DAY <= now - first < 1.5 * DAY
    bucket = recording.strand(CARD, BUSY).sums(BUSY, BEGAN, now, forgotten=True)[0, 0]
    assert 2 * DAY <= now - bucket < 2.5 * DAY
    assert 1.9 * DAY <= now - recording.happenings()[0].at < 2.2 * DAY
    # Who was there is known, though it was told before all that is kept.
    assert recording.cards(now) == CARDS
    assert len(recording.turns(Turn.CLOCK)) == 1
    recording.close()
    assert path.stat().st_size < 2 << 20


def test_a_file_that_would_grow_too_big_forgets_the_oldest(path: Path) -> None:
    most = 120_000
    clock = ManualClock(wall=BEGAN)
    kept = kept_in(path, clock, days=30, most_bytes=most)
    live(kept, clock, 6 * DAY, 60.0)
    now = BEGAN + 6 * DAY
    kept.stop()
    assert path.stat().st_size < 1.2 * most
    recording = open_recording(path)
    [strand] = recording.strands(CARD)
    first, *_, last = strand.sums(BUSY, BEGAN, now)[0]
    assert BEGAN + HOUR < first < now - HOUR
    assert now - last < 120
    recording.close()


def test_only_one_program_keeps_the_past(path: Path) -> None:
    clock = ManualClock(wall=BEGAN)
    first = kept_in(path, clock)
    with pytest.raises(Trouble, match="kept by another GPU Explorer already, process") as told:
        kept_in(path, clock)
    assert str(os.getpid()) in told.value.sentence
    assert told.value.hint == "Close the other, if this one is to keep it."
    first.stop()
    kept_in(path, clock).stop()


# Whatever must not be in the file has this in it.
SECRET = "secret"
ONE, TWO = CardId(f"GPU-{SECRET}-1"), CardId(f"GPU-{SECRET}-2")
PART, GONE = CardId(f"MIG-{SECRET}-3"), CardId(f"GPU-{SECRET}-4")
THREE = (
    Card(ONE, 0, "H100", 1),
    Card(PART, 0, "H100 MIG 1g.10gb", 1, kind=CardKind.MIG, parent=ONE),
    Card(TWO, 1, "H100", 1),
)
NAMED = Machine(
    f"box-{SECRET}", MACHINE.source, 1.0, HOST, (Message("{who} may not", who=SECRET),)
)
PROCESS = NamedProcess(
    CardProcess(PART, 77, ProcessUse.COMPUTE),
    resolved=True,
    user=SECRET,
    command=f"python {SECRET}.py",
    container=SECRET,
    ancestors=(Ancestor(5, SECRET),),
)
APPEARED = Message("{program} ({pid}) uses the card", program=SECRET, pid=77)
TOLD: tuple[Told, ...] = (
    Cards(THREE, MACHINE.source),
    Topology((ONE, TWO), (Link(ONE, TWO, PathKind.SWITCH),), {ONE: 0}, {TWO: "0-3"}),
    *(Sample(card.id, 0.0, {MetricId("memory_used"): 1.0}) for card in (*THREE, HOST)),
    Users(PART, [PROCESS]),
    Happening(1000.0, 0.0, Kind.PROCESS_APPEARED, TWO, APPEARED, "77"),
    Happening(1000.0, 0.0, Kind.CARD_LOST, ONE, Message("The card is lost")),
    Happening(1000.0, 0.0, Kind.CARD_LOST, GONE, Message("The card is lost")),
    Cards([Card(PART, 0, "a part", 1, kind=CardKind.MIG, parent=GONE)], MACHINE.source),
)


def recorded(path: Path, *, anonymous: bool) -> str:
    recorder = Recorder(path, NAMED, ManualClock(), anonymous=anonymous)
    for each in TOLD:
        recorder.put(each)
    recorder.put_said(Topic.CELL, SECRET)
    recorder.stop()
    assert recorder.trouble is None
    with closing(sqlite3.connect(path)) as database:
        return "\n".join(database.iterdump())


def test_nobody_is_named_and_cards_keep_one_other_id_each_everywhere(tmp_path: Path) -> None:
    assert recorded(tmp_path / "named.gpurec", anonymous=False).count(SECRET) > 20
    path = tmp_path / "it.gpurec"
    text = recorded(path, anonymous=True)
    assert SECRET not in text
    assert SECRET.encode() not in path.read_bytes()
    with closing(sqlite3.connect(path)) as database:
        told = database.execute("SELECT kind, json FROM fact ORDER BY id").fetchall()
    strips, facts, events = (
        [text for its, text in told if its == kind]
        for kind in (Record.STRIP, Record.PROCESS, Record.HAPPENING)
    )
    owners = [json.loads(each)["owner"] for each in strips]
    happened: list[Happening] = [from_text(Happening, each) for each in events]
    one, part, two = "GPU-anonymous-0", "MIG-anonymous-1", "GPU-anonymous-2"
    assert owners[:4] == [one, part, two, HOST_ID]
    assert owners[4].isdecimal()
    assert f'"parent":"{one}"' in text
    assert f'"a":"{one}","b":"{two}"' in text
    assert happened[1].card == one
    assert (happened[0].card, happened[0].sentence) == (two, "Process 77 uses the card")
    program: ProgramFacts = from_text(ProgramFacts, facts[0])
    assert (program.card, program.pid, program.command, program.user) == (part, 77, None, None)
