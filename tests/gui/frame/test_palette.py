"""The palette of all commands, and that a place is found again as it was left."""

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit

from gpuexplorer.core.cards import CardId
from gpuexplorer.gui.desk import VIEWS
from gpuexplorer.gui.main_window import MainWindow
from gpuexplorer.gui.rail import RailEntry
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.gui.widgets.command_palette import CommandPalette
from tests.gui.conftest import OpenWindow
from tests.gui.fakes import SIMULATED, card, session_of, session_with_past, working
from tests.gui.frame.steps import (
    ALT,
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


@pytest.fixture
def window(open_window: OpenWindow) -> MainWindow:
    cards = {card(0): working(), card(1, "NVIDIA H100"): working()}
    return open_window(session_of(cards, SIMULATED), look_again=lambda: None)


def test_it_lists_what_can_be_done_now(window: MainWindow) -> None:
    there = set(listed(open_palette(window)))
    assert {entry.title for entry in VIEWS} <= there
    assert {
        "Show 5 min",
        "Theme: dark",
        "Keys",
        "Stop simulating, look for real cards",
    } <= there
    assert {"Full screen", "Settings", "Quit", "Open card 1, NVIDIA H100"} <= there
    assert "Back to now" not in there
    keys(Qt.Key.Key_Escape)
    window.time_window.toggle_pause()
    assert "Back to now" in listed(open_palette(window))


def test_arrows_move_the_mark_and_enter_runs_it(window: MainWindow) -> None:
    palette = open_palette(window)
    write("show")
    assert "chosen" not in the(QLineEdit, palette).accessibleDescription()
    for key in (Qt.Key.Key_Down, Qt.Key.Key_Down, Qt.Key.Key_Up):
        keys(key)
    assert "chosen" in the(QLineEdit, palette).accessibleDescription()
    keys(Qt.Key.Key_Return)
    assert window.time_window.span == 300


def test_escape_gives_the_keyboard_back_to_where_it_was(window: MainWindow) -> None:
    entry = called(RailEntry, window, VIEWS[0].title)
    entry.setFocus(Qt.FocusReason.TabFocusReason)
    palette = open_palette(window)
    write("2 ?")
    keys(Qt.Key.Key_Tab)
    assert isinstance(QApplication.focusWidget(), QLineEdit)
    assert the(QLineEdit, palette).text() == "2 ?"  # and no key of the window
    keys(Qt.Key.Key_Escape)
    assert not palette.isVisible()
    assert entry.hasFocus()


def test_the_keys_that_open_it_and_a_click_beside_it_close_it(window: MainWindow) -> None:
    keys(Qt.Key.Key_P, CONTROL | SHIFT)
    palette = in_front(CommandPalette, window)
    keys(Qt.Key.Key_K, CONTROL)
    assert not palette.isVisible()
    open_palette(window)
    QTest.mouseClick(window.windowHandle(), Qt.MouseButton.LeftButton, pos=QPoint(5, 690))
    assert QApplication.activePopupWidget() is None


def test_letters_and_other_words_for_it_find_what_one_means(window: MainWindow) -> None:
    palette = open_palette(window)
    for typed, first in (
        *(("ov", "Overview"), ("tl", "Theme: light"), ("card 1", "Open card 1, NVIDIA H100")),
        *(("QUI", "Quit"), ("kill", "Processes"), ("why is it slow", "Card")),
        *(("preferences", "Settings"), ("exit", "Quit")),
    ):
        the(QLineEdit, palette).setText(typed)
        assert listed(palette)[0] == first


def test_the_window_comes_back_where_it_was_on_the_card_that_was_looked_at(
    open_window: OpenWindow,
) -> None:
    settings = Settings()
    before = open_window(simulated_cards("3xTitanRTX"), settings=settings)
    before.navigation.open_card(CardId("SIM-2"))
    before.setGeometry(40, 60, 620, 500)
    before.close()
    after = open_window(simulated_cards("3xTitanRTX"), settings=settings, resized=False)
    assert after.geometry() == QRect(40, 60, 620, 500)
    assert (after.navigation.screen, after.navigation.card) == ("card", "SIM-2")
    # To have been there the last time is no step to go back on.
    keys(Qt.Key.Key_Left, ALT)
    assert (after.navigation.screen, after.navigation.card) == ("card", "SIM-2")


def test_a_look_back_is_not_where_the_next_start_begins(open_window: OpenWindow) -> None:
    settings = Settings()
    before = open_window(session_with_past({card(0): working()}), settings=settings)
    keys(Qt.Key.Key_1, ALT)
    now = before.time_window.now()
    before.time_window.look_at(now - 900.0, now - 890.0)
    before.close()
    after = open_window(simulated_cards("1xT4"), settings=settings)
    assert after.time_window.span == 60.0
    assert after.time_window.following
