"""What is always kept goes on at the next start, stays small, and has one writer."""

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from gpuexplorer.core.cards import Sample
from gpuexplorer.core.metrics import MetricId
from gpuexplorer.core.records import text_of
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import Message
from gpuexplorer.recording.recorder import Kept
from gpuexplorer.recording.recording import open_recording
from gpuexplorer.recording.schema import Began, Turn, Writer
from gpuexplorer.telemetry.facts import Cards
from gpuexplorer.telemetry.happenings import Happening, Kind
from tests.clocks import ManualClock
from tests.recording.made import BEGAN, CARD, CARDS, MACHINE, kept_in

BUSY = MetricId("gpu_utilization")
HOUR, DAY = 3600.0, 86400.0


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "past.gpurec"


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


def left_behind(path: Path, writer: Writer | None = None) -> None:
    """As if the program had been killed: by itself, or one with that number."""
    with closing(sqlite3.connect(path)) as database:
        database.execute("DELETE FROM fact WHERE kind = 'ended'")
        if writer is not None:
            told = text_of(Began(writer, MACHINE))
            database.execute("UPDATE fact SET json = ? WHERE kind = 'run'", (told,))
        database.commit()


def lived(path: Path, clock: ManualClock, seconds: float) -> None:
    kept = kept_in(path, clock)
    live(kept, clock, seconds)
    kept.stop()


def test_the_next_start_goes_on_where_the_last_one_ended(path: Path) -> None:
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
    left_behind(path, Writer("GPU Explorer", os.getpid(), 1.0))
    clock.advance(60.0)
    lived(path, clock, 20.0)
    with closing(open_recording(path)) as recording:
        assert len(recording.readings(CARD, BUSY, BEGAN, BEGAN + 1000).times) == 12


def test_readings_are_kept_for_a_day_and_buckets_for_as_long_as_was_chosen(path: Path) -> None:
    clock = ManualClock(wall=BEGAN)
    kept = kept_in(path, clock)
    live(kept, clock, 5 * DAY, 30.0)
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
    live(kept, clock, 6 * DAY, 20.0)
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
