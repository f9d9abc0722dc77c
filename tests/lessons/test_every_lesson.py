"""Every lesson that comes with the program is played, on two cards, on one and without any."""

from pathlib import Path

import pytest

from tests.commands.lesson_runs import played
from tests.lab.processes import needs_torch

LESSONS = Path(__file__).parents[2] / "resources" / "lessons"
NAMES = sorted(each.parent.name for each in LESSONS.glob("*/lesson.md"))
CARDS = {
    "two cards": ("--simulate", "2xTitanRTX+idle"),
    "one card": ("--simulate", "1xTitanRTX+idle"),
    "whatever is here": (),
}


@pytest.mark.long
@needs_torch
@pytest.mark.parametrize("cards", CARDS)
@pytest.mark.parametrize("name", NAMES)
def test_a_lesson_is_played_to_its_end(name: str, cards: str) -> None:
    ran = played(name, "--json", "--patience", "90", cards=CARDS[cards])
    assert ran.err == ""
    steps = ran.told["steps"]
    told = [(each["title"], each["reason"], each["checks"]) for each in steps]
    assert {each["state"] for each in steps} <= {"done", "skipped"}, told
    assert all(each["reason"] for each in steps if each["state"] == "skipped")
    measured = [p for each in steps if each["state"] == "done" for p in each["predictions"]]
    for each in measured:
        assert each["measured"] is not None or not each["unit"], each
        assert each["modelled"] is ran.told["simulated"] or each["measured"] is None
    assert ran.status == 0
