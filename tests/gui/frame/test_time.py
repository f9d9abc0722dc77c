"""The time in the top bar: spans, looking back, holding the picture."""

from itertools import pairwise

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from gpuexplorer.gui.desk import VIEWS
from gpuexplorer.gui.main_window import MainWindow
from gpuexplorer.gui.widgets.bars.top_bar import SourceBadge, TimePill, TopBar
from gpuexplorer.gui.widgets.controls.buttons import ToolButton
from gpuexplorer.gui.widgets.controls.segmented import Segmented
from tests.gui.conftest import OpenWindow
from tests.gui.fakes import SIMULATED, card, session_with_past, working
from tests.gui.frame.steps import CONTROL, called, keys, press_with_mouse
from tests.gui.hands import the


def spans(window: MainWindow) -> Segmented:
    return called(Segmented, the(TopBar, window), "Time span")


def chosen(window: MainWindow) -> list[str]:
    return [
        each.accessibleName()
        for each in spans(window).findChildren(ToolButton)
        if each.isVisible() and each.isChecked()
    ]


def test_looking_back_is_said_and_one_gets_back(open_window: OpenWindow) -> None:
    window = open_window(session_with_past({card(0): working()}))
    pill = the(TimePill, window)
    assert not pill.isVisible()
    now = window.time_window.now()
    window.time_window.look_at(now - 400, now - 100)
    assert pill.isVisible()
    assert pill.accessibleName().startswith("Looking back: ends ")
    press_with_mouse(pill)
    assert window.time_window.following
    assert not pill.isVisible()
    window.time_window.look_at(now - 400, now - 100)
    keys(Qt.Key.Key_End, CONTROL)
    assert window.time_window.following


def test_time_is_chosen_only_beside_plots(open_window: OpenWindow) -> None:
    window = open_window(session_with_past({card(0): working()}))
    offered = []
    for entry in VIEWS:
        window.navigation.open_screen(entry.name)
        seen = [
            each for each in the(TopBar, window).findChildren(Segmented) if each.isVisible()
        ]
        offered += [entry.name for _ in seen]
    assert offered == ["overview", "card", "lab"]


@pytest.mark.parametrize("back", [False, True])
def test_nothing_is_cut_off_and_nothing_overlaps_at_any_width(
    open_window: OpenWindow, qtbot: QtBot, back: bool
) -> None:
    session = session_with_past({card(0): working()}, SIMULATED)
    window = open_window(session, look_again=lambda: None)
    bar, badge = the(TopBar, window), the(SourceBadge, window)
    now = window.time_window.now()
    if back:
        window.time_window.look_at(now - 400, now - 100)

    def fits() -> bool:
        parts = [each for each in bar.children() if isinstance(each, QWidget)]
        shown = sorted((e for e in parts if e.isVisible()), key=lambda each: each.x())
        places = [each.geometry() for each in shown]
        apart = all(one.right() < other.left() for one, other in pairwise(places))
        whole = badge.width() >= badge.sizeHint().width()
        return whole and apart and places[-1].right() < bar.width()

    for width in range(560, 1600, 40):
        window.resize(width, 600)
        qtbot.waitUntil(fits)
