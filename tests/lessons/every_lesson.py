"""Plays lessons that come with the program, in a process each; their tests are three files, so
that they run beside each other.
"""

from collections.abc import Sequence
from pathlib import Path

from gpuexplorer.lessons.lesson import Predict
from gpuexplorer.lessons.shelf import find
from tests.commands.lesson_runs import played

_LESSONS = Path(__file__).parents[2] / "resources" / "lessons"
TWO, ONE = "2xTitanRTX+idle", "1xTitanRTX+idle"  # two is what is taken where there is no card


def names(first: int, last: int) -> Sequence[str]:
    found = sorted(each.parent.name for each in _LESSONS.glob("*/lesson.md"))
    return [each for each in found if first <= int(each.partition("-")[0]) <= last]


def play(name: str, cards: str) -> None:
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
