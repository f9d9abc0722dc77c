"""The page of the matrix beside other programs: nvbandwidth, files, the clipboard."""

import os
from collections.abc import Sequence
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QColor, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QMenu, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from gpuexplorer.gui.copies.matrix.details_panel import FactGrid
from gpuexplorer.gui.copies.matrix.view import MatrixPage
from gpuexplorer.gui.widgets.plot_stack import PlotNote
from tests.gui.copies.matrix_pages import (
    THERE,
    OpenMatrix,
    all_button,
    answer,
    maps,
    measure_all,
    run,
    settle,
    told,
)
from tests.gui.copies.test_matrix_words import NVBANDWIDTH
from tests.gui.hands import the

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")


def test_another_of_its_tests_is_chosen_from_its_menu(
    open_matrix: OpenMatrix, qtbot: QtBot, tmp_path: Path
) -> None:
    page = open_matrix()
    (tmp_path / "run.json").write_text(NVBANDWIDTH, "utf-8")
    run(page, "Open what nvbandwidth wrote…")
    answer(page, tmp_path / "run.json")
    qtbot.waitUntil(lambda: "nvbandwidth: 46.1 GB/s" in told(page, THERE))
    opens = page.tools[1]
    for words, expected in (("Copy engine, target reads", "44.1"), ("Put it away", "")):
        QTest.mouseClick(opens, Qt.MouseButton.LeftButton)
        [menu] = opens.findChildren(QMenu)
        [action] = [each for each in menu.actions() if each.text() == words]
        action.trigger()
        menu.close()
        QApplication.sendPostedEvents(menu, QEvent.Type.DeferredDelete)
        assert ("nvbandwidth" in told(page, ("cuda:1", "cuda:0"))) == bool(expected)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [("hello", "This is not what nvbandwidth writes."), (None, "could not be read")],
)
def test_another_file_is_refused_in_a_sentence(
    open_matrix: OpenMatrix, qtbot: QtBot, tmp_path: Path, content: str | None, sentence: str
) -> None:
    page = open_matrix()
    path = tmp_path / "other.json"
    if content is not None:
        path.write_text(content, "utf-8")
    run(page, "Open what nvbandwidth wrote…")
    answer(page, path)
    qtbot.waitUntil(lambda: sentence in the(PlotNote, page).accessibleName())


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig"])
def test_a_file_of_windows_own_shell_is_read_too(
    open_matrix: OpenMatrix, qtbot: QtBot, tmp_path: Path, encoding: str
) -> None:
    page = open_matrix()
    (tmp_path / "run.json").write_text(NVBANDWIDTH, encoding)
    run(page, "Open what nvbandwidth wrote…")
    answer(page, tmp_path / "run.json")
    qtbot.waitUntil(lambda: "nvbandwidth: 46.1 GB/s" in told(page, THERE))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names there")
def test_a_pipe_into_which_nobody_writes_is_refused(
    open_matrix: OpenMatrix, qtbot: QtBot, tmp_path: Path
) -> None:
    page = open_matrix()
    os.mkfifo(tmp_path / "pipe.json")
    run(page, "Open what nvbandwidth wrote…")
    answer(page, tmp_path / "pipe.json")
    said = "pipe.json is not a file that can be read. Choose another file."
    qtbot.waitUntil(lambda: said in the(PlotNote, page).accessibleName())


def test_the_matrix_goes_to_the_clipboard(open_matrix: OpenMatrix, qtbot: QtBot) -> None:
    page = open_matrix()
    measure_all(page, qtbot)
    run(page, "Copy the matrix as text")
    text = QGuiApplication.clipboard().text()
    assert text.startswith("SIMULATED")
    assert "cuda:0\t12.3\t295\t45.9" in text


def test_while_something_is_measured_nothing_else_can_be(
    open_matrix: OpenMatrix, qtbot: QtBot
) -> None:
    page = open_matrix()
    QTest.mouseClick(all_button(page), Qt.MouseButton.LeftButton)
    if page.copies.running:
        assert not all_button(page).isEnabled()
    settle(page, qtbot)
    assert all_button(page).isEnabled()


@pytest.mark.parametrize(("width", "height"), [(1360, 860), (760, 540), (560, 500)])
def test_no_panel_stands_on_another(
    open_matrix: OpenMatrix, qtbot: QtBot, width: int, height: int
) -> None:
    page = open_matrix("wrong:0>1", width, height)
    measure_all(page, qtbot)
    panels = panels_of(page)
    assert len(panels) == 4
    for at, one in enumerate(panels):
        for other in panels[at + 1 :]:
            assert not one.geometry().intersects(other.geometry())
    for each in maps(page):
        assert each.rect().contains(each.place_of(("cuda:1", "cuda:1")))


def panels_of(page: MatrixPage) -> Sequence[QWidget]:
    names = ("Measured", "Promised", "What stands out")
    return [
        each
        for each in page.findChildren(QWidget)
        if each.property("panel") == "card"
        and (each.accessibleName() in names or the_details(each))
    ]


def the_details(widget: QWidget) -> bool:
    return bool(widget.findChildren(FactGrid)) and not isinstance(widget, QLabel | QPushButton)


def test_pointing_at_a_cell_rings_it(open_matrix: OpenMatrix, qtbot: QtBot) -> None:
    page = open_matrix()
    measured = maps(page)[0]
    before = measured.grab().toImage()
    QTest.mouseMove(measured, measured.place_of(("cuda:1", "cuda:0")).center() + QPoint(1, 1))
    qtbot.waitUntil(lambda: measured.grab().toImage() != before)
    assert QColor(before.pixelColor(1, 1)).isValid()
