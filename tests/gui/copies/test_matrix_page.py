"""The page of the matrix: measured, chosen, told, taken along."""

from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QWidget
from pytestqt.qtbot import QtBot

from gpuexplorer.gui.copies.matrix.pair_views import PairPanel
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Scheme
from gpuexplorer.gui.widgets.saving import PlotNote
from gpuexplorer.lab.wire import CopyJob
from tests.gui.copies.matrix_pages import (
    HOST_TO_0,
    THERE,
    OpenMatrix,
    choose,
    choose_cell,
    chosen_in,
    colours,
    facts,
    maps,
    measure_all,
    place_of,
    settle,
)
from tests.gui.hands import click, press, texts, the

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")


def test_what_was_measured_is_there_in_both_themes_and_on_the_clipboard(
    open_matrix: OpenMatrix, qtbot: QtBot
) -> None:
    page = open_matrix()
    measure_all(page, qtbot)
    assert page.tools[-1].isEnabled()
    for scheme in (Scheme.DARK, Scheme.LIGHT):
        look().choose(scheme)
        for each in maps(page):
            assert len(colours(each)) > 12
    page.copy_text()
    text = QGuiApplication.clipboard().text()
    assert text.startswith("SIMULATED")
    assert "cuda:0\t12.3\t295\t45.9" in text


def test_a_wrong_copy_is_told_and_leads_to_its_cell_and_its_cures(
    open_matrix: OpenMatrix, qtbot: QtBot, kept_jobs: list[CopyJob], lab: Lab
) -> None:
    page = open_matrix("wrong:0>1")
    measure_all(page, qtbot, "came as zeros")
    name = "1: Card 0 to card 1: Arrives WRONG"
    [head] = [each for each in page.findChildren(QWidget) if each.accessibleName() == name]
    head.setFocus(Qt.FocusReason.TabFocusReason)
    press(head, Qt.Key.Key_Space)
    assert "Card 0 to card 1" in texts(page)
    assert any("It arrives WRONG" in each for each in texts(the(PairPanel, page)))
    click(page, "In the lab, through the host")
    assert lab.switches.by_host == {THERE}
    click(page, "In the lab, directly again")
    assert lab.switches.by_host == frozenset()
    kept_jobs.clear()
    click(page, "Measure again")
    settle(page, qtbot)
    assert [(each.source, each.target) for each in kept_jobs] == [THERE]


def test_a_report_of_it_is_saved(open_matrix: OpenMatrix, qtbot: QtBot, tmp_path: Path) -> None:
    page, path = open_matrix("wrong:0>1"), tmp_path / "wrong.txt"
    measure_all(page, qtbot, "came as zeros")
    click(page, "Save a report")
    [dialog] = page.findChildren(QFileDialog)
    dialog.fileSelected.emit(str(path))
    dialog.reject()
    QApplication.sendPostedEvents(dialog, QEvent.Type.DeferredDelete)
    qtbot.waitUntil(lambda: the(PlotNote, page).accessibleName() == f"Saved to {path}.")
    report = path.read_text("utf-8")
    for words in (
        "SIMULATED",
        "Card 0 to card 1 (cuda:0, cuda:1), 256 MiB (268435456 bytes), one-way: It arrives",
        "In 3 of 7 rounds",
        "staged: not wrong, 8.60 GB/s",
        "Card 1 to card 0 (cuda:1, cuda:0), 256 MiB (268435456 bytes), one-way: not wrong",
        "iommu=pt",
    ):
        assert words in report


def test_keys_go_from_cell_to_cell_and_to_measuring_just_this_one(
    open_matrix: OpenMatrix, qtbot: QtBot, kept_jobs: list[CopyJob]
) -> None:
    page = open_matrix()
    measured = maps(page)[0]
    measured.setFocus(Qt.FocusReason.TabFocusReason)
    assert chosen_in(measured) == HOST_TO_0
    press(measured, Qt.Key.Key_Down)
    press(measured, Qt.Key.Key_Right)
    press(measured, Qt.Key.Key_Right)
    assert chosen_in(measured) == THERE
    assert "Card 0 to card 1" in texts(page)
    press(measured, Qt.Key.Key_Left)
    press(measured, Qt.Key.Key_Return)
    focused = QApplication.focusWidget()
    assert focused is not None
    assert focused.accessibleName() == "Measure this one"
    press(focused, Qt.Key.Key_Space)
    settle(page, qtbot)
    assert [(each.source, each.target) for each in kept_jobs] == [("cuda:0", "cuda:0")]
    qtbot.waitUntil(lambda: "Median: 295 GB/s" in facts(page))
    press(measured, Qt.Key.Key_Escape)
    assert "One pair" in texts(page)
    assert any("Click a cell" in each for each in texts(page))


def test_a_click_in_one_map_chooses_in_both_and_ratios_are_other_figures(
    open_matrix: OpenMatrix, qtbot: QtBot
) -> None:
    page = open_matrix()
    measure_all(page, qtbot)
    for each in maps(page):
        for pair, title in ((THERE[::-1], "Card 1 to card 0"), (THERE, "Card 0 to card 1")):
            choose_cell(each, pair)
            assert title in texts(page)
    before = maps(page)[1].grab().toImage()
    choose(page, "Ratio")
    assert "% of it measured" in texts(page)
    assert maps(page)[1].grab().toImage() != before
    assert "Way: NVLink x2" in facts(page)
    assert "Of the limit: 92 %" in facts(page)
    before = maps(page)[0].grab().toImage()
    pointed = place_of(maps(page)[0], ("cuda:1", "cuda:0")).center()
    QTest.mouseMove(maps(page)[0].viewport(), pointed + QPoint(1, 1))
    qtbot.waitUntil(lambda: maps(page)[0].grab().toImage() != before)
