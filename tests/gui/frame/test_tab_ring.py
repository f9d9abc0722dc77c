"""The Tab key comes to every control there is, and the keyboard stays where somebody works."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from gpuexplorer.gui.desk import VIEWS
from gpuexplorer.gui.main_window import MainWindow
from gpuexplorer.gui.tables.table import Table
from gpuexplorer.gui.widgets.controls.fields import SearchField
from tests.gui.conftest import OpenWindow
from tests.gui.frame.steps import CONTROL, SHIFT, keys, simulated_cards, write

NAMES = [entry.name for entry in VIEWS]
FORWARD, BACK = (Qt.Key.Key_Tab, Qt.KeyboardModifier.NoModifier), (Qt.Key.Key_Tab, SHIFT)


def stops(window: MainWindow) -> set[QWidget]:
    """Everything that can be seen and takes the Tab key."""
    return {
        each
        for each in window.findChildren(QWidget)
        if each.isVisible()
        and each.isEnabled()
        and each.window() is window
        and each.focusPolicy() & Qt.FocusPolicy.TabFocus
    }


def reached(step: tuple[Qt.Key, Qt.KeyboardModifier]) -> set[QWidget]:
    """Where the key comes to until it has been round."""
    found: list[QWidget] = []
    for _ in range(200):
        keys(*step)
        focused = QApplication.focusWidget()
        assert focused is not None
        if focused in found:
            break
        found.append(focused)
    return set(found)


def names(widgets: set[QWidget]) -> list[str]:
    return sorted(each.accessibleName() or type(each).__name__ for each in widgets)


@pytest.mark.parametrize("spec", ["3xTitanRTX", "12xH100+nvlink"])
@pytest.mark.parametrize("name", NAMES)
def test_the_tab_key_comes_to_every_control_of_every_screen(
    open_window: OpenWindow, qtbot: QtBot, name: str, spec: str
) -> None:
    session = simulated_cards(spec)
    window = open_window(session)
    keys(Qt.Key(Qt.Key.Key_1 + NAMES.index(name)))
    taken = session.beats().taken
    qtbot.waitUntil(lambda: session.beats().taken > taken + 2)
    for step in (FORWARD, BACK):
        before = stops(window)
        missed = before - reached(step)
        # What came or went meanwhile, with a reading, is not held against it.
        assert not names(missed & stops(window))


@pytest.mark.parametrize("name", ["card", "processes", "events"])
def test_digits_and_spaces_are_typed_where_one_searches_and_escape_lets_go_in_two_steps(
    open_window: OpenWindow, qtbot: QtBot, name: str
) -> None:
    session = simulated_cards("2xTitanRTX")
    window = open_window(session)
    window.navigation.open_screen(name)
    qtbot.waitUntil(lambda: session.beats().taken > 2)
    keys(Qt.Key.Key_F, CONTROL)
    write("1 2 x5")
    field = QApplication.focusWidget()
    assert isinstance(field, SearchField)
    assert field.text() == "1 2 x5"
    assert window.navigation.screen == name
    assert window.time_window.following
    keys(Qt.Key.Key_Escape)
    assert field.text() == ""
    assert field.hasFocus()
    if name == "events":
        # There may be no event yet, and then there is no list to go to.
        return
    if name == "processes":
        qtbot.waitUntil(lambda: any(each.isVisible() for each in window.findChildren(Table)))
    keys(Qt.Key.Key_Escape)
    assert not field.hasFocus()
    keys(Qt.Key.Key_1)
    assert window.navigation.screen == NAMES[0]
