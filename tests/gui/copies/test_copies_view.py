"""The screen of copies as a whole: its pages, and how it stands in a picture."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from gpuexplorer.gui.views.copies.copies_view import CopiesView
from gpuexplorer.gui.views.copies.matrix.matrix_page import MatrixPage
from gpuexplorer.gui.widgets.controls.segmented import Segment
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
    first = next(each for each in view.findChildren(Segment) if each.text() == "Copies")
    first.setFocus(Qt.FocusReason.TabFocusReason)
    view.open_page("matrix")
    focused = QApplication.focusWidget()
    assert isinstance(focused, Segment)
    assert focused.text() == "Matrix"
