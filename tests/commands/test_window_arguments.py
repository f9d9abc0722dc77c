"""What the window is told at its start: words that do not fit are answered at once."""

from pathlib import Path

import pytest

from gpuexplorer.__main__ import main

WRONG, TROUBLE = 2, 1


def told(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str]:
    """The exit status and the first line, before any window was opened."""
    try:
        status = main(["--simulate", "2xT4", *words])
    except SystemExit as left:
        status = left.code if isinstance(left.code, int) else -1
    return status, capsys.readouterr().err.splitlines()[0]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--size", "10x10"), "'10x10' is not possible; from 560x420 to 7680x4320 is"),
        (("--size", "99999x1"), "'99999x1' is not possible"),
        (("--size", "large"), "'large' is not a size; write it like 1600x1000"),
        (("--theme", "pink"), "'pink' is none of dark, light, both"),
        (("--view", "shop"), "'shop' is none of overview, card,"),
        (("--quit-after", "-3"), "'-3' is no length of time"),
        (("--quit-after", "nan"), "'nan' is no length of time"),
        (("--after", "1e9", "--screenshot", "x"), "no length of time up to a day"),
        (("--view", "all"), "A window opens on one screen."),
        (("--theme", "both"), "A window has one theme."),
        (("--after", "3"), "none were asked for"),
        (("--screenshot", "x", "--quit-after", "3"), "ends when the pictures are written"),
    ],
)
def test_wrong_words_are_named(
    capsys: pytest.CaptureFixture[str], words: tuple[str, ...], sentence: str
) -> None:
    status, line = told(capsys, *words)
    assert status == WRONG
    assert sentence in line


def test_a_file_in_the_place_of_the_folder_is_said_before_anything_is_read(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "taken").write_text("")
    status, line = told(capsys, "--screenshot", str(tmp_path / "taken"))
    assert status == TROUBLE
    assert line.endswith("taken: File exists.")
    status, line = told(capsys, "--screenshot", str(tmp_path / "taken" / "below"))
    assert status == TROUBLE
    assert line.endswith("below: Not a directory.")


def test_a_place_for_the_diagnostics_that_cannot_be_written_to_is_said_at_once(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    status, line = told(capsys, "--diagnostics", str(tmp_path))
    assert status == TROUBLE
    assert line.endswith("There is a folder of that name.")
    status, line = told(capsys, "--diagnostics", str(tmp_path / "no" / "cost.json"))
    assert status == TROUBLE
    assert line.endswith("That folder does not exist.")


def test_a_recording_that_cannot_be_opened_is_said_before_the_window_opens(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    other = tmp_path / "letter.gpurec"
    other.write_text("Dear reader, this is no recording. " * 100)
    for words in (("--open", str(other)), ("--open", str(tmp_path / "gone.gpurec"))):
        status, line = told(capsys, *words)
        assert status == TROUBLE
        assert Path(words[1]).name in line
    assert main([str(other)]) == TROUBLE
    assert "letter.gpurec" in capsys.readouterr().err


def test_one_window_opens_one_recording(capsys: pytest.CaptureFixture[str]) -> None:
    status, line = told(capsys, "a.gpurec", "--open", "b.gpurec")
    assert status == WRONG
    assert "Two recordings" in line
