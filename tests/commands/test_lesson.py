"""`gpuexplorer lesson`: what there is, what is wrong with a file, a beginning of one's own."""

import json
import shutil
from pathlib import Path

import pytest

from gpuexplorer.__main__ import main
from gpuexplorer.lessons import reading

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
    two_lessons: Path, capsys: pytest.CaptureFixture[str]
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


def test_each_problem_is_told_with_file_line_and_cure(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
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


def test_a_new_lesson_passes_the_check_and_is_never_overwritten(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
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
