"""What a card costs, on the page of the datasheet: typed in, computed, remembered and saved."""

import csv
import io
import json

import pytest
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLineEdit
from pytestqt.qtbot import QtBot

from gpuexplorer.gui.copies.datasheet.costs_panel import CostsPanel
from gpuexplorer.gui.copies.datasheet.view import DatasheetPage
from gpuexplorer.gui.copies.results_saving import ResultsSaving
from gpuexplorer.gui.tables.table import Table
from tests.gui.copies.datasheet_pages import Open, asked, measured
from tests.gui.hands import texts, the

pytestmark = pytest.mark.qt_log_ignore("propagateSizeHints", r"raise\(\)")


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
    rows = [
        [str(model.index(row, column).data() or "") for column in range(3)]
        for row in range(model.rowCount())
    ]
    return {what: (value, source) for what, value, source in rows}


def test_without_a_price_the_page_says_what_to_type_in(open_datasheet: Open) -> None:
    page = open_datasheet()
    assert lines(page)["1 GB/s of memory bandwidth"] == ("–", "type in the price of the card")


def test_of_two_mistakes_in_a_row_each_names_its_field(open_datasheet: Open) -> None:
    page = open_datasheet()
    type_in(page, "Rent per hour", "cheap")
    alone = "“cheap” is not a number. Write it as 1234.5."
    assert alone in texts(page)
    type_in(page, "Electricity per kWh", "-1")
    both = f"Rent per hour: {alone}\nElectricity per kWh: This cannot be less than 0."
    assert both in texts(page)
    assert field(page, "Rent per hour").accessibleDescription() == alone


def test_a_price_gives_its_share_of_what_is_promised_then_of_what_was_reached(
    open_datasheet: Open, qtbot: QtBot
) -> None:
    page = open_datasheet()
    asked(page, qtbot)
    type_in(page, "Currency", "€")
    type_in(page, "Price of the card", "2500")
    assert lines(page)["1 GB/s of memory bandwidth"] == (
        "3.72 €",
        "672 GB/s, promised by the card",
    )
    measured(page, qtbot)
    assert lines(page)["1 GB/s of memory bandwidth"] == ("4.24 €", "590 GB/s, modelled")


def test_a_training_and_buying_against_renting_follow_from_hours_and_prices(
    open_datasheet: Open, qtbot: QtBot
) -> None:
    page = open_datasheet()
    asked(page, qtbot)
    for name, text in (
        ("Currency", "$"),
        ("Price of the card", "2500"),
        ("Rent per hour", "0,50"),
        ("Electricity per kWh", "0.30"),
        ("Hours a day", "8"),
        ("Hours of a training", "100"),
    ):
        type_in(page, name, text)
    told = lines(page)
    assert told["Electricity of a training"] == (
        "8.40 $",
        "100 h at 280 W, the board's limit, for 0.3 $ per kWh",
    )
    assert told["A training on a rented card"] == ("50 $", "100 h at 0.5 $ an hour")
    assert told["Buying is cheaper after"][0] == "6010 h"
    assert told["In days of use"] == ("751 d", "8 h a day; that is 2.06 years")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("-1", "This cannot be less than 0."),
        ("cheap", "“cheap” is not a number. Write it as 1234.5."),
        ("1e308", "This is more than 1000000000 and cannot be right."),
    ],
)
def test_what_cannot_be_a_price_is_said_at_its_field_and_gives_no_number(
    open_datasheet: Open, text: str, sentence: str
) -> None:
    page = open_datasheet()
    type_in(page, "Price of the card", text)
    assert sentence in texts(page)
    assert field(page, "Price of the card").accessibleDescription() == sentence
    assert lines(page)["1 TFLOP/s in FP32"][0] == "–"
    type_in(page, "Price of the card", "10")
    assert sentence not in texts(page)


def test_what_was_typed_in_is_there_again_when_the_page_is_opened_again(
    open_datasheet: Open,
) -> None:
    first = open_datasheet()
    type_in(first, "Price of the card", "2500")
    again = open_datasheet()
    assert field(again, "Price of the card").text() == "2500"


def test_files_say_which_figures_a_person_typed_in(open_datasheet: Open, qtbot: QtBot) -> None:
    page = open_datasheet()
    asked(page, qtbot)
    saving = the(ResultsSaving, page)
    assert "costs" not in json.loads(saving.json())
    type_in(page, "Currency", "€")
    type_in(page, "Price of the card", "2500")
    costs = json.loads(saving.json())["costs"]
    assert costs["source"] == "typed in by a person"
    assert costs["typed_in"] == {"price of the card": 2500.0}
    assert costs["computed"][0]["source"] == "672 GB/s, promised by the card"
    rows = list(csv.DictReader(io.StringIO(saving.csv())))
    [price] = [row for row in rows if row["title"] == "price of the card"]
    assert (price["cost"], price["cost_source"]) == ("2500.0", "typed in by a person")
