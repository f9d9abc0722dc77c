"""gpuexplorer lab says what is wrong with its words before it starts anything."""

import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from gpuexplorer.__main__ import main
from gpuexplorer.commands.arguments import SentenceParser
from gpuexplorer.commands.lab import add_arguments, program_of

Out = pytest.CaptureFixture[str]


def refused(capsys: Out, words: str, status: int = 2) -> str:
    try:
        ended = main(["lab", *words.split()])
    except SystemExit as left:
        ended = int(str(left.code))
    captured = capsys.readouterr()
    assert (ended, captured.out) == (status, "")
    return captured.err


@pytest.fixture(autouse=True)
def in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("train.py").write_text("open('ran', 'w')\n", encoding="utf-8")
    Path("lesson.ipynb").write_text("{}", encoding="utf-8")
    Path("notes.txt").touch()
    Path("python").write_text("#!/bin/sh\necho hello\n", encoding="utf-8")
    Path("python").chmod(0o755)


@pytest.mark.parametrize(
    ("words", "own", "as_data"),
    [
        ("train.py --json --simulate x -h -v", "--json --simulate x -h -v", False),
        ("--json train.py --epochs 3", "--epochs 3", True),
        ("--json -- train.py a", "a", True),
        ("train.py -- -x", "-- -x", False),
    ],
)
def test_options_stand_before_the_file_and_what_stands_behind_it_is_the_programs_own(
    words: str, own: str, as_data: bool
) -> None:
    parser = SentenceParser(prog="gpuexplorer lab")
    add_arguments(parser)
    found = parser.understood(words.split())
    expected: tuple[Path, Sequence[str]] = Path("train.py"), own.split()
    assert program_of(found) == expected
    assert found.json is as_data


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("nothere.py", "nothere.py cannot be run: No such file or directory."),
        (".", ". is no ordinary file."),
        ("notes.txt", "notes.txt is neither a Python program nor a notebook."),
        ("lesson.ipynb --x", "A notebook takes no arguments"),
        ("--trace a.py train.py", "The trace would be written over a.py."),
        ("--fault lost:0@0s train.py", "Only simulated cards fail on order."),
        ("--simulate 2xNone train.py", "2xNone"),
        *((words, "required: FILE.") for words in ("", "--", "--json")),
        ("", "gpuexplorer lab [-h] [--json] [--trace FILE]"),
    ],
)
def test_what_cannot_be_run_is_said_in_a_sentence(capsys: Out, words: str, said: str) -> None:
    assert said in refused(capsys, words)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names")
def test_what_has_no_end_is_not_read(capsys: Out) -> None:
    os.mkfifo("endless.py")
    assert "endless.py is no ordinary file." in refused(capsys, "endless.py")


@pytest.mark.skipif(getattr(os, "geteuid", int)() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read_is_said_to_be_so(capsys: Out) -> None:
    Path("train.py").chmod(0)
    assert "train.py cannot be run: Permission denied." in refused(capsys, "train.py")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            "--trace none/x.json",
            "The trace cannot be written to none/x.json: No such file or directory.",
        ),
        ("--python ./python", "did not answer as a Python does"),
    ],
)
def test_what_is_missing_is_said_before_the_program_runs(
    capsys: Out, words: str, said: str
) -> None:
    assert said in refused(capsys, f"{words} train.py", 1)
    assert not Path("ran").exists()
