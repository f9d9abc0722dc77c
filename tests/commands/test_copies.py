"""gpuexplorer copies and its --datasheet, as a person in a terminal and a program that reads it
meet them.
"""

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
from gpuexplorer.lab.wire import CopyJob, ProductJob
from tests.lab.processes import needs_torch

PATIENCE = 60.0
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


def test_every_pair_stands_in_a_matrix_with_what_the_wire_could_carry(capsys: Out) -> None:
    text = told(capsys, "--simulate 2xTitanRTX")
    for words in ("SIMULATED", "Modelled", "memory traffic is twice that."):
        assert words in text
    assert row(text, "cpu") == "12.0 12.3 12.3"
    assert row(text, "0 ") == "12.3 295 45.9"
    shares = text.split("Share of what the narrowest wire could carry")[1]
    assert row(shares, "0 ") == "78 88 92"
    assert row(text, "NVLink pairs") == "2 256 MiB 45.9 92 %"
    assert "WRONG" not in text
    assert "memory traffic" not in told(capsys, "--simulate 2xTitanRTX --mode staged")


def test_a_lost_card_leaves_the_others_and_the_status_as_they_are(capsys: Out) -> None:
    text = told(capsys, "--simulate 2xTitanRTX --fault lost:1@0s")
    assert row(text, "0 ") == "12.3 295 -"
    assert "cuda:1 is lost: it no longer answers the driver." in text


def test_several_questions_get_a_matrix_each(capsys: Out) -> None:
    modes = "both-ways,latency,staged,pageable"
    text = told(capsys, f"--simulate 4xRTX4090+pcie --mode {modes}")
    for words in ("Both ways at once, each direction", "Latency in µs, 16 B", "Staged through"):
        assert words in text
    assert row(text.split("Latency")[1], "0 ") == "10.0 2.70 20.0 28.0 28.0"


def test_what_arrives_wrong_is_said_in_the_matrix_in_words_and_by_the_exit_status(
    capsys: Out,
) -> None:
    text = told(capsys, "--simulate 8xL4 --fault wrong:6>1,wrong:1>6", 1)
    assert "Copies from card 6 to card 1 arrive wrong, as ordered." in text
    assert row(text, "6 ").split()[2] == "WRONG"
    assert "Arrives WRONG (cuda:6 to cuda:1): In 3 of 7 rounds" in text
    assert text.count("Arrives WRONG") == 2
    assert text.count("IOMMU") == 1, "the advice is given once"


def test_over_many_sizes_each_path_has_a_column_with_its_floor_and_half_rate(
    capsys: Out,
) -> None:
    text = told(capsys, "--simulate 1xRTX4090 --devices cpu,0 --sizes 4B-1G")
    assert "cpu to 0" in text
    assert row(text, "1.00 GiB").split()[1] == "25.8"
    assert row(text, "floor, µs") == "1.51 10.0 10.0 2.70"


def test_the_json_says_simulated_modelled_and_what_arrived_wrong(capsys: Out) -> None:
    words = "--simulate 2xH100 --json --devices 0,1"
    result = json.loads(told(capsys, words))
    assert (result["schema"], result["simulated"], result["modelled"]) == (1, True, True)
    assert result["complete"] is True
    pairs = [(each["source"], each["target"]) for each in result["results"]]
    assert pairs == [(f"cuda:{one}", f"cuda:{other}") for one in (0, 1) for other in (0, 1)]
    assert all(each["modelled"] and each["intact"] is None for each in result["results"])
    result = json.loads(told(capsys, f"{words} --fault wrong:0>1", 1))
    assert [each["intact"] for each in result["results"]] == [None, False, None, None]


def test_the_csv_has_a_row_for_each_copy(capsys: Out) -> None:
    rows = list(csv.DictReader(io.StringIO(told(capsys, "--simulate 2xT4 --csv"))))
    assert len(rows) == 9
    assert {each["simulated"] for each in rows} == {"yes"}


def test_a_narrow_terminal_gets_all_64_cards_and_fewer_columns_of_a_datasheet(
    capsys: Out, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    lines = told(capsys, "--simulate 64xH100").splitlines()
    titles = {word for line in lines if line.startswith("  ") for word in line.split()}
    assert {str(card) for card in range(64)} <= titles, "a column is left out"
    sheet = told(capsys, "--sheet --simulate 1xA100 --beside H100,H200,B200").splitlines()
    assert any("Reached" in line for line in sheet)
    assert max(map(len, [*lines, *sheet])) <= 60


def test_the_list_names_devices_and_modes_and_measures_nothing(capsys: Out) -> None:
    text = told(capsys, "--simulate 2xTitanRTX --list")
    assert row(text, "cuda:1") == "NVIDIA TITAN RTX"
    assert "Staged through pinned memory of the host" in text
    assert "GB/s" not in text


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("--sizes big", "'big' is not a size."),
        ("--sizes 0", "'0' is nothing to copy."),
        ("--devices cuda:9", "--devices names 'cuda:9', and no device here is called so."),
        ("--mode sideways", "--mode names 'sideways', which is not known."),
        ("--json --csv", "--json and --csv exclude each other."),
        ("--python /x", "Simulated cards are modelled, which takes no PyTorch."),
        ("--fault wrong:0", "'wrong:0' does not say from which card to which."),
        ("--devices cpu --mode staged", "there is nothing to measure as staged."),
        ("--many", "There is no argument --many."),
        ("--sheet --beside Voodoo", "--beside names 'Voodoo', and the table of"),
        ("--beside 4090", "Other cards lie beside a datasheet only."),
        ("--sheet --sizes 1M", "A datasheet chooses its sizes and modes itself."),
        ("--sheet --mode all", "A datasheet chooses its sizes and modes itself."),
        ("--sheet --devices 9", "--devices names '9', and no device here"),
    ],
)
def test_words_that_are_wrong_get_a_sentence_and_status_2(
    capsys: Out, words: str, sentence: str
) -> None:
    assert sentence in told(capsys, f"--simulate 2xT4 {words}", 2)


def test_sizes_beyond_the_memory_of_a_card_are_said_and_the_others_go_on(capsys: Out) -> None:
    text = told(capsys, "--simulate 1xH200,1xT4 --sizes 4G --devices 0,1")
    assert row(text, "0 ").split()[1] == "-"
    assert "on cuda:1, more than an eighth of the" in " ".join(text.split())


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--sizes 512G --devices 0", "more than an eighth"),
        ("--sheet --fault lost:0@0s", "cuda:0 is lost: it no longer answers the driver"),
    ],
)
def test_where_nothing_could_be_measured_the_status_is_1(
    capsys: Out, words: str, said: str
) -> None:
    assert said in " ".join(told(capsys, f"--simulate 1xT4 {words}", 1).split())


def test_each_card_has_a_sheet_with_what_it_promises_and_reached(capsys: Out) -> None:
    text = told(capsys, "--sheet --simulate 2xTitanRTX")
    assert "SIMULATED" in text
    assert text.count("Modelled: what was reached is a model's") == 1
    assert "NVIDIA TITAN RTX, cuda:0" in text
    assert "NVIDIA TITAN RTX, cuda:1" in text
    assert row(text, "Memory bandwidth ").startswith("672 GB/s 590 GB/s 88 %")
    assert row(text, "FP32 products ").startswith("19.4 TFLOP/s 14.4 TFLOP/s 74 %")
    assert row(text, "TF32 products ") == "- - - - -"
    assert "Memory bandwidth: promised: the device says: 384 bit at 7001 MHz" in text
    assert "0 GB/s 0" not in text


def test_other_cards_lie_beside_it(capsys: Out, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "140")
    text = told(capsys, "--sheet --simulate 1xH100 --devices 0 --beside 4090,B200")
    assert "NVIDIA H100 80GB HBM3 (here)" in text
    promised = "24.0 GiB 1008 GB/s 31.5 GB/s - 82.6 TFLOP/s"
    assert row(text, "GeForce RTX 4090 ").startswith(promised)
    assert row(text, "NVIDIA B200").startswith("180 GiB 8000 GB/s - 900 GB/s")


def test_sheets_for_programs_say_simulated_and_have_sources(capsys: Out) -> None:
    result = json.loads(told(capsys, "--sheet --simulate 4xL40S --devices 1,2 --json"))
    assert (result["schema"], result["simulated"], result["complete"]) == (1, True, True)
    assert [sheet["device"] for sheet in result["sheets"]] == ["cuda:1", "cuda:2"]
    [bf16] = [each for each in result["sheets"][0]["rows"] if each["what"] == "BF16 products"]
    assert bf16["promised"] == 362.05
    assert bf16["promised_source"].startswith("table: NVIDIA's L40 and L40S data sheet")
    text = told(capsys, "--sheet --simulate 2xL4 --csv --beside 4090")
    lines = list(csv.DictReader(io.StringIO(text)))
    assert text.count("promised_source") == 1, "one header for all"
    cards = {line["card"] for line in lines}
    assert "NVIDIA L4" in cards
    assert any("4090" in card for card in cards)
    assert len(lines) == (1 + len(cards)) * 8


@needs_torch
def test_a_computer_without_cards_gets_a_sheet_of_its_processor(capsys: Out) -> None:
    [sheet] = json.loads(told(capsys, "--sheet --devices cpu --json"))["sheets"]
    assert (sheet["simulated"], sheet["modelled"], sheet["device"]) == (False, False, "cpu")
    rows = {each["what"]: each for each in sheet["rows"]}
    for what in ("memory bandwidth", "FP32 products", "BF16 products"):
        assert rows[what]["reached"] > 0
        assert rows[what]["promised"] is None
        assert rows[what]["promised_reason"].startswith("it is not known")
    assert rows["TF32 products"]["reached"] is None
    assert rows["FP32 products"]["watts_reason"] == "it is not known what the processor draws"


@needs_torch
def test_a_computer_without_cards_measures_its_own_memory_for_real(capsys: Out) -> None:
    result = json.loads(told(capsys, "--devices cpu --sizes 1M --json"))
    assert (result["simulated"], result["modelled"]) == (False, False)
    [each] = result["results"]
    assert (each["source"], each["target"], each["intact"]) == ("cpu", "cpu", True)
    assert each["rate_gbs"] > 0.1
    assert each["limit_gbs"] is None


def run(*words: str, **more: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "gpuexplorer", "copies", *words, "--sizes", "4K"],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
        env={**os.environ, **more},
    )


def test_without_pytorch_a_sentence_says_what_to_do(tmp_path: Path) -> None:
    bare = {"PATH": str(tmp_path), "HOME": str(tmp_path), "PYTHONPATH": "", "VIRTUAL_ENV": ""}
    done = run(PWD=str(tmp_path), CONDA_PREFIX="", **bare)
    if done.returncode == 0:
        pytest.skip("the Python of these tests has PyTorch itself")
    assert done.returncode == 1
    assert "Copies are measured with PyTorch" in done.stderr
    assert "gpuexplorer doctor --get-pytorch" in done.stderr
    assert done.stdout == ""


def test_a_python_without_pytorch_is_refused_by_name(tmp_path: Path) -> None:
    done = run("--python", str(tmp_path / "python"))
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
@pytest.mark.skipif(not hasattr(os, "openpty"), reason="this system has no such terminals")
def test_ctrl_c_ends_at_once_with_what_was_measured() -> None:
    ours, theirs = os.openpty()
    words = ("--devices", "cpu", "--sizes", "1M,1100K,1200K,1300K", "--json")
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
    words = "12 of 81: cuda:0 to cuda:1, 256 MiB, sample 3 of 7, 25 s left"
    assert in_words(progress) == words
    product = Progress(2, 7, ProductJob("cuda:0", "bf16", 4096), 3, 7, None)
    assert in_words(product) == "3 of 7: BF16 products on cuda:0, 4096 x 4096, sample 3 of 7"
    screen, file = Screen(), io.StringIO()
    for stream in (screen, file):
        with ProgressLine(stream) as line:
            line.show(words)
    assert screen.getvalue() == f"\r{words}\x1b[K\r\x1b[K"
    assert file.getvalue() == "", "what is no terminal is told nothing"
