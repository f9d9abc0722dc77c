"""The line at the bottom: what is late, and what is missing."""

import pytest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import CardState
from gpuexplorer.core.metrics import FAN_SPEED
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.widgets.bars.status_line import StatusLine
from gpuexplorer.telemetry.session import BeatCount
from tests.gui.conftest import OpenWindow
from tests.gui.fakes import NVML, Answer, card, session_of, working
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
        ([without_fan(), without_fan()], "Fan: none (cards 0, 1)"),
        ([working(), without_fan()], "Fan: none (card 1)"),
        ([working(), LOST], "Lost (card 1)"),
    ],
)
def test_what_is_missing_is_said_with_the_card_that_lacks_it(
    open_window: OpenWindow, qtbot: QtBot, answers: list[Answer], words: str
) -> None:
    window = open_window(session_of({card(at): each for at, each in enumerate(answers)}))
    qtbot.waitUntil(lambda: words in texts(window))


def test_what_is_late_is_said_and_no_version_is_cut_off(qtbot: QtBot) -> None:
    line = StatusLine()
    qtbot.addWidget(line)
    line.resize(260, 28)
    line.show_source(NVML)
    line.show_beat(1.0, BeatCount(10, 0))
    line.show()
    assert "Read every 1 s, none late" in texts(line)
    line.show_beat(1.0, BeatCount(10, 3))
    assert "Read every 1 s, 3 missed" in texts(line)
    (driver,) = (each for each in line.findChildren(QLabel) if "Driver" in each.text())
    assert look().letters.caption.width(driver.text()) <= driver.width()
