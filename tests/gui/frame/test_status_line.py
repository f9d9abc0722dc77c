"""The line at the bottom: what is late, and what is missing."""

import pytest
from pytestqt.qtbot import QtBot

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import CardState
from gpuexplorer.core.metrics import FAN_SPEED
from tests.gui.conftest import OpenWindow
from tests.gui.fakes import Answer, card, session_of, working
from tests.gui.hands import texts


def without_fan() -> Answer:
    answer = working()
    fan = FAN_SPEED
    answer.values = {m: v for m, v in answer.values.items() if m != fan}
    answer.missing = {fan: Absence.NO_PART}
    return answer


LOST = Answer(otherwise=Absence.LOST, state=CardState.LOST)


@pytest.mark.parametrize(
    ("answers", "words"),
    [
        ([working()], "Nothing missing"),
        ([without_fan(), without_fan()], "Fan: no such part (cards 0, 1)"),
        ([working(), without_fan()], "Fan: no such part (card 1)"),
        ([working(), LOST], "Lost (card 1)"),
    ],
)
def test_what_is_missing_is_said_with_the_card_that_lacks_it(
    open_window: OpenWindow, qtbot: QtBot, answers: list[Answer], words: str
) -> None:
    window = open_window(session_of({card(at): each for at, each in enumerate(answers)}))
    qtbot.waitUntil(lambda: words in texts(window))
