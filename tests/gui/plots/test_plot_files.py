"""Pictures and files of plots: what is in them, and what is said when they cannot be."""

import csv
from pathlib import Path

import pytest
from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from gpuexplorer.core.cards import CardId, CardState, Sample
from gpuexplorer.core.metrics import GPU_UTILIZATION
from gpuexplorer.gui.plots.content import Origin
from gpuexplorer.gui.widgets.plot_stack import PlotNote
from gpuexplorer.gui.widgets.plot_stack import PlotStack
from gpuexplorer.gui.widgets.saving import CSV, PNG, SVG, FileKind
from gpuexplorer.telemetry.history import History
from tests.gui.hands import press, the
from tests.gui.plots.made import NOTHING, NOW, MakeStack, line, plot, power

# Without a window manager there is nobody to tell of sizes.
pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")

SIMULATED = Origin("Simulated: 2 x NVIDIA TITAN RTX", simulated=True)
REAL = Origin("NVIDIA driver 590.48.01, read through NVML")


def said(stack: PlotStack, qtbot: QtBot) -> str:
    note = the(PlotNote, stack)
    qtbot.waitUntil(note.isVisible)
    return note.accessibleName()


def test_the_picture_on_the_clipboard_is_sharp_and_says_simulated(
    open_stack: MakeStack, qtbot: QtBot
) -> None:
    stack = open_stack([plot(line()), power()])
    stack.show_origin(REAL)
    stack.files.copy_picture()
    real = QGuiApplication.clipboard().image()
    assert real.width() > 2 * stack.width()
    assert said(stack, qtbot) == "The picture is on the clipboard."
    stack.show_origin(SIMULATED)
    stack.files.copy_picture()
    simulated = QGuiApplication.clipboard().image()
    badge, scale = stack.look.theme.simulated.rgb(), simulated.width() / (stack.width() + 40)
    # Nothing but the header differs.
    below = QRect(0, round(60 * scale), real.width(), round(100 * scale))
    assert simulated.copy(below) == real.copy(below)
    assert badge in {simulated.pixel(x, 60) for x in range(simulated.width())}
    assert badge not in {real.pixel(x, 60) for x in range(real.width())}


def test_control_c_copies_the_picture(open_stack: MakeStack, qtbot: QtBot) -> None:
    stack = open_stack([plot(line())])
    QGuiApplication.clipboard().clear()
    stack.activateWindow()
    stack.setFocus()
    qtbot.waitUntil(stack.hasFocus)
    press(stack, Qt.Key.Key_C, control=True)
    qtbot.waitUntil(lambda: not QGuiApplication.clipboard().image().isNull())


def test_a_png_is_the_picture(open_stack: MakeStack, qtbot: QtBot, tmp_path: Path) -> None:
    stack = open_stack([plot(line())])
    stack.files.save(PNG, tmp_path / "plots.png")
    assert said(stack, qtbot) == f"Saved to {tmp_path / 'plots.png'}."
    assert QImage(str(tmp_path / "plots.png")).width() > 2 * stack.width()


def test_an_svg_has_whole_lines_and_says_simulated(
    open_stack: MakeStack, qtbot: QtBot, tmp_path: Path
) -> None:
    stack = open_stack([plot(line("GPU", 0.5))])
    stack.show_origin(SIMULATED)
    stack.files.save(SVG, tmp_path / "plots.svg")
    assert said(stack, qtbot) == f"Saved to {tmp_path / 'plots.svg'}."
    drawn = (tmp_path / "plots.svg").read_text("utf-8")
    assert ">SIMULATED<" in drawn.replace("\n", "")
    assert "<title>SIMULATED" in drawn
    longest = max(len(part) for part in drawn.split("<polyline"))
    assert longest > 2000


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
    stack.files.save(CSV, path)
    assert said(stack, qtbot) == f"Saved to {path}."
    assert path.read_text().startswith("# simulated")
    lines = csv.reader(path.read_text().splitlines())
    rows = [row for row in lines if not row[0].startswith("#")]
    assert rows[0][:3] == ["time", "steady_s", "GPU-5f8a gpu_utilization [ratio]"]
    assert len(rows) == 3001


def test_without_a_past_what_is_drawn_is_written(
    open_stack: MakeStack, qtbot: QtBot, tmp_path: Path
) -> None:
    stack = open_stack([plot(line("", 0.5, chip="3"))])
    stack.files.save(CSV, tmp_path / "plots.csv")
    said(stack, qtbot)
    assert "card 3 gpu_utilization [ratio]" in (tmp_path / "plots.csv").read_text()


@pytest.mark.parametrize("kind", [PNG, SVG, CSV])
def test_a_place_that_refuses_is_told_in_a_sentence_that_stays(
    open_stack: MakeStack, qtbot: QtBot, tmp_path: Path, kind: FileKind
) -> None:
    stack = open_stack([plot(line())])
    stack.files.save(kind, tmp_path / "gone" / "plots.it")
    words = "plots.it was not saved. That folder does not exist. Choose another place."
    assert said(stack, qtbot) == words


def test_the_name_that_is_suggested_says_simulated_too(
    open_stack: MakeStack, qtbot: QtBot, tmp_path: Path
) -> None:
    stack = open_stack([plot(line())])
    stack.show_origin(SIMULATED)
    action = next(each for each in stack.actions() if "CSV" in each.text())
    action.trigger()
    dialog = the(QFileDialog, stack)
    (suggested,) = dialog.selectedFiles()
    assert Path(suggested).name.startswith("simulated-plots-")
    assert suggested.endswith(".csv")
    dialog.fileSelected.emit(str(tmp_path / "mine.csv"))
    dialog.close()
    assert said(stack, qtbot) == f"Saved to {tmp_path / 'mine.csv'}."
