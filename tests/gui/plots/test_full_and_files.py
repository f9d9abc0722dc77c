"""One plot alone on the screen, pictures and files of plots, and that nothing stays behind."""

import csv
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog
from pytestqt.qtbot import QtBot

from gpuexplorer.core.cards import CardId, CardState, Sample
from gpuexplorer.core.metrics import GPU_UTILIZATION
from gpuexplorer.gui.plots.content import Origin
from gpuexplorer.gui.widgets.plot_stack import FullPlot, PlotStack
from gpuexplorer.gui.widgets.saving import CSV, PNG, FileKind, PlotNote
from gpuexplorer.telemetry.history import History
from tests.gui.hands import press, the
from tests.gui.pixels import colours_of
from tests.gui.plots.made import NOTHING, NOW, MakeStack, line, plot, power

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
