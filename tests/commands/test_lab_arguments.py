"""What is typed behind `gpuexplorer lab`, and what is said of it before it runs anything."""

import os
from pathlib import Path

import pytest

from gpuexplorer.__main__ import main
from gpuexplorer.commands.arguments import SentenceParser
from gpuexplorer.commands.lab import add_arguments, program_of

Out = pytest.CaptureFixture[str]


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
    assert program_of(found) == (Path("train.py"), own.split())
    assert found.json is as_data


@pytest.mark.parametrize(
    ("words", "said", "status"),
    [
        ("nothere.py", "nothere.py cannot be run: No such file or directory.", 2),
        (".", ". is no ordinary file.", 2),
        ("notes.txt", "notes.txt is neither a Python program nor a notebook.", 2),
        ("lesson.ipynb --x", "A notebook takes no arguments", 2),
        ("--trace a.py train.py", "The trace would be written over a.py.", 2),
        ("--fault lost:0@0s train.py", "Only simulated cards fail on order.", 2),
        ("--simulate 2xNone train.py", "2xNone", 2),
        *((words, "required: FILE.", 2) for words in ("", "--", "--json")),
        ("", "gpuexplorer lab [-h] [--json] [--trace FILE]", 2),
        ("--trace no/x train.py", "cannot be written to no/x: No such file or directory.", 1),
        ("--python ./python train.py", "did not answer as a Python does", 1),
    ],
)
def test_what_cannot_be_run_is_said_in_a_sentence_before_anything_runs(
    capsys: Out, words: str, said: str, status: int
) -> None:
    try:
        ended = main(["lab", *words.split()])
    except SystemExit as left:
        ended = int(str(left.code))
    captured = capsys.readouterr()
    assert (ended, captured.out) == (status, "")
    assert said in captured.err
    assert not Path("ran").exists()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names")
def test_what_has_no_end_is_not_read(capsys: Out) -> None:
    os.mkfifo("endless.py")
    assert main(["lab", "endless.py"]) == 2
    assert "endless.py is no ordinary file." in capsys.readouterr().err
