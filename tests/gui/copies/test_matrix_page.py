"""The page of the matrix: measured, chosen, told, laid beside nvbandwidth, saved."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QCheckBox, QWidget
from pytestqt.qtbot import QtBot

from gpuexplorer.gui.copies.matrix.findings_panel import FindingsPanel
from gpuexplorer.gui.copies.matrix.view import MatrixPage
from gpuexplorer.gui.copies.matrix.way_line import WayLine
from gpuexplorer.gui.state.copies.copies_state import CopiesState
from gpuexplorer.gui.state.copies.ways import Ways
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Scheme
from gpuexplorer.gui.widgets.saving import PlotNote
from gpuexplorer.lab.wire import CopyJob
from tests.gui.copies.matrix_pages import (
    HOST_TO_0,
    THERE,
    OpenMatrix,
    all_button,
    answer,
    choose,
    colours,
    facts,
    maps,
    measure_all,
    settle,
    told,
    wait_for,
)
from tests.gui.hands import click, press, texts, the

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")


def test_what_was_not_measured_after_all_has_no_time(lab: Lab, qtbot: QtBot) -> None:
    copies = CopiesState(lab, Ways(lab.machine, lab.cards, lab), lambda: None, lab)
    page = MatrixPage(copies)
    qtbot.addWidget(page)
    with qtbot.waitExposed(page):
        page.show()
    page.measure()
    assert copies.running
    copies.stop()
    page.pull()
    assert "Measured" in texts(page)
    assert not [text for text in texts(page) if text.startswith("Measured ")]
    copies.end()


def test_what_was_measured_is_there_in_both_themes(
    open_matrix: OpenMatrix, qtbot: QtBot
) -> None:
    page = open_matrix()
    measure_all(page, qtbot)
    for scheme in (Scheme.DARK, Scheme.LIGHT):
        look().choose(scheme)
        for each in maps(page):
            assert len(colours(each)) > 12


def test_the_wrong_copy_alone_is_measured_again(
    open_matrix: OpenMatrix, qtbot: QtBot, kept_jobs: list[CopyJob]
) -> None:
    page = open_matrix("wrong:0>1")
    measure_all(page, qtbot)
    wait_for(page, qtbot, "came as zeros")
    kept_jobs.clear()
    click(page, "Measure again")
    settle(page, qtbot)
    assert [(each.source, each.target) for each in kept_jobs] == [THERE]


def test_the_lab_is_told_to_go_through_the_host_and_back(
    open_matrix: OpenMatrix, qtbot: QtBot, lab: Lab
) -> None:
    page = open_matrix("wrong:0>1")
    measure_all(page, qtbot)
    wait_for(page, qtbot, "came as zeros")
    click(page, "In the lab, through the host")
    assert lab.switches.by_host == {THERE}
    click(page, "In the lab, directly again")
    assert lab.switches.by_host == frozenset()


def test_its_head_leads_to_its_cell(open_matrix: OpenMatrix, qtbot: QtBot) -> None:
    page = open_matrix("wrong:0>1")
    measure_all(page, qtbot)
    wait_for(page, qtbot, "came as zeros")
    [head] = [
        each for each in page.findChildren(QWidget) if "Arrives WRONG" in each.accessibleName()
    ]
    assert head.accessibleName() == "1: card 0 to card 1: Arrives WRONG"
    head.setFocus(Qt.FocusReason.TabFocusReason)
    press(head, Qt.Key.Key_Space)
    assert "Card 0 to card 1" in texts(page)
    assert any("A wrong copy has no rate" in each for each in texts(page))


def test_a_report_of_it_is_saved(open_matrix: OpenMatrix, qtbot: QtBot, tmp_path: Path) -> None:
    page = open_matrix("wrong:0>1")
    measure_all(page, qtbot)
    wait_for(page, qtbot, "came as zeros")
    click(page, "Save a report")
    answer(page, tmp_path / "wrong.txt")
    note = the(PlotNote, page)
    qtbot.waitUntil(lambda: note.accessibleName() == f"Saved to {tmp_path / 'wrong.txt'}.")
    report = (tmp_path / "wrong.txt").read_text("utf-8")
    assert "SIMULATED" in report
    assert "Card 0 to card 1" in report


def test_arrow_keys_go_from_cell_to_cell(open_matrix: OpenMatrix, qtbot: QtBot) -> None:
    page = open_matrix()
    measured = maps(page)[0]
    measured.setFocus(Qt.FocusReason.TabFocusReason)
    assert measured.current_pair() == HOST_TO_0
    press(measured, Qt.Key.Key_Down)
    press(measured, Qt.Key.Key_Right)
    assert measured.current_pair() == THERE
    assert "Card 0 to card 1" in texts(page)
    press(measured, Qt.Key.Key_Right)
    assert measured.current_pair() == THERE
    press(measured, Qt.Key.Key_Home, control=True)
    assert measured.current_pair() == ("cpu", "cpu")
    assert "Inside the host" in texts(page)


def test_enter_leads_to_measuring_just_this_one(
    open_matrix: OpenMatrix, qtbot: QtBot, kept_jobs: list[CopyJob]
) -> None:
    page = open_matrix()
    measured = maps(page)[0]
    measured.setFocus(Qt.FocusReason.TabFocusReason)
    press(measured, Qt.Key.Key_Down)
    press(measured, Qt.Key.Key_Return)
    focused = QApplication.focusWidget()
    assert focused is not None
    assert focused.accessibleName() == "Measure this one"
    press(focused, Qt.Key.Key_Space)
    settle(page, qtbot)
    assert [(each.source, each.target) for each in kept_jobs] == [("cuda:0", "cuda:0")]
    qtbot.waitUntil(lambda: "Median: 295 GB/s" in facts(page))


def test_escape_chooses_nothing(open_matrix: OpenMatrix, qtbot: QtBot) -> None:
    page = open_matrix()
    measured = maps(page)[0]
    measured.setFocus(Qt.FocusReason.TabFocusReason)
    press(measured, Qt.Key.Key_Escape)
    assert "One pair" in texts(page)
    assert any("Click a cell" in each for each in texts(page))


def test_a_click_in_one_map_chooses_in_both(open_matrix: OpenMatrix, qtbot: QtBot) -> None:
    page = open_matrix()
    measure_all(page, qtbot)
    for each in maps(page):
        for pair, title in ((("cuda:1", "cuda:0"), "Card 1 to card 0"), (THERE, "Card 0")):
            place = each.place_of(pair).center()
            QTest.mouseClick(each.viewport(), Qt.MouseButton.LeftButton, pos=place)
            assert any(title in label for label in texts(page))
    assert "Way: NVLink x2" in facts(page)
    assert "Of the limit: 92 %" in facts(page)


def test_the_way_of_the_bytes_is_drawn(open_matrix: OpenMatrix, qtbot: QtBot) -> None:
    page = open_matrix()
    line = the(WayLine, page)
    assert line.isVisible()
    assert "by PCIe 3.0 x16 (15.8 GB/s one way) to card 0" in line.accessibleDescription()
    assert len(colours(line)) > 3
    press(maps(page)[0], Qt.Key.Key_Left)
    assert not line.isVisible()


def test_readers_of_screens_find_every_cell(open_matrix: OpenMatrix, qtbot: QtBot) -> None:
    page = open_matrix("wrong:0>1")
    measure_all(page, qtbot)
    wait_for(page, qtbot, "came as zeros")
    whole = QAccessible.queryAccessibleInterface(maps(page)[0])
    cells = [whole.child(at) for at in range(whole.childCount())]
    said = {
        each.text(QAccessible.Text.Name): each.text(QAccessible.Text.Description)
        for each in cells
        if each.role() is QAccessible.Role.Cell
    }
    assert len(said) == 9
    assert "arrives WRONG" in said["Card 0 to card 1"]
    assert said["Host to card 1"].startswith("12.3 GB/s")


def test_latency_is_another_question(open_matrix: OpenMatrix, qtbot: QtBot) -> None:
    page = open_matrix()
    choose(page, "Latency")
    assert told(page, HOST_TO_0) == "Not measured yet."
    QTest.mouseClick(all_button(page), Qt.MouseButton.LeftButton)
    settle(page, qtbot)
    qtbot.waitUntil(lambda: told(page, HOST_TO_0) == "10.0 µs")
    qtbot.waitUntil(lambda: any("µs for 16 bytes" in each for each in texts(page)))
    choose(page, "One way")
    assert told(page, HOST_TO_0) == "Not measured yet."


def test_staged_is_asked_between_cards_only(
    open_matrix: OpenMatrix, qtbot: QtBot, kept_jobs: list[CopyJob]
) -> None:
    page = open_matrix()
    choose(page, "Staged")
    assert "can be staged" in told(page, HOST_TO_0)
    QTest.mouseClick(all_button(page), Qt.MouseButton.LeftButton)
    settle(page, qtbot)
    assert {each.mode for each in kept_jobs} == {"staged"}
    qtbot.waitUntil(lambda: "staged through host memory" in told(page, THERE).lower())


def test_memory_that_is_not_pinned_is_told_to_be_dear(
    open_matrix: OpenMatrix, qtbot: QtBot
) -> None:
    page = open_matrix()
    measure_all(page, qtbot)
    switch = the(QCheckBox, page)
    assert switch.accessibleName() == "Pinned host memory"
    switch.click()
    assert told(page, HOST_TO_0) == "Not measured yet."
    assert "45.9 GB/s" in told(page, THERE)
    measure_all(page, qtbot)
    assert "6.00 GB/s" in told(page, HOST_TO_0)
    wait_for(page, qtbot, "where pinned memory reaches")


def test_ratios_are_shares_of_what_is_promised(open_matrix: OpenMatrix, qtbot: QtBot) -> None:
    page = open_matrix()
    measure_all(page, qtbot)
    before = maps(page)[1].grab().toImage()
    choose(page, "Ratio")
    assert "% of it measured" in texts(page)
    assert maps(page)[1].grab().toImage() != before


def test_a_lost_card_is_a_sentence_and_no_figure(open_matrix: OpenMatrix, qtbot: QtBot) -> None:
    page = open_matrix("lost:1@0s")
    QTest.mouseClick(all_button(page), Qt.MouseButton.LeftButton)
    settle(page, qtbot)
    qtbot.waitUntil(lambda: "cuda:1 is lost" in told(page, THERE))
    page.pull()
    panel = the(FindingsPanel, page)
    qtbot.waitUntil(lambda: any("cuda:1 is lost" in each for each in texts(panel)))
