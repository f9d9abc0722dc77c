"""One plot alone on the screen, pictures and files of plots, and that nothing stays behind."""

import csv
import gc
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QContextMenuEvent, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QLineEdit, QMenu, QWidget
from pytestqt.qtbot import QtBot

from gpuexplorer.core.cards import CardId, CardState, Sample
from gpuexplorer.core.metrics import GPU_UTILIZATION
from gpuexplorer.gui.plots.content import Origin
from gpuexplorer.gui.widgets.command_palette import CommandPalette
from gpuexplorer.gui.widgets.plot_stack import FullPlot, PlotStack
from gpuexplorer.gui.widgets.saving import CSV, PNG, FileKind, PlotNote
from gpuexplorer.telemetry.history import History
from tests.gui.frame.steps import listed
from tests.gui.hands import press, texts, the
from tests.gui.pixels import colours_of
from tests.gui.plots.made import (
    NOTHING,
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
    assert isinstance(canvas, PlotStack)
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


def test_enter_shows_the_chosen_plot_alone_until_its_screen_is_left(
    open_stack: MakeStack, qtbot: QtBot
) -> None:
    stack = open_stack([plot(line()), power()])
    press(stack, Qt.Key.Key_Down)
    press(stack, Qt.Key.Key_Return)
    assert [full.windowTitle() for full in full_plots()] == ["Power"]
    stack.hide()
    qtbot.waitUntil(lambda: not full_plots())


def test_all_that_can_be_done_is_offered(open_stack: MakeStack, qtbot: QtBot) -> None:
    stack = open_stack([plot(line())])
    offered = [action.text() for action in stack.actions()]
    assert offered == [
        "Full screen of one plot",
        "Copy picture of the plots",
        "Save plots as PNG…",
        "Save visible data as CSV…",
    ]
    place = QPoint(200, 150)
    reason = QContextMenuEvent.Reason.Mouse
    asked = QContextMenuEvent(reason, place, stack.mapToGlobal(place))
    QApplication.sendEvent(stack.viewport(), asked)
    menu = stack.findChild(QMenu)
    assert menu is not None
    assert [action.text() for action in menu.actions()] == offered
    menu.close()


def test_ten_stacks_leave_nothing_behind(qtbot: QtBot) -> None:
    def come_and_go() -> None:
        stack = stack_of([plot(line()), power()])
        stack.show()
        stack.time_window.point_at(NOW - 100)
        stack.grab()
        stack.show_full("power")
        stack.copy_picture()
        stack.close()
        for full in full_plots():
            full.close()
        stack.deleteLater()
        QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)

    come_and_go()
    gc.collect()
    widgets = len(QApplication.allWidgets())
    kept = _kept()
    for _ in range(10):
        come_and_go()
    gc.collect()
    assert len(QApplication.allWidgets()) <= widgets
    assert _kept() <= kept


def test_all_that_can_be_done_there_is_found_under_ctrl_k(
    open_stack: MakeStack, qtbot: QtBot
) -> None:
    stack = open_stack([power()])
    stack.show_full("power")
    (full,) = full_plots()
    qtbot.waitUntil(full.isActiveWindow)
    canvas = full.focusProxy()
    assert isinstance(canvas, PlotStack)
    QTest.keyClick(canvas, Qt.Key.Key_K, Qt.KeyboardModifier.ControlModifier)
    palette = the(CommandPalette, full)
    assert palette.isVisible()
    offered = listed(palette)
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


SIMULATED = Origin("Simulated: 2 x NVIDIA TITAN RTX", simulated=True)


REAL = Origin("NVIDIA driver 590.48.01, read through NVML")


def save(stack: PlotStack, kind: FileKind, path: Path) -> str:
    """Returns the place that was suggested."""
    what = {CSV: "Save visible data as CSV…", PNG: "Save plots as PNG…"}[kind]
    next(each for each in stack.actions() if each.text() == what).trigger()
    dialog = the(QFileDialog, stack)
    (suggested,) = dialog.selectedFiles()
    dialog.fileSelected.emit(str(path))
    dialog.close()
    return suggested


def said(stack: PlotStack, qtbot: QtBot) -> str:
    note = the(PlotNote, stack)
    qtbot.waitUntil(note.isVisible)
    return note.accessibleName()


def test_the_picture_on_the_clipboard_is_sharp_and_says_simulated(
    open_stack: MakeStack, qtbot: QtBot
) -> None:
    stack = open_stack([plot(line()), power()])
    stack.show_origin(REAL)
    stack.copy_picture()
    real = QGuiApplication.clipboard().image()
    assert real.width() == 2 * stack.width()
    assert said(stack, qtbot) == "The picture is on the clipboard."
    stack.show_origin(SIMULATED)
    stack.copy_picture()
    simulated = QGuiApplication.clipboard().image()
    badge = stack.look.theme.simulated.name()
    # Nothing but the header differs.
    ends = [each.copy(0, each.height() - 700, 1800, 700) for each in (real, simulated)]
    assert ends[0] == ends[1]
    assert badge in colours_of(simulated)
    assert badge not in colours_of(real)


def test_a_file_has_every_reading_and_not_only_what_is_drawn(
    open_stack: MakeStack, qtbot: QtBot, tmp_path: Path
) -> None:
    card = CardId("GPU-5f8a")
    past = History(0.1)
    for tenth in range(3000):
        at = NOW - 300 + tenth / 10
        values = {GPU_UTILIZATION: tenth / 3000}
        past.append(Sample(card, at, values, {}, CardState.WORKING))
    metric = GPU_UTILIZATION
    stack = open_stack([])
    drawn = past.trace(card, metric, NOW - 300, NOW, stack.columns())
    silent = line("fan", NOTHING, reason="this card does not report it", card=card)
    stack.show_contents([plot(line("GPU", drawn, card=card), silent)])
    stack.show_origin(Origin("Simulated: one card", simulated=True, past=past))
    path = tmp_path / "plots.csv"
    save(stack, CSV, path)
    assert said(stack, qtbot) == f"Saved to {path}."
    assert path.read_text().startswith("# simulated")
    lines = csv.reader(path.read_text().splitlines())
    rows = [row for row in lines if not row[0].startswith("#")]
    assert rows[0][:3] == ["time", "steady_s", "GPU-5f8a gpu_utilization [ratio]"]
    assert len(rows) == 3001


@pytest.mark.parametrize("kind", [PNG, CSV])
def test_a_place_that_refuses_is_told_in_a_sentence_that_stays(
    open_stack: MakeStack, qtbot: QtBot, tmp_path: Path, kind: FileKind
) -> None:
    stack = open_stack([plot(line())])
    save(stack, kind, tmp_path / "gone" / "plots.it")
    words = "plots.it was not saved. That folder does not exist. Choose another place."
    assert said(stack, qtbot) == words


def test_the_name_that_is_suggested_says_simulated_too(
    open_stack: MakeStack, qtbot: QtBot, tmp_path: Path
) -> None:
    stack = open_stack([plot(line())])
    stack.show_origin(SIMULATED)
    suggested = save(stack, CSV, tmp_path / "mine.csv")
    assert Path(suggested).name.startswith("simulated-plots-")
    assert suggested.endswith(".csv")
    assert said(stack, qtbot) == f"Saved to {tmp_path / 'mine.csv'}."
