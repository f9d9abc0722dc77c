"""What only a real window shows: sizes, focus, the clipboard, dragging, dialogs and popups."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from gpuexplorer.gui.events import EventsView
from gpuexplorer.gui.lab.code.cell_editor import CellEditor
from gpuexplorer.gui.main_window import MainWindow
from gpuexplorer.gui.rail import RailEntry
from gpuexplorer.gui.tables.table import Table
from gpuexplorer.gui.theme.palette import Scheme
from gpuexplorer.gui.widgets.command_palette import CommandPalette
from gpuexplorer.gui.widgets.controls.buttons import ToolButton
from gpuexplorer.gui.widgets.controls.fields import SearchField
from gpuexplorer.gui.widgets.plot_stack import PlotStack
from gpuexplorer.gui.widgets.sheets.sheet import ROLE, Sheet
from gpuexplorer.telemetry.session import Session
from tests.gui.frame.steps import called, keys
from tests.gui.hands import in_front, press, the
from tests.xvfb.display import x_server

_READ = """
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication
app = QApplication([])
QTimer.singleShot(500, app.quit)
app.exec()
print(app.clipboard().text())
"""
LEFT, NO_KEY = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier


@pytest.mark.xvfb
def test_this_is_a_real_window(window: MainWindow) -> None:
    assert QGuiApplication.platformName() == "xcb"
    assert window.isActiveWindow()


@pytest.mark.xvfb
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


@pytest.mark.xvfb
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


@pytest.mark.xvfb
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


@pytest.mark.xvfb
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


@pytest.mark.xvfb
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


@pytest.mark.xvfb
def test_a_minimised_window_stops_drawing_and_goes_on_when_it_is_back(
    window: MainWindow, qtbot: QtBot
) -> None:
    qtbot.waitUntil(lambda: window.frame_clock.running)
    window.showMinimized()
    qtbot.waitUntil(lambda: not window.frame_clock.running)
    window.showNormal()
    qtbot.waitUntil(lambda: window.frame_clock.running)


def click_at(window: MainWindow, widget: QWidget, right: int = 0) -> None:
    """As the system brings it: first to whatever floats over the window. `right` of where it
    was clicked before it is no double click.
    """
    place = widget.mapTo(window, widget.rect().center() + QPoint(right, 0))
    QTest.mouseClick(window.windowHandle(), LEFT, pos=place)


def keyboard() -> QWidget:
    focused = QApplication.focusWidget()
    assert focused is not None
    return focused


def open_palette(window: MainWindow) -> tuple[CommandPalette, ToolButton]:
    button = called(ToolButton, window, "Search all commands")
    click_at(window, button)
    return in_front(CommandPalette, window), button


@pytest.mark.xvfb
def test_a_click_beside_a_popup_closes_it_and_the_next_is_for_the_window(
    window: MainWindow, qtbot: QtBot
) -> None:
    open_palette(window)
    events = called(RailEntry, window, "Events")
    click_at(window, events)
    qtbot.waitUntil(lambda: not window.findChildren(CommandPalette))
    click_at(window, events)
    qtbot.waitUntil(lambda: window.navigation.screen == "events")


@pytest.mark.xvfb
def test_a_click_on_what_opened_a_popup_closes_it(window: MainWindow, qtbot: QtBot) -> None:
    _, button = open_palette(window)
    click_at(window, button, right=20)
    qtbot.waitUntil(lambda: not window.findChildren(CommandPalette))


@pytest.mark.xvfb
def test_a_closed_popup_gives_the_keyboard_back(window: MainWindow, qtbot: QtBot) -> None:
    entry = called(RailEntry, window, "Overview")
    entry.setFocus()
    press(entry, Qt.Key.Key_K, control=True)
    palette = in_front(CommandPalette, window)
    assert palette.isAncestorOf(keyboard())
    keys(Qt.Key.Key_Escape)
    qtbot.waitUntil(entry.hasFocus)


@pytest.mark.xvfb
def test_the_code_entry_takes_the_keyboard_after_a_popup_was_closed(
    window: MainWindow, qtbot: QtBot
) -> None:
    window.navigation.open_screen("lab")
    entry = the(CellEditor, window)
    qtbot.waitUntil(entry.isVisible)
    press(window, Qt.Key.Key_K, control=True)
    in_front(CommandPalette, window)
    keys(Qt.Key.Key_Escape)
    click_at(window, entry)
    qtbot.waitUntil(entry.hasFocus)
    QTest.keyClick(entry, Qt.Key.Key_Backtab)
    assert not entry.hasFocus()
    QTest.keyClick(keyboard(), Qt.Key.Key_Tab)
    assert entry.hasFocus()


@pytest.mark.xvfb
def test_a_question_stands_over_its_window_and_enter_keeps_everything(
    window: MainWindow, qtbot: QtBot
) -> None:
    entry = called(RailEntry, window, "Overview")
    entry.setFocus()
    question = Sheet("Stop simulating?", window)
    question.add_button("Stay", ROLE.RejectRole, default=True)
    question.add_button("Stop simulating", ROLE.AcceptRole)
    gone: list[bool] = []
    question.accepted.connect(lambda: gone.append(True))
    question.open()
    in_front(Sheet, window)
    assert window.frameGeometry().contains(question.geometry())
    stay = QApplication.focusWidget()
    assert isinstance(stay, QPushButton)
    assert (stay.text(), stay.isDefault()) == ("Stay", True)
    keys(Qt.Key.Key_Tab)
    assert question.isAncestorOf(keyboard())
    keys(Qt.Key.Key_Tab)
    assert stay.hasFocus()
    keys(Qt.Key.Key_Return)
    qtbot.waitUntil(entry.hasFocus)
    assert not gone


@pytest.mark.xvfb
def test_a_dialog_fits_on_a_small_screen_and_follows_the_theme(
    window: MainWindow, qtbot: QtBot
) -> None:
    window.resize(1000, 700)
    window.look.choose(Scheme.DARK)
    press(window, Qt.Key.Key_F1)
    sheet = in_front(Sheet, window)
    assert sheet.height() <= 700

    def ground() -> int:
        screen = QGuiApplication.primaryScreen()
        return screen.grabWindow(sheet.winId()).toImage().pixel(4, 4)

    qtbot.waitUntil(lambda: ground() == window.look.theme.raised.rgb())
    window.look.choose(Scheme.LIGHT)
    qtbot.waitUntil(lambda: ground() == window.look.theme.raised.rgb())
    keys(Qt.Key.Key_Escape)


@pytest.mark.xvfb
def test_a_popup_has_no_black_corners_where_nothing_composes_windows(
    window: MainWindow, qtbot: QtBot
) -> None:
    window.look.choose(Scheme.LIGHT)
    palette, _ = open_palette(window)
    corner = palette.geometry().topLeft()

    def seen() -> list[int]:
        image = QGuiApplication.primaryScreen().grabWindow(0).toImage()
        return [image.pixelColor(corner + QPoint(at, at)).lightness() for at in range(8)]

    qtbot.waitUntil(lambda: min(seen()) > 120)


HERE = Path(__file__).parent


@pytest.mark.long
def test_the_window_is_a_good_neighbour_on_a_real_screen() -> None:
    with x_server() as display:
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-m", "xvfb", "-p", "no:cacheprovider", str(HERE)],
            env=os.environ | display,
            cwd=HERE.parents[1],
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
    assert done.returncode == 0, done.stdout + done.stderr
