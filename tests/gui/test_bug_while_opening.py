"""A screen with a bug that comes when it is opened: it is reported, and the program goes on."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

# A program of its own, since its exit status is what counts.
_PROGRAM = """
import sys
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication
import gpuexplorer.gui.events as screen


class Broken(screen.EventsView):
    pulled = 0

    def pull(self):
        Broken.pulled += 1
        if Broken.pulled == 1:
            raise ZeroDivisionError("nothing to show")
        super().pull()


screen.EventsView = Broken
from gpuexplorer.__main__ import main
from gpuexplorer.gui.crash_dialog import CrashDialog
from gpuexplorer.gui.main_window import MainWindow


class Window(MainWindow):
    def show(self):
        super().show()
        self.looks = QTimer(self)
        self.looks.timeout.connect(self.on_look_due)
        self.looks.start(100)
        if "--view" not in sys.argv:
            self.navigation.open_screen("events")

    def on_look_due(self):
        dialogs = [each for each in self.findChildren(CrashDialog) if each.isVisible()]
        if dialogs and Broken.pulled > 1:
            print("reported, and goes on", flush=True)
            self.looks.stop()
            QApplication.quit()


import gpuexplorer.app
gpuexplorer.app.MainWindow = Window
sys.exit(main())
"""


@pytest.mark.parametrize("words", [["--view", "events"], []], ids=["at the start", "later"])
def test_a_bug_while_a_screen_is_opened_is_reported_and_the_program_ends_as_ever(
    tmp_path: Path, words: list[str]
) -> None:
    arguments = ["--simulate", "2xTitanRTX", "--quit-after", "20", *words]
    surroundings = {
        **os.environ,
        "QT_QPA_PLATFORM": "offscreen",
        "XDG_CONFIG_HOME": str(tmp_path),
    }
    ended = subprocess.run(
        [sys.executable, "-c", _PROGRAM, *arguments],
        capture_output=True,
        text=True,
        timeout=60,
        env=surroundings,
        check=False,
    )
    assert ended.stderr.count("ZeroDivisionError: nothing to show") == 1, ended.stderr
    assert "reported, and goes on" in ended.stdout
    assert ended.returncode == 0
