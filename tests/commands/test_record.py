"""gpuexplorer record, export and report, as a person or a script meets them."""

import csv
import re
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from gpuexplorer.__main__ import main
from gpuexplorer.core.cards import HOST_ID
from gpuexplorer.core.metrics import CPU_UTILIZATION, GPU_UTILIZATION, PCIE_TRANSMIT
from gpuexplorer.recording.recording import Recording, open_recording
from tests.nvml_stub.stub import environment
from tests.recording.made import make_recording

Out = pytest.CaptureFixture[str]

SIMULATED = ("--simulate", "2xH100", "--interval", "0.1")


def recorded(path: Path, *words: str) -> Recording:
    assert main(["record", str(path), *SIMULATED, "--duration", "0.4s", *words]) == 0
    return open_recording(path)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "it.gpurec"


def test_it_records_cards_host_and_programs_for_so_long(path: Path, capsys: Out) -> None:
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


def test_without_a_driver_only_the_computer_is_recorded_and_said_to_be(path: Path) -> None:
    words = ["record", str(path), "--interval", "0.1", "--duration", "0.5"]
    done = subprocess.run(
        [sys.executable, "-m", "gpuexplorer", *words],
        env=environment("init=version_mismatch"),
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr.endswith("So only the computer itself is recorded.\n")
    assert "simulated" not in done.stdout
    recording = open_recording(path)
    assert not recording.cards()
    assert not recording.runs[0].machine.source.simulated
    assert CPU_UTILIZATION in recording.metrics(HOST_ID)
    recording.close()


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_recording(tmp_path_factory.mktemp("made") / "it.gpurec", "2xT4", 120)


def said(capfd: Out, *words: object) -> tuple[int, str, str]:
    try:
        status: object = main([*map(str, words)])
    except SystemExit as leaving:  # as argparse does
        status = leaving.code
    out, complaints = capfd.readouterr()
    assert isinstance(status, int)
    return status, out, complaints


def test_a_table_goes_to_the_terminal_an_offset_is_no_option(capfd: Out, file: Path) -> None:
    words = "--format csv --metrics power_draw,temperature --cards 1,host --from -10s --to -5s"
    status, out, complaints = said(capfd, "export", file, *words.split())
    assert (status, complaints) == (0, "")
    header, *rows = [row for row in csv.reader(out.splitlines()) if row[0][0] != "#"]
    assert header == ["time", "steady_s", "SIM-1 temperature [C]", "SIM-1 power_draw [W]"]
    assert [row[1] for row in rows][::5] == ["111.000", "116.000"]


@pytest.mark.parametrize(
    "words",
    ["export --format csv", "export --format jsonl", "export --format perfetto", "report"],
)
def test_a_file_takes_the_place_of_one_of_that_name_and_is_nobody_elses_to_read(
    capfd: Out, file: Path, tmp_path: Path, words: str
) -> None:
    output = tmp_path / "written"
    output.write_text("something else", "utf-8")
    status, _, complaints = said(capfd, *words.split(), file, "--output", output)
    assert (status, complaints) == (0, "")
    assert output.stat().st_size > 10_000
    assert list(tmp_path.iterdir()) == [output]
    assert output.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("export", "Which format is it to be written in?"),
        ("export --format xml", "invalid choice: 'xml' (choose from"),
        ("export --format csv --metrics powerdraw", "Did you mean power_draw?"),
        ("export --format csv --metrics cpu_utilization --cards 0", "No such figures were"),
        ("export --format csv --cards 7", "There are: 0, 1"),
        ("export --format csv --from noon", "'noon' is no time."),
        ("report --from +2m --to +1m", "There is nothing between these two times."),
        ("report --from 2030-01-01", "The recording lasts from 20"),
        ("report --output it.gpurec", "is the recording itself"),
        ("report", "it.html is there already.\nSay with --output where it goes."),
    ],
)
def test_wrong_words_get_a_sentence_that_helps(
    capfd: Out, file: Path, monkeypatch: pytest.MonkeyPatch, words: str, sentence: str
) -> None:
    monkeypatch.chdir(file.parent)
    Path("it.html").write_text("somebody's own", "utf-8")
    before = file.read_bytes()
    status, out, complaints = said(capfd, *words.split(), file)
    assert (status, out) == (2, "")
    assert sentence in complaints
    assert file.read_bytes() == before
