"""The strip at the top: there while something goes on, and with two ways on."""

from collections.abc import Callable, Iterator

import pytest
from PySide6.QtWidgets import QPushButton, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from gpuexplorer.gui.frame_clock import FrameClock
from gpuexplorer.gui.state.navigation import Navigation
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.widgets.bars.alert_strip import AlertStrip
from tests.gui.alerts.conftest import Scene
from tests.gui.hands import click, texts

Open = Callable[..., tuple[AlertStrip, Navigation]]


@pytest.fixture
def open_strip(look: Look, scene: Scene, qtbot: QtBot) -> Iterator[Open]:
    windows: list[QWidget] = []
    clocks: list[FrameClock] = []

    def open_one(width: int = 900) -> tuple[AlertStrip, Navigation]:
        window = QWidget()
        qtbot.addWidget(window)
        windows.append(window)
        navigation, clock = Navigation(), FrameClock(window)
        clocks.append(clock)
        strip = AlertStrip(look, scene.watch, navigation, clock)
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
    assert strip.accessibleName().startswith("Card 0: Temperature above 80 °C for")
    qtbot.waitUntil(lambda: texts(strip)[0].endswith(" for 2 s"))


def test_it_leads_to_the_card_and_can_be_silenced(
    open_strip: Open, scene: Scene, qtbot: QtBot
) -> None:
    strip, navigation = open_strip()
    scene.heat(1, 85.0)
    qtbot.waitUntil(strip.isVisible)
    click(strip, "Open card 1")
    assert (navigation.screen, navigation.card) == ("card", "GPU-1")
    click(strip, "Silence for 1 hour")
    assert not strip.isVisible()
    assert 3590 < scene.watch.silent_for() < 3700
    scene.watch.speak_again()
    assert strip.isVisible()


@pytest.mark.parametrize("width", [320, 560, 900])
def test_nothing_of_it_is_cut_off_in_a_small_window(
    open_strip: Open, scene: Scene, qtbot: QtBot, width: int
) -> None:
    strip, _ = open_strip(width)
    scene.heat(0, 85.0)
    scene.heat(1, 85.0)
    qtbot.waitUntil(lambda: "cards 0 and 1" in strip.accessibleName())
    assert strip.width() == width
    for button in strip.findChildren(QPushButton):
        assert button.width() >= button.sizeHint().width()
        assert button.mapTo(strip, button.rect().bottomRight()).x() < width
