"""The page of the datasheet: what a card promises, what it reached here, other cards beside it,
and what it costs.
"""

import json
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QToolTip, QWidget
from pytestqt.qtbot import QtBot

from gpuexplorer.gui.copies.copies_page import ResultsSaving
from gpuexplorer.gui.copies.datasheet_page import (
    CostsPanel,
    DatasheetPage,
    OffersPanel,
    SheetTable,
)
from gpuexplorer.gui.tables.table import Table
from gpuexplorer.gui.widgets.controls.buttons import ToolButton
from gpuexplorer.gui.widgets.controls.fields import SearchField
from gpuexplorer.gui.widgets.saving import CSV, JSON, PNG
from tests.gui.copies.datasheet_pages import (
    B200,
    NOTHING,
    RTX_4090,
    TITAN,
    Open,
    about,
    measure_button,
    measured,
    offered,
    run,
    said,
    told,
)
from tests.gui.hands import press, texts, the

pytestmark = pytest.mark.qt_log_ignore("propagateSizeHints", r"raise\(\)")


def test_before_measuring_it_says_what_is_promised_and_by_whom(open_datasheet: Open) -> None:
    page = open_datasheet()
    assert len(told(page)) == 9
    assert told(page)["Memory bandwidth"].endswith("Not reached: not measured yet.")
    assert {NOTHING, f"{TITAN}, 24.0 GiB"} <= {*texts(page)}
    assert "modelled" not in texts(page)
    assert measure_button(page).text() == "Measure"


def test_the_row_that_is_measured_says_so_and_can_be_stopped(
    open_datasheet: Open, qtbot: QtBot
) -> None:
    page = open_datasheet(pace=30.0)
    page.measure()
    model = the(SheetTable, page).model()
    qtbot.waitUntil(lambda: "measuring" in [said(model, row, 2) for row in range(9)])
    assert not measure_button(page).isEnabled()
    page.copies.stop()
    qtbot.waitUntil(lambda: measure_button(page).isEnabled())
    assert NOTHING in texts(page)


def test_a_wrong_copy_has_no_figure(open_datasheet: Open, qtbot: QtBot) -> None:
    page = open_datasheet("wrong:0>1")
    measured(page, qtbot)
    peer = "Peer link, one way to card 1"
    assert "The result was WRONG, and has no figure." in told(page)[peer]
    assert f"{peer}: the result was WRONG, so it has no figure." in texts(page)
    assert said(the(SheetTable, page).model(), 3, 2) == "WRONG"


def test_a_card_that_is_lost_says_so_in_its_rows(open_datasheet: Open, qtbot: QtBot) -> None:
    page = open_datasheet("lost:0@0s")
    page.measure()
    qtbot.waitUntil(lambda: "cuda:0 is lost" in told(page)["FP32 products"])
    assert "Card 0 reaches" not in " ".join(texts(page))


def test_rows_are_reached_by_the_keyboard(open_datasheet: Open) -> None:
    page = open_datasheet()
    rows = the(SheetTable, page)
    rows.setFocus()
    before = rows.grab().toImage()
    for key in (Qt.Key.Key_Down, Qt.Key.Key_End, Qt.Key.Key_Up, Qt.Key.Key_Up):
        press(rows, key)
    assert rows.grab().toImage() != before
    assert QToolTip.text().startswith("Half precision, summed up")
    QToolTip.hideText()


def test_files_have_what_is_seen_and_say_that_it_is_modelled(
    open_datasheet: Open, qtbot: QtBot, tmp_path: Path
) -> None:
    page = open_datasheet()
    page.turn(RTX_4090)
    measured(page, qtbot)
    saving = the(ResultsSaving, page)
    for number, kind in enumerate((JSON, CSV, PNG), 1):
        with qtbot.waitSignal(saving.done):
            saving.save_as(kind, tmp_path / f"sheet.{number}")
    found = json.loads((tmp_path / "sheet.1").read_text("utf-8"))
    assert (found["simulated"], found["modelled"], found["card"]) == (True, True, TITAN)
    assert [card["name"] for card in found["beside"]] == [RTX_4090]
    lines = (tmp_path / "sheet.2").read_text("utf-8").splitlines()
    assert any("memory bandwidth" in line and TITAN in line for line in lines)
    assert any(RTX_4090 in line for line in lines)
    assert (tmp_path / "sheet.3").read_bytes().startswith(b"\x89PNG")
    run(page, "Copy datasheet as a table")
    assert QGuiApplication.clipboard().text().splitlines() == lines


def test_everything_has_a_name_for_readers_of_screens(open_datasheet: Open) -> None:
    page = open_datasheet(width=740)
    assert the(SheetTable, page).width() <= page.width()
    for each in page.findChildren(QWidget):
        if each.focusPolicy() & Qt.FocusPolicy.TabFocus and each.isVisible():
            assert each.accessibleName(), type(each).__name__


def tool(page: DatasheetPage, name: str) -> ToolButton:
    tools = [each for each in page.findChildren(ToolButton) if each.isVisible()]
    return next(each for each in tools if each.accessibleName() == name)


def test_the_table_marks_the_machine_s_cards_is_sorted_and_searched(
    open_datasheet: Open, qtbot: QtBot
) -> None:
    page = open_datasheet()
    names, table = offered(page, 1), the(Table, the(OffersPanel, page))
    assert offered(page, 2)[names.index(TITAN)] == "0 1"
    assert f"{len(names)} of {len(names)} cards" in texts(page)
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
    table, sheet = the(Table, the(OffersPanel, page)), the(SheetTable, page).model()
    page.activateWindow()
    table.setFocus()
    for name, key in ((RTX_4090, Qt.Key.Key_Space), (B200, Qt.Key.Key_Return)):
        table.pick(name)
        press(table, key)
    assert [said(sheet, 0, column) for column in (6, 7)] == ["1008", "8000"]
    assert about(sheet, 3, 6) == "this card has none"
    assert offered(page, 0)[offered(page, 1).index(B200)] == "B"
    press(table, Qt.Key.Key_Space)
    lying = tool(page, f"A: {RTX_4090}. Take away")
    assert lying.text() == "A  RTX 4090  24.0 GiB"
    QTest.mouseClick(lying, Qt.MouseButton.LeftButton)
    assert page.others == []


@pytest.mark.parametrize("place", [QPoint(10, 14), QPoint(60, 14)], ids=["click", "double"])
def test_the_mouse_does_the_same(open_datasheet: Open, place: QPoint) -> None:
    page = open_datasheet()
    viewport, left = the(Table, the(OffersPanel, page)).viewport(), Qt.MouseButton.LeftButton
    QTest.mouseClick(viewport, left, pos=place)
    if place.x() > 34:
        QTest.mouseDClick(viewport, left, pos=place)
    assert page.others == offered(page, 1)[:1]
    QTest.mouseClick(tool(page, "Take away"), left)
    assert page.others == []


def field(page: DatasheetPage, name: str) -> QLineEdit:
    [found] = [each for each in page.findChildren(QLineEdit) if each.accessibleName() == name]
    return found


def type_in(page: DatasheetPage, name: str, text: str) -> None:
    """Pasted, as no key of every keyboard makes a €."""
    field(page, name).selectAll()
    QGuiApplication.clipboard().setText(text)
    field(page, name).paste()


def lines(page: DatasheetPage) -> dict[str, tuple[str, str]]:
    """What each line comes to, and from what."""
    model = the(Table, the(CostsPanel, page)).model()
    rows = [[said(model, row, column) for column in range(3)] for row in range(7)]
    return {what: (value, source) for what, value, source in rows}


def test_a_price_gives_its_share_of_what_is_promised_then_of_what_was_reached(
    open_datasheet: Open, qtbot: QtBot
) -> None:
    page, bandwidth = open_datasheet(), "1 GB/s of memory bandwidth"
    assert lines(page)[bandwidth] == ("–", "type in: Price of the card")
    type_in(page, "Currency", "€")
    type_in(page, "Hours a day", "25")
    wrong = "Write a number from 0 to 24, such as 12.5."
    assert wrong in texts(page)
    assert field(page, "Hours a day").accessibleDescription() == wrong
    type_in(page, "Price of the card", "2500")
    assert lines(page)[bandwidth] == ("3.72 €", "672 GB/s, promised by the card")
    measured(page, qtbot)
    assert lines(page)[bandwidth] == ("4.24 €", "590 GB/s, modelled")
