"""What only a real window shows: sizes, focus, the clipboard, dragging, the whole screen."""

import subprocess
import sys

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from gpuexplorer.gui.events import EventsView
from gpuexplorer.gui.main_window import MainWindow
from gpuexplorer.gui.tables.table import Table
from gpuexplorer.gui.widgets.controls.fields import SearchField
from gpuexplorer.gui.widgets.plot_stack import PlotStack
from gpuexplorer.telemetry.session import Session
from tests.gui.hands import press, the

pytestmark = pytest.mark.xvfb

_READ = """
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication
app = QApplication([])
QTimer.singleShot(500, app.quit)
app.exec()
print(app.clipboard().text())
"""
LEFT, NO_KEY = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier


def test_this_is_a_real_window(window: MainWindow) -> None:
    assert QGuiApplication.platformName() == "xcb"
    assert window.isActiveWindow()


def test_dragging_a_plot_looks_back_while_reading_goes_on(
    window: MainWindow, session: Session, qtbot: QtBot
) -> None:
    window.navigation.open_screen("card")
    stack = next(each for each in window.findChildren(PlotStack) if each.isVisible())
    qtbot.waitUntil(lambda: stack.columns() > 0)
    before, _ = window.time_window.stretch()
    start, end = QPoint(200, 200), QPoint(420, 205)
    QTest.mouseMove(stack.viewport(), start)
    QTest.mousePress(stack.viewport(), LEFT, NO_KEY, start)
    for step in range(1, 6):
        QTest.mouseMove(stack.viewport(), start + (end - start) * step / 5)
    QTest.mouseRelease(stack.viewport(), LEFT, NO_KEY, end)
    assert not window.time_window.following
    assert window.time_window.stretch()[0] < before - 10.0
    taken = session.beats().taken
    qtbot.waitUntil(lambda: session.beats().taken > taken)
    press(window, Qt.Key.Key_End, control=True)
    assert window.time_window.following


@pytest.mark.parametrize(("wide", "high"), [(640, 480), (1000, 700), (1600, 1000)])
def test_the_window_takes_the_size_it_is_given_and_draws_itself_anew(
    window: MainWindow, qtbot: QtBot, wide: int, high: int
) -> None:
    window.resize(wide, high)
    qtbot.waitUntil(lambda: (window.width(), window.height()) == (wide, high))
    handle = window.windowHandle()
    assert handle is not None
    qtbot.waitUntil(handle.isExposed)

    def drawn_to_the_corner() -> bool:
        screen = QGuiApplication.primaryScreen()
        image: QImage = screen.grabWindow(window.winId()).toImage()
        ground = window.look.theme.ground.rgb()
        return (image.width(), image.height()) == (wide, high) and image.pixel(
            wide - 3, high - 3
        ) == ground

    qtbot.waitUntil(drawn_to_the_corner)


def test_what_is_copied_is_there_for_another_program(
    window: MainWindow, session: Session, qtbot: QtBot
) -> None:
    window.navigation.open_screen("events")
    view = the(EventsView, window)
    table = the(Table, view)
    qtbot.waitUntil(lambda: table.model().rowCount() > 0)
    table.setFocus()
    table.setCurrentIndex(table.model().index(0, 0))
    press(table, Qt.Key.Key_C, control=True)
    told = str(table.model().index(0, 3).data())
    other = subprocess.Popen([sys.executable, "-c", _READ], stdout=subprocess.PIPE, text=True)
    # The window hands its text over while its own event loop runs.
    qtbot.waitUntil(lambda: other.poll() is not None, timeout=20_000)
    text, _ = other.communicate()
    assert text.startswith("SIMULATED")
    assert told in text


def test_f11_asks_for_the_whole_screen_and_gives_it_back(
    window: MainWindow, qtbot: QtBot
) -> None:
    """To fill it is the window manager's work, and there is none here."""
    handle = window.windowHandle()
    assert handle is not None
    full = Qt.WindowState.WindowFullScreen
    press(window, Qt.Key.Key_F11)
    qtbot.waitUntil(lambda: window.isFullScreen() and bool(handle.windowStates() & full))
    press(window, Qt.Key.Key_F11)
    qtbot.waitUntil(lambda: not window.isFullScreen() and not handle.windowStates() & full)


def test_the_keyboard_goes_where_it_is_asked_to(window: MainWindow, qtbot: QtBot) -> None:
    window.navigation.open_screen("events")
    field = the(SearchField, the(EventsView, window))
    press(window, Qt.Key.Key_F, control=True)
    qtbot.waitUntil(field.hasFocus)
    QTest.keyClicks(field, "power")
    assert field.text() == "power"
    press(field, Qt.Key.Key_Down)
    focused = QApplication.focusWidget()
    assert focused is not None
    assert focused.accessibleName() == "Events"


def test_a_minimised_window_stops_drawing_and_goes_on_when_it_is_back(
    window: MainWindow, qtbot: QtBot
) -> None:
    qtbot.waitUntil(lambda: window.frame_clock.running)
    window.showMinimized()
    qtbot.waitUntil(lambda: not window.frame_clock.running)
    window.showNormal()
    qtbot.waitUntil(lambda: window.frame_clock.running)
