"""gpuexplorer lesson run --save writes what came of a lesson that was really played."""

import json
from pathlib import Path

import pytest

from tests.commands.lesson_runs import block, lesson, played
from tests.lab.processes import needs_torch

ROSE = block(
    "predict",
    """
question: By how much does `memory_used` rise?
number: (cards[0].memory_used - before.cards[0].memory_used) / MiB
unit: MiB
""",
)
ONES = block("python", "X = torch.ones(2, 3, device='cuda:0')\nprint(X.device)")
COPY = block("python", "Y = torch.ones(1024, 1024).to('cuda:1')\nlosses = [3.0, 2.0, 1.0]")
NEEDS = block("needs", "len(cards) > 2\nelse: There are two cards.")


@needs_torch
@pytest.mark.parametrize("name", ["played.html", "played.ipynb"])
def test_what_was_measured_is_in_the_file(tmp_path: Path, name: str) -> None:
    folder = lesson(tmp_path, ROSE + ONES, COPY, NEEDS + ONES)
    ran = played(folder, "--yes", "--save", str(tmp_path / name))
    assert ran.status == 0, ran
    text = (tmp_path / name).read_text("utf-8")
    if name.endswith(".ipynb"):
        text = "".join("".join(each["source"]) for each in json.loads(text)["cells"])
    for words in ("919 MiB", "simulated", "4 MiB", "pageable", "There are two cards."):
        assert words in text


@needs_torch
def test_a_name_that_is_neither_is_refused_before_anything_runs(tmp_path: Path) -> None:
    ran = played(lesson(tmp_path, ONES), "--yes", "--save", str(tmp_path / "played.pdf"))
    assert ran.status != 0
    assert "played.pdf was not saved" in ran.err
    assert "cuda:0" not in ran.out


@needs_torch
def test_what_cannot_be_written_is_told_before_anything_runs(tmp_path: Path) -> None:
    gone = tmp_path / "gone" / "played.html"
    ran = played(lesson(tmp_path, ONES), "--yes", "--save", str(gone))
    assert ran.status != 0
    assert "played.html was not saved. That folder does not exist." in ran.err
    assert "Traceback" not in ran.err
    assert ran.out == ""
    (tmp_path / "folder.html").mkdir()
    ran = played(lesson(tmp_path, ONES), "--yes", "--save", str(tmp_path / "folder.html"))
    assert "There is a folder of that name." in ran.err
    assert ran.out == ""
