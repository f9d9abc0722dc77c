"""The lessons that come with the program are played on simulated cards, in a process each."""

from pathlib import Path

import pytest

from gpuexplorer.lessons.lesson import Predict
from gpuexplorer.lessons.reading import find
from tests.commands.runs import played
from tests.lab.processes import needs_torch

_LESSONS = Path(__file__).parents[2] / "resources" / "lessons"
_NAMES = sorted(each.parent.name for each in _LESSONS.glob("*/lesson.md"))


@pytest.mark.long
@needs_torch
@pytest.mark.parametrize("cards", ["2xTitanRTX+idle", "1xTitanRTX+idle"])
@pytest.mark.parametrize("name", _NAMES)
def test_a_lesson_is_played_to_its_end(name: str, cards: str) -> None:
    ran = played(name, "--json", "--patience", "90", cards=("--simulate", cards))
    assert ran.err == ""
    steps = ran.told["steps"]
    parts = [part for step in find(name).steps for part in step.parts]
    real = [each.question for each in parts if isinstance(each, Predict) and each.real]
    told = [(each["title"], each["reason"], each["checks"]) for each in steps]
    assert {each["state"] for each in steps} <= {"done", "skipped"}, told
    assert all(each["reason"] for each in steps if each["state"] == "skipped")
    for step in steps:
        for each in step["predictions"] if step["state"] == "done" else ():
            is_choice = not each["unit"] and each["measured"] is None and not each["reason"]
            assert is_choice or each["measured"] is not None, each
            assert is_choice or each["modelled"] is (each["question"] not in real), each
    assert ran.status == 0
