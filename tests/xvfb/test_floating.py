"""Dialogs and popups as windows of their own: clicks beside them, and who has the keyboard."""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from gpuexplorer.gui.lab.code.cell_editor import CellEditor
from gpuexplorer.gui.main_window import MainWindow
from gpuexplorer.gui.rail import RailEntry
from gpuexplorer.gui.theme.palette import Scheme
from gpuexplorer.gui.widgets.command_palette import CommandPalette
from gpuexplorer.gui.widgets.controls.buttons import ToolButton
from gpuexplorer.gui.widgets.sheets.sheet import ROLE, Sheet
from tests.gui.frame.steps import called, keys
from tests.gui.hands import in_front, press, the

pytestmark = pytest.mark.xvfb
LEFT = Qt.MouseButton.LeftButton


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


def test_a_click_beside_a_popup_closes_it_and_the_next_is_for_the_window(
    window: MainWindow, qtbot: QtBot
) -> None:
    open_palette(window)
    events = called(RailEntry, window, "Events")
    click_at(window, events)
    qtbot.waitUntil(lambda: not window.findChildren(CommandPalette))
    click_at(window, events)
    qtbot.waitUntil(lambda: window.navigation.screen == "events")


def test_a_click_on_what_opened_a_popup_closes_it(window: MainWindow, qtbot: QtBot) -> None:
    _, button = open_palette(window)
    click_at(window, button, right=20)
    qtbot.waitUntil(lambda: not window.findChildren(CommandPalette))


def test_a_closed_popup_gives_the_keyboard_back(window: MainWindow, qtbot: QtBot) -> None:
    entry = called(RailEntry, window, "Overview")
    entry.setFocus()
    press(entry, Qt.Key.Key_K, control=True)
    palette = in_front(CommandPalette, window)
    assert palette.isAncestorOf(keyboard())
    keys(Qt.Key.Key_Escape)
    qtbot.waitUntil(entry.hasFocus)


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
