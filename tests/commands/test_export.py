"""`gpuexplorer export` and `report` as a person types them: what they write and say."""

import csv
from pathlib import Path

import pytest

from gpuexplorer.__main__ import main
from tests.recording.made import make_recording


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_recording(tmp_path_factory.mktemp("made") / "it.gpurec", seconds=120)


def said(capfd: pytest.CaptureFixture[str], *words: object) -> tuple[int, str, str]:
    try:
        status: object = main([*map(str, words)])
    except SystemExit as leaving:  # as argparse does
        status = leaving.code
    out, complaints = capfd.readouterr()
    assert isinstance(status, int)
    return status, out, complaints


def test_a_table_goes_to_the_terminal_and_an_offset_before_the_end_is_no_option(
    capfd: pytest.CaptureFixture[str], file: Path
) -> None:
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
    capfd: pytest.CaptureFixture[str], file: Path, tmp_path: Path, words: str
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
    capfd: pytest.CaptureFixture[str],
    file: Path,
    monkeypatch: pytest.MonkeyPatch,
    words: str,
    sentence: str,
) -> None:
    monkeypatch.chdir(file.parent)
    Path("it.html").write_text("somebody's own", "utf-8")
    before = file.read_bytes()
    status, out, complaints = said(capfd, *words.split(), file)
    assert (status, out) == (2, "")
    assert sentence in complaints
    assert file.read_bytes() == before
