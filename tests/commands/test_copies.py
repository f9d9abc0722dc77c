"""gpuexplorer copies, its --datasheet and its --hosts, as people and programs meet them."""

import csv
import io
import json
import os
import signal
import subprocess
import sys
import time

import psutil
import pytest

from gpuexplorer.__main__ import main
from tests.lab.processes import needs_torch
from tests.remote.conftest import FakeSsh, fake_ssh

__all__ = ["fake_ssh"]
PATIENCE = 60.0
COMMAND = (sys.executable, "-m", "gpuexplorer", "copies")
Out = pytest.CaptureFixture[str]


def told(capsys: Out, words: str, status: int = 0) -> str:
    try:
        ended = main(["copies", *words.replace("--sheet", "--datasheet").split()])
    except SystemExit as left:
        ended = int(str(left.code))
    captured = capsys.readouterr()
    assert ended == status, captured.err
    return captured.out or captured.err


def row(text: str, label: str) -> str:
    line = next(line for line in text.splitlines() if line.startswith(label))
    return " ".join(line.removeprefix(label).split())


@pytest.mark.parametrize(
    ("words", "after", "label", "cells"),
    [
        ("2xTitanRTX", "SIMULATED", "cpu", "12.0 12.3 12.3"),
        ("2xTitanRTX", "Modelled", "0 ", "12.3 295 45.9"),
        ("2xTitanRTX", "Share of what the narrowest wire could carry", "0 ", "78 88 92"),
        ("2xTitanRTX", "traffic is twice", "NVLink pairs", "one-way 2 256 MiB 45.9 92 %"),
        ("2xTitanRTX --fault lost:1@0s", "", "0 ", "12.3 295 -"),
        (
            "4xRTX4090+pcie --mode latency",
            "Latency in µs, 16 B",
            "0 ",
            "10.0 2.70 20.0 28.0 28.0",
        ),
        (
            "1xRTX4090 --devices cpu,0 --sizes 4B-1G",
            "cpu to 0",
            "1.00 GiB",
            "12.0 25.8 25.8 443",
        ),
        ("1xRTX4090 --devices cpu,0 --sizes 4B-1G", "", "floor, µs", "1.51 10.0 10.0 2.70"),
        ("1xH200,1xT4 --sizes 4G --devices 0,1", "", "0 ", "2109 -"),
        ("2xTitanRTX --list", "Device", "cuda:1", "NVIDIA TITAN RTX"),
        ("2xTitanRTX --list", "", "staged", "Staged through pinned memory of the host"),
        ("2xTitanRTX --sheet", "NVIDIA TITAN RTX, cuda:1", "TF32 products ", "- - - - -"),
    ],
)
def test_what_was_asked_for_stands_in_a_matrix_or_a_table(
    capsys: Out, words: str, after: str, label: str, cells: str
) -> None:
    text = told(capsys, f"--simulate {words}")
    assert row(text.split(after or None, 1)[-1] if after else text, label) == cells
    assert "WRONG" not in text


def test_what_arrives_wrong_is_said_in_words_and_by_the_exit_status(capsys: Out) -> None:
    text = told(capsys, "--simulate 8xL4 --fault wrong:6>1,wrong:1>6", 1)
    assert "Copies from card 6 to card 1 arrive wrong, as ordered." in text
    assert row(text, "6 ").split()[2] == "WRONG"
    assert "Arrives WRONG (cuda:6 to cuda:1): In 3 of 7 rounds" in text
    assert text.count("Arrives WRONG") == 2
    assert text.count("IOMMU") == 1, "the advice is given once"


def test_programs_are_told_what_is_simulated_modelled_and_wrong(capsys: Out) -> None:
    words = "--simulate 2xH100 --devices 0,1"
    for fault, status, intact in (("", 0, None), (" --fault wrong:0>1", 1, False)):
        result = json.loads(told(capsys, f"{words} --json{fault}", status))
        facts = [result[key] for key in ("schema", "simulated", "modelled", "complete")]
        assert facts == [1, True, True, True]
        found = [(e["source"], e["target"], e["intact"]) for e in result["results"]]
        pairs = [(f"cuda:{one}", f"cuda:{other}") for one in (0, 1) for other in (0, 1)]
        assert found == [(*each, intact if each[0] < each[1] else None) for each in pairs]
    rows = list(csv.DictReader(io.StringIO(told(capsys, f"{words} --csv"))))
    assert [each["simulated"] for each in rows] == ["yes"] * 4


@pytest.mark.parametrize(
    ("words", "said", "status"),
    [
        ("--sizes 512G --devices 0", "more than an eighth", 1),
        ("--sheet --fault lost:0@0s", "cuda:0 is lost: it no longer answers the driver", 1),
        ("--fault lost:0@0s", "cuda:0 is lost: it no longer answers the driver", 0),
    ],
)
def test_what_could_not_be_measured_is_said_and_all_of_it_is_status_1(
    capsys: Out, words: str, said: str, status: int
) -> None:
    assert said in " ".join(told(capsys, f"--simulate 1xT4 {words}", status).split())


def test_a_sheet_has_what_a_card_promises(capsys: Out, monkeypatch: pytest.MonkeyPatch) -> None:
    text = told(capsys, "--sheet --simulate 2xTitanRTX")
    assert "SIMULATED" in text
    assert text.count("Modelled: what was reached is a model's") == 1
    assert row(text, "Memory bandwidth ").startswith("672 GB/s 590 GB/s 88 %")
    assert row(text, "FP32 products ").startswith("19.4 TFLOP/s 14.4 TFLOP/s 74 %")
    assert "Memory bandwidth: promised: the device says: 384 bit at 7001 MHz" in text
    monkeypatch.setenv("COLUMNS", "140")
    text = told(capsys, "--sheet --simulate 1xH100 --devices 0 --beside 4090,B200")
    assert row(text, "NVIDIA H100 80GB HBM3, cuda:0").endswith(
        "GeForce RTX 4090, 24 GiB NVIDIA B200, 180 GiB"
    )
    assert row(text, "Memory bandwidth ").endswith(" 1008 GB/s 8000 GB/s")
    assert row(text, "Peer link, one way ").endswith("- - 900 GB/s")


@pytest.mark.long
@needs_torch
def test_a_computer_without_cards_measures_itself_for_real(capsys: Out) -> None:
    [sheet] = json.loads(told(capsys, "--sheet --devices cpu --json"))["sheets"]
    assert (sheet["simulated"], sheet["modelled"], sheet["device"]) == (False, False, "cpu")
    rows = {each["what"]: each for each in sheet["rows"]}
    for what in ("memory bandwidth", "FP32 products", "BF16 products"):
        assert rows[what]["reached"] > 0
        assert rows[what]["promised_reason"].startswith("it is not known")
    assert rows["TF32 products"]["reached"] is None
    assert rows["FP32 products"]["watts_reason"] == "it is not known what the processor draws"
    result = json.loads(told(capsys, "--devices cpu --sizes 1M --json"))
    assert (result["simulated"], result["modelled"]) == (False, False)
    [each] = result["results"]
    assert (each["source"], each["target"], each["intact"]) == ("cpu", "cpu", True)
    assert each["rate_gbs"] > 0.1
    assert each["limit_gbs"] is None


@pytest.mark.long
@needs_torch
@pytest.mark.skipif(not hasattr(os, "openpty"), reason="this system has no such terminals")
def test_ctrl_c_ends_at_once_with_what_was_measured() -> None:
    ours, theirs = os.openpty()
    words = ("--devices", "cpu", "--sizes", "1M,1100K,1200K,1300K", "--json")
    terminal = {**os.environ, "TERM": "xterm"}
    with subprocess.Popen(
        [*COMMAND, *words], stdout=subprocess.PIPE, stderr=theirs, env=terminal
    ) as program:
        os.close(theirs)
        seen = b""
        while b"2 of 4" not in seen:
            seen += os.read(ours, 1000)
        program.send_signal(signal.SIGINT)
        out, _ = program.communicate(timeout=PATIENCE)
        os.close(ours)
    assert program.returncode == 130
    result = json.loads(out)
    assert result["complete"] is False
    assert 1 <= len(result["results"]) < 4


@pytest.mark.long
@needs_torch
def test_programs_read_the_fields_of_copies_of_machines(capsys: Out, fake_ssh: FakeSsh) -> None:
    words = f"--hosts localhost,user@b --python {sys.executable} --sizes 1K --mode all --json"
    said = json.loads(told(capsys, words))
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
    words = f"--hosts localhost,. --python {sys.executable} --mode all-reduce --sizes 1K,64K"
    text = told(capsys, words)
    assert "By gloo, from memory to memory: NCCL needs a card for each" in text
    assert "Promised" in text
    assert "arrived intact" in text
    sizes = [line.split()[4:6] for line in text.splitlines() if "KiB" in line]
    assert sizes == [["1", "KiB"], ["64", "KiB"]]


def test_a_host_that_refuses_is_told_with_the_way_out(capsys: Out, fake_ssh: FakeSsh) -> None:
    fake_ssh.refusing("a", "user@a: Permission denied (publickey).")
    fake_ssh.host("b", "exec sleep 1000")
    text = told(capsys, f"--hosts a,b --python {sys.executable}", status=1)
    assert "a refuses this login; it would take: publickey." in text
    assert "`ssh a` in a terminal has to work first." in text


@pytest.mark.long
@needs_torch
def test_ctrl_c_between_hosts_tells_what_was_measured_leaving_none(fake_ssh: FakeSsh) -> None:
    sizes = ",".join(map(str, range(1000, 2000)))
    words = ("--hosts", "a,b", "--python", sys.executable, "--sizes", sizes, "--json")
    with subprocess.Popen([*COMMAND, *words], stdout=subprocess.PIPE) as process:
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
