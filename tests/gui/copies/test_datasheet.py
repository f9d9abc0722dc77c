"""The datasheet: what a card promises and reached, other cards beside it, and what it costs."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QAbstractItemModel, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QPushButton, QToolTip, QWidget
from pytestqt.qtbot import QtBot

from gpuexplorer.copies.datasheet.cards_table import Figure, Origin, What
from gpuexplorer.copies.datasheet.sheet import Row, Sheet
from gpuexplorer.copies.modelled import ModelBench
from gpuexplorer.core.words import Message
from gpuexplorer.gui.copies.copies_page import ResultsSaving
from gpuexplorer.gui.copies.datasheet_facts import all_of, below, sentences_of
from gpuexplorer.gui.copies.datasheet_facts import said as row_said
from gpuexplorer.gui.copies.datasheet_page import (
    CostsPanel,
    DatasheetPage,
    OffersPanel,
    SheetTable,
)
from gpuexplorer.gui.state.copies.copies_state import CopiesState
from gpuexplorer.gui.state.copies.ways import Ways
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.gui.tables.table import Table
from gpuexplorer.gui.widgets.controls.fields import SearchField
from gpuexplorer.gui.widgets.saving import CSV, JSON, PNG
from gpuexplorer.simulation.faults import parse_faults
from gpuexplorer.simulation.specs import parse_machine
from tests.gui.hands import press, texts, the

TITAN, RTX_4090, B200 = "NVIDIA TITAN RTX", "GeForce RTX 4090", "NVIDIA B200"
Open = Callable[..., DatasheetPage]


@pytest.fixture
def open_datasheet(lab: Lab, qtbot: QtBot) -> Iterator[Open]:
    made: list[DatasheetPage] = []

    def open_one(faults: str = "", pace: float = 0.0, width: int = 1360) -> DatasheetPage:
        spec, ordered = parse_machine("2xTitanRTX"), parse_faults(faults, 2)
        ways = Ways(lab.machine, lab.cards, lab)
        copies = CopiesState(lab, ways, lambda: ModelBench(spec, ordered, pace=pace), lab)
        ways.look()
        qtbot.waitUntil(lambda: ways.routes is not None)
        page = DatasheetPage(copies)
        made.append(page)
        qtbot.addWidget(page)
        page.resize(width, 860)
        with qtbot.waitExposed(page):
            page.show()
        # The card tells what it can do.
        qtbot.waitUntil(lambda: "Promised: 672 GB/s" in told(page)["Memory bandwidth"])
        return page

    yield open_one
    for each in made:
        each.stop()
        each.copies.end()


def measure_button(page: DatasheetPage) -> QPushButton:
    found = page.tools[1]
    assert isinstance(found, QPushButton)
    return found


def measured(page: DatasheetPage, qtbot: QtBot) -> None:
    measure_button(page).click()
    qtbot.waitUntil(lambda: not page.copies.running and len(page.copies.products) >= 2)
    qtbot.waitUntil(lambda: measure_button(page).text() == "Measure again")


def told(page: DatasheetPage) -> dict[str, str]:
    """What each row says, by its name."""
    page.pull()
    model, spoken = the(SheetTable, page).model(), Qt.ItemDataRole.AccessibleTextRole
    rows = (str(model.index(row, 0).data(spoken)) for row in range(model.rowCount()))
    return dict(row.split(": ", 1) for row in rows)


def said(model: QAbstractItemModel, row: int, column: int) -> str:
    return str(model.index(row, column).data() or "")


def about(model: QAbstractItemModel, row: int, column: int) -> str:
    role = Qt.ItemDataRole.AccessibleDescriptionRole
    return str(model.index(row, column).data(role))


def offered(page: DatasheetPage, at: int) -> list[str]:
    model = the(Table, the(OffersPanel, page)).model()
    return [said(model, row, at) for row in range(model.rowCount())]


def run(page: DatasheetPage, words: str) -> None:
    """As from the list of all commands."""
    next(command for said, _, command in page.commands() if said == words)()


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


UNKNOWN = Figure.missing("nobody tells")
NARROW = Message("cuda:0 runs at x8: the card could do x16.")


def row(
    what: What, promised: float | None = None, reached: float | None = None, watts: float = 0.0
) -> Row:
    promise = Figure(promised, "its maker", origin=Origin.TABLE) if promised else UNKNOWN
    found = Figure(reached, "median of 7") if reached else Figure.missing("it failed")
    drawn = Figure(watts, "mean of 12") if watts else Figure.missing("nothing was read")
    return Row(what, Message(what.words), promise, found, drawn)


def concluded(*rows: Row, called: str = "Card 0", note: str = "") -> list[str]:
    whole = {what: row(what) for what in What} | {each.what: each for each in rows}
    sheet = Sheet("cuda:0", "NVIDIA TITAN RTX", simulated=False, rows=(*whole.values(),))
    return [*sentences_of(sheet, {}, called, note)]


def test_a_row_says_both_figures_its_source_and_its_watts() -> None:
    found = row(What.MEMORY, 672e9, 611.5e9, 210)
    assert row_said(found, {}).startswith("Memory bandwidth: Bytes read and written")
    assert below(found) == "table: its maker"
    assert "Promised: 672 GB/s (table: its maker).\nReached: 612 GB/s (m" in all_of(found)
    assert "Drawing 210 W, mean of 12." in all_of(found)


def test_a_figure_that_nobody_promises_or_reached_has_a_reason() -> None:
    found = row(What.FP32, None, 85e9)
    assert "Nothing is promised: nobody tells.\nReached: 85.0 GFLOP/s" in all_of(found)
    assert below(found) == "no promise: nobody tells"
    lost = row(What.BF16, 1e14)
    assert below(lost) == "it failed"
    assert "Not reached: it failed." in all_of(lost)


def test_sentences_follow_from_the_figures() -> None:
    rows = (
        row(What.MEMORY, 672e9, 611.5e9),
        row(What.TO_CARD, 31.5e9, 13.1e9),
        row(What.FROM_CARD, 31.5e9, 13.2e9),
        row(What.FP32, 16e12, 12e12, 270),
        row(What.BF16, 120e12, 90e12, 280),
    )
    assert concluded(*rows, note=NARROW) == [
        "Card 0 reaches 91 % of its memory bandwidth.",
        f"{NARROW} The host link carries 13.1 of 31.5 GB/s one way.",
        "Products in BF16 are 7.5 times as fast as in FP32, at 280 against 270 W.",
    ]
    own = row(What.MEMORY, None, 20e9)
    assert concluded(own, called="The host") == ["The host moves 20.0 GB/s in its own memory."]


def test_a_card_before_ampere_is_as_quick_as_its_fp16() -> None:
    single, brain = row(What.FP32, 16e12, 14e12, 263), row(What.BF16, None, 7e12, 280)
    assert concluded(single, row(What.FP16, 130e12, 103e12, 280), brain) == [
        "Products in FP16 are 7.4 times as fast as in FP32, at 280 against 263 W."
    ]
    assert concluded(single, row(What.FP16, 130e12), brain) == []


@pytest.mark.parametrize(
    ("there", "back", "sentence"),
    [
        (26e9, 25e9, "The host link carries 26.0 of 31.5 GB/s one way."),
        (26e9, 13e9, "The host link is slower from the card: 13.0 of 31.5 GB/s, against 26.0"),
        (13e9, 26e9, "The host link is slower to the card: 13.0 of 31.5 GB/s, against 26.0"),
        (9e9, 9e9, "The host link carries only 9.00 of 31.5 GB/s one way."),
    ],
)
def test_the_host_link_is_told_as_it_is(there: float, back: float, sentence: str) -> None:
    [found] = concluded(row(What.TO_CARD, 31.5e9, there), row(What.FROM_CARD, 31.5e9, back))
    assert found.startswith(sentence)
