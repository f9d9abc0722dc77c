"""What the program says of its own cost: in the file and on the sheet."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from gpuexplorer.gui.diagnostics_sheet import DiagnosticsSheet
from gpuexplorer.gui.main_window import MainWindow
from gpuexplorer.gui.measuring.diagnostics import Diagnostics
from gpuexplorer.gui.state.time_window import MINUTE
from gpuexplorer.gui.widgets.strip import Strip
from tests.gui.conftest import OpenWindow
from tests.gui.fakes import SIMULATED, card, session_of, working
from tests.gui.hands import click, texts

TileSaying = Callable[[MainWindow, str], QWidget]


def measured(window: MainWindow) -> Diagnostics:
    return Diagnostics(window, window.frame_clock, window.navigation)


def test_all_cards_and_the_plot_above_them_are_one_frame(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    window = open_window(session_of({card(index): working() for index in range(4)}))
    qtbot.waitUntil(lambda: len(window.findChildren(Strip)) > 3)
    QApplication.processEvents()
    diagnostics = measured(window)
    window.time_window.choose_span(MINUTE)
    QApplication.processEvents()
    assert diagnostics.drawn == 1
    assert 0 < diagnostics.cpu[0] <= diagnostics.wall[0] + 0.001


def test_the_sheet_shows_and_copies_what_the_figures_name(
    open_window: OpenWindow, tile_saying: TileSaying, qtbot: QtBot
) -> None:
    session = session_of({card(0): working(), card(1): working()}, SIMULATED)
    window = open_window(session)
    diagnostics = measured(window)
    diagnostics.session = session
    tile_saying(window, "GPU busy 97 %")
    qtbot.waitUntil(lambda: diagnostics.figures()["first_reading_seconds"] is not None)
    figures = json.loads(json.dumps(diagnostics.figures()))
    assert (figures["simulated"], figures["cards"], figures["screen"]) == (True, 2, "overview")
    assert figures["window"] == [1000, 700]
    assert figures["beats"]["taken"] > 0
    assert figures["resident_bytes"]["now"] > 50e6
    assert figures["event_loop"]["longest_wait_ms"] is None  # nobody asked the heart to beat
    sheet = DiagnosticsSheet(diagnostics, window.frame_clock, window)
    sheet.open()
    assert diagnostics.heartbeat.isActive()
    qtbot.waitUntil(lambda: any("99 % within" in each for each in texts(sheet)))
    click(sheet, "Copy")
    lines = QGuiApplication.clipboard().text().splitlines()
    assert lines[2].startswith("Frames drawn: ")
    assert lines[-1].startswith("Cards: SIMULATED: ")
    click(sheet, "Close")
    assert not sheet.isVisible()
    assert not diagnostics.heartbeat.isActive()


@pytest.mark.parametrize("place", ["-", "cost.json"])
def test_the_program_ends_by_itself_and_leaves_its_figures(tmp_path: Path, place: str) -> None:
    displays = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    bare = {name: value for name, value in os.environ.items() if name not in displays}
    file = place if place == "-" else str(tmp_path / place)
    words = ("--simulate", "8xH100", "--quit-after", "1.5", "--diagnostics", file)
    command = [sys.executable, "-m", "gpuexplorer", *words]
    done = subprocess.run(
        command, env=bare, capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    figures = json.loads(done.stdout if file == "-" else Path(file).read_text("utf-8"))
    assert 0 < figures["first_reading_seconds"] < figures["seconds"]
    assert figures["frames"]["drawn"] >= 2
    assert figures["event_loop"]["heartbeats"] > 0
    assert figures["torch_loaded"] is False
