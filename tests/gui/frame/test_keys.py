"""The keyboard alone is enough for everything."""

import pytest
from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QAccessible, QAccessibleInterface
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractSpinBox,
    QComboBox,
    QLabel,
    QLineEdit,
    QWidget,
)
from pytestqt.qtbot import QtBot

from gpuexplorer.gui.desk import VIEWS
from gpuexplorer.gui.main_window import MainWindow
from gpuexplorer.gui.widgets.sheets.sheet import Sheet
from gpuexplorer.telemetry.session import Session
from tests.gui.conftest import LOOKED_FOR, NO_DRIVER, OpenWindow
from tests.gui.frame.steps import ALT, keys, simulated_cards
from tests.gui.hands import in_front

NAMES = [entry.name for entry in VIEWS]
# What is about several machines is left out.
OFFERED = [entry for entry in VIEWS if not entry.several]


def three_cards(open_window: OpenWindow) -> MainWindow:
    return open_window(simulated_cards("3xTitanRTX"))


def test_digits_open_the_screens_and_the_arrows_go_back_and_forward(
    open_window: OpenWindow,
) -> None:
    window = three_cards(open_window)
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
    window = three_cards(open_window)
    keys(Qt.Key.Key_F11)
    assert window.isFullScreen()
    badges = [each for each in window.findChildren(QWidget) if each.isVisible()]
    assert any(each.accessibleName() == "SIMULATED" for each in badges)
    QTest.keyClick(window, Qt.Key.Key_Escape)
    assert not window.isFullScreen()


def test_the_sheet_of_keys_names_every_key_of_the_window(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    window = three_cards(open_window)
    keys(Qt.Key.Key_F1)
    sheet = in_front(Sheet, window)
    said = {label.accessibleName() for label in sheet.findChildren(QLabel)}
    assert {
        "Full screen: F11",
        "Search all commands: Ctrl+K",
        "Find on this screen: Ctrl+F",
        "Settings: Ctrl+,",
        "Pause or resume the plots: Space",
        "Quit: Ctrl+Q",
        f"{VIEWS[0].title}: 1",
    } <= said
    keys(Qt.Key.Key_Escape)
    assert not sheet.isVisible()
    qtbot.waitUntil(window.isActiveWindow)
    QTest.keyClick(window, Qt.Key.Key_Question)
    again = in_front(Sheet, window)
    keys(Qt.Key.Key_F1)
    assert not again.isVisible()


def test_no_two_commands_share_a_key(open_window: OpenWindow) -> None:
    window = three_cards(open_window)
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
            if each.isVisible() and not spoken_name(each) and not of_qt_alone(each)
        ]
        assert not nameless


def of_qt_alone(thing: QObject) -> bool:
    """The corner of a table, which no key reaches."""
    return thing.metaObject().className() == "QTableCornerButton"


def wait_for_beats(session: Session, qtbot: QtBot) -> None:
    """Until what is seen has been read anew."""
    taken = session.beats().taken
    qtbot.waitUntil(lambda: session.beats().taken > taken + 1)


def spoken_name(thing: QObject) -> str:
    """What a screen reader is told it is called."""
    spoken: QAccessibleInterface | None = QAccessible.queryAccessibleInterface(thing)
    return "" if spoken is None else spoken.text(QAccessible.Text.Name)
