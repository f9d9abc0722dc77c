"""One plot alone on the screen, what else can be done, and that nothing stays behind."""

import gc
import threading

import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QListView, QMenu, QWidget
from pytestqt.qtbot import QtBot

from gpuexplorer.gui.plots.canvas import PlotCanvas
from gpuexplorer.gui.plots.content import Origin
from gpuexplorer.gui.widgets.bars.top_bar import TimePill
from gpuexplorer.gui.widgets.command_palette import CommandPalette
from gpuexplorer.gui.widgets.plots.full_plot import FullPlot
from gpuexplorer.gui.widgets.plots.plot_stack import PlotStack
from tests.gui.hands import press, texts, the
from tests.gui.plots.made import (
    NOW,
    MakeStack,
    line,
    plot,
    power,
    stack_of,
)

# Without a window manager there is nobody to tell of sizes, or to raise a menu.
pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")

LEFT = Qt.MouseButton.LeftButton
NO_KEY = Qt.KeyboardModifier.NoModifier


def full_plots() -> list[FullPlot]:
    return [one for one in QApplication.topLevelWidgets() if isinstance(one, FullPlot)]


@pytest.mark.parametrize("way_back", ["Escape", "F11", "double click"])
def test_a_double_click_shows_one_plot_alone_and_leads_back(
    open_stack: MakeStack, qtbot: QtBot, way_back: str
) -> None:
    stack = open_stack([plot(line()), power()])
    QTest.mouseDClick(stack.viewport(), LEFT, NO_KEY, QPoint(300, 300))
    (full,) = full_plots()
    qtbot.waitUntil(full.isActiveWindow)
    assert full.isFullScreen()
    assert full.windowTitle() == "Power"
    canvas = full.focusProxy()
    assert isinstance(canvas, PlotCanvas)
    assert "draw: 200 W" in canvas.accessibleDescription()
    stack.show_contents([plot(line()), power(150.0)])
    assert "draw: 150 W" in canvas.accessibleDescription()
    if way_back == "Escape":
        press(canvas, Qt.Key.Key_Escape)
    elif way_back == "F11":
        press(canvas, Qt.Key.Key_F11)
    else:
        QTest.mouseDClick(canvas.viewport(), LEFT, NO_KEY, QPoint(300, 200))
    qtbot.waitUntil(lambda: not full_plots())
    assert stack.isVisible()


def test_the_figures_of_another_card_are_said_to_be_its_own(
    open_stack: MakeStack, qtbot: QtBot
) -> None:
    stack = open_stack([power()])
    stack.show_origin(Origin("TITAN RTX, card 1"))
    stack.show_full("power")
    (full,) = full_plots()
    assert "TITAN RTX, card 1" in texts(full)
    stack.show_origin(Origin("T4, card 0", simulated=True))
    assert "T4, card 0" in texts(full)
    assert any(
        each.isVisible() and each.accessibleName() == "SIMULATED"
        for each in full.findChildren(QWidget)
    )
    full.close()
    qtbot.waitUntil(lambda: not full_plots())


def test_the_space_bar_holds_the_picture_there_too(open_stack: MakeStack, qtbot: QtBot) -> None:
    stack = open_stack([power()])
    stack.show_full("power")
    (full,) = full_plots()
    qtbot.waitUntil(full.isActiveWindow)
    canvas = full.focusProxy()
    assert isinstance(canvas, PlotCanvas)
    held = []
    for _ in range(2):
        press(canvas, Qt.Key.Key_Space)
        held.append(not stack.time_window.following)
    assert held == [True, False]
    full.close()
    qtbot.waitUntil(lambda: not full_plots())


def test_there_too_the_way_back_to_now_is_in_sight(open_stack: MakeStack, qtbot: QtBot) -> None:
    stack = open_stack([power()])
    stack.show_full("power")
    (full,) = full_plots()
    pill = the(TimePill, full)
    assert not pill.isVisible()
    stack.time_window.toggle_pause()
    assert pill.isVisible()
    assert pill.accessibleName().startswith("Looking back: ends ")
    QTest.mouseClick(pill, Qt.MouseButton.LeftButton)
    assert stack.time_window.following
    assert not pill.isVisible()


def test_enter_shows_the_chosen_plot_alone_until_its_screen_is_left(
    open_stack: MakeStack, qtbot: QtBot
) -> None:
    stack = open_stack([plot(line()), power()])
    press(stack, Qt.Key.Key_Down)
    press(stack, Qt.Key.Key_Return)
    assert [full.windowTitle() for full in full_plots()] == ["Power"]
    stack.hide()
    qtbot.waitUntil(lambda: not full_plots())


def test_a_plot_that_is_no_more_does_not_stay_alone(
    open_stack: MakeStack, qtbot: QtBot
) -> None:
    stack = open_stack([plot(line()), power()])
    stack.show_full("power")
    stack.show_contents([plot(line())])
    qtbot.waitUntil(lambda: not full_plots())


def test_all_that_can_be_done_is_offered(open_stack: MakeStack, qtbot: QtBot) -> None:
    stack = open_stack([plot(line())])
    offered = [action.text() for action in stack.actions()]
    assert offered == [
        "Full screen of one plot",
        "Copy picture of the plots",
        "Save plots as PNG…",
        "Save plots as SVG…",
        "Save visible data as CSV…",
    ]
    stack.customContextMenuRequested.emit(QPoint(200, 150))
    menu = stack.findChild(QMenu)
    assert menu is not None
    assert [action.text() for action in menu.actions()] == offered
    menu.close()


def test_fifty_stacks_leave_nothing_behind(qtbot: QtBot) -> None:
    def come_and_go() -> None:
        stack = stack_of([plot(line()), power()])
        stack.show()
        stack.time_window.point_at(NOW - 100)
        stack.grab()
        stack.show_full("power")
        stack.files.copy_picture()
        stack.close()
        for full in full_plots():
            full.close()
        stack.deleteLater()
        QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)

    come_and_go()
    gc.collect()
    widgets, threads = len(QApplication.allWidgets()), threading.active_count()
    kept = _kept()
    for _ in range(50):
        come_and_go()
    gc.collect()
    assert len(QApplication.allWidgets()) <= widgets
    assert threading.active_count() == threads
    assert _kept() <= kept


def test_all_that_can_be_done_there_is_found_under_ctrl_k(
    open_stack: MakeStack, qtbot: QtBot
) -> None:
    stack = open_stack([power()])
    stack.show_full("power")
    (full,) = full_plots()
    qtbot.waitUntil(full.isActiveWindow)
    canvas = full.focusProxy()
    assert isinstance(canvas, PlotCanvas)
    QTest.keyClick(canvas, Qt.Key.Key_K, Qt.KeyboardModifier.ControlModifier)
    palette = the(CommandPalette, full)
    assert palette.isVisible()
    view = the(QListView, palette)
    offered = [view.model().index(row, 0).data() for row in range(view.model().rowCount())]
    assert {"Copy picture of the plots", "Show 1 h", "Leave full screen"} <= set(offered)
    assert "Full screen of one plot" not in offered
    field = the(QLineEdit, palette)
    QTest.keyClicks(field, "show 1 h")
    press(field, Qt.Key.Key_Return)
    assert stack.time_window.span == 3600.0
    assert canvas.hasFocus()
    QTest.keyClick(canvas, Qt.Key.Key_1, Qt.KeyboardModifier.AltModifier)
    assert stack.time_window.span == 60.0
    press(canvas, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: not full_plots())


def _kept() -> int:
    # By the type: to ask some of PyTorch's objects what they are is deprecated.
    return sum(issubclass(type(each), PlotStack | FullPlot) for each in gc.get_objects())
