"""gpuexplorer lab says what is wrong with its words before it starts anything."""

import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from gpuexplorer.__main__ import main
from gpuexplorer.commands.arguments import SentenceParser
from gpuexplorer.commands.lab import add_arguments, program_of

Out = pytest.CaptureFixture[str]


def refused(capsys: Out, *words: str, status: int = 2) -> str:
    assert main(["lab", *words]) == status
    captured = capsys.readouterr()
    assert captured.out == ""
    return captured.err


def understood(*words: str) -> tuple[str, Sequence[str], bool]:
    """The program, its own arguments, and whether JSON was asked for."""
    parser = SentenceParser(prog="gpuexplorer lab")
    add_arguments(parser)
    found = parser.understood(words)
    file, arguments = program_of(found)
    return str(file), arguments, found.json


@pytest.fixture(autouse=True)
def in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("train.py").write_text("print(1)\n", encoding="utf-8")
    Path("lesson.ipynb").write_text("{}", encoding="utf-8")
    Path("notes.txt").touch()


def test_what_stands_behind_the_file_is_the_programs_own() -> None:
    words = ("train.py", "--json", "--simulate", "x", "-h", "-v")
    assert understood(*words) == ("train.py", list(words[1:]), False)


def test_options_stand_before_the_file() -> None:
    assert understood("--json", "train.py", "--epochs", "3") == (
        "train.py",
        ["--epochs", "3"],
        True,
    )


def test_two_dashes_end_the_options_and_those_behind_the_file_are_the_programs() -> None:
    assert understood("--json", "--", "train.py", "a") == ("train.py", ["a"], True)
    assert understood("train.py", "--", "-x") == ("train.py", ["--", "-x"], False)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["nothere.py"], "nothere.py cannot be run: No such file or directory."),
        (["."], ". is no ordinary file."),
        (["notes.txt"], "notes.txt is neither a Python program nor a notebook."),
        (["lesson.ipynb", "--x"], "A notebook takes no arguments"),
        (["--trace", "a.py", "train.py"], "The trace would be written over a.py."),
        (["--fault", "lost:0@0s", "train.py"], "Only simulated cards fail on order."),
        (["--simulate", "2xNone", "train.py"], "2xNone"),
    ],
)
def test_what_cannot_be_run_is_said_in_a_sentence(
    capsys: Out, words: list[str], said: str
) -> None:
    assert said in refused(capsys, *words)


@pytest.mark.parametrize("words", [[], ["--"], ["--json"]])
def test_without_a_file_the_right_form_is_named(capsys: Out, words: list[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main(["lab", *words])
    assert left.value.code == 2
    said = capsys.readouterr().err
    assert "required: FILE." in said
    assert "gpuexplorer lab [-h] [--json] [--trace FILE]" in said


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names")
def test_what_has_no_end_is_not_read(capsys: Out) -> None:
    os.mkfifo("endless.py")
    assert "endless.py is no ordinary file." in refused(capsys, "endless.py")


@pytest.mark.skipif(getattr(os, "geteuid", int)() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read_is_said_to_be_so(capsys: Out) -> None:
    Path("train.py").chmod(0)
    assert "train.py cannot be run: Permission denied." in refused(capsys, "train.py")


def test_a_trace_that_cannot_be_written_is_said_before_the_program_runs(capsys: Out) -> None:
    Path("train.py").write_text("open('ran', 'w')\n", encoding="utf-8")
    said = refused(capsys, "--trace", "none/x.json", "train.py", status=1)
    assert "The trace cannot be written to" in said
    assert "No such file or directory" in said
    assert not Path("ran").exists()


def test_a_python_that_is_none_is_refused(capsys: Out) -> None:
    Path("python").write_text("#!/bin/sh\necho hello\n", encoding="utf-8")
    Path("python").chmod(0o755)
    said = refused(capsys, "--python", "./python", "train.py", status=1)
    assert "did not answer as a Python does" in said
