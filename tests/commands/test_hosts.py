"""Commands with --host, as a person or a script meets them; ssh is a shell on this computer."""

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
from tests.remote.conftest import FakeSsh, fake_ssh

__all__ = ["fake_ssh"]

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="stands in with a shell script"),
    pytest.mark.usefixtures("fake_ssh"),
]
THERE = ("--host", "me@there", "--simulate", "2xH100+nvlink")


def said(capsys: pytest.CaptureFixture[str], *words: str, status: int = 0) -> str:
    """Its output, or what it complained of."""
    assert main([*words]) == status
    told = capsys.readouterr()
    assert "Traceback" not in told.err
    return told.err if status else told.out


# Any: whatever JSON there is.
def as_json(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
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


def test_a_snapshot_there_is_that_of_here(capsys: pytest.CaptureFixture[str]) -> None:
    there = as_json(capsys, "snapshot", *THERE)
    here = as_json(capsys, "snapshot", *THERE[2:])
    assert there["host"]["host_name"] == "me@there"
    here["host"]["host_name"] = "me@there"
    assert there["links"]
    assert there["processes"]
    assert what_lasts(there) == what_lasts(here)


def test_a_recording_names_the_computer_that_was_read(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
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


@pytest.mark.parametrize(
    ("words", "status", "sentence"),
    [
        (("--host", "a", "--cards", "0"), 1, "`gpuexplorer doctor --host a` says why."),
        (("--host", "a", "--host-python", "nopython"), 1, "a cannot start Python"),
    ],
)
def test_what_cannot_be_is_a_sentence(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    words: tuple[str, ...],
    status: int,
    sentence: str,
) -> None:
    monkeypatch.setenv("GPUEXPLORER_NVML", "/no/libnvidia-ml.so.1")  # whatever driver is here
    assert sentence in said(capsys, "snapshot", *words, status=status)


@pytest.mark.parametrize(
    "words", ["snapshot", "topology", "doctor", "copies", "record it.gpurec", f"lab {__file__}"]
)
def test_a_machine_that_refuses_is_a_sentence_and_a_way_out(
    capsys: pytest.CaptureFixture[str], words: str, fake_ssh: FakeSsh
) -> None:
    fake_ssh.refusing("there", "me@there: Permission denied (publickey).")
    verb, *file = words.split(maxsplit=1)
    told = said(capsys, verb, "--host", "there", *file, status=1)
    assert "there refuses this login" in told
    assert "ssh-add -l" in told
    assert not Path("it.gpurec").exists()


def test_nothing_that_it_says_reaches_the_terminal_as_an_escape(
    capsys: pytest.CaptureFixture[str], fake_ssh: FakeSsh
) -> None:
    fake_ssh.host("there", r"printf '\033]0;owned\007\033[2J\233 not found\n' >&2; exit 127")
    told = said(capsys, "snapshot", "--host", "there", status=1)
    assert all(each.isprintable() or each == "\n" for each in told)
