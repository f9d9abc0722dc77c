"""Commands with --host; ssh is a shell on this computer."""

import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from gpuexplorer.__main__ import main
from gpuexplorer.core.cards import HOST_ID
from gpuexplorer.core.metrics import CPU_UTILIZATION, GPU_UTILIZATION
from gpuexplorer.recording.recording import open_recording
from tests.lab.processes import needs_torch
from tests.remote.conftest import FakeSsh, fake_ssh

__all__ = ["fake_ssh"]

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="stands in with a shell script"),
    pytest.mark.usefixtures("fake_ssh"),
]
Out = pytest.CaptureFixture[str]
THERE = ("--host", "me@there", "--simulate", "2xH100+nvlink")
SERVER = ("--host", "kim@server", "--host-python", sys.executable, "--python", sys.executable)


def said(capsys: Out, *words: str, status: int = 0) -> str:
    """Its output, or what it complained of."""
    assert main([*words]) == status
    told = capsys.readouterr()
    assert "Traceback" not in told.err
    return told.err if status else told.out


# Any: whatever JSON there is.
def as_json(capsys: Out, *words: str) -> dict[str, Any]:
    told: dict[str, Any] = json.loads(said(capsys, *words, "--json"))
    return told


def what_lasts(snapshot: dict[str, Any]) -> object:
    """All of it but times and figures, which are of another moment."""
    for card in snapshot["cards"]:
        card["values"] = sorted(card["values"])
    for process in snapshot["processes"]:
        process["values"] = sorted(process["values"])
        assert all(process.pop(name) for name in ("cpu", "host_memory", "started_at"))
    host = snapshot["host"]
    host["values"] = sorted({*host["values"], *host.pop("missing")})
    return {name: each for name, each in snapshot.items() if name not in ("taken_at", "notes")}


def test_a_snapshot_there_is_that_of_here(capsys: Out) -> None:
    there = as_json(capsys, "snapshot", *THERE)
    here = as_json(capsys, "snapshot", *THERE[2:])
    assert there["host"]["host_name"] == "me@there"
    here["host"]["host_name"] = "me@there"
    assert there["links"]
    assert there["processes"]
    assert what_lasts(there) == what_lasts(here)


def test_a_recording_names_the_computer_that_was_read(capsys: Out, tmp_path: Path) -> None:
    path = tmp_path / "there.gpurec"
    words = ("--interval", "0.1", "--duration", "1s")
    told = said(capsys, "record", str(path), *THERE, *words)
    assert re.match(r"Recorded 0:00:01 of simulated cards", told)
    recording = open_recording(path)
    assert recording.runs[0].machine.name == "me@there"
    assert [card.id for card in recording.cards()] == ["SIM-0", "SIM-1"]
    assert GPU_UTILIZATION in recording.metrics(recording.cards()[0].id)
    assert CPU_UTILIZATION in recording.metrics(HOST_ID)
    assert recording.processes(recording.cards()[0].id, recording.ended)
    assert recording.topology(recording.ended) is not None
    recording.close()


def test_what_cannot_be_is_a_sentence_that_no_escape_comes_with(
    capsys: Out, monkeypatch: pytest.MonkeyPatch, fake_ssh: FakeSsh
) -> None:
    monkeypatch.setenv("GPUEXPLORER_NVML", "/no/libnvidia-ml.so.1")  # whatever driver is here
    words = ("snapshot", "--host", "a")
    why = said(capsys, *words, "--cards", "0", status=1)
    assert "`gpuexplorer doctor --host a` says why." in why
    fake_ssh.host("a", r"printf '\033]0;owned\007\033[2J\233 not found\n' >&2; exit 127")
    told = said(capsys, *words, "--host-python", "nopython", status=1)
    assert "a cannot start Python" in told
    assert all(each.isprintable() or each == "\n" for each in told)


@pytest.mark.parametrize(
    "words", ["snapshot", "topology", "doctor", "copies", "record it.gpurec", f"lab {__file__}"]
)
def test_a_refusal_is_a_sentence(capsys: Out, words: str, fake_ssh: FakeSsh) -> None:
    fake_ssh.refusing("there", "me@there: Permission denied (publickey).")
    verb, *file = words.split(maxsplit=1)
    told = said(capsys, verb, "--host", "there", *file, status=1)
    assert "there refuses this login" in told
    assert "ssh-add -l" in told
    assert not Path("it.gpurec").exists()


def told(capsys: Out, *words: str, status: int = 0) -> tuple[str, str]:
    assert main([*words]) == status
    captured = capsys.readouterr()
    return captured.out, captured.err


@pytest.mark.long
@needs_torch
def test_the_cells_of_a_file_run_over_there(capsys: Out, tmp_path: Path) -> None:
    file, trace = tmp_path / "train.py", tmp_path / "trace.json"
    file.write_text("import torch\n\nprint(int(torch.ones(3).sum()))\n", "utf-8")
    out, complaints = told(capsys, "lab", *SERVER, "--trace", str(trace), str(file))
    assert out == "3\n"
    assert "On kim@server: train.py ended." in complaints
    assert "2 cells were watched" in complaints
    assert json.loads(trace.read_text("utf-8"))["otherData"]["machine"] == "kim@server"


@pytest.mark.skipif(sys.platform != "linux", reason="only there a display may be missing")
def test_without_a_display_the_table_is_that_of_the_other_machine(
    capsys: Out, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        monkeypatch.delenv(name, raising=False)
    out, why = told(capsys, "--host", "kim@server", "--simulate", "1xT4")
    assert "no display" in why
    assert len(why.splitlines()) == 1
    assert "kim@server" in out
    assert "Tesla T4" in out
    _, why = told(capsys, "--host", "kim@server", "--host", "ada@titan", status=1)
    assert "In the terminal one machine is shown: `gpuexplorer snapshot --host NAME`." in why
