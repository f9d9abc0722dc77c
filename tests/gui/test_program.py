"""The program as it is started: what comes before the window, its own cost, pictures, bugs."""

import json
import locale
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from gpuexplorer.commands.window_arguments import SCREENS
from gpuexplorer.gui.desk import VIEWS
from gpuexplorer.gui.diagnostics_sheet import DiagnosticsSheet
from gpuexplorer.gui.main_window import MainWindow
from gpuexplorer.gui.measuring.diagnostics import Diagnostics
from gpuexplorer.gui.state.time_window import MINUTE
from gpuexplorer.gui.theme.palette import Scheme, load_theme
from gpuexplorer.gui.widgets.strip import Strip
from tests.gui.conftest import OpenWindow, TileSaying
from tests.gui.fakes import SIMULATED, card, session_of, working
from tests.gui.hands import click, texts
from tests.gui.pixels import colours_of

NO_CARD = {"GPUEXPLORER_NVML": "/nowhere/libnvidia-ml.so"}


def python(*words: str, **more: str) -> subprocess.CompletedProcess[str]:
    """A program of its own, without a display."""
    displays = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    bare = {name: value for name, value in os.environ.items() if name not in displays}
    return subprocess.run(
        [sys.executable, *words],
        env=bare | more,
        capture_output=True,
        encoding=locale.getencoding(),
        timeout=120,
        check=False,
    )


@pytest.mark.skipif(sys.platform != "linux", reason="Qt looks at the locale on Linux only")
@pytest.mark.parametrize("variable", ["LC_ALL", "LC_CTYPE"])
def test_the_c_locale_is_no_reason_to_complain(variable: str) -> None:
    others = dict.fromkeys({"LC_ALL", "LC_CTYPE"} - {variable}, "")
    words = "from gpuexplorer.app import create_application; create_application([])"
    plain = {"QT_QPA_PLATFORM": "offscreen", "LANG": "C", variable: "C"}
    done = python("-c", words, **plain, **others)
    assert (done.returncode, done.stderr) == (0, "")


def test_who_only_looks_at_cards_waits_for_no_other_screen_and_no_measuring_of_copies() -> None:
    came = python("-c", "import sys, gpuexplorer.app; print(*sys.modules)").stdout.split()
    assert "gpuexplorer.app" in came
    assert not {"ssl", "_hashlib"}.intersection(came)  # OpenSSL takes 6 MB
    screens = {f"gpuexplorer.gui.{entry.name}.view" for entry in VIEWS}
    assert not screens.intersection(came)
    assert "gpuexplorer.gui.settings.dialog" not in came
    # What a copy says is among the values that a recording has of a lab, or of a program.
    values = {"", ".result", ".routes", ".copy_book", ".jobs"}
    assert {name for name in came if "gpuexplorer.copies" in name} <= {
        f"gpuexplorer.copies{each}" for each in values
    }


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


@pytest.mark.parametrize("place", [pytest.param("-", marks=pytest.mark.long), "cost.json"])
def test_the_program_ends_by_itself_and_leaves_its_figures(tmp_path: Path, place: str) -> None:
    file = place if place == "-" else str(tmp_path / place)
    words = ("--simulate", "8xH100", "--quit-after", "1.5", "--diagnostics", file)
    done = python("-m", "gpuexplorer", *words)
    assert (done.returncode, done.stderr) == (0, "")
    figures = json.loads(done.stdout if file == "-" else Path(file).read_text("utf-8"))
    assert 0 < figures["first_reading_seconds"] < figures["seconds"]
    assert figures["frames"]["drawn"] >= 2
    assert figures["event_loop"]["heartbeats"] > 0
    assert figures["torch_loaded"] is False


PICTURE = "-m", "gpuexplorer", "--screenshot"


@pytest.fixture(scope="module")
def pictures(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, QImage]:
    """All of them, by their name."""
    folder = tmp_path_factory.mktemp("pictures")
    words = ("--simulate", "2xTitanRTX", "--fault", "lost:1@30s", "--after", "60")
    done = python(*PICTURE, str(folder), *words, "--size", "1000x700", **NO_CARD)
    assert (done.returncode, done.stderr) == (0, "")
    assert {Path(line).name for line in done.stdout.splitlines()} == {
        path.name for path in folder.iterdir()
    }
    return {path.stem: QImage(str(path)) for path in sorted(folder.iterdir())}


@pytest.mark.long
def test_there_is_one_of_each_screen_and_of_the_settings(
    pictures: Mapping[str, QImage],
) -> None:
    assert set(pictures) == {
        f"{name}-{scheme}"
        for name in (*SCREENS, "settings")
        for scheme in (Scheme.DARK, Scheme.LIGHT)
    }


@pytest.mark.long
def test_none_is_blank_and_each_stands_on_its_theme(pictures: Mapping[str, QImage]) -> None:
    for name, image in pictures.items():
        met = colours_of(image, 5)
        theme = load_theme(Scheme(name.rpartition("-")[2]))
        assert len(met) > 12, f"{name} is blank"
        most = sorted(met, key=lambda colour: -met[colour])[:3]
        grounds = {each.name() for each in (theme.ground, theme.surface, theme.raised)}
        assert grounds & set(most), f"{name} stands on {most}"


@pytest.mark.long
def test_a_fault_of_the_past_is_drawn(pictures: Mapping[str, QImage]) -> None:
    bad = load_theme(Scheme.DARK).bad.name()
    assert colours_of(pictures["overview-dark"])[bad] > 20


@pytest.mark.long
def test_one_screen_in_one_theme_is_one_picture_finer_on_a_scaled_screen(
    tmp_path: Path,
) -> None:
    words = ("--simulate", "1xT4", "--view", "events", "--theme", "light", "--after", "5")
    done = python(*PICTURE, str(tmp_path), *words, "--size", "600x420", QT_SCALE_FACTOR="2")
    assert done.returncode == 0
    [picture] = tmp_path.iterdir()
    assert (picture.name, QImage(str(picture)).width()) == ("events-light.png", 1200)


@pytest.mark.long
def test_without_a_card_the_picture_is_of_the_empty_machine(tmp_path: Path) -> None:
    done = python(*PICTURE, str(tmp_path), "--theme", "dark", **NO_CARD)
    assert done.returncode == 0
    assert {path.name for path in tmp_path.iterdir()} == {"empty-dark.png", "settings-dark.png"}


# Its exit status is what counts.
BROKEN = """
import sys
from PySide6.QtWidgets import QApplication
import gpuexplorer.app as app
import gpuexplorer.gui.events as screen
from gpuexplorer.__main__ import main


class Broken(screen.EventsView):
    pulled = 0

    def pull(self):
        Broken.pulled += 1
        if Broken.pulled == 1:
            raise ZeroDivisionError("nothing to show")
        super().pull()
        print("goes on", flush=True)
        QApplication.quit()


class Window(app.MainWindow):
    def show(self):
        super().show()
        if "--view" not in sys.argv:
            self.navigation.open_screen("events")


screen.EventsView, app.MainWindow = Broken, Window
sys.exit(main())
"""


@pytest.mark.long
@pytest.mark.parametrize("words", [["--view", "events"], []], ids=["at the start", "later"])
def test_a_bug_while_a_screen_is_opened_is_reported_and_the_program_ends_as_ever(
    tmp_path: Path, words: list[str]
) -> None:
    simulated = ("--simulate", "2xTitanRTX", "--quit-after", "20")
    ended = python("-c", BROKEN, *simulated, *words, XDG_CONFIG_HOME=str(tmp_path))
    assert ended.stderr.count("ZeroDivisionError: nothing to show") == 1, ended.stderr
    assert ended.stdout.startswith("goes on")
    assert ended.returncode == 0
