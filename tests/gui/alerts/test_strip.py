"""The strip at the bottom: there while something goes on, and with two ways on."""

from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
from gpuexplorer.gui.widgets.bars.alert_strip import AlertStrip
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtWidgets import QLabel, QPushButton, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import CardState
from gpuexplorer.core.metrics import TEMPERATURE
from gpuexplorer.gui.frame_clock import FrameClock
from gpuexplorer.gui.state.navigation import Navigation
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.gui.widgets.bars.status_line import StatusLine
from gpuexplorer.gui.widgets.live_view import LiveView
from tests.gui.alerts.conftest import HOT, Scene
from tests.gui.conftest import OpenWindow
from tests.gui.fakes import card, session_of, working
from tests.gui.hands import button, press, texts, the

Open = Callable[..., tuple[AlertStrip, Navigation]]


@pytest.fixture
def open_strip(scene: Scene, qtbot: QtBot) -> Iterator[Open]:
    windows: list[QWidget] = []
    clocks: list[FrameClock] = []

    def open_one(width: int = 900) -> tuple[AlertStrip, Navigation]:
        window = QWidget()
        qtbot.addWidget(window)
        windows.append(window)
        navigation, clock = Navigation(), FrameClock(window)
        clocks.append(clock)
        strip = AlertStrip(scene.watch, navigation, clock)
        column = QVBoxLayout(window)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(strip)
        column.addStretch(1)
        window.setMinimumSize(200, 100)
        window.resize(width, 300)
        window.show()
        return strip, navigation

    yield open_one
    for clock in clocks:
        clock.stop()
    for window in windows:
        window.close()


def test_there_is_no_strip_while_all_is_well(open_strip: Open) -> None:
    strip, _ = open_strip()
    assert not strip.isVisible()


def test_the_strip_says_what_goes_on_and_counts_its_time(
    open_strip: Open, scene: Scene, qtbot: QtBot
) -> None:
    strip, _ = open_strip()
    scene.heat(0, 85.0)
    qtbot.waitUntil(strip.isVisible)
    assert texts(strip) == [strip.accessibleName()]
    assert strip.accessibleName().startswith("Card 0: Temperature above 80 °C since ")
    qtbot.waitUntil(lambda: texts(strip)[0].endswith(", for 2 s"))


@pytest.mark.parametrize("width", [320, 560, 900])
def test_nothing_of_it_is_cut_off_in_a_small_window(
    open_strip: Open, scene: Scene, qtbot: QtBot, width: int
) -> None:
    strip, _ = open_strip(width)
    scene.heat(0, 85.0)
    scene.heat(1, 85.0)
    qtbot.waitUntil(lambda: "cards 0 and 1" in strip.accessibleName())
    assert strip.width() <= width
    for each in strip.findChildren(QPushButton):
        assert each.width() >= each.sizeHint().width()
        assert each.mapTo(strip, each.rect().bottomRight()).x() < width


def test_nothing_on_the_screen_moves_while_an_alert_begins_goes_on_and_ends(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    answer = working(temperature=60.0)
    settings = Settings()
    settings.choose(replace(settings.choices, rules=(HOT,)))
    window = open_window(session_of({card(0): answer}), settings=settings)
    strip, status = the(AlertStrip, window), the(StatusLine, window)
    driver = next(each for each in status.findChildren(QLabel) if "Driver" in each.text())
    steady: list[QWidget] = [driver, *window.findChildren(LiveView)]
    before = [places(each) for each in steady]
    assert len(before) > 1
    assert not strip.isVisible()
    answer.values = {**answer.values, TEMPERATURE: 85.0}
    qtbot.waitUntil(lambda: strip.isVisible() and strip.height() > 0)
    qtbot.waitUntil(lambda: [places(each) for each in steady] == before)
    assert strip.geometry().bottom() == status.geometry().bottom()
    assert strip.height() == status.height()
    silence = button(strip, "Silence for 1 hour")
    pressed_at, width = places(silence), strip.width()
    said = texts(strip)
    qtbot.waitUntil(lambda: texts(strip) != said)
    assert (places(silence), strip.width()) == (pressed_at, width)
    answer.values, answer.state, answer.otherwise = {}, CardState.LOST, Absence.LOST
    qtbot.waitUntil(lambda: not strip.isVisible())
    qtbot.waitUntil(lambda: [places(each) for each in steady] == before)


def places(widget: QWidget) -> QRect:
    """Where it is in its window."""
    return QRect(widget.mapTo(widget.window(), QPoint()), widget.size())


def test_enter_presses_the_way_on_that_is_marked(open_window: OpenWindow, qtbot: QtBot) -> None:
    settings = Settings()
    settings.choose(replace(settings.choices, rules=(HOT,)))
    window = open_window(session_of({card(0): working(temperature=85.0)}), settings=settings)
    strip = the(AlertStrip, window)
    qtbot.waitUntil(strip.isVisible)
    silence = button(strip, "Silence for 1 hour")
    silence.setFocus()
    press(silence, Qt.Key.Key_Return)
    assert not strip.isVisible()
