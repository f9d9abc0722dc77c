"""The keyboard alone is enough for everything: keys of the window and of each screen, as F1 and
docs/keys.md tell them, and the Tab key, which comes to every control.
"""

import re
from itertools import pairwise
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QLabel,
    QLineEdit,
    QWidget,
)
from pytestqt.qtbot import QtBot

from gpuexplorer.core.words import Message
from gpuexplorer.gui.desk import VIEWS
from gpuexplorer.gui.main_window import MainWindow
from gpuexplorer.gui.tables.table import Table
from gpuexplorer.gui.widgets.controls.fields import SearchField
from gpuexplorer.gui.widgets.machine.machine_drawing import MachineDrawing
from gpuexplorer.gui.widgets.sheets.sheet import Sheet
from gpuexplorer.telemetry.happenings import Kind
from gpuexplorer.telemetry.session import Session
from tests.gui.conftest import LOOKED_FOR, NO_DRIVER, OpenWindow
from tests.gui.frame.steps import ALT, CONTROL, SHIFT, keys, simulated_cards, write
from tests.gui.hands import the

NAMES = [entry.name for entry in VIEWS]


def test_digits_open_the_screens_and_the_arrows_go_back_and_forward(
    open_window: OpenWindow,
) -> None:
    window = open_window(simulated_cards("3xTitanRTX"))
    for position, name in enumerate(NAMES):
        QTest.keyClick(window, Qt.Key(Qt.Key.Key_1 + position))
        assert window.navigation.screen == name
    for name in reversed(NAMES[:-1]):
        keys(Qt.Key.Key_Left, ALT)
        assert window.navigation.screen == name
    for name in NAMES[1:]:
        keys(Qt.Key.Key_Right, ALT)
        assert window.navigation.screen == name


def test_escape_and_f11_leave_the_full_screen_and_simulated_is_said_there(
    open_window: OpenWindow,
) -> None:
    window = open_window(simulated_cards("3xTitanRTX"))
    keys(Qt.Key.Key_F11)
    assert window.isFullScreen()
    badges = [each for each in window.findChildren(QWidget) if each.isVisible()]
    assert any(each.accessibleName() == "SIMULATED" for each in badges)
    QTest.keyClick(window, Qt.Key.Key_Escape)
    assert not window.isFullScreen()


def test_no_two_commands_share_a_key(open_window: OpenWindow) -> None:
    window = open_window(simulated_cards("3xTitanRTX"))
    taken: dict[str, str] = {}
    for name in NAMES:
        window.navigation.open_screen(name)
        for _, keys_of_group in window.commands.all_keys(()):
            for shortcut, words in keys_of_group:
                assert taken.setdefault(shortcut, words) == words


@pytest.mark.parametrize("spec", [None, "1xT4", "12xH100+nvlink"])
def test_every_control_on_every_screen_tells_its_name(
    open_window: OpenWindow, spec: str | None, qtbot: QtBot
) -> None:
    session = None if spec is None else simulated_cards(spec)
    window = open_window(session, [] if spec else [NO_DRIVER], () if spec else LOOKED_FOR)
    for name in NAMES:
        window.navigation.open_screen(name)
        if session is not None:
            wait_for_beats(session, qtbot)
        kinds = (QAbstractButton, QLineEdit, QComboBox, QAbstractSpinBox)
        nameless = [
            f"{type(each).__name__} on {name}"
            for kind in kinds
            for each in window.findChildren(kind)
            if each.isVisible()
            and not QAccessible.queryAccessibleInterface(each).text(QAccessible.Text.Name)
            # The corner of a table, which no key reaches.
            and each.metaObject().className() != "QTableCornerButton"
        ]
        assert not nameless


def wait_for_beats(session: Session, qtbot: QtBot) -> None:
    """Until what is seen has been read anew."""
    taken = session.beats().taken
    qtbot.waitUntil(lambda: session.beats().taken > taken + 1)


KEYS = (Path(__file__).parents[3] / "docs" / "keys.md").read_text("utf-8")
SECTIONS = {
    "overview": ("Plots", "Tiles"),
    "card": ("Plots", "Card"),
    "processes": ("Processes",),
    "topology": ("Topology",),
    "events": ("Events",),
    "lab": (
        *("Lab", "Cell editor", "Cells", "Bench", "Forms"),
        *("Looking inside", "Errors and cards"),
    ),
    "lessons": ("Lessons",),
    "copies": ("Copies", "Copies: the first page", "Table of copies", "Timeline of copies"),
}


def told(section: str) -> set[str]:
    """The rows of one section of the page, as the sheet says them."""
    text = re.split(r"^## ", KEYS.split(f"## {section}\n", 1)[1], flags=re.MULTILINE)[0]
    lines = [line.strip("|") for line in text.splitlines() if line.startswith("|")]
    cells = [
        line.split(" | ")
        for line, below in pairwise([*lines, ""])
        if not line.startswith("-") and not below.startswith("-")
    ]
    return {f"{words.strip()}: {taps.replace('`', '').strip()}" for taps, words in cells}


@pytest.mark.parametrize("screen", SECTIONS)
def test_f1_tells_of_each_screen_what_the_page_of_keys_tells(
    open_window: OpenWindow, screen: str, qtbot: QtBot
) -> None:
    session = simulated_cards("2xTitanRTX+nvlink")
    back = Message("The card is back")  # an event to copy
    session.happening_log.tell(Kind.CARD_BACK, session.cards()[0].id, back)
    window = open_window(session)
    window.resize(1400, 900)
    window.navigation.open_screen(screen)
    if screen == "topology":
        qtbot.waitUntil(the(MachineDrawing, window).isVisible)
    anywhere = {
        f"{words}: {tap}" for _, all_ in window.commands.all_keys(()) for tap, words in all_
    }
    keys(Qt.Key.Key_F1)
    labels = the(Sheet, window).findChildren(QLabel)
    seen = {label.accessibleName() for label in labels} - {""}
    wanted = {row for section in SECTIONS[screen] for row in told(section)}
    assert {each.lower() for each in seen - anywhere} == {each.lower() for each in wanted}


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


@pytest.mark.parametrize("spec", ["3xTitanRTX", "12xH100+nvlink"])
@pytest.mark.parametrize("name", NAMES)
def test_the_tab_key_comes_to_every_control_of_every_screen(
    open_window: OpenWindow, qtbot: QtBot, name: str, spec: str
) -> None:
    session = simulated_cards(spec)
    window = open_window(session)
    keys(Qt.Key(Qt.Key.Key_1 + NAMES.index(name)))
    wait_for_beats(session, qtbot)
    for step in (FORWARD, BACK):
        before = stops(window)
        missed = before - reached(step)
        # What came or went meanwhile, with a reading, is not held against it.
        assert not [each.accessibleName() or each for each in missed & stops(window)]


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
