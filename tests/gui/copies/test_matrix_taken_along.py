"""The page of the matrix beside other programs: the clipboard."""

from collections.abc import Sequence

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from gpuexplorer.gui.copies.matrix.details_panel import FactGrid
from gpuexplorer.gui.copies.matrix.view import MatrixPage
from tests.gui.copies.matrix_pages import (
    OpenMatrix,
    all_button,
    maps,
    measure_all,
    run,
    settle,
)

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")


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
