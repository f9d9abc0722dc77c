"""The screen of copies as a whole: its pages, and how it stands in a picture."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from gpuexplorer.gui.copies.matrix.view import MatrixPage
from gpuexplorer.gui.copies.moving.travel_panel import TravelPanel
from gpuexplorer.gui.copies.view import CopiesView
from gpuexplorer.gui.state.copies.copies_state import copies_of
from gpuexplorer.gui.state.lab.lab_state import LabState
from gpuexplorer.gui.theme.look import Motion, look
from gpuexplorer.gui.widgets.controls.buttons import ToolButton
from tests.gui.copies.moves import PageWindow, across, cell
from tests.gui.hands import the
from tests.gui.lab.conftest import ScriptedWorker

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


def test_a_copy_made_before_the_wiring_was_told_travels_when_it_is(
    lab: LabState, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    look().motion_wanted = Motion.FULL
    copies = copies_of(lab)
    copies.setParent(lab)
    with qtbot.waitSignal(lab.changed):
        cell(lab, worker, "Z = X.cuda(1)", across)
    window = PageWindow(copies)
    qtbot.addWidget(window)
    with qtbot.waitExposed(window):
        window.show()
    travel = the(TravelPanel, window)
    assert travel.playback.slowed is None
    with qtbot.waitSignal(copies.ways.changed):
        copies.ways.look()
    assert travel.playback.playing
    assert "slowed ×360" in [each.accessibleName() for each in travel.findChildren(QWidget)]
    window.close()
