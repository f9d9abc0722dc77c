"""gpuexplorer copies, as a person in a terminal and a program that reads it meet it."""

import csv
import io
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from gpuexplorer.__main__ import main
from gpuexplorer.commands.copies import in_words
from gpuexplorer.commands.terminal import ProgressLine
from gpuexplorer.copies.measuring import Progress
from gpuexplorer.lab.wire import CopyJob
from tests.lab.processes import needs_torch

PATIENCE = 60.0
Out = pytest.CaptureFixture[str]


def told(capsys: Out, *words: str, status: int = 0) -> str:
    assert main(["copies", *words]) == status
    captured = capsys.readouterr()
    return captured.out or captured.err


def row(text: str, label: str) -> list[str]:
    return next(line.split() for line in text.splitlines() if line.startswith(label))


def test_every_pair_stands_in_a_matrix_with_what_the_wire_could_carry(capsys: Out) -> None:
    text = told(capsys, "--simulate", "2xTitanRTX")
    assert "SIMULATED" in text
    assert "Modelled" in text
    assert row(text, "cpu") == ["cpu", "12.0", "12.3", "12.3"]
    assert row(text, "0 ") == ["0", "12.3", "295", "45.9"]
    shares = text.split("Share of what the narrowest wire could carry")[1]
    assert row(shares, "0 ") == ["0", "78", "88", "92"]
    assert row(text, "NVLink pairs") == [
        "NVLink",
        "pairs",
        "2",
        "256",
        "MiB",
        "45.9",
        "92",
        "%",
    ]
    assert "WRONG" not in text


def test_bytes_within_one_device_count_once_and_it_says_so(capsys: Out) -> None:
    within = told(capsys, "--simulate", "2xTitanRTX")
    assert "Inside one device copied bytes count once; memory traffic is twice that." in within
    between = told(capsys, "--simulate", "2xTitanRTX", "--mode", "staged")
    assert "memory traffic" not in between


def test_a_lost_card_leaves_the_others_and_the_status_as_they_are(capsys: Out) -> None:
    text = told(capsys, "--simulate", "2xTitanRTX", "--fault", "lost:1@0s")
    assert row(text, "0 ") == ["0", "12.3", "295", "-"]
    assert "cuda:1 is lost: it no longer answers the driver." in text


def test_several_questions_get_a_matrix_each(capsys: Out) -> None:
    text = told(
        capsys, "--simulate", "4xRTX4090+pcie", "--mode", "both-ways,latency,staged,pageable"
    )
    for words in ("Both ways at once, each direction", "Latency in µs, 16 B", "Staged through"):
        assert words in text
    latency = text.split("Latency")[1]
    assert row(latency, "0 ") == ["0", "10.0", "2.70", "20.0", "28.0", "28.0"]


def test_what_arrives_wrong_is_said_in_the_matrix_in_words_and_by_the_exit_status(
    capsys: Out,
) -> None:
    text = told(capsys, "--simulate", "8xL4", "--fault", "wrong:6>1", status=1)
    assert "Copies from card 6 to card 1 arrive wrong, as ordered." in text
    assert row(text, "6 ")[3] == "WRONG"
    assert "1. Arrives WRONG (cuda:6 to cuda:1): In 3 of 7 rounds" in text
    assert "IOMMU" in text


def test_the_advice_on_wrong_copies_is_given_once(capsys: Out) -> None:
    text = told(capsys, "--simulate", "8xL4", "--fault", "wrong:6>1,wrong:1>6", status=1)
    assert text.count("Arrives WRONG") == 2
    assert text.count("IOMMU") == 1


def test_over_many_sizes_each_path_has_a_column_with_its_floor_and_half_rate(
    capsys: Out,
) -> None:
    text = told(capsys, "--simulate", "1xRTX4090", "--devices", "cpu,0", "--sizes", "4B-1G")
    assert "cpu to 0" in text
    assert row(text, "1.00 GiB")[3] == "25.8"
    assert row(text, "floor")[2:] == ["1.51", "10.0", "10.0", "2.70"]


def test_the_json_says_simulated_and_modelled(capsys: Out) -> None:
    result = json.loads(told(capsys, "--simulate", "2xH100", "--json", "--devices", "0,1"))
    assert (result["schema"], result["simulated"], result["modelled"]) == (1, True, True)
    assert result["complete"] is True
    assert [(each["source"], each["target"]) for each in result["results"]] == [
        ("cuda:0", "cuda:0"),
        ("cuda:0", "cuda:1"),
        ("cuda:1", "cuda:0"),
        ("cuda:1", "cuda:1"),
    ]
    assert all(each["modelled"] and each["intact"] is None for each in result["results"])


def test_the_json_of_a_wrong_copy_ends_with_status_1_too(capsys: Out) -> None:
    words = ("--simulate", "2xH100", "--json", "--devices", "0,1", "--fault", "wrong:0>1")
    result = json.loads(told(capsys, *words, status=1))
    assert [each["intact"] for each in result["results"]] == [None, False, None, None]


def test_the_csv_has_a_row_for_each_copy(capsys: Out) -> None:
    rows = list(csv.DictReader(io.StringIO(told(capsys, "--simulate", "2xT4", "--csv"))))
    assert len(rows) == 9
    assert {each["simulated"] for each in rows} == {"yes"}


def test_64_cards_fit_a_terminal_and_take_no_minute(
    capsys: Out, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    text = told(capsys, "--simulate", "64xH100")
    assert max(map(len, text.splitlines())) <= 60
    titles = [
        word for line in text.splitlines() if line.startswith("  ") for word in line.split()
    ]
    assert {str(card) for card in range(64)} <= set(titles), "a column is left out"


def test_the_list_names_devices_and_modes_and_measures_nothing(capsys: Out) -> None:
    text = told(capsys, "--simulate", "2xTitanRTX", "--list")
    assert row(text, "cuda:1") == ["cuda:1", "NVIDIA", "TITAN", "RTX"]
    assert "Staged through pinned memory of the host" in text
    assert "GB/s" not in text


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--sizes", "big"), "'big' is not a size."),
        (("--sizes", "0"), "'0' is nothing to copy."),
        (("--devices", "cuda:9"), "--devices names 'cuda:9', and no device here is called so."),
        (("--mode", "sideways"), "--mode names 'sideways', which is not known."),
        (("--json", "--csv"), "--json and --csv exclude each other."),
        (("--python", "/x"), "Simulated cards are modelled, which takes no PyTorch."),
        (("--fault", "wrong:0"), "'wrong:0' does not say from which card to which."),
        (("--devices", "cpu", "--mode", "staged"), "there is nothing to measure as staged."),
        (("--many",), "There is no argument --many."),
    ],
)
def test_words_that_are_wrong_get_a_sentence_and_status_2(
    capsys: Out, words: tuple[str, ...], sentence: str
) -> None:
    try:
        status = main(["copies", "--simulate", "2xT4", *words])
    except SystemExit as left:
        status = int(str(left.code))
    assert status == 2
    assert sentence in capsys.readouterr().err


def test_a_fault_without_simulated_cards_is_refused(capsys: Out) -> None:
    assert "Only simulated cards fail" in told(capsys, "--fault", "wrong:0>1", status=2)


def test_sizes_beyond_the_memory_of_a_card_are_said_and_the_others_go_on(capsys: Out) -> None:
    text = told(capsys, "--simulate", "1xH200,1xT4", "--sizes", "4G", "--devices", "0,1")
    assert row(text, "0 ")[2] == "-"
    assert "on cuda:1, more than an eighth of the" in " ".join(text.split())


def test_where_nothing_could_be_measured_the_status_is_1(capsys: Out) -> None:
    text = told(capsys, "--simulate", "1xT4", "--sizes", "512G", "--devices", "0", status=1)
    assert "more than an eighth" in " ".join(text.split())


def run(*words: str, **more: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "gpuexplorer", "copies", *words],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
        env={**os.environ, **more},
    )


def test_without_pytorch_a_sentence_says_what_to_do(tmp_path: Path) -> None:
    bare = {"PATH": str(tmp_path), "HOME": str(tmp_path), "PYTHONPATH": "", "VIRTUAL_ENV": ""}
    done = run("--sizes", "4K", PWD=str(tmp_path), CONDA_PREFIX="", **bare)
    if done.returncode == 0:
        pytest.skip("the Python of these tests has PyTorch itself")
    assert done.returncode == 1
    assert "Copies are measured with PyTorch" in done.stderr
    assert "gpuexplorer doctor --get-pytorch" in done.stderr
    assert done.stdout == ""


def test_a_python_without_pytorch_is_refused_by_name(tmp_path: Path) -> None:
    done = run("--python", str(tmp_path / "python"), "--sizes", "4K")
    assert done.returncode == 1
    assert "cannot be the lab's Python" in done.stderr


def test_a_reader_that_leaves_early_is_no_failure() -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "gpuexplorer", "copies", "--simulate", "64xH100"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as program:
        assert program.stdout is not None
        assert program.stderr is not None
        program.stdout.close()
        assert program.stderr.read() == b""
        assert program.wait(PATIENCE) == 0


@needs_torch
def test_a_computer_without_cards_measures_its_own_memory_for_real(capsys: Out) -> None:
    result = json.loads(told(capsys, "--devices", "cpu", "--sizes", "1M", "--json"))
    assert (result["simulated"], result["modelled"]) == (False, False)
    [each] = result["results"]
    assert (each["source"], each["target"], each["intact"]) == ("cpu", "cpu", True)
    assert each["rate_gbs"] > 0.1
    assert each["limit_gbs"] is None


@needs_torch
@pytest.mark.skipif(not hasattr(os, "openpty"), reason="this system has no such terminals")
def test_ctrl_c_ends_at_once_with_what_was_measured() -> None:
    ours, theirs = os.openpty()
    words = (
        "--devices",
        "cpu",
        "--sizes",
        "1M,1100K,1200K,1300K",
        "--mode",
        "one-way",
        "--json",
    )
    with subprocess.Popen(
        [sys.executable, "-m", "gpuexplorer", "copies", *words],
        stdout=subprocess.PIPE,
        stderr=theirs,
        env={**os.environ, "TERM": "xterm"},
    ) as program:
        os.close(theirs)
        seen = b""
        while b"2 of 4" not in seen:
            seen += os.read(ours, 1000)
        program.send_signal(signal.SIGINT)
        out, _ = program.communicate(timeout=PATIENCE)
        os.close(ours)
    assert program.returncode == 130
    told = json.loads(out)
    assert told["complete"] is False
    assert 1 <= len(told["results"]) < 4


class Screen(io.StringIO):
    """A terminal."""

    def isatty(self) -> bool:
        return True


def test_a_terminal_is_told_how_far_it_has_got_in_a_line_that_goes_away() -> None:
    progress = Progress(11, 81, CopyJob("cuda:0", "cuda:1", 256 << 20), 3, 7, 24.6)
    assert in_words(progress) == (
        "12 of 81: cuda:0 to cuda:1, 256 MiB, sample 3 of 7, 25 s left"
    )
    screen = Screen()
    with ProgressLine(screen) as line:
        line.show(in_words(progress))
    assert screen.getvalue().startswith("\r12 of 81: ")
    assert screen.getvalue().endswith("\r\x1b[K")


def test_what_is_no_terminal_is_told_nothing() -> None:
    stream = io.StringIO()
    with ProgressLine(stream) as line:
        line.show("1 of 1")
    assert stream.getvalue() == ""
