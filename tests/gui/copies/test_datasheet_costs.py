"""What a card costs, on the page of the datasheet: typed in, computed, remembered and saved."""

import csv
import io
import json

import pytest
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLineEdit
from pytestqt.qtbot import QtBot

from gpuexplorer.gui.copies.datasheet_page import CostsPanel, DatasheetPage
from gpuexplorer.gui.copies.results_saving import ResultsSaving
from gpuexplorer.gui.tables.table import Table
from tests.gui.copies.datasheet_pages import Open, measured, said
from tests.gui.hands import texts, the

pytestmark = pytest.mark.qt_log_ignore("propagateSizeHints", r"raise\(\)")
NO_NUMBER = "Write a number from 0 to 1000000000, such as 12.5."


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
    rows = [[said(model, row, column) for column in range(3)] for row in range(6)]
    return {what: (value, source) for what, value, source in rows}


def test_a_price_gives_its_share_of_what_is_promised_then_of_what_was_reached(
    open_datasheet: Open, qtbot: QtBot
) -> None:
    page, bandwidth = open_datasheet(), "1 GB/s of memory bandwidth"
    assert lines(page)[bandwidth] == ("–", "type in: Price of the card")
    type_in(page, "Currency", "€")
    type_in(page, "Price of the card", "2500")
    assert lines(page)[bandwidth] == ("3.72 €", "672 GB/s, promised by the card")
    measured(page, qtbot)
    assert lines(page)[bandwidth] == ("4.24 €", "590 GB/s, modelled")


def test_buying_against_renting_follows_from_hours_and_prices(open_datasheet: Open) -> None:
    page = open_datasheet()
    for name, text in (
        ("Currency", "$"),
        ("Price of the card", "2500"),
        ("Rent per hour", "0,50"),
        ("Electricity per kWh", "0.30"),
        ("Hours a day", "8"),
    ):
        type_in(page, name, text)
    told = lines(page)
    assert told["An hour's electricity"] == (
        "0.084 $",
        "1 kWh for 0.3 $, at 280 W, the board's limit",
    )
    assert told["Buying is cheaper after"][0] == "6010 h"
    assert told["In days of use"] == ("751 d", "8 h a day")


def test_what_cannot_be_a_price_is_said_at_its_field_and_gives_no_number(
    open_datasheet: Open,
) -> None:
    page = open_datasheet()
    type_in(page, "Price of the card", "cheap")
    assert NO_NUMBER in texts(page)
    assert field(page, "Price of the card").accessibleDescription() == NO_NUMBER
    assert lines(page)["1 TFLOP/s in FP32"][0] == "–"
    type_in(page, "Hours a day", "25")
    both = f"Price of the card: {NO_NUMBER}\nHours a day: {NO_NUMBER.replace(f'{10**9}', '24')}"
    assert both in texts(page)


def test_what_was_typed_in_is_in_the_files_and_there_again_on_the_next_day(
    open_datasheet: Open,
) -> None:
    page = open_datasheet()
    saving = the(ResultsSaving, page)
    assert "costs" not in json.loads(saving.json())
    type_in(page, "Price of the card", "2500")
    costs = json.loads(saving.json())["costs"]
    assert costs["source"] == "typed in by a person"
    assert costs["typed_in"] == {"price of the card": 2500.0}
    assert costs["computed"][0]["source"] == "672 GB/s, promised by the card"
    rows = list(csv.DictReader(io.StringIO(saving.csv())))
    [price] = [row for row in rows if row["title"] == "price of the card"]
    assert (price["cost"], price["cost_source"]) == ("2500.0", "typed in by a person")
    assert field(open_datasheet(), "Price of the card").text() == "2500"
