"""gpuexplorer copies --hosts, as a person in a terminal and a program that reads it meet it."""

import csv
import io
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from gpuexplorer.__main__ import main
from tests.lab.processes import needs_torch
from tests.remote.conftest import FakeSsh

PATIENCE = 60.0
Out = pytest.CaptureFixture[str]
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="stands in with shell scripts")


@pytest.fixture(autouse=True)
def ssh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeSsh:
    made = FakeSsh(tmp_path / "ssh-there")
    monkeypatch.setenv("PATH", f"{made.program.parent}{os.pathsep}{os.environ['PATH']}")
    return made


def told(capsys: Out, hosts: str, *words: str, status: int = 0) -> str:
    asked = ["copies", "--hosts", hosts, "--python", sys.executable, *words]
    assert main(asked) == status
    captured = capsys.readouterr()
    return captured.out or captured.err


@needs_torch
def test_programs_read_the_fields_of_copies_and_both_machines(capsys: Out) -> None:
    words = ("--sizes", "1K", "--mode", "all", "--json")
    said = json.loads(told(capsys, "localhost,user@b", *words))
    assert (said["schema"], said["complete"]) == (1, True)
    assert said["hosts"] == ["localhost", "user@b"]
    there, back, reduced = said["results"]
    assert (there["source"], there["target"]) == (back["target"], back["source"])
    assert (there["source"], there["direction"]) == ("localhost", "one")
    assert there["rate_gbs"] > 0
    assert (there["path"], there["limit_gbs"]) == ("inside one computer", None)
    assert (reduced["source"], reduced["mode"], reduced["ranks"]) == ("all", "all-reduce", 2)
    assert reduced["lower_s"] <= reduced["median_s"] <= reduced["upper_s"]
    assert reduced["intact"]
    assert there["backend"] == "gloo"
    text = told(capsys, "a,b", "--sizes", "4K", "--mode", "one-way", "--csv")
    rows = list(csv.DictReader(io.StringIO(text)))
    assert text.startswith("source,target,bytes,mode,")
    assert [(row["source"], row["target"]) for row in rows] == [("a", "b"), ("b", "a")]
    assert [row["intact"] for row in rows] == ["yes", "yes"]
    assert float(rows[0]["rate_gbs"]) > 0


@needs_torch
def test_a_table_says_by_what_and_by_which_way(capsys: Out) -> None:
    text = told(capsys, "localhost,.", "--sizes", "1K,64K", "--mode", "all-reduce")
    for words in (
        "By gloo, from memory to memory: NCCL needs a card for each",
        "Promised",
        "arrived intact",
    ):
        assert words in text
    sizes = [line.split()[4:6] for line in text.splitlines() if "KiB" in line]
    assert sizes == [["1", "KiB"], ["64", "KiB"]]


def test_a_host_that_refuses_is_told_with_the_way_out(capsys: Out, ssh: FakeSsh) -> None:
    ssh.refusing("a", "user@a: Permission denied (publickey).")
    ssh.host("b", "exec sleep 1000")
    text = told(capsys, "a,b", status=1)
    assert "a refuses this login; it would take: publickey." in text
    assert "`ssh a` in a terminal has to work first." in text


@needs_torch
def test_ctrl_c_shows_what_was_measured_and_leaves_nothing_running() -> None:
    with subprocess.Popen(
        [
            *(sys.executable, "-m", "gpuexplorer", "copies", "--hosts", "a,b"),
            *("--python", sys.executable, "--sizes", ",".join(map(str, range(1000, 2000)))),
            "--json",
        ],
        stdout=subprocess.PIPE,
        env={**os.environ, "TESTED_HOST": "ctrl-c"},
    ) as process:
        below = psutil.Process(process.pid)
        deadline = time.monotonic() + PATIENCE
        while sum(map(_moves, below.children(recursive=True))) < 2:
            assert time.monotonic() < deadline
        ranks = below.children(recursive=True)
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert json.loads(out)["complete"] is False
    _, alive = psutil.wait_procs(ranks, PATIENCE)
    assert not alive


def _moves(process: psutil.Process) -> bool:
    """It has brought PyTorch in."""
    try:
        return any("torch" in each.path for each in process.memory_maps())
    except psutil.Error:
        return False
