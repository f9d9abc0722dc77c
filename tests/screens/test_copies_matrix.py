"""The matrix: every pair is measured, told apart from what was promised, and WRONG is WRONG."""

import csv
import json
from pathlib import Path

import pytest

from tests.screens.at_the_bench import PATIENCE
from tests.screens.conftest import OpenProgram
from tests.screens.person import Person

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")
MEASURED = "Measured between every two devices"
PROMISED = "Promised between every two devices"


def open_matrix(
    open_program: OpenProgram, simulate: str = "2xTitanRTX", fault: str = ""
) -> Person:
    person = open_program(simulate, fault=fault, past=None, size=(1440, 900))
    person.patience = PATIENCE
    person.go_to("Copies")
    person.choose("Pages", "Matrix")
    person.sees(MEASURED)
    return person


def measures(person: Person) -> None:
    person.click("Measure all")
    person.waits(lambda: "Not measured yet." not in person.said(within=MEASURED))
    person.does_not_see("Stop | End it at once")


def cell(person: Person, name: str, within: str = MEASURED) -> str:
    return person.find(name, within=within).said


def test_before_it_is_measured_nothing_is_zero_and_what_is_promised_is_there(
    open_program: OpenProgram,
) -> None:
    person = open_matrix(open_program)
    person.sees("Nothing is measured yet.", "9 pairs, 2 of them through host memory as well")
    assert "Not measured yet." in cell(person, "Card 0 to card 1")
    person.sees("NVLink x2: 50.0")
    assert "50.0 GB/s one way: 2 NVLinks" in cell(person, "Card 0 to card 1", within=PROMISED)
    assert "15.8 GB/s one way: PCIe 3.0 x16" in cell(person, "Host to card 0", within=PROMISED)
    assert "Limit: it is not known" in cell(person, "Inside the host", within=PROMISED)


def test_measured_rates_stand_with_units_beside_what_the_wires_promise(
    open_program: OpenProgram,
) -> None:
    person = open_matrix(open_program)
    measures(person)
    for pair, rate, limit, share in (
        ("Card 0 to card 1", "45.9", "50.0", "92"),
        ("Host to card 0", "12.3", "15.8", "78"),
    ):
        for said in (f"Median: {rate} GB/s one way", f"Limit: {limit} GB/s", f": {share} %"):
            assert said in cell(person, pair)
    assert "12.0 GB/s" in cell(person, "Inside the host")
    person.sees(
        "9 pairs modelled", "Nothing stands out: every path is as fast as others of its kind."
    )


def test_a_cell_that_is_clicked_tells_its_samples_and_the_way_of_the_bytes(
    open_program: OpenProgram,
) -> None:
    person = open_matrix(open_program)
    measures(person)
    person.click("Card 0 to card 1", within=MEASURED)
    person.sees(
        "card 0, by NVLink x2 (50.0 GB/s one way) to card 1",
        "Median: 45.9 GB/s",
        "Samples: 7 of one copy each",
        "Modelled: no bytes were moved.",
    )
    person.click("Card 1 to host", within=MEASURED)
    person.sees("by PCIe 3.0 x16 (15.8 GB/s one way)", "Median: 12.3 GB/s")


def test_a_copy_that_arrives_wrong_says_so_has_no_rate_and_what_to_do(
    open_program: OpenProgram,
) -> None:
    person = open_matrix(open_program, "8xA100", fault="wrong:6>1")
    measures(person)
    wrong = cell(person, "Card 6 to card 1")
    assert "It arrives WRONG." in wrong
    assert "A wrong copy has no rate." in wrong
    assert "Median" not in wrong
    assert "274 GB/s" in cell(person, "Card 1 to card 6")
    person.sees(
        "1 of 81 pairs WRONG",
        "Card 6 to card 1: Arrives WRONG",
        "In 3 of 7 rounds, 12 288 of 268 435 456 bytes came as zeros",
        "turn ACS off in the firmware",
        "Through host memory: 18.0 GB/s one way, modelled.",
        "In the lab, through the host",
    )


def test_measuring_is_stopped_and_what_was_measured_stays(open_program: OpenProgram) -> None:
    person = open_matrix(open_program, "16xH100")
    person.click("Measure all")
    person.waits(lambda: "Median" in person.said(within=MEASURED))
    person.click("Stop")
    person.does_not_see("Stop | End it at once")
    said = person.said(within=MEASURED)
    assert "Median" in said
    assert "Not measured yet." in said


@pytest.mark.parametrize("simulate", ["8xH100+nvlink", "64xH100"])
def test_no_row_or_column_is_cut_off_in_a_small_window(
    open_program: OpenProgram, simulate: str
) -> None:
    person = open_program(simulate, past=None, size=(1366, 768))
    person.patience = PATIENCE
    person.go_to("Copies")
    person.choose("Pages", "Matrix")
    table = person.table(MEASURED)
    person.waits(lambda: table.model().rowCount() > 8)
    last = table.model().rowCount() - 1
    place = table.visualRect(table.model().index(last, last))
    assert table.viewport().rect().contains(place)
    assert not table.visibleRegion().isEmpty()
    if simulate == "64xH100":
        person.sees("Point at a cell for its figure")


def test_one_pair_is_measured_by_itself(open_program: OpenProgram) -> None:
    person = open_matrix(open_program)
    person.click("Card 1 to card 0", within=MEASURED)
    person.click("Measure this one")
    person.waits(lambda: "45.9 GB/s" in cell(person, "Card 1 to card 0"))
    assert "Not measured yet." in cell(person, "Card 0 to card 1")


def test_results_are_saved_as_a_table_and_as_data(
    open_program: OpenProgram, tmp_path: Path
) -> None:
    person = open_matrix(open_program)
    measures(person)
    person.choose("Save", "Save copies between devices as CSV")
    person.saves_as(tmp_path / "copies.csv")
    person.waits((tmp_path / "copies.csv").exists)
    rows = list(csv.reader((tmp_path / "copies.csv").read_text("utf-8").splitlines()))
    assert len(rows) == 1 + 11
    person.choose("Save", "Save copies between devices as JSON")
    person.saves_as(tmp_path / "copies.json")
    person.waits((tmp_path / "copies.json").exists)
    told = json.loads((tmp_path / "copies.json").read_text("utf-8"))
    assert told["simulated"] is True
    assert len(told["results"]) == 11
