"""The line at the bottom: what is late, what is missing, what the program costs."""

from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import CardState
from gpuexplorer.core.metrics import FAN_SPEED
from gpuexplorer.gui.widgets.bars.status_line import StatusLine
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


def test_where_nothing_is_missing_it_says_so(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(session_of({card(0): working()}))
    qtbot.waitUntil(lambda: "Nothing missing" in texts(window))


def test_what_no_card_has_is_said_in_words(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(session_of({card(0): without_fan(), card(1): without_fan()}))
    qtbot.waitUntil(lambda: "Fan: none on these cards" in texts(window))


def test_what_one_card_lacks_names_the_card(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(session_of({card(0): working(), card(1): without_fan()}))
    qtbot.waitUntil(lambda: "Fan: none on card 1" in texts(window))


def test_a_lost_card_is_named(open_window: OpenWindow, qtbot: QtBot) -> None:
    lost = Answer(otherwise=Absence.LOST, state=CardState.LOST)
    window = open_window(session_of({card(0): working(), card(1): lost}))
    qtbot.waitUntil(lambda: "Lost: card 1" in texts(window))


@pytest.mark.parametrize(
    ("state", "absence", "words"),
    [
        (CardState.UNLISTED, Absence.UNLISTED, "No longer listed: card 1"),
        (CardState.REFUSED, Absence.NO_PERMISSION, "No access: card 1"),
    ],
)
def test_a_card_that_gives_nothing_is_something_missing(
    open_window: OpenWindow, qtbot: QtBot, state: CardState, absence: Absence, words: str
) -> None:
    silent = Answer(otherwise=absence, state=state)
    window = open_window(session_of({card(0): working(), card(1): silent}))
    qtbot.waitUntil(lambda: words in texts(window))
    assert "Nothing missing" not in texts(window)


def test_late_readings_are_counted_and_none_is_a_word(line: StatusLine) -> None:
    line.show_beat(1.0, BeatCount(10, 0))
    assert "Read every 1 s, none late" in texts(line)
    line.show_beat(1.0, BeatCount(10, 3))
    assert "Read every 1 s, 3 missed" in texts(line)


def test_in_a_narrow_window_the_cost_goes_first_and_the_driver_stays(line: StatusLine) -> None:
    line.show_beat(1.0, BeatCount(10, 0))
    line.show_missing("Fan: none on these cards", "")
    line.show_cost("Drawing 1.9 ms a frame, 1.1 % of a core")
    assert "Drawing 1.9 ms a frame, 1.1 % of a core" in texts(line)
    line.resize(560, 28)
    assert "Drawing 1.9 ms a frame, 1.1 % of a core" not in texts(line)
    assert "Driver 590.48.01" in texts(line)
