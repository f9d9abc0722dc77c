"""`gpuexplorer lesson`: what there is, what is wrong with a file, a beginning of one's own."""

import json
import os
import shutil
import signal
import subprocess
from contextlib import suppress
from pathlib import Path

import pytest

from gpuexplorer.__main__ import main
from gpuexplorer.lessons import reading
from tests.commands.runs import (
    CARDS,
    PATIENCE,
    at_terminal,
    block,
    command,
    lesson,
    played,
    until,
)
from tests.lab.processes import needs_torch

Out = pytest.CaptureFixture[str]

TWO_STEPS = Path(__file__).parents[1] / "lessons" / "two-steps"


@pytest.fixture
def two_lessons(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of lessons in the place of the program's own."""
    folder = tmp_path / "lessons"
    for name in ("02-two-steps", "10-more"):
        shutil.copytree(TWO_STEPS, folder / name)
    monkeypatch.setattr(reading, "_folder", lambda: folder)
    return folder


def test_the_list_has_name_minutes_needs_and_title_and_a_broken_lesson_hides_no_other(
    two_lessons: Path, capsys: Out
) -> None:
    assert main(["lesson", "list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["Name", "Minutes", "Needs", "Title"]
    assert lines[1].split() == ["02-two-steps", "5", "pytorch", "Two", "steps"]
    assert main(["lesson", "list", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert [each["name"] for each in told] == ["02-two-steps", "10-more"]
    keys = {"title": "Two steps", "minutes": 5, "needs": ["pytorch"]}
    assert told[0] == {"name": "02-two-steps", **keys}
    (two_lessons / "02-two-steps" / "lesson.md").write_text("# Nothing more\n", "utf-8")
    assert main(["lesson", "list"]) == 1
    out, err = capsys.readouterr()
    assert "10-more" in out
    assert "02-two-steps" not in out
    assert "lesson.md, line 2: " in err
    assert main(["lesson", "list", "--json"]) == 1
    assert [each["name"] for each in json.loads(capsys.readouterr().out)] == ["10-more"]


def test_each_problem_is_told_with_file_line_and_cure(tmp_path: Path, capsys: Out) -> None:
    bad = tmp_path / "lesson.md"
    text = (TWO_STEPS / "lesson.md").read_text("utf-8")
    bad.write_text(text.replace("```why", "```because"), "utf-8")
    gone = tmp_path / "gone.md"
    assert main(["lesson", "check", str(bad), str(gone), str(TWO_STEPS)]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == f"{bad}, line 30: 'because' is no block that can stand here."
    assert lines[1].startswith("    These can: ")
    assert lines[2] == f"{gone}: The file cannot be read: No such file or directory."
    assert lines[4] == f"{TWO_STEPS / 'lesson.md'}: nothing is wrong with its 2 steps."


def test_a_new_lesson_is_right_and_never_overwritten(tmp_path: Path, capsys: Out) -> None:
    folder = tmp_path / "my lesson"
    assert main(["lesson", "new", str(folder)]) == 0
    told = capsys.readouterr().out
    assert "lesson.md is written" in told
    assert told.endswith(f"gpuexplorer lesson check '{folder}'\n")
    assert main(["lesson", "check", str(folder)]) == 0
    (folder / "lesson.md").write_text("mine")
    assert main(["lesson", "new", str(folder)]) == 1
    assert "lesson.md cannot be written: File exists." in capsys.readouterr().err
    assert (folder / "lesson.md").read_text() == "mine"
    for name in ("my lesson/lesson.md/other", "x" * 5000):
        assert main(["lesson", "new", str(tmp_path / name)]) == 1
        assert "lesson.md cannot be written: " in capsys.readouterr().err


ROSE = block(
    "predict",
    """
question: By how much does the memory in use rise?
number: (cards[0].memory_used - before.cards[0].memory_used) / MiB
unit: MiB
limit: cards[0].pcie_peak / GB
limit is: what *no* card carries
""",
)
ONES = block("python", "X = torch.ones(2, 3, device='cuda:0')\nprint(X.device)")
AT_LEAST = block(
    "check", "cards[0].memory_used > before.cards[0].memory_used + 300 * MiB\nelse: No."
)
HANGS = block("python", "while True: pass")
needs_terminals = pytest.mark.skipif(
    not hasattr(os, "openpty"), reason="this system has no such terminals"
)


@needs_torch
def test_it_is_played_to_its_end_with_what_was_measured(tmp_path: Path) -> None:
    missing = block("needs", "len(cards) > 2\nelse: There are `two` cards.")
    fails = block("python fails", "X + torch.ones(2, 3)")
    folder = lesson(tmp_path, ROSE + ONES + AT_LEAST, missing + ONES, "Words.\n\n" + fails)
    ran = played(folder, "--yes", "--save", str(tmp_path / "page.html"))
    assert ran.status == 0, ran
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    for words in ("919 MiB", "simulated", "There are <code>two</code> cards."):
        assert words in page
    assert "A lesson of one's own\n====" in ran.out
    assert "Times and memory of the cards come from a model" in ran.out
    assert (
        "  >>> X = torch.ones(2, 3, device='cuda:0')\n  ... print(X.device)\ncuda:0\n"
        "  By how much does the memory in use rise?\n"
        "    Measured, simulated: 919 MiB\n"
        "    Limit: what *no* card carries: 15.8 MiB\n"
        "  Checked, and it holds.\n"
    ) in ran.out
    assert "2. Step 2\n  Skipped: There are two cards.\n" in ran.out
    assert "RuntimeError: Expected all tensors to be on the same device" in ran.out
    end = "Steps done: 2; skipped: 1; not at their end: 0."
    assert ran.out.endswith(f"\n{end}\n")
    assert max(map(len, ran.out.splitlines())) <= 80
    assert ran.err == ""


@pytest.mark.long
@needs_torch
def test_what_goes_wrong_is_told_with_its_step_and_others_are_played(tmp_path: Path) -> None:
    folder = lesson(
        tmp_path,
        block("python", "X = 1\nprint('one')") + block("check", "X == 2\nelse: X is 1."),
        block("python", "Y.foo"),
        block("python fails", "1"),
        HANGS,
        block("python", "import time") + block("check", "cards[0].fan_7_speed > 0\nelse: No."),
        block("python", "time") + block("predict", "question: How many?\nnumber: copies[3]"),
        block("python", "import os\nos.kill(os.getpid(), 9)"),
        block("python", "2"),
    )
    ran = played(folder, "--yes", "--json", "--patience", "1")
    assert ran.status == 1, ran
    assert ran.told["torch"]
    assert ran.told["simulated"] is True
    steps = ran.told["steps"]
    assert [each["state"] for each in steps] == [*["failed"] * 7, "ahead"]
    line = steps[0]["checks"][0].pop("line")
    assert steps[0]["checks"] == [
        {"held": False, "told": "X is 1.", "error": "", "found": "`X` is `1`."}
    ]
    lines = (tmp_path / "lesson.md").read_text().splitlines()
    assert lines[line - 1] == "X == 2"
    assert steps[0]["cells"][0]["printed"] == "one\n"
    assert steps[1]["reason"] == "The cell failed: NameError: name 'Y' is not defined."
    assert steps[2]["reason"].startswith("This cell is meant to fail, but it succeeded.")
    assert steps[3]["reason"].startswith("It took too long and was stopped.")
    assert steps[4]["checks"][0]["error"].startswith("There is no fan_7_speed in")
    assert steps[5]["predictions"][0]["reason"].startswith("Python says: IndexError")
    at = lines.index("number: copies[3]") + 1
    assert steps[5]["reason"] == f"Line {at} of the lesson is at fault."
    assert "SIGKILL" in steps[6]["reason"]


def test_what_cannot_be_is_told_before_anything_runs(tmp_path: Path) -> None:
    folder = lesson(tmp_path, ONES)
    for name, told in (
        ("gone/played.html", "played.html was not saved. That folder does not exist."),
        ("played.ipynb", "saved as a page: name a file that ends in .html."),
    ):
        ran = played(folder, "--yes", "--save", str(tmp_path / name))
        assert (ran.status, ran.out) == (1, "")
        assert told in ran.err
    ran = played(folder)
    assert (ran.status, ">>>" in ran.out) == (1, False)
    assert "lesson.md did not come with the program" in ran.err
    assert "--yes" in ran.err


@pytest.mark.long
@needs_torch
@needs_terminals
def test_at_a_terminal_it_asks_first_and_takes_predictions_and_ctrl_c(tmp_path: Path) -> None:
    choice = block("predict", "question: Where?\n- [x] On card 0\n- [ ] Nowhere")
    folder = lesson(tmp_path, ROSE + choice + ONES, HANGS)
    with at_terminal(*command("lesson run", str(folder), *CARDS)) as (process, terminal):
        for asked, shown, answer in (
            ("Run its cells? [y/N]", "worked out: cards[0].pcie_peak / GB", b"y"),
            ("Your prediction:", "does the memory in use rise?", b"much"),
            ("Your prediction:", "'much' is no number", b"24"),
            ("Your prediction:", "2. Nowhere", b"1"),
        ):
            assert shown in until(terminal, asked)
            os.write(terminal, answer + b"\n")
        seen = until(terminal, ">>> while True")
        for words in ("You said: 24 MiB", "38 times too little.", "You were right."):
            assert words in seen
        assert "On card 0 (your answer, so it is)" in seen
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE) == 130


@needs_terminals
@pytest.mark.parametrize(
    ("typed", "status"), [(b"n\n", 1), pytest.param(None, 130, marks=pytest.mark.long)]
)
def test_unless_allowed_nothing_runs(tmp_path: Path, typed: bytes | None, status: int) -> None:
    folder = lesson(tmp_path, ONES)
    with at_terminal(*command("lesson run", str(folder), *CARDS)) as (process, terminal):
        until(terminal, "[y/N]")
        if typed is not None:
            os.write(terminal, typed)
        while typed is None and process.poll() is None:
            # Python may have printed what it asks, and not wait for the answer yet.
            process.send_signal(signal.SIGINT)
            with suppress(subprocess.TimeoutExpired):
                process.wait(1.0)
        assert process.wait(PATIENCE) == status
