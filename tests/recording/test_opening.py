"""Opening a recording: what is in it is told, and what is none gets a sentence."""

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from random import Random

import pytest

from gpuexplorer.core.cards import HOST_ID
from gpuexplorer.core.metrics import METRICS
from gpuexplorer.core.metrics import POWER_DRAW as POWER
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.recording.recording import Recording, open_recording
from gpuexplorer.recording.schema import Record, Turn, put_fact, put_line
from tests.recording.damage import damaged_in_a_row, forge, read_everything
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


def test_what_was_written_before_a_kill_is_there(tmp_path: Path) -> None:
    path = tmp_path / "killed.gpurec"
    code = (
        "import os, pathlib, sys; from tests.recording.made import make_recording;"
        "make_recording(pathlib.Path(sys.argv[1]), seconds=120, whole=False); os._exit(0)"
    )
    subprocess.run([sys.executable, "-c", code, path], check=True, timeout=60)
    with closing(open_recording(path)) as recording:
        assert not recording.runs[-1].whole
        assert recording.ended == BEGAN + 120
        assert not recording.being_written
        [note] = recording.notes()
        assert "ended before its time" in note


def other(path: Path) -> None:
    with closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE a (b)")


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda path: path.write_bytes(b""), "is no recording"),
        (lambda path: path.write_bytes(b"Some text.\n" * 1000), "is no recording"),
        (lambda path: path.write_bytes(b"SQLite format 3\0"), "is no recording"),
        (lambda path: path.write_bytes(bytes(100_000)), "is no recording"),
        pytest.param(other, "is no recording", id="another SQLite file"),
        (lambda path: None, "There is no file"),
        (Path.mkdir, "is a folder"),
        pytest.param(
            *(getattr(os, "mkfifo", None), "a device or a pipe"),
            marks=pytest.mark.skipif(sys.platform == "win32", reason="it has no such pipes"),
        ),
    ],
)
def test_what_is_no_recording_is_called_none(
    tmp_path: Path, make: Callable[[Path], object], said: str
) -> None:
    path = tmp_path / "any.gpurec"
    make(path)
    assert said in refusal(path)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("PRAGMA user_version = 9", "newer version of GPU Explorer. Update"),
        # Nothing of a stranger's tables is run.
        ("CREATE VIEW more AS SELECT 1", "its tables are others"),
        (
            "CREATE TRIGGER more AFTER INSERT ON fact BEGIN SELECT 1; END",
            "its tables are others",
        ),
        ("CREATE TABLE more (a, b AS (a + 1))", "its tables are others"),
        ("ALTER TABLE fact ADD COLUMN b AS (json)", "its tables are others"),
        ("CREATE INDEX more ON fact (abs(at))", "its tables are others"),
        ("DROP TABLE sums", "its tables are others"),
        ("DELETE FROM fact WHERE kind = 'run'", "holds no recording yet"),
    ],
)
def test_what_somebody_else_made_of_a_recording_is_refused(
    copy: Path, change: str, said: str
) -> None:
    with closing(sqlite3.connect(copy)) as database:
        database.execute(change)
        database.commit()
    assert said in refusal(copy)


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


_MANY = 1000
_LONGEST = 2.0  # seconds for any one of them
SOME = list(METRICS)[::15]
OLD = Path(__file__).parent / "version1.gpurec"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """With a whole recording, one whose writer was killed, and an old one."""
    folder = tmp_path_factory.mktemp("damage")
    make_recording(folder / "whole.gpurec", seconds=900)
    shutil.copy(OLD, folder / "old.gpurec")
    code = (
        "import os, pathlib, sys; from tests.recording.made import make_recording;"
        "make_recording(pathlib.Path(sys.argv[1]), seconds=700, whole=False); os._exit(0)"
    )
    killed = folder / "killed.gpurec"
    subprocess.run([sys.executable, "-c", code, killed], check=True, timeout=60)
    return folder


@pytest.fixture
def copy_damage(folder: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(folder / "whole.gpurec", tmp_path / "copy.gpurec"))


@pytest.mark.parametrize("first", range(0, 60, 20))
def test_some_damaged_files_are_read_as_far_as_they_go(
    folder: Path, tmp_path: Path, first: int
) -> None:
    for _, seconds, told in damaged_in_a_row(folder, tmp_path, range(first, first + 20)):
        assert seconds < _LONGEST
        assert len(told) < 1000


@pytest.mark.long
def test_a_thousand_damaged_files_neither_crash_nor_hang(folder: Path, tmp_path: Path) -> None:
    """In a process of its own: a crash of SQLite's would take this one with it."""
    code = (
        "import pathlib, sys; from tests.recording.damage import damaged_in_a_row\n"
        "folder, work, many = sys.argv[1:]\n"
        "seeds = range(60, 60 + int(many))\n"
        "for seed, seconds, told in damaged_in_a_row(pathlib.Path(folder), pathlib.Path(work),"
        " seeds):\n    print(seed, seconds, flush=True)"
    )
    done = subprocess.run(
        [sys.executable, "-X", "faulthandler", "-c", code, folder, tmp_path, str(_MANY)],
        capture_output=True,
        check=False,
        timeout=_MANY * _LONGEST,
        text=True,
    )
    rows = [line.split() for line in done.stdout.splitlines()]
    assert done.returncode == 0, done.stderr[-3000:]
    assert len(rows) == _MANY
    assert max(float(seconds) for _, seconds in rows) < _LONGEST


def figures_of(recording: Recording) -> dict[tuple[str, str, float], float]:
    return {
        (card, metric, at): value
        for card in recording.with_readings()
        for metric in recording.metrics(card)
        if metric in SOME
        for readings in [recording.readings(card, metric, 0.0, 4e9)]
        for at, value in zip(readings.times, readings.values, strict=True)
    }


def test_a_flipped_bit_changes_no_figure_without_a_word(
    folder: Path, copy_damage: Path
) -> None:
    with closing(open_recording(folder / "whole.gpurec")) as recording:
        whole = figures_of(recording)
    plain, random, told = copy_damage.read_bytes(), Random(1), 0
    for _ in range(60):
        place = random.randrange(len(plain))
        flipped = bytes([plain[place] ^ 1 << random.randrange(8)])
        copy_damage.write_bytes(plain[:place] + flipped + plain[place + 1 :])
        try:
            recording = open_recording(copy_damage)
        except Trouble:
            continue
        with closing(recording):
            recording.check()
            found = figures_of(recording)
            assert all(repr(whole.get(key)) == repr(value) for key, value in found.items())
            damaged = any("damaged" in str(note) for note in recording.notes())
            assert damaged or len(found) == len(whole)
            told += damaged
    assert told > 5


def test_what_a_file_that_lost_its_end_still_tells_is_shown(copy_damage: Path) -> None:
    copy_damage.write_bytes(copy_damage.read_bytes()[: copy_damage.stat().st_size * 9 // 10])
    assert "damaged" in read_everything(copy_damage)


WIDE = {"template": "{a:>9999999999}", "many": "", "values": {"a": 1}}
XID = {"at": BEGAN, "wall": BEGAN, "kind": "xid", "card": None, "sentence": WIDE}


@pytest.mark.parametrize("told", ["[" * 100_000, '{"a": NaN}', "9" * 5000, json.dumps(XID)])
def test_facts_that_cannot_be_read_are_said_to_be_damaged(copy_damage: Path, told: str) -> None:
    for kind in (Turn.CARDS, Record.HAPPENING):
        forge(copy_damage, kind, told)
    with closing(open_recording(copy_damage)) as recording:
        assert (recording.cards(), recording.happenings()) == ([], [])
        assert recording.sample(HOST_ID, recording.metrics(HOST_ID), BEGAN + 9).values
        assert "damaged" in recording.notes()[0]
