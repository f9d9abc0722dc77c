"""Other cards beside the datasheet: a table to look through, and bars on one scale."""

import pytest
from PySide6.QtCore import QAbstractItemModel, Qt
from PySide6.QtTest import QAbstractItemModelTester, QTest
from PySide6.QtWidgets import QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from gpuexplorer.gui.copies.datasheet.beside_panel import OtherName
from gpuexplorer.gui.copies.datasheet.offers_panel import OffersTable
from gpuexplorer.gui.copies.datasheet.sheet_panel import SheetTable
from gpuexplorer.gui.tables.table import Table
from gpuexplorer.gui.widgets.controls.buttons import ToolButton
from gpuexplorer.gui.widgets.controls.fields import SearchField
from gpuexplorer.gui.widgets.saving import PlotNote
from tests.gui.copies.datasheet_pages import (
    B200,
    RTX_4090,
    TITAN,
    Open,
    beside,
    column,
    names_beside,
    others,
    run,
)
from tests.gui.hands import press, texts, the

pytestmark = pytest.mark.qt_log_ignore("propagateSizeHints", r"raise\(\)")


def test_the_machine_s_cards_are_marked_in_the_table(open_datasheet: Open) -> None:
    page = open_datasheet()
    names, here = column(page, 1), column(page, 2)
    assert here[names.index(TITAN)] == "0 1"
    assert here[names.index(RTX_4090)] == ""
    assert f"{len(names)} cards" in texts(page)


def test_the_table_is_sorted_and_searched(open_datasheet: Open, qtbot: QtBot) -> None:
    page = open_datasheet()
    table = the(OffersTable, page)
    table.columns.sort_by("memory", falling=False)
    sizes = [float(each) for each in column(page, 4) if each != "–"]
    assert sizes == sorted(sizes)
    for falling in (True, False):
        table.columns.sort_by("bf16", falling=falling)
        assert column(page, 7)[-1] == "–"  # what is not known comes last
    table.columns.sort_by("here", falling=False)
    assert column(page, 2)[0] == "0 1"
    run(page, "Find a card to compare with")
    search = the(SearchField, page)
    qtbot.waitUntil(search.hasFocus)
    assert page.start_search()
    QTest.keyClicks(search, "4090")
    assert column(page, 1) == [RTX_4090]
    QTest.keyClicks(search, " nothing")
    assert "No card has these words. Escape shows all." in texts(page)
    press(search, Qt.Key.Key_Escape)
    assert len(column(page, 1)) > 50


def test_cards_are_laid_beside_by_keyboard_and_taken_away(
    open_datasheet: Open, qtbot: QtBot
) -> None:
    page = open_datasheet()
    table = the(OffersTable, page)
    table.pick(RTX_4090)
    press(table, Qt.Key.Key_Space)
    table.pick(B200)
    press(table, Qt.Key.Key_Return)
    assert others(page) == [RTX_4090, B200]
    assert "Memory bandwidth in GB/s: 0 672, A 1008, B 8000" in beside(page)
    assert column(page, 0)[column(page, 1).index(B200)] == "B"
    press(table, Qt.Key.Key_Space)
    assert others(page) == [RTX_4090]
    qtbot.waitUntil(lambda: len(names_beside(page)) == 1)
    (name,) = names_beside(page)
    assert name.accessibleName() == f"A: {RTX_4090}. Take away"
    press(name, Qt.Key.Key_Space)
    assert others(page) == []


def test_the_mouse_does_the_same(open_datasheet: Open, qtbot: QtBot) -> None:
    page = open_datasheet()
    table = the(OffersTable, page)
    first = table.visualRect(table.model().index(0, 0)).center()
    QTest.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=first)
    name = column(page, 1)[0]
    assert others(page) == [name]
    button = next(
        each
        for each in page.findChildren(ToolButton)
        if each.isVisible() and each.text() == "Take away"
    )
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    assert others(page) == []


def test_the_tab_key_goes_from_the_card_over_those_beside_it_to_the_table(
    open_datasheet: Open, qtbot: QtBot
) -> None:
    page = open_datasheet()
    page.turn(RTX_4090)
    qtbot.waitUntil(lambda: len(names_beside(page)) == 1)
    page.activateWindow()
    here: QWidget = the(SheetTable, page)
    here.setFocus()
    passed = []
    for _ in range(10):
        press(here, Qt.Key.Key_Tab)
        focused = page.focusWidget()
        assert focused is not None
        here = focused
        passed.append(type(here))
    costs = [*[QLineEdit] * 6, Table]
    assert passed == [OtherName, *costs, SearchField, OffersTable]


def test_more_than_three_are_refused_in_a_sentence(open_datasheet: Open) -> None:
    page = open_datasheet()
    names = column(page, 1)[:4]
    for name in names:
        page.turn(name)
    assert others(page) == names[:3]
    note = the(PlotNote, page)
    assert note.accessibleName() == (
        "Three cards are compared with it already. Take one away first."
    )
    run(page, "Take all other cards away")
    assert others(page) == []


def test_what_lies_beside_is_remembered(open_datasheet: Open) -> None:
    page = open_datasheet()
    page.turn(RTX_4090)
    again = open_datasheet()
    assert others(again) == [RTX_4090]
    assert "A 1008" in beside(again)


def test_the_table_s_model_is_sound(open_datasheet: Open) -> None:
    page = open_datasheet()
    model = the(OffersTable, page).model()
    assert isinstance(model, QAbstractItemModel)
    QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    page.turn(RTX_4090)
    the(SearchField, page).setText("rtx")
    the(SearchField, page).clear()
