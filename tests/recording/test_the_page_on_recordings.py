"""docs/recordings.md: what it says of the file is so, and its program reads one."""

import re
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

from gpuexplorer.recording.schema import (
    APPLICATION,
    REASONS,
    STATES,
    VERSION,
    Record,
    Topic,
    Turn,
)
from tests.recording.made import make_recording

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "recordings.md").read_text("utf-8")
[PROGRAM] = re.findall(r"^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


def said(recording: Path, card: str, metric: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(recording), card, metric],
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    return done.stdout


_KILLED = """
import os, pathlib, sys
from tests.recording.made import make_recording
make_recording(pathlib.Path(sys.argv[1]), seconds=700, faults="lost:1@30s", whole=False)
os._exit(0)
"""


def test_the_program_of_the_page_reads_a_recording(tmp_path: Path) -> None:
    path = make_recording(tmp_path / "one.gpurec", seconds=700, faults="lost:1@30s")
    power = said(path, "SIM-0", "power_draw")
    assert re.match(r"701 readings, \d+\.\d+\nmissing: set\(\)", power)
    assert "missing: {'card lost'}" in said(path, "SIM-1", "power_draw")
    killed = tmp_path / "killed.gpurec"
    subprocess.run([sys.executable, "-c", _KILLED, str(killed)], cwd=ROOT, check=True)
    assert said(killed, "SIM-0", "power_draw") == power


def test_every_table_kind_and_number_of_the_file_is_on_the_page(tmp_path: Path) -> None:
    path = make_recording(tmp_path / "one.gpurec", seconds=5)
    with closing(sqlite3.connect(path)) as file:
        tables = [name for (name,) in file.execute("SELECT tbl_name FROM sqlite_schema")]
        [(application,)] = file.execute("PRAGMA application_id")
    for name in (*tables, *Record, *Turn, *Topic):
        assert f"`{name}`" in PAGE, name
    assert str(application) in PAGE
    assert application == APPLICATION
    assert f"## The file, version {VERSION}" in PAGE
    # A file of an older program has its own numbers: these may grow, and never move.
    assert (REASONS[0], STATES[0]) == ("not supported", "working")
