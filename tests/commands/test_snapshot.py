"""gpuexplorer snapshot, as a person or a script meets it."""

import csv
import io
import json
import os
import re
import shlex
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from unittest import mock

import pytest

from gpuexplorer.__main__ import main
from gpuexplorer.core.metrics import METRICS
from tests.nvml_stub.stub import Stub, environment

Out = pytest.CaptureFixture[str]

ISO = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}[+-]\d\d:\d\d")


@dataclass
class Ran:
    """What a command said, and its exit status."""

    returncode: object
    stdout: str
    stderr: str


def alone(
    config: str, *words: str, old: bool = False, **more: str
) -> "subprocess.CompletedProcess[str]":
    """The program as a whole, on the NVML stand-in."""
    return subprocess.run(
        [sys.executable, "-m", "gpuexplorer", *words],
        env={**environment(config, old), "PYTHONWARNINGS": "error", **more},
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )


def run(config: str, *words: str, **more: str) -> Ran:
    """The same within this process, which takes a tenth of the time."""
    try:
        stub = Stub.load()
    except RuntimeError:  # this computer's own library of the driver was loaded before
        done = alone(config, *words, old=False, **more)
        return Ran(done.returncode, done.stdout, done.stderr)
    stub.configure(config)
    said = [io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2)]
    with redirect_stdout(said[0]), redirect_stderr(said[1]), mock.patch.dict(os.environ, more):
        status = main([*words])
    stub.configure()
    for stream in said:
        stream.seek(0)
    return Ran(status, *(stream.read() for stream in said))


def test_the_table_shows_what_people_seek(capsys: Out, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    assert main(["snapshot", "--simulate", "2xTitanRTX"]) == 0
    text = capsys.readouterr().out
    wanted = ("SIMULATED", "NVIDIA TITAN RTX", "of 24.0 GiB", "°C", "of 280 W", "MHz", "Pid")
    assert [words for words in wanted if words not in text] == []


def test_json_holds_schema_one(capsys: Out) -> None:
    assert main(["snapshot", "--json", "--simulate", "8xH100+nvlink"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert set(told) == {
        *("schema", "taken_at", "source", "simulated", "driver", "host", "cards"),
        *("processes", "links", "notes"),
    }
    assert told["schema"] == 1
    assert ISO.fullmatch(told["taken_at"])
    assert told["source"] == "simulated"
    assert told["simulated"] is True
    assert len(told["cards"]) == 8
    assert len(told["links"]) == 8 * 7 / 2 + 8
    for card in told["cards"]:
        assert {"index", "id", "name", "bus_id", "cuda_index", "state"} <= set(card)
        for metric, figure in card["values"].items():
            assert figure["unit"] == METRICS[metric].unit
            assert isinstance(figure["value"], int | float)
        for reason in card["missing"].values():
            assert " " in reason
        assert not set(card["values"]) & set(card["missing"])


def test_csv_has_one_row_per_card_and_a_reason_for_every_blank(capsys: Out) -> None:
    assert main(["snapshot", "--csv", "--simulate", "1xH100,1xT4"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [row["name"] for row in rows] == ["NVIDIA H100 80GB HBM3", "Tesla T4"]
    assert {row["simulated"] for row in rows} == {"yes"}
    for row in rows:
        blanks = [
            column.split(" [")[0]
            for column, cell in row.items()
            if cell == "" and "[" in column and "nvlink_" not in column
        ]
        for metric in blanks:
            assert f"{metric}: " in row["missing"]


def test_in_a_loop_csv_has_one_header_and_json_a_line_each(capsys: Out) -> None:
    words = ["--loop", "0.1", "--count", "3", "--simulate", "4xT4", "--cards", "2,0"]
    assert main(["snapshot", "--csv", *words]) == 0
    header, *rows = csv.reader(capsys.readouterr().out.splitlines())
    assert header[0] == "taken_at"
    assert len(rows) == 3 * 2
    assert main(["snapshot", "--json", *words]) == 0
    told = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert len({one["taken_at"] for one in told}) == 3
    assert [card["index"] for card in told[0]["cards"]] == [2, 0]
    assert {process["number"] for process in told[0]["processes"]} <= {"0", "2"}


@pytest.mark.parametrize(
    ("config", "words"),
    [
        ("init=library", "is not installed"),
        ("init=version_mismatch", "updated while it runs"),
        ("init=no_permission", "may not talk"),
        ("driver=gone", "not running"),
        ("cards=0", "has no card"),
        ("cards=3;lost=1", "lost"),
        ("cards=2;garbage=all", "impossible figure"),
        ("cards=2;refused=all", "does not report it"),
        ("cards=2;refused=all;refuse_code=no_permission", "may not read it"),
        ("cards=2;mig=0:3", "MIG is on"),
        ("cards=64", "63"),
        ("cards=1;kind=gb10", "uses the computer's memory"),
        ("cards=1;name=0:ff1b5b33316d", "unnamed NVIDIA card"),
    ],
)
def test_whatever_a_driver_does_there_is_a_table_and_a_reason(config: str, words: str) -> None:
    done, as_json = run(config, "snapshot"), run(config, "snapshot", "--json")
    assert words in " ".join(done.stdout.split())
    assert done.stderr == as_json.stderr == ""
    states = {card["state"] for card in json.loads(as_json.stdout)["cards"]}
    # There are cards, and not one of them told anything.
    nothing_read = bool(states) and "working" not in states
    assert done.returncode == as_json.returncode == int(nothing_read)


@pytest.mark.long
def test_a_hung_card_keeps_neither_the_table_nor_the_prompt_waiting() -> None:
    done = alone("cards=3;hung=1", "snapshot", "--json")
    assert done.returncode == 0
    told = json.loads(done.stdout)
    assert [card["state"] for card in told["cards"]] == ["working", "no answer", "working"]
    assert "Card 1: it has not answered for 4 s." in told["notes"]


def test_a_narrow_terminal_gets_fewer_columns_and_no_line_too_long() -> None:
    for width in (20, 30, 60, 100):
        done = run("cards=2;procs=0:2", "snapshot", COLUMNS=str(width))
        assert max(map(len, done.stdout.splitlines())) <= width
        assert width == 20 or ("Busy" in done.stdout and "23 %" in done.stdout)


def test_a_reader_that_has_seen_enough_is_no_failure() -> None:
    read, write = os.pipe()
    with subprocess.Popen(
        [sys.executable, "-m", "gpuexplorer", "snapshot", "--loop", "0.1"],
        env=environment("cards=2"),
        stdout=write,
        stderr=subprocess.PIPE,
        text=True,
    ) as running:
        os.close(write)
        os.read(read, 10)
        os.close(read)
        _, complaints = running.communicate(timeout=30)
    assert running.returncode == 0
    assert complaints == ""


@pytest.mark.parametrize(
    ("output", "status", "complaint"),
    [(">/dev/full", 1, "could not be written: No space left on device"), (">&-", 0, "")],
    ids=["a full disk", "closed"],
)
def test_a_full_output_is_no_traceback(output: str, status: int, complaint: str) -> None:
    done = subprocess.run(
        f"{shlex.quote(sys.executable)} -m gpuexplorer snapshot {output}",
        shell=True,
        env=environment("cards=1"),
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, complaint in done.stderr) == (status, True)
    assert "Traceback" not in done.stderr


def test_ctrl_c_ends_a_loop_without_a_traceback() -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "gpuexplorer", "snapshot", "--loop", "0.1", "--json"],
        env=environment("cards=2"),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as running:
        assert running.stdout is not None
        running.stdout.readline()
        running.send_signal(2)
        _, complaints = running.communicate(timeout=30)
    assert running.returncode == 130
    assert complaints == ""


@pytest.mark.parametrize(
    ("config", "why"),
    [
        ("lost=1", "the driver has lost it"),
        ("fault=every@1:no_permission", "no permission for this user, container or job"),
        ("fault=every@1:not_supported", "the driver says that it does not support it"),
        ("fault=every@1:999", "the driver gives no access to it (unknown Error)"),
    ],
)
def test_why_a_card_gives_no_access_is_said_once_in_its_words(config: str, why: str) -> None:
    done = run(f"cards=3;{config}", "snapshot", COLUMNS="120")
    assert done.stdout.count(f"Card 1: {why}.") == 1
    assert done.stdout.count("Card 1: ") == 1


@pytest.mark.parametrize(
    ("words", "without"),
    [
        ("snapshot --json", "snapshot_table window_arguments"),
        ("--version", "telemetry snapshot psutil"),
    ],
)
def test_what_an_answer_does_not_need_is_not_imported(words: str, without: str) -> None:
    code = (
        "import sys; from gpuexplorer.__main__ import main\n"
        f"try: main({words.split()})\n"
        f"except SystemExit: pass\n"
        "names = {each.rpartition('.')[2] for each in sys.modules}\n"
        f"assert not names & set({without.split()})"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=environment("cards=2"),
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
