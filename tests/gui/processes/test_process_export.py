"""Rows taken along: what they say, and that they say when they are made up."""

import csv
import io
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog, QLabel, QWidget
from pytestqt.qtbot import QtBot

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.spreadsheet import tabbed
from gpuexplorer.gui.views.processes.cells import Surroundings
from gpuexplorer.gui.views.processes.row_copies import as_csv
from gpuexplorer.telemetry.process_book import Standing
from tests.gui.fakes import GIB, SIMULATED
from tests.gui.hands import press, the
from tests.gui.processes.conftest import OpenScreen
from tests.gui.processes.programs import A, Machine, named, row, using

# Only the screen without a screen says so.
pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")


def test_a_file_has_figures_to_compute_with_and_a_reason_for_each_blank() -> None:
    rows = [
        row(named(using(A, 1, 2 * GIB, 0.5), "train, fast", cpu=1.5, container="box")),
        row(named(using(A, 2, None, None, Absence.WINDOWS_KEEPS_IT)), Standing.ENDED),
    ]
    text = as_csv(rows, Surroundings(), "2026-11-21T14:03:12+01:00", simulated=False)
    first, second = csv.DictReader(io.StringIO(text))
    assert first["memory [B]"] == "2147483648"
    assert first["sm [ratio]"] == "0.5"
    assert first["cpu [cores]"] == "1.5"
    assert first["command"] == "train, fast"
    assert first["container"] == "box"
    assert first["simulated"] == "no"
    assert second["memory [B]"] == ""
    assert f"memory: {Absence.WINDOWS_KEEPS_IT.sentence}" in second["missing"]
    assert second["standing"] == "has ended"


def test_no_command_is_taken_for_a_formula() -> None:
    text = as_csv([row(named(using(A, 1), "=1+1"))], Surroundings(), "now", simulated=True)
    [told] = csv.DictReader(io.StringIO(text))
    assert told["command"] == "'=1+1"
    assert told["simulated"] == "yes"
    assert "'@x" in tabbed(["Command"], [["@x"]], "")


def test_rows_are_copied_as_they_stand_with_tabs_between(open_screen: OpenScreen) -> None:
    people = [named(using(A, 41873, 3 * GIB), "python train.py"), named(using(A, 2))]
    screen = open_screen(Machine(people))
    screen.table.setFocus()
    screen.pick(0)
    press(screen.table, Qt.Key.Key_C, control=True)
    lines = QGuiApplication.clipboard().text().splitlines()
    assert len(lines) == 2
    captions, values = (line.split("\t") for line in lines)
    told = dict(zip(captions, values, strict=True))
    assert told["Command"] == "python train.py"
    assert told["PID"] == "41873"
    assert told["Memory, GiB"] == "3.00"
    assert told["Card"] == "0"


def test_a_copy_of_simulated_rows_says_so(open_screen: OpenScreen) -> None:
    screen = open_screen(Machine([named(using(A, 1))], source=SIMULATED))
    screen.table.setFocus()
    screen.table.selectAll()
    press(screen.table, Qt.Key.Key_C, control=True)
    assert QGuiApplication.clipboard().text().startswith("SIMULATED")


def test_what_is_shown_is_written_where_one_says(
    open_screen: OpenScreen, tmp_path: Path, qtbot: QtBot
) -> None:
    screen = open_screen(Machine([named(using(A, 1)), named(using(A, 2))]))
    screen.view.ask_export()
    dialog = the(QFileDialog, screen.view)
    assert dialog.isVisible()
    path = tmp_path / "rows.csv"
    dialog.fileSelected.emit(str(path))
    dialog.reject()
    qtbot.waitUntil(lambda: f"Saved to {path}." in said(screen.view))
    assert len(path.read_text("utf-8").splitlines()) == 3


def test_a_file_that_cannot_be_written_says_why(
    open_screen: OpenScreen, tmp_path: Path, qtbot: QtBot
) -> None:
    screen = open_screen(Machine([named(using(A, 1))]))
    screen.view.ask_export()
    dialog = the(QFileDialog, screen.view)
    dialog.fileSelected.emit(str(tmp_path / "nowhere" / "rows.csv"))
    dialog.reject()
    words = "rows.csv was not saved. That folder does not exist. Choose another place."
    qtbot.waitUntil(lambda: words in said(screen.view))


def said(view: QWidget) -> list[str]:
    return [label.text() for label in view.findChildren(QLabel)]
