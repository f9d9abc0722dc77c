"""The screen of copies as a whole: its pages, and how it stands in a picture."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from gpuexplorer.gui.paint.look import Look, Motion
from gpuexplorer.gui.state.copies.benches import copies_of
from gpuexplorer.gui.state.lab.lab_state import LabState
from gpuexplorer.gui.views.copies.copies_view import CopiesView
from gpuexplorer.gui.views.copies.matrix.matrix_page import MatrixPage
from gpuexplorer.gui.views.copies.moving.travel_panel import TravelPanel
from gpuexplorer.gui.widgets.controls.segmented import Segment
from tests.gui.copies.moves import PageWindow, across, line
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
    first = next(each for each in view.findChildren(Segment) if each.text() == "Copies")
    first.setFocus(Qt.FocusReason.TabFocusReason)
    view.open_page("matrix")
    focused = QApplication.focusWidget()
    assert isinstance(focused, Segment)
    assert focused.text() == "Matrix"


def test_a_copy_made_before_the_wiring_was_told_travels_when_it_is(
    lab: LabState, worker: ScriptedWorker, look: Look, qtbot: QtBot
) -> None:
    look.choose_motion(Motion.FULL)
    copies = copies_of(lab)
    copies.setParent(lab)
    with qtbot.waitSignal(lab.changed):
        line(lab, worker, "Z = X.cuda(1)", across)
    window = PageWindow(look, copies)
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
