"""The palette of all commands: what it lists, how it finds, and who has the keyboard then."""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit

from gpuexplorer.gui.main_window import MainWindow
from gpuexplorer.gui.rail.rail import RailEntry
from gpuexplorer.gui.state.command_list import Command, CommandGroup, find
from gpuexplorer.gui.view_list import VIEWS
from gpuexplorer.gui.widgets.command_palette import CommandPalette
from tests.gui.conftest import OpenWindow
from tests.gui.fakes import SIMULATED, card, session_of, working
from tests.gui.frame.steps import (
    CONTROL,
    SHIFT,
    called,
    keys,
    listed,
    open_palette,
    simulated_cards,
    write,
)
from tests.gui.hands import in_front, the


def two_cards(open_window: OpenWindow) -> MainWindow:
    return open_window(
        session_of({card(0): working(), card(1, "NVIDIA H100"): working()}, SIMULATED),
        look_again=lambda: None,
    )


def test_it_lists_screens_spans_themes_and_the_rest(open_window: OpenWindow) -> None:
    window = two_cards(open_window)
    all_of_them = listed(open_palette(window))
    assert {entry.title for entry in VIEWS} <= set(all_of_them)
    assert {
        "Show 5 min",
        "Pause or resume the plots",
        "Theme: dark",
        "Theme: as the system has it",
        "Full screen",
        "Settings",
        "Keys",
        "Stop simulating, look for real cards",
        "Quit",
    } <= set(all_of_them)
    assert "Open card 1, NVIDIA H100" in all_of_them


def test_what_cannot_be_done_now_is_not_offered(open_window: OpenWindow) -> None:
    window = open_window(session_of({card(0): working()}))
    offered = listed(open_palette(window))
    assert "Back to now" not in offered
    assert "What was looked for" not in offered
    keys(Qt.Key.Key_Escape)
    window.time_window.toggle_pause()
    assert "Back to now" in listed(open_palette(window))


def test_arrows_move_the_mark(open_window: OpenWindow) -> None:
    window = two_cards(open_window)
    open_palette(window)
    write("show")
    keys(Qt.Key.Key_Down)
    keys(Qt.Key.Key_Down)
    keys(Qt.Key.Key_Up)
    keys(Qt.Key.Key_Return)
    assert window.time_window.span == 300
    open_palette(window)
    write("show")
    keys(Qt.Key.Key_Up)
    keys(Qt.Key.Key_Return)
    assert window.time_window.span == 86400


def test_escape_gives_the_keyboard_back_to_where_it_was(open_window: OpenWindow) -> None:
    window = two_cards(open_window)
    entry = called(RailEntry, window, VIEWS[0].title)
    entry.setFocus(Qt.FocusReason.TabFocusReason)
    palette = open_palette(window)
    assert isinstance(QApplication.focusWidget(), QLineEdit)
    keys(Qt.Key.Key_Tab)
    assert isinstance(QApplication.focusWidget(), QLineEdit)
    keys(Qt.Key.Key_Escape)
    assert not palette.isVisible()
    assert entry.hasFocus()


def test_the_keys_that_open_it_close_it_again(open_window: OpenWindow) -> None:
    window = two_cards(open_window)
    keys(Qt.Key.Key_P, CONTROL | SHIFT)
    palette = in_front(CommandPalette, window)
    keys(Qt.Key.Key_K, CONTROL)
    assert not palette.isVisible()


def test_a_click_beside_it_closes_it(open_window: OpenWindow) -> None:
    window = two_cards(open_window)
    open_palette(window)
    QTest.mouseClick(window.windowHandle(), Qt.MouseButton.LeftButton, pos=QPoint(5, 690))
    assert QApplication.activePopupWidget() is None


def test_what_is_typed_is_not_taken_for_a_key_of_the_window(open_window: OpenWindow) -> None:
    window = two_cards(open_window)
    before = window.navigation.screen
    palette = open_palette(window)
    write("2 ?")
    assert the(QLineEdit, palette).text() == "2 ?"
    assert window.navigation.screen == before
    assert window.time_window.following


def test_what_holds_already_is_told(open_window: OpenWindow) -> None:
    window = two_cards(open_window)
    palette = open_palette(window)
    write("show 5")
    assert "chosen" in the(QLineEdit, palette).accessibleDescription()


def test_it_works_on_an_empty_machine(open_window: OpenWindow) -> None:
    asked: list[str] = []
    window = open_window(simulate=asked.append)
    open_palette(window)
    write("look around")
    keys(Qt.Key.Key_Return)
    assert asked == ["2xTitanRTX"]


@pytest.mark.parametrize(
    ("typed", "first"),
    [
        ("ov", "Overview"),
        ("tl", "Theme: light"),
        ("card 3", "Open card 3, NVIDIA H100"),
        ("h100 13", "Open card 13, NVIDIA H100"),
        ("FULL", "Full screen"),
    ],
)
def test_letters_find_what_one_means(typed: str, first: str) -> None:
    words = (
        "Theme: dark",
        "Theme: light",
        "Open card 13, NVIDIA H100",
        "Open card 3, NVIDIA H100",
        "Overview",
        "Full screen",
    )
    commands = [Command(each, CommandGroup.VIEW, list) for each in words]
    assert find(commands, typed)[0].command.words == first


def test_all_facts_of_a_card_are_copied_from_the_palette(open_window: OpenWindow) -> None:
    window = open_window(simulated_cards("1xT4"))
    window.navigation.open_screen("card")
    palette = open_palette(window)
    write("Copy all facts")
    assert listed(palette)[0] == "Copy all facts"
    keys(Qt.Key.Key_Return)
    copied = QGuiApplication.clipboard().text()
    assert copied.startswith("GPU Explorer: Card 0, Tesla T4")
    assert "SIMULATED" in copied
