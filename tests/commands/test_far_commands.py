"""gpuexplorer copies and lab on another machine: this one, behind an ssh of the tests."""

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from gpuexplorer.__main__ import main
from gpuexplorer.commands.arguments import INTERRUPTED
from tests.commands.runs import notebook
from tests.lab.processes import needs_torch
from tests.remote.conftest import FakeSsh, fake_ssh
from tests.remote.waiting import becomes

__all__ = ["fake_ssh"]

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="stands in with a shell script")
Out = pytest.CaptureFixture[str]
THERE = ("--host", "kim@server", "--host-python", sys.executable)
PYTHON = ("--python", sys.executable)


def told(capsys: Out, *words: str, status: int = 0) -> tuple[str, str]:
    assert main([*words]) == status
    captured = capsys.readouterr()
    return captured.out, captured.err


@needs_torch
def test_copies_are_measured_over_there_and_name_the_machine(
    capsys: Out, fake_ssh: FakeSsh
) -> None:
    out, _ = told(capsys, "copies", *THERE, *PYTHON, "--sizes", "1M", "--json")
    said = json.loads(out)
    assert said["machine"] == "kim@server"
    assert not said["simulated"]
    assert [each["intact"] for each in said["results"]] == [True]


def test_simulated_copies_over_there_are_modelled(capsys: Out, fake_ssh: FakeSsh) -> None:
    words = ("copies", *THERE, "--simulate", "2xTitanRTX")
    text, _ = told(capsys, *words)
    assert text.startswith("On kim@server: ")
    assert "SIMULATED" in text
    table, _ = told(capsys, *words, "--csv")
    assert {line.rpartition(",")[2] for line in table.splitlines()} == {"machine", "kim@server"}


def test_a_python_over_there_without_pytorch_is_said_to_be_none(
    capsys: Out, fake_ssh: FakeSsh
) -> None:
    words = ("copies", *THERE, "--python", "/no/such/python", "--sizes", "1M")
    _, said = told(capsys, *words, status=1)
    assert "/no/such/python cannot be the lab's Python." in said


def test_one_machine_and_several_exclude_each_other(capsys: Out) -> None:
    _, said = told(capsys, "copies", "--host", "a", "--hosts", "a,b", status=2)
    assert "--hosts and --host exclude each other." in said


@needs_torch
def test_the_cells_of_a_file_run_over_there(
    capsys: Out, fake_ssh: FakeSsh, tmp_path: Path
) -> None:
    file = tmp_path / "train.py"
    file.write_text("import torch\n\nprint(int(torch.ones(3).sum()))\n", "utf-8")
    trace = tmp_path / "trace.json"
    out, said = told(capsys, "lab", *THERE, *PYTHON, "--trace", str(trace), str(file))
    assert out == "3\n"
    assert "On kim@server: train.py ended." in said
    assert "2 cells were watched" in said
    assert json.loads(trace.read_text("utf-8"))["otherData"]["machine"] == "kim@server"


@needs_torch
def test_a_notebook_uses_the_simulated_cards_of_that_machine(
    capsys: Out, fake_ssh: FakeSsh, tmp_path: Path
) -> None:
    cell = "import torch\nprint(torch.ones(3, device='cuda:1').device)"
    notebook(tmp_path / "n.ipynb", cell, "1/0")
    words = ("lab", *THERE, *PYTHON, "--simulate", "2xTitanRTX", str(tmp_path / "n.ipynb"))
    out, said = told(capsys, *words, status=1)
    assert out == "cuda:1\n"
    assert "ZeroDivisionError" in said


def test_cells_over_there_take_no_arguments(capsys: Out, tmp_path: Path) -> None:
    file = tmp_path / "train.py"
    file.write_text("print(1)", "utf-8")
    _, said = told(capsys, "lab", "--host", "server", str(file), "--epochs", "3", status=2)
    assert "nor does a file on another computer, and --epochs stands behind it" in said


def test_a_machine_that_refuses_us_is_said_to(
    capsys: Out, fake_ssh: FakeSsh, tmp_path: Path
) -> None:
    fake_ssh.refusing("closed", "kim@closed: Permission denied (publickey).")
    for words in (["copies"], ["lab", str(tmp_path / "train.py")]):
        (tmp_path / "train.py").write_text("print(1)", "utf-8")
        _, said = told(capsys, words[0], "--host", "closed", *words[1:], status=1)
        assert "closed refuses this login; it would take: publickey." in said


def test_ctrl_c_ends_a_lab_that_waits_for_a_connection(
    fake_ssh: FakeSsh, tmp_path: Path
) -> None:
    begun = tmp_path / "begun"
    fake_ssh.host("silent", f"touch {begun}; exec sleep 600")
    (tmp_path / "train.py").write_text("print(1)", "utf-8")
    words = ("lab", "--host", "silent", str(tmp_path / "train.py"))
    # Its own patience, 30 s, ends with another status.
    lab = subprocess.Popen([sys.executable, "-m", "gpuexplorer", *words])
    assert becomes(begun.exists, 30)
    lab.send_signal(signal.SIGINT)
    assert lab.wait(30) == INTERRUPTED


@pytest.mark.skipif(sys.platform != "linux", reason="only there a display may be missing")
def test_without_a_display_the_table_is_that_of_the_other_machine(
    capsys: Out, fake_ssh: FakeSsh, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        monkeypatch.delenv(name, raising=False)
    out, _ = told(capsys, "--host", "kim@server", "--simulate", "1xT4")
    assert "kim@server" in out
    assert "Tesla T4" in out
    _, said = told(capsys, "--host", "kim@server", "--host", "ada@titan", status=1)
    assert "In the terminal one machine is shown: `gpuexplorer snapshot --host NAME`." in said
