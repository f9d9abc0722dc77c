"""Opening a recording: what is in it is told, be it of version 1, cut short, or damaged in any
way that was thought of; what is none gets a sentence.
"""

import os
import shutil
import sqlite3
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from random import Random

import pytest

from gpuexplorer.core.cards import HOST_ID, CardId, CardState
from gpuexplorer.core.metrics import GPU_UTILIZATION, METRICS
from gpuexplorer.core.metrics import POWER_DRAW as POWER
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import tr
from gpuexplorer.recording.recorded_session import RecordedPast
from gpuexplorer.recording.recording import Recording, open_recording
from gpuexplorer.recording.schema import Record, Turn, put_fact, put_line, sum_of
from gpuexplorer.telemetry.happenings import Kind
from tests.clocks import ManualClock
from tests.recording.made import BEGAN, kept_in, make_killed, make_recording

SECONDS = 700.0
_LONGEST = 2.0  # seconds for any one of them
_PAGE = 4096
SOME = list(METRICS)[::15]
OLD = Path(__file__).parent / "version1.gpurec"
CARD = CardId("SIM-0")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """With a whole recording, one whose writer was killed, and an old one."""
    folder = tmp_path_factory.mktemp("recordings")
    make_recording(folder / "whole.gpurec", "2xT4", SECONDS, faults="lost:1@300s")
    make_killed(folder / "killed.gpurec", spec="2xT4", seconds=SECONDS)
    shutil.copy(OLD, folder / "old.gpurec")
    return folder


@pytest.fixture
def copy(folder: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(folder / "whole.gpurec", tmp_path / "copy.gpurec"))


def refusal(path: Path) -> str:
    with pytest.raises(Trouble) as caught:
        open_recording(path)
    return str(caught.value)


_HOSTILE_JSON = (
    "[" * 100_000,
    '{"a":' * 5000 + "1" + "}" * 5000,
    "null",
    "[]",
    "1e999",
    "-1",
    "1" * 10_000,
    '"<script>alert(1)</script>"',
    "not json",
    '[null, 1, "a", {}]',
    '{"owner": "SIM-0", "rhythm": "fast", "names": ["x", "x", ""]}',
    '{"template": "{a.__class__}", "many": "", "values": {"a": 1}}',
    '{"template": "{a:>999999999}", "many": "", "values": {"a": 1}}',
)


def forge(path: Path, kind: str, text: str) -> None:
    """As one who knows how to make a checksum."""
    with closing(sqlite3.connect(path)) as database:
        for number, at, whose in database.execute(
            "SELECT id, at, whose FROM fact WHERE kind = ?", (kind,)
        ).fetchall():
            told = text, sum_of(at, str(kind), whose, text), number
            database.execute("UPDATE fact SET json = ?, sum = ? WHERE id = ?", told)
        database.commit()


def flip(data: bytearray, random: Random) -> None:
    for _ in range(random.choice((1, 3, 30, 300))):
        place = random.randrange(len(data))
        data[place] ^= 1 << random.randrange(8)


def truncate(data: bytearray, random: Random) -> None:
    del data[random.randrange(len(data)) :]


def swap_pages(data: bytearray, random: Random) -> None:
    pages = len(data) // _PAGE
    for _ in range(random.choice((1, 4))):
        a, b = random.randrange(pages) * _PAGE, random.randrange(pages) * _PAGE
        data[a : a + _PAGE], data[b : b + _PAGE] = data[b : b + _PAGE], data[a : a + _PAGE]


def blank_pages(data: bytearray, random: Random) -> None:
    for _ in range(random.choice((1, 8))):
        place = random.randrange(len(data) // _PAGE) * _PAGE
        fill = random.choice((bytes(_PAGE), b"\xff" * _PAGE, random.randbytes(_PAGE)))
        data[place : place + _PAGE] = fill


BYTES: Sequence[Callable[[bytearray, Random], None]] = flip, truncate, swap_pages, blank_pages


def read_everything(path: Path) -> str:
    """What a window and the commands would ask; what a person is told of it."""
    try:
        recording = open_recording(path)
    except Trouble as trouble:
        return trouble.told
    with closing(recording):
        began, ended = recording.began, recording.ended
        past = RecordedPast(recording)
        for at in (began, (began + ended) / 2, ended, ended + 1e9):
            recording.wall(at), recording.at(at), recording.topology(at)
            machine = recording.run(at).machine
            for name in (machine.source.label, *machine.notes):
                tr(name)
            for card in [*recording.cards(at)[:20], machine.host]:
                assert len(card.name) < 300
                assert card.name.isprintable()
                metrics = recording.metrics(card.id)
                sample = recording.sample(card.id, metrics, at)
                assert sample.values.keys() | sample.missing.keys() == set(metrics)
                for seen in recording.processes(card.id, at) or ():
                    tr(seen.facts.reason)
        for card_id in [*recording.with_readings()[:5], HOST_ID]:
            for metric in recording.metrics(card_id)[::9]:
                recording.readings(card_id, metric, began, ended)
                recording.strand(card_id, metric).sums(metric, began, ended, forgotten=True)
                for columns in (2, 20, 1500):
                    assert len(past.trace(card_id, metric, began, ended, columns)) <= columns
        for happening in recording.happenings():
            tr(happening.sentence)
        for kind in Turn:
            recording.turns(kind)
        for said in recording.said():
            assert said.text is not None
        return " ".join(tr(note) for note in recording.notes())


def damaged_in_a_row(
    folder: Path, work: Path, seeds: Iterable[int]
) -> Iterator[tuple[int, float, str]]:
    """Of each the seed, how many seconds reading took, and what was told of it. In the folder
    are a whole recording, one whose log lies beside it, and one of version 1.
    """
    path, log = work / "damaged.gpurec", work / "damaged.gpurec-wal"
    for seed in seeds:
        random = Random(seed)
        for old in work.glob("damaged.gpurec*"):
            old.unlink()
        name = random.choice(("whole", "killed", "old"))
        data = {path: bytearray((folder / f"{name}.gpurec").read_bytes())}
        if name == "killed":
            data[log] = bytearray((folder / f"{name}.gpurec-wal").read_bytes())
        spoil = random.choice((*BYTES, None))
        if spoil is not None:
            spoil(random.choice(list(data.values())), random)
        for file, content in data.items():
            file.write_bytes(content)
        if spoil is None and name != "old":
            with closing(sqlite3.connect(path)) as database:
                kinds = [kind for (kind,) in database.execute("SELECT DISTINCT kind FROM fact")]
            forge(path, random.choice(sorted(kinds)), random.choice(_HOSTILE_JSON))
        began = time.monotonic()
        told = read_everything(path)
        yield seed, time.monotonic() - began, told


def test_a_recording_tells_its_run_and_its_cards(copy: Path) -> None:
    with closing(open_recording(copy)) as recording:
        [run] = recording.runs
        assert (run.whole, run.machine.source.simulated) == (True, True)
        assert recording.began == BEGAN
        assert recording.ended - recording.began == pytest.approx(SECONDS, abs=2)
        names = [card.name for card in recording.cards(recording.ended)]
        assert names == ["Tesla T4"] * 2
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


def test_what_was_written_before_a_kill_is_there(folder: Path) -> None:
    with closing(open_recording(folder / "killed.gpurec")) as recording:
        assert not recording.runs[-1].whole
        assert recording.ended == BEGAN + SECONDS
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
def test_no_recording(tmp_path: Path, make: Callable[[Path], object], said: str) -> None:
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
def test_what_somebody_else_made_of_it_is_refused(copy: Path, change: str, said: str) -> None:
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


@pytest.mark.parametrize("many", [30, pytest.param(1000, marks=pytest.mark.long)])
def test_damaged_files_are_read_as_can_be(folder: Path, tmp_path: Path, many: int) -> None:
    for _, seconds, told in damaged_in_a_row(folder, tmp_path, range(many)):
        assert seconds < _LONGEST
        assert len(told) < 1000


def figures_of(recording: Recording) -> dict[tuple[str, str, float], float]:
    return {
        (card, metric, at): value
        for card in recording.with_readings()
        for metric in recording.metrics(card)
        if metric in SOME
        for readings in [recording.readings(card, metric, 0.0, 4e9)]
        for at, value in zip(readings.times, readings.values, strict=True)
    }


def test_a_flipped_bit_changes_no_figure_without_a_word(folder: Path, copy: Path) -> None:
    with closing(open_recording(folder / "whole.gpurec")) as recording:
        whole = figures_of(recording)
    plain, random, told = copy.read_bytes(), Random(1), 0
    for _ in range(60):
        place = random.randrange(len(plain))
        flipped = bytes([plain[place] ^ 1 << random.randrange(8)])
        copy.write_bytes(plain[:place] + flipped + plain[place + 1 :])
        try:
            recording = open_recording(copy)
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


def test_what_a_file_that_lost_its_end_still_tells_is_shown(copy: Path) -> None:
    copy.write_bytes(copy.read_bytes()[: copy.stat().st_size * 9 // 10])
    assert "damaged" in read_everything(copy)


@pytest.mark.parametrize("later", [[], [1000.0, 2000.0]])
def test_an_old_file_opens_and_is_converted_if_kept(tmp_path: Path, later: list[float]) -> None:
    """Ninety seconds of one card, which was lost after sixty."""
    path = Path(shutil.copy(OLD, tmp_path / "old.gpurec"))
    content = path.read_bytes()
    for after in later:
        kept_in(path, ManualClock(wall=BEGAN + after), days=30).stop()
    with closing(open_recording(path)) as recording:
        run, *more = recording.runs
        assert [run.began for run in more] == [BEGAN + after for after in later]
        assert (run.began, run.whole, run.machine.source.simulated) == (BEGAN, True, True)
        assert run.ended == BEGAN + 91
        assert [card.id for card in recording.cards(BEGAN + 50)] == [CARD]
        assert len(recording.metrics(CARD)) == 138
        readings = recording.readings(CARD, GPU_UTILIZATION, BEGAN, BEGAN + 100)
        assert readings.times == [BEGAN + second for second in range(91)]
        assert sum(each == each for each in readings.values) == 60  # noqa: PLR0124 - no NaN
        before = recording.sample(CARD, [GPU_UTILIZATION], BEGAN + 50)
        after_it = recording.sample(CARD, [GPU_UTILIZATION], BEGAN + 80)
        assert (before.state, after_it.state) == (CardState.WORKING, CardState.LOST)
        assert before.values[GPU_UTILIZATION] == readings.values[50]
        assert recording.processes(CARD, BEGAN + 50)
        assert recording.processes(CARD, BEGAN + 80) is None
        assert Kind.CARD_LOST in {each.kind for each in recording.happenings()}
        assert recording.topology(BEGAN + 50) is not None
        for columns in (1, 3, 1500):
            window = BEGAN, BEGAN + 91
            trace = RecordedPast(recording).trace(CARD, GPU_UTILIZATION, *window, columns)
            assert trace.counts.sum() == 60
        recording.check()
        assert recording.notes() == []
    assert later or path.read_bytes() == content
    assert [each.name for each in path.parent.iterdir()] == [path.name]
