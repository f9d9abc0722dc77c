"""Files that are damaged, or made to do harm: a sentence, and what can be read is shown."""

import json
import shutil
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from random import Random

import pytest

from gpuexplorer.core.cards import HOST_ID
from gpuexplorer.core.metrics import METRICS
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.recording.recording import Recording, open_recording
from gpuexplorer.recording.schema import Record, Turn
from tests.recording.damage import damaged_in_a_row, forge, read_everything
from tests.recording.made import BEGAN, make_recording

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
def copy(folder: Path, tmp_path: Path) -> Path:
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


WIDE = {"template": "{a:>9999999999}", "many": "", "values": {"a": 1}}
XID = {"at": BEGAN, "wall": BEGAN, "kind": "xid", "card": None, "sentence": WIDE}


@pytest.mark.parametrize("told", ["[" * 100_000, '{"a": NaN}', "9" * 5000, json.dumps(XID)])
def test_facts_that_cannot_be_read_are_said_to_be_damaged(copy: Path, told: str) -> None:
    for kind in (Turn.CARDS, Record.HAPPENING):
        forge(copy, kind, told)
    with closing(open_recording(copy)) as recording:
        assert (recording.cards(), recording.happenings()) == ([], [])
        assert recording.sample(HOST_ID, recording.metrics(HOST_ID), BEGAN + 9).values
        assert "damaged" in recording.notes()[0]
