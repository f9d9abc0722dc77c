"""The screen of copies as a whole: its pages, and how it stands in a picture."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton
from pytestqt.qtbot import QtBot

from gpuexplorer.gui.copies.matrix.matrix_page import MatrixPage
from gpuexplorer.gui.copies.view import CopiesView
from gpuexplorer.gui.widgets.controls.buttons import ToolButton
from tests.gui.hands import the

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")


def test_for_a_picture_the_matrix_is_filled(view: CopiesView, qtbot: QtBot) -> None:
    view.pose()
    assert not view.posed()
    qtbot.waitUntil(view.posed)
    assert the(MatrixPage, view).isVisible()
    assert len(view.copies.results) > 9
    view.pose()
    assert view.posed()


def test_who_stands_on_the_tabs_stays_on_the_one_that_is_open(view: CopiesView) -> None:
    view.open_page("copies")
    first = next(each for each in view.findChildren(ToolButton) if each.text() == "Copies")
    first.setFocus(Qt.FocusReason.TabFocusReason)
    view.open_page("matrix")
    focused = QApplication.focusWidget()
    assert isinstance(focused, ToolButton)
    assert focused.text() == "Matrix"


def test_the_keyboard_stays_on_the_screen_while_it_measures_and_comes_back(
    view: CopiesView, qtbot: QtBot
) -> None:
    view.open_page("sweep")
    button = next(each for each in view.findChildren(QPushButton) if each.text() == "Measure")
    qtbot.waitUntil(button.isEnabled)
    button.setFocus(Qt.FocusReason.TabFocusReason)
    QTest.keyClick(button, Qt.Key.Key_Space)
    assert view.copies.running
    assert isinstance(QApplication.focusWidget(), ToolButton)
    qtbot.waitUntil(lambda: not view.copies.running)

    def is_back() -> bool:
        view.pull()
        return button.hasFocus()

    qtbot.waitUntil(is_back)
