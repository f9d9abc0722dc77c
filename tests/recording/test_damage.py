"""Files that are damaged, or made to do harm: a sentence, and what can be read is shown."""

import json
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from random import Random

import pytest

from gpuexplorer.core.cards import HOST_ID
from gpuexplorer.core.metrics import POWER_DRAW
from gpuexplorer.recording.columns import packed
from gpuexplorer.recording.recording import open_recording
from tests.recording.damage import damaged_in_a_row, read_everything
from tests.recording.made import BEGAN, make_recording

_PAGE = 4096
_MANY = 1000
_LONGEST = 2.0  # seconds for any one of them


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """With a whole recording, and one whose writer was killed."""
    folder = tmp_path_factory.mktemp("damage")
    make_recording(folder / "whole.gpurec", seconds=900)
    code = (
        "import os, pathlib, sys; from tests.recording.made import make_recording;"
        "make_recording(pathlib.Path(sys.argv[1]), seconds=700, whole=False); os._exit(0)"
    )
    killed = folder / "killed.gpurec"
    subprocess.run([sys.executable, "-c", code, killed], check=True, timeout=60)
    return folder


@pytest.fixture
def copy(folder: Path, tmp_path: Path) -> Path:
    path = tmp_path / "copy.gpurec"
    path.write_bytes((folder / "whole.gpurec").read_bytes())
    return path


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


def test_of_a_file_with_a_damaged_middle_the_rest_is_shown(copy: Path) -> None:
    data = bytearray(copy.read_bytes())
    middle = len(data) // 2 // _PAGE * _PAGE
    data[middle : middle + 10 * _PAGE] = Random(1).randbytes(10 * _PAGE)
    copy.write_bytes(data)
    assert "damaged" in read_everything(copy)
    with closing(open_recording(copy)) as recording:
        known = [
            metric
            for card in recording.cards()
            for metric in recording.metrics(card.id)
            if recording.sample(card.id, [metric], recording.ended).values
        ]
    assert len(known) > 200


@pytest.mark.parametrize("share", [0.3, 0.5, 0.9])
def test_what_is_there_of_half_a_file_is_shown(copy: Path, share: float) -> None:
    data = copy.read_bytes()
    copy.write_bytes(data[: int(len(data) * share)])
    assert "what can be read of it is shown" in read_everything(copy)
    with closing(open_recording(copy)) as recording:
        assert len(recording.cards()) == 2
        # Most files have 360 readings in their first third, and some 181.
        least = 300 if share >= 0.5 else 150
        assert any(
            len(recording.readings(card.id, metric, BEGAN, recording.ended).times) > least
            for card in recording.cards()
            for metric in recording.metrics(card.id)
        )


def test_pieces_are_found_without_the_index_as_well(folder: Path, copy: Path) -> None:
    with closing(sqlite3.connect(copy)) as database:
        (page,) = database.execute(
            "SELECT rootpage FROM sqlite_master WHERE name = 'piece_of'"
        ).fetchone()
        (size,) = database.execute("PRAGMA page_size").fetchone()
    data = bytearray(copy.read_bytes())
    data[(page - 1) * size : page * size] = bytes(size)
    copy.write_bytes(data)
    with (
        closing(open_recording(folder / "whole.gpurec")) as whole,
        closing(open_recording(copy)) as recording,
    ):
        window = whole.began, whole.ended
        assert (recording.began, recording.ended) == window
        for card in whole.cards():
            for metric in whole.metrics(card.id):
                asked = card.id, metric, *window
                for mine, its in (
                    (recording.readings(*asked), whole.readings(*asked)),
                    (recording.buckets(*asked, 10), whole.buckets(*asked, 10)),
                ):
                    assert repr(mine) == repr(its)
        assert "damaged" in recording.notes()[0]


def test_of_half_a_file_what_stands_in_that_half_is_shown(copy: Path) -> None:
    data = copy.read_bytes()
    copy.write_bytes(data[: len(data) // 2])
    with closing(open_recording(copy)) as recording:
        assert len(recording.cards()) == 2
        assert recording.happenings()
        assert "damaged" in recording.notes()[0]


def test_names_are_one_line_and_not_endless(copy: Path) -> None:
    with closing(sqlite3.connect(copy)) as database:
        (text,) = database.execute("SELECT value FROM turn WHERE kind = 'cards'").fetchone()
        cards = json.loads(text)
        cards[0]["name"] = "=cmd|' /C calc'!A0\x1b[2J\u202e\n" + "x" * 10_000
        database.execute("UPDATE turn SET value = ? WHERE kind = 'cards'", (json.dumps(cards),))
        database.commit()
    with closing(open_recording(copy)) as recording:
        name = recording.cards()[0].name
        assert name.isprintable()
        assert len(name) <= 200


@pytest.mark.parametrize(
    "told", ["[" * 100_000, '{"a": NaN}', "1e999", "9" * 5000, "[{}]", '[{"id": 1}]']
)
def test_cards_that_cannot_be_read_are_said_to_be_damaged(copy: Path, told: str) -> None:
    with closing(sqlite3.connect(copy)) as database:
        database.execute("UPDATE turn SET value = ? WHERE kind = 'cards'", (told,))
        database.commit()
    with closing(open_recording(copy)) as recording:
        assert recording.cards() == []
        assert recording.sample(HOST_ID, recording.metrics(HOST_ID), BEGAN + 9).values
        assert "damaged" in recording.notes()[0]


def test_a_sentence_that_would_fill_the_memory_is_left_out(copy: Path) -> None:
    hostile = {"template": "{a:>9999999999}", "many": "", "values": {"a": 1}}
    with closing(sqlite3.connect(copy)) as database:
        database.execute("UPDATE happening SET sentence = ?", (json.dumps(hostile),))
        database.commit()
    with closing(open_recording(copy)) as recording:
        assert recording.happenings() == []
        assert "damaged" in recording.notes()[0]


@pytest.mark.parametrize("count", [512, 10, 10**6, 10**12, -1, "many", None])
def test_a_column_that_unfolds_to_more_than_it_says_is_none(copy: Path, count: object) -> None:
    bomb = packed([0.0] * 10_000_000)
    with closing(sqlite3.connect(copy)) as database:
        database.execute("PRAGMA ignore_check_constraints = ON")
        database.execute(
            "UPDATE OR IGNORE piece SET data = ?, count = coalesce(?, count) WHERE id % 50 = 0",
            (bomb, count),
        )
        database.commit()
    assert "damaged" in read_everything(copy)


def test_times_that_are_none_are_not_shown(copy: Path) -> None:
    for times in ([float("nan")] * 512, [1e300] * 512, list(range(512, 0, -1))):
        with closing(sqlite3.connect(copy)) as database:
            database.execute(
                "UPDATE piece SET data = ?, count = 512 WHERE level = 0 AND series IN"
                " (SELECT id FROM series WHERE metric = '')",
                (packed(times),),
            )
            database.commit()
        with closing(open_recording(copy)) as recording:
            card = recording.cards()[0].id
            assert not len(recording.readings(card, POWER_DRAW, BEGAN, BEGAN + 400).times)
            assert "damaged" in recording.notes()[0]
        assert "damaged" in read_everything(copy)


def test_very_many_rows_are_read_up_to_a_bound(copy: Path) -> None:
    with closing(sqlite3.connect(copy)) as database:
        database.execute(
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 30000)"
            " INSERT INTO happening (at, wall, kind, card, sentence, about)"
            " SELECT at, wall, kind, card, sentence, about FROM n,"
            " (SELECT * FROM happening LIMIT 1)"
        )
        database.commit()
    with closing(open_recording(copy)) as recording:
        assert len(recording.happenings()) == 10_000
