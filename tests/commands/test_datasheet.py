"""gpuexplorer copies --datasheet, as a person in a terminal and a program meet it."""

import csv
import io
import json

import pytest

from gpuexplorer.__main__ import main
from tests.lab.processes import needs_torch

Out = pytest.CaptureFixture[str]


def told(capsys: Out, *words: str, status: int = 0) -> str:
    assert main(["copies", "--datasheet", *words]) == status
    captured = capsys.readouterr()
    return captured.out or captured.err


def row(text: str, label: str) -> str:
    line = next(line for line in text.splitlines() if line.startswith(label))
    return " ".join(line.removeprefix(label).split())


def test_each_card_has_a_sheet_with_what_it_promises_and_reached(capsys: Out) -> None:
    text = told(capsys, "--simulate", "2xTitanRTX")
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
    words = ("--simulate", "1xH100", "--devices", "0", "--beside", "geforce rtx 4090,B200")
    text = told(capsys, *words)
    assert "NVIDIA H100 80GB HBM3 (here)" in text
    assert row(text, "GeForce RTX 4090").startswith(
        "24.0 GiB 1008 GB/s 31.5 GB/s - 82.6 TFLOP/s"
    )
    assert row(text, "NVIDIA B200").startswith("180 GiB 8000 GB/s - 900 GB/s")


def test_the_json_says_simulated_and_has_sources(capsys: Out) -> None:
    result = json.loads(told(capsys, "--simulate", "4xL40S", "--devices", "1,2", "--json"))
    assert (result["schema"], result["simulated"], result["complete"]) == (1, True, True)
    assert [sheet["device"] for sheet in result["sheets"]] == ["cuda:1", "cuda:2"]
    [bf16] = [each for each in result["sheets"][0]["rows"] if each["what"] == "BF16 products"]
    assert bf16["promised"] == 362.05
    assert bf16["promised_source"].startswith("table: NVIDIA's L40 and L40S data sheet")


def test_the_csv_has_one_header_for_all_sheets(capsys: Out) -> None:
    text = told(capsys, "--simulate", "2xL4", "--csv", "--beside", "RTX 4090")
    lines = list(csv.DictReader(io.StringIO(text)))
    assert len(lines) == 3 * 8
    assert {line["card"] for line in lines} == {"NVIDIA L4", "GeForce RTX 4090"}
    assert text.count("promised_source") == 1


def test_a_narrow_terminal_leaves_columns_out(
    capsys: Out, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    text = told(capsys, "--simulate", "1xA100", "--beside", "H100,H200,B200")
    assert max(map(len, text.splitlines())) <= 60
    assert "Reached" in text


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--datasheet", "--beside", "Voodoo"), "--beside names 'Voodoo', and the table of"),
        (("--beside", "4090"), "Other cards lie beside a datasheet only."),
        (("--datasheet", "--sizes", "1M"), "A datasheet chooses its sizes and modes itself."),
        (("--datasheet", "--mode", "all"), "A datasheet chooses its sizes and modes itself."),
        (("--datasheet", "--json", "--csv"), "--json and --csv exclude each other."),
        (("--datasheet", "--devices", "9"), "--devices names '9', and no device here"),
    ],
)
def test_words_that_are_wrong_get_a_sentence_and_status_2(
    capsys: Out, words: tuple[str, ...], sentence: str
) -> None:
    assert main(["copies", "--simulate", "1xT4", *words]) == 2
    assert capsys.readouterr().err.startswith(sentence)


def test_where_nothing_could_be_measured_the_status_is_1(capsys: Out) -> None:
    text = told(capsys, "--simulate", "1xT4", "--fault", "lost:0@0s", status=1)
    assert "cuda:0 is lost: it no longer answers the driver" in text


@needs_torch
def test_a_computer_without_cards_gets_a_sheet_of_its_processor(capsys: Out) -> None:
    result = json.loads(told(capsys, "--devices", "cpu", "--json"))
    [sheet] = result["sheets"]
    assert (sheet["simulated"], sheet["modelled"], sheet["device"]) == (False, False, "cpu")
    rows = {each["what"]: each for each in sheet["rows"]}
    for what in ("memory bandwidth", "FP32 products", "BF16 products"):
        assert rows[what]["reached"] > 0
        assert rows[what]["promised"] is None
        assert rows[what]["promised_reason"].startswith("it is not known")
    assert rows["TF32 products"]["reached"] is None
    assert rows["FP32 products"]["watts_reason"] == "it is not known what the processor draws"
