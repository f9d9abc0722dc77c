"""gpuexplorer copies and lab on another machine: this one, behind an ssh of the tests."""

import json
import sys
from pathlib import Path

import pytest

from gpuexplorer.__main__ import main
from tests.commands.runs import notebook
from tests.lab.processes import needs_torch
from tests.remote.conftest import FakeSsh, fake_ssh

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
