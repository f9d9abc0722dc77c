"""gpuexplorer record, as a person or a script meets it."""

import errno
import os
import re
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from gpuexplorer.__main__ import main
from gpuexplorer.core.cards import HOST_ID
from gpuexplorer.core.metrics import CPU_UTILIZATION, GPU_UTILIZATION, PCIE_TRANSMIT
from gpuexplorer.recording import recorder
from gpuexplorer.recording.recording import Recording, open_recording
from tests.nvml_stub.stub import environment

SIMULATED = ("--simulate", "2xH100", "--interval", "0.1")


def recorded(path: Path, *words: str) -> Recording:
    assert main(["record", str(path), *SIMULATED, "--duration", "0.4s", *words]) == 0
    return open_recording(path)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "it.gpurec"


def test_it_records_cards_host_and_programs_for_as_long_as_it_was_told(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    recording = recorded(path)
    cards = recording.cards()
    assert [card.id for card in cards] == ["SIM-0", "SIM-1"]
    assert recording.runs[0].whole
    assert recording.runs[0].machine.source.simulated
    assert recording.runs[0].machine.name == socket.gethostname()
    for card in cards:
        assert GPU_UTILIZATION in recording.metrics(card.id)
        assert PCIE_TRANSMIT not in recording.metrics(card.id)
    assert CPU_UTILIZATION in recording.metrics(HOST_ID)
    programs = recording.processes(cards[0].id, recording.ended)
    assert programs
    assert all(each.facts.command and each.facts.user for each in programs)
    assert recording.topology(recording.ended) is not None
    recording.close()
    told = capsys.readouterr()
    assert path.stat().st_mode & 0o777 == 0o600  # it holds whole command lines
    assert re.fullmatch(rf"Recorded 0:00:00 of simulated cards, \d+ KiB: {path}\n", told.out)
    assert not told.err  # where no terminal is, nobody watches it


def test_an_anonymous_recording_of_the_cards_that_were_named_names_nobody(path: Path) -> None:
    recording = recorded(path, "--anonymous", "--all", "--cards", "1")
    cards = recording.cards()
    assert [card.index for card in cards] == [1]
    assert PCIE_TRANSMIT in recording.metrics(cards[0].id)
    assert recording.anonymous
    assert not recording.runs[0].machine.name
    programs = recording.processes(cards[0].id, recording.ended)
    assert programs
    assert not any(each.facts.command or each.facts.user for each in programs)
    recording.close()
    assert b"ipykernel" not in path.read_bytes()


def test_where_the_disk_is_full_from_the_start_nothing_is_said_to_be_in_a_file(
    path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(recorder, "room_beside", full)
    assert main(["record", str(path), *SIMULATED]) == 1
    told = capsys.readouterr().err
    assert f"The recording {path} cannot be made: the disk is full." in told
    assert "What was recorded" not in told
    assert not path.exists()


@pytest.mark.parametrize(
    ("config", "cards", "complaint"),
    [
        ("cards=2;procs=0:1", 2, ""),
        ("init=version_mismatch", 0, "So only the computer itself is recorded.\n"),
    ],
)
def test_of_the_driver_is_recorded_what_there_is_and_said_what_is_not(
    path: Path, config: str, cards: int, complaint: str
) -> None:
    words = ["record", str(path), "--interval", "0.1", "--duration", "0.5"]
    done = subprocess.run(
        [sys.executable, "-m", "gpuexplorer", *words],
        env=environment(config),
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr.endswith(complaint)
    assert bool(done.stderr) is bool(complaint)
    assert "simulated" not in done.stdout
    recording = open_recording(path)
    assert len(recording.cards()) == cards
    assert not recording.runs[0].machine.source.simulated
    for card in recording.cards()[:1]:
        assert recording.processes(card.id, recording.ended)
    assert CPU_UTILIZATION in recording.metrics(HOST_ID)
    recording.close()
