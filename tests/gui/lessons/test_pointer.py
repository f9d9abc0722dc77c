"""A control that a lesson speaks of, ringed in the window."""

from collections.abc import Iterator

import pytest
import shiboken6
from PySide6.QtCore import QPoint, QRect
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from gpuexplorer.gui.lessons.lesson_column import Pointer
from gpuexplorer.gui.main_window import MainWindow
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.lessons.lesson import CONTROLS
from tests.gui.conftest import OpenWindow
from tests.gui.frame.steps import simulated_cards


@pytest.fixture
def window(open_window: OpenWindow) -> Iterator[MainWindow]:
    session = simulated_cards("2xTitanRTX")
    yield open_window(session, settings=Settings())
    session.stop()


@pytest.fixture
def pointer(window: MainWindow) -> Pointer:
    return Pointer(window.navigation, window)


def place_of(window: MainWindow, name: str) -> QRect:
    control = window.findChild(QWidget, name)
    assert isinstance(control, QWidget)
    return QRect(control.mapTo(window, QPoint()), control.size())


@pytest.mark.parametrize("size", [(1600, 1000), (911, 512)])
def test_every_control_is_found_in_a_real_window(
    window: MainWindow, pointer: Pointer, qtbot: QtBot, size: tuple[int, int]
) -> None:
    window.resize(*size)
    qtbot.waitUntil(lambda: bool(window.findChildren(QWidget, "overview.tiles")))
    for name in CONTROLS:
        assert pointer.show_control(name) == "", name
        assert pointer.isVisible(), name
        assert not pointer.geometry().isEmpty(), name
        middle = pointer.geometry().center()
        assert window.childAt(middle) is not pointer  # the mouse goes through it
    assert all(len(window.findChildren(QWidget, name)) == 1 for name in CONTROLS)


def test_it_goes_to_the_screen_of_the_control_and_a_hint_goes_nowhere(
    window: MainWindow, pointer: Pointer
) -> None:
    assert (
        pointer.show_control("lab.editor", go=False)
        == "Not to be seen just now: where one types a cell."
    )
    assert window.navigation.screen == "overview"
    assert not pointer.isVisible()
    assert pointer.show_control("lab.editor") == ""
    assert window.navigation.screen == "lab"
    assert pointer.geometry().contains(place_of(window, "lab.editor"))


def test_the_ring_moves_with_its_control_and_goes_with_it(
    window: MainWindow, pointer: Pointer, qtbot: QtBot
) -> None:
    pointer.show_control("top.search")
    window.resize(1300, 700)
    qtbot.waitUntil(lambda: pointer.geometry().contains(place_of(window, "top.search")))
    pointer.show_control("lab.cells")
    window.navigation.open_screen("overview")
    qtbot.waitUntil(lambda: not pointer.isVisible())
    pointer.show_control("lab.editor")
    for each in window.findChildren(QWidget, "lab.editor"):
        shiboken6.delete(each)
    qtbot.waitUntil(lambda: not pointer.isVisible())


def test_without_cards_it_says_that_it_cannot_be_seen(open_window: OpenWindow) -> None:
    window = open_window()
    pointer = Pointer(window.navigation, window)
    assert pointer.show_control("overview.tiles").startswith("Not to be seen just now")
