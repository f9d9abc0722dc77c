"""What the program says of its own cost: in the file, on the sheet and in the line below."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QLabel, QWidget
from pytestqt.qtbot import QtBot

from gpuexplorer.gui.diagnostics_sheet import DiagnosticsSheet
from gpuexplorer.gui.main_window import MainWindow
from gpuexplorer.gui.measuring.diagnostics import Diagnostics, FrameMeter, Heartbeat
from gpuexplorer.gui.measuring.durations import Spread
from gpuexplorer.gui.state.time_window import MINUTE
from gpuexplorer.gui.widgets.strip import Strip
from tests.gui.conftest import OpenWindow
from tests.gui.fakes import SIMULATED, Answer, card, session_of, working
from tests.gui.hands import click, texts

TileSaying = Callable[[MainWindow, str], QWidget]


def measured(window: MainWindow) -> Diagnostics:
    return Diagnostics(window, window.frame_clock, window.navigation)


@pytest.mark.parametrize("percent", [50, 99, 100])
def test_percentiles_are_right_to_two_percent_however_many_there_are(percent: float) -> None:
    spread = Spread()
    for microseconds in range(1, 20_001):
        spread.add(microseconds / 1e6)
    assert spread.percentile(percent) == pytest.approx(percent / 100 * 0.02, rel=0.02)
    assert spread.longest == 0.02
    assert spread.count == 20_000


def test_nothing_measured_has_no_figure_and_one_thing_is_its_own_median() -> None:
    spread = Spread()
    assert spread.percentile(50) == 0.0
    spread.add(0.004)
    assert spread.percentile(50) <= spread.longest == 0.004


def test_every_painting_is_a_frame_with_what_was_pulled_for_it(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    window = open_window(session_of({card(0): working()}))
    meter = FrameMeter(window, window.frame_clock, lambda: True)
    with qtbot.waitSignal(meter.reading_drawn):
        pass
    before = meter.frames
    qtbot.waitUntil(lambda: meter.frames > before)
    assert 0 < meter.cpu.longest <= meter.wall.longest + 0.001


def test_all_cards_and_the_plot_above_them_are_one_frame(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    window = open_window(session_of({card(index): working() for index in range(4)}))
    qtbot.waitUntil(lambda: len(window.findChildren(Strip)) > 3)
    QApplication.processEvents()
    meter = FrameMeter(window, window.frame_clock, lambda: True)
    window.time_window.choose_span(MINUTE)
    QApplication.processEvents()
    assert meter.frames == 1


def test_a_window_without_readings_draws_frames_and_never_a_first_reading(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    window = open_window(session_of({card(0): Answer(hangs=True)}))
    diagnostics = measured(window)
    qtbot.waitUntil(lambda: diagnostics.frames.frames > 2)
    assert diagnostics.figures()["first_reading_seconds"] is None


def test_the_heart_notices_how_long_the_loop_was_held_up(qtbot: QtBot) -> None:
    heart = Heartbeat()
    heart.start()
    qtbot.waitUntil(lambda: heart.beats > 2)
    until = time.perf_counter() + 0.3
    while time.perf_counter() < until:
        pass
    beats = heart.beats
    qtbot.waitUntil(lambda: heart.beats > beats)
    assert 0.27 < heart.longest_wait < 2.0
    heart.stop()


def test_the_figures_name_what_was_measured(
    open_window: OpenWindow, tile_saying: TileSaying, qtbot: QtBot
) -> None:
    session = session_of({card(0): working(), card(1): working()}, SIMULATED)
    window = open_window(session)
    diagnostics = measured(window)
    diagnostics.watch(session)
    tile_saying(window, "GPU busy 97 %")
    qtbot.waitUntil(lambda: diagnostics.figures()["first_reading_seconds"] is not None)
    figures = json.loads(json.dumps(diagnostics.figures()))
    assert figures["simulated"] is True
    assert figures["cards"] == 2
    assert figures["screen"] == "overview"
    assert figures["window"] == [1000, 700]
    assert figures["torch_loaded"] is ("torch" in sys.modules)  # by tests of the engines
    assert figures["beats"]["taken"] > 0
    assert figures["cpu_seconds"] > 0
    assert figures["resident_bytes"]["now"] > 50e6
    assert figures["event_loop"]["longest_wait_ms"] is None  # nobody asked the heart to beat


def test_the_sheet_shows_the_same_and_copies_it(open_window: OpenWindow, qtbot: QtBot) -> None:
    session = session_of({card(0): working()}, SIMULATED)
    window = open_window(session)
    diagnostics = measured(window)
    diagnostics.watch(session)
    sheet = DiagnosticsSheet(diagnostics, window.frame_clock, window)
    sheet.open()
    assert diagnostics.heartbeat.beating
    assert "Longest wait of the event loop" in texts(sheet)
    qtbot.waitUntil(lambda: any("99 % within" in text for text in texts(sheet)))
    assert any(text.startswith("SIMULATED: ") for text in texts(sheet))
    named = [label for label in sheet.findChildren(QLabel) if label.accessibleName()]
    assert any(label.accessibleName().startswith("Memory now: ") for label in named)
    click(sheet, "Copy")
    copied = QGuiApplication.clipboard().text()
    assert "Frames drawn: " in copied
    assert "SIMULATED" in copied
    click(sheet, "Close")
    assert not sheet.isVisible()
    assert not diagnostics.heartbeat.beating


def test_the_heart_goes_on_after_the_sheet_when_it_beat_before(open_window: OpenWindow) -> None:
    window = open_window(session_of({card(0): working()}))
    diagnostics = measured(window)
    diagnostics.heartbeat.start()
    sheet = DiagnosticsSheet(diagnostics, window.frame_clock, window)
    sheet.open()
    sheet.hide()
    assert diagnostics.heartbeat.beating


def run_program(*words: str) -> subprocess.CompletedProcess[str]:
    bare = {
        name: value
        for name, value in os.environ.items()
        if name not in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    }
    return subprocess.run(
        [sys.executable, "-m", "gpuexplorer", *words],
        env=bare,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_the_program_ends_by_itself_and_leaves_its_figures(tmp_path: Path) -> None:
    file = tmp_path / "cost.json"
    words = ("--simulate", "8xH100", "--quit-after", "1.5", "--diagnostics", str(file))
    done = run_program(*words)
    assert (done.returncode, done.stderr) == (0, "")
    figures = json.loads(file.read_text("utf-8"))
    assert figures["window_system"] == "offscreen"
    assert 0 < figures["first_reading_seconds"] < figures["seconds"]
    assert figures["frames"]["drawn"] >= 2
    assert figures["frames"]["cpu_ms"]["median"] <= figures["frames"]["cpu_ms"]["longest"]
    assert figures["event_loop"]["heartbeats"] > 0
    assert figures["event_loop"]["longest_wait_ms"] > 0
    assert figures["torch_loaded"] is False


def test_a_dash_is_the_terminal_and_nothing_else_is_written_there() -> None:
    done = run_program("--simulate", "1xT4", "--quit-after", "0.5", "--diagnostics", "-")
    assert done.returncode == 0
    assert json.loads(done.stdout)["simulated"] is True
