"""Other cards beside the datasheet, chosen from a table that can be searched."""

import pytest
from PySide6.QtCore import QAbstractItemModel, QPoint, Qt
from PySide6.QtTest import QAbstractItemModelTester, QTest
from PySide6.QtWidgets import QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from gpuexplorer.gui.copies.datasheet_page import DatasheetPage, OffersTable, SheetTable
from gpuexplorer.gui.tables.table import Table
from gpuexplorer.gui.widgets.controls.buttons import ToolButton
from gpuexplorer.gui.widgets.controls.fields import SearchField
from gpuexplorer.gui.widgets.saving import PlotNote
from tests.gui.copies.datasheet_pages import (
    B200,
    RTX_4090,
    TITAN,
    Open,
    about,
    offered,
    run,
    said,
    told,
)
from tests.gui.hands import press, texts, the

pytestmark = pytest.mark.qt_log_ignore("propagateSizeHints", r"raise\(\)")


def tool(page: DatasheetPage, name: str) -> ToolButton:
    tools = [each for each in page.findChildren(ToolButton) if each.isVisible()]
    return next(each for each in tools if each.accessibleName() == name)


def test_the_table_marks_the_machine_s_cards_is_sorted_and_searched(
    open_datasheet: Open, qtbot: QtBot
) -> None:
    page = open_datasheet()
    names, table = offered(page, 1), the(OffersTable, page)
    assert offered(page, 2)[names.index(TITAN)] == "0 1"
    assert f"{len(names)} cards" in texts(page)
    table.columns.sort_by("memory", falling=False)
    sizes = [float(each) for each in offered(page, 4) if each != "–"]
    assert sizes == sorted(sizes)
    for falling in (True, False):
        table.columns.sort_by("bf16", falling=falling)
        assert offered(page, 7)[-1] == "–"  # what is not known comes last
    assert about(table.model(), len(names) - 1, 7)
    table.columns.sort_by("here", falling=False)
    assert offered(page, 2)[0] == "0 1"
    search = the(SearchField, page)
    run(page, "Find a card to compare with")
    qtbot.waitUntil(search.hasFocus)
    assert page.start_search()
    QTest.keyClicks(search, "4090 2022")
    assert offered(page, 1) == [RTX_4090]
    QTest.keyClicks(search, " nothing")
    assert "No card has these words. Escape shows all." in texts(page)
    press(search, Qt.Key.Key_Escape)
    assert len(offered(page, 1)) == len(names)


def test_cards_are_laid_beside_by_keyboard_and_taken_away(open_datasheet: Open) -> None:
    page = open_datasheet()
    table = the(OffersTable, page)
    for name, key in ((RTX_4090, Qt.Key.Key_Space), (B200, Qt.Key.Key_Return)):
        table.pick(name)
        press(table, key)
    assert told(page)["Memory bandwidth"] == (
        "promised 672 GB/s, not measured yet, A 1008 GB/s, B 8000 GB/s"
    )
    assert said(the(SheetTable, page).model(), 0, 7) == "8000"
    assert about(the(SheetTable, page).model(), 3, 6) == "this card has none"
    assert offered(page, 0)[offered(page, 1).index(B200)] == "B"
    press(table, Qt.Key.Key_Space)
    name = tool(page, f"A: {RTX_4090}. Take away")
    assert name.text() == "A  RTX 4090  24.0 GiB"
    press(name, Qt.Key.Key_Space)
    assert page.others == []


@pytest.mark.parametrize("place", [QPoint(10, 14), QPoint(60, 14)], ids=["click", "double"])
def test_the_mouse_does_the_same(open_datasheet: Open, place: QPoint) -> None:
    page = open_datasheet()
    viewport, left = the(OffersTable, page).viewport(), Qt.MouseButton.LeftButton
    QTest.mouseClick(viewport, left, pos=place)
    if place.x() > 34:
        QTest.mouseDClick(viewport, left, pos=place)
    assert page.others == offered(page, 1)[:1]
    QTest.mouseClick(tool(page, "Take away"), left)
    assert page.others == []


def test_the_tab_key_goes_from_the_card_over_those_beside_it_to_the_table(
    open_datasheet: Open,
) -> None:
    page = open_datasheet()
    page.turn(RTX_4090)
    page.activateWindow()
    here: QWidget = the(SheetTable, page)
    here.setFocus()
    passed = []
    for _ in range(9):
        press(here, Qt.Key.Key_Tab)
        focused = page.focusWidget()
        assert focused is not None
        here = focused
        passed.append(type(here))
    assert passed == [ToolButton, *[QLineEdit] * 5, Table, SearchField, OffersTable]


def test_more_than_three_are_refused_and_those_that_lie_beside_are_remembered(
    open_datasheet: Open,
) -> None:
    page = open_datasheet()
    names = offered(page, 1)[:4]
    for name in names:
        page.turn(name)
    assert the(PlotNote, page).accessibleName() == (
        "Three cards are compared with it already. Take one away first."
    )
    again = open_datasheet()
    assert again.others == names[:3]
    run(again, "Take all other cards away")
    assert again.others == []


@pytest.mark.parametrize("kind", [OffersTable, SheetTable])
def test_the_tables_models_are_sound(open_datasheet: Open, kind: type[QWidget]) -> None:
    page = open_datasheet()
    model = the(kind, page).model()  # type: ignore[attr-defined]
    assert isinstance(model, QAbstractItemModel)
    QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    page.turn(RTX_4090)
    the(SearchField, page).setText("rtx")
