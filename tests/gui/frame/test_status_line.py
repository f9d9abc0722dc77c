"""The line at the bottom: what is late, what is missing, what the program costs."""

from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import CardState
from gpuexplorer.core.metrics import FAN_SPEED
from gpuexplorer.gui.widgets.bars.status_line import StatusLine, StatusPart
from gpuexplorer.telemetry.session import BeatCount
from tests.gui.conftest import OpenWindow
from tests.gui.fakes import NVML, Answer, card, session_of, working
from tests.gui.hands import texts


@pytest.fixture
def line(qtbot: QtBot) -> Iterator[StatusLine]:
    """By itself, with room for everything."""
    window = QWidget()
    qtbot.addWidget(window)
    line = StatusLine(window)
    window.resize(1200, 100)
    line.resize(1200, line.height())
    window.show()
    line.show_source(NVML)
    yield line
    window.close()


def without_fan() -> Answer:
    answer = working()
    fan = FAN_SPEED
    answer.values = {m: v for m, v in answer.values.items() if m != fan}
    answer.missing = {fan: Absence.NO_PART}
    return answer


LOST = Answer(otherwise=Absence.LOST, state=CardState.LOST)
UNLISTED = Answer(otherwise=Absence.UNLISTED, state=CardState.UNLISTED)
REFUSED = Answer(otherwise=Absence.NO_PERMISSION, state=CardState.REFUSED)


@pytest.mark.parametrize(
    ("answers", "words"),
    [
        ([working()], "Nothing missing"),
        ([without_fan(), without_fan()], "Fan: none on these cards"),
        ([working(), without_fan()], "Fan: none on card 1"),
        ([working(), LOST], "Lost: card 1"),
        ([working(), UNLISTED], "Not listed: card 1"),
        ([working(), REFUSED], "No access: card 1"),
    ],
)
def test_what_is_missing_is_said_with_the_card_that_lacks_it(
    open_window: OpenWindow, qtbot: QtBot, answers: list[Answer], words: str
) -> None:
    window = open_window(session_of({card(at): each for at, each in enumerate(answers)}))
    qtbot.waitUntil(lambda: words in texts(window))


def test_late_readings_are_counted_and_none_is_a_word(line: StatusLine) -> None:
    line.show_beat(1.0, BeatCount(10, 0))
    assert "Read every 1 s, none late" in texts(line)
    line.show_beat(1.0, BeatCount(10, 3))
    assert "Read every 1 s, 3 missed" in texts(line)


def test_in_a_narrow_window_the_cost_goes_first_and_the_driver_stays(line: StatusLine) -> None:
    line.show_beat(1.0, BeatCount(10, 0))
    line.say(StatusPart.MISSING, "Fan: none on these cards")
    line.show_cost("Drawing 1.9 ms a frame, 1.1 % of a core")
    assert "Drawing 1.9 ms a frame, 1.1 % of a core" in texts(line)
    line.resize(560, 28)
    assert "Drawing 1.9 ms a frame, 1.1 % of a core" not in texts(line)
    assert "Driver 590.48.01" in texts(line)
