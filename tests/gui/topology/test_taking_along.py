"""The matrix as text and the drawing as a file, which say where they come from."""

from pathlib import Path

import pytest
from PySide6.QtCore import QEvent
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtWidgets import QApplication, QFileDialog
from pytestqt.qtbot import QtBot

from tests.gui.topology.conftest import OpenScreen, Screen
from tests.gui.topology.screen_hands import (
    made_up,
    press_button,
    wait_drawn,
    wait_for_words,
)

# The platform without a display says so of every dialog.
pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")


def test_the_matrix_is_copied_as_text_that_says_it_is_made_up(
    open_screen: OpenScreen, qtbot: QtBot
) -> None:
    screen = open_screen(made_up("4xA6000"))
    wait_drawn(qtbot, screen)
    press_button(screen, "Copy the matrix as text")
    lines = QGuiApplication.clipboard().text().splitlines()
    assert lines[0].startswith("SIMULATED: ")
    row = next(line for line in lines if line.startswith("0 "))
    assert row.split() == ["0", "PHB", "X", "NV4", "SYS", "SYS", "0", "0-31"]
    assert "NV#: NVLink, the number says how many links work together" in lines


def test_the_drawing_is_written_as_svg_and_png_that_say_they_are_made_up(
    open_screen: OpenScreen, qtbot: QtBot, tmp_path: Path
) -> None:
    screen = open_screen(made_up("8xH100"))
    wait_drawn(qtbot, screen)
    for name in ("wiring.svg", "wiring.png"):
        save_as(screen, tmp_path / name)
        wait_for_words(qtbot, screen, f"Saved to {tmp_path / name}.")
    drawn = (tmp_path / "wiring.svg").read_text("utf-8")
    assert "<title>SIMULATED: " in drawn
    assert "NVSwitch" in drawn
    picture = QImage(str(tmp_path / "wiring.png"))
    assert picture.width() > 1600


def save_as(screen: Screen, path: Path) -> None:
    """Press the button, and answer the question that comes."""
    press_button(screen, "Save picture")
    [dialog] = screen.view.findChildren(QFileDialog)
    assert Path(dialog.selectedFiles()[0]).name.startswith("simulated-topology-")
    dialog.fileSelected.emit(str(path))
    dialog.reject()
    QApplication.sendPostedEvents(dialog, QEvent.Type.DeferredDelete)
