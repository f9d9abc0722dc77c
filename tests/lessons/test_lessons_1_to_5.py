"""Lessons 1 to 5 are played to their end on simulated cards."""

import pytest

from tests.lab.processes import needs_torch
from tests.lessons.every_lesson import ONE, TWO, names, play


@pytest.mark.long
@needs_torch
@pytest.mark.parametrize("cards", [TWO, ONE])
@pytest.mark.parametrize("name", names(1, 5))
def test_a_lesson_is_played_to_its_end(name: str, cards: str) -> None:
    play(name, cards)
