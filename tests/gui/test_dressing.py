"""Every part of the window wears the sheet of the theme, and what closes closes in peace."""

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtWidgets import QApplication, QFileDialog, QLineEdit, QMainWindow, QMenu, QToolTip
from pytestqt.qtbot import QtBot

from tests.gui.conftest import OpenWindow
from tests.gui.frame.steps import keys, simulated_cards

# Without a window manager there is nobody to tell of sizes.
pytestmark = pytest.mark.qt_log_ignore("propagateSizeHints", "This plugin does not support")


def ask_where(window: QMainWindow) -> None:
    """As a screen asks: nobody keeps the dialog, and it goes when it is closed."""
    dialog = QFileDialog(window, "Save")
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    dialog.open()


def open_dialogs(window: QMainWindow) -> list[QFileDialog]:
    return [each for each in window.findChildren(QFileDialog) if each.isVisible()]


def test_questions_for_a_place_are_closed_again_and_the_program_goes_on(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    window = open_window(simulated_cards("1xT4"))
    for _ in range(5):
        ask_where(window)
        qtbot.waitUntil(lambda: isinstance(QApplication.focusWidget(), QLineEdit))
        keys(Qt.Key.Key_Escape)
        qtbot.waitUntil(lambda: not open_dialogs(window))
        # Here it ended, where somebody had met the dialog before it was finished.
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    assert window.isVisible()


def test_one_object_stands_for_a_dialog_whoever_meets_it(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    window = open_window()
    dialog = QFileDialog(window, "Save")
    assert any(each is dialog for each in window.children())
    dialog.open()
    qtbot.waitUntil(lambda: dialog.styleSheet() != "")
    dialog.close()
    dialog.deleteLater()


def test_menus_and_what_is_told_by_pointing_have_the_letters_of_the_window(
    open_window: OpenWindow,
) -> None:
    window = open_window(simulated_cards("1xT4"))
    menu = QMenu(window)
    menu.ensurePolished()
    assert menu.font().family() == window.look.letters.body.font.family()
    assert QToolTip.font().family() == window.look.letters.body.font.family()
