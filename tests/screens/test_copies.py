"""Copies: those that cells make, the matrix, rates over size, comparisons and datasheets."""

import csv
import json
from pathlib import Path

import pytest

from tests.lab.processes import needs_torch
from tests.screens.at_the_bench import PATIENCE, open_lab
from tests.screens.conftest import OpenProgram
from tests.screens.person import Person

TABLE = "Copies of the lab"
X = 'X = torch.ones(64, 1024, 1024, device="cuda:0")'
ACROSS = "Z = X.cuda(1)"
LOOP = "for i in range(1000): log += [loss.item()]"
LOG = f"log = []\n{LOOP}"
MEASURED = "Measured between every two devices"
PROMISED = "Promised between every two devices"
OTHERS = "Cards one could have"
WAYS, PINNED = "Ways that are compared", "Pinned or pageable"
REACHED = "Promised and reached"


def open_copies(open_program: OpenProgram, *lines: str) -> Person:
    person = open_lab(open_program, *lines)
    person.go_to("Copies")
    person.sees(TABLE)
    return person


def open_page(
    open_program: OpenProgram,
    page: str,
    simulate: str = "2xTitanRTX",
    fault: str = "",
    size: tuple[int, int] = (1440, 900),
) -> Person:
    person = open_program(simulate, fault=fault, past=None, size=size)
    person.patience = PATIENCE
    person.go_to("Copies")
    person.choose("Pages", page)
    return person


def measures(person: Person, button: str) -> None:
    person.waits(lambda: not person.cannot_press(button))
    person.click(button)
    person.sees(f"{button} again")
    person.does_not_see("Stop | End it at once")


def measures_all(person: Person) -> None:
    person.click("Measure all")
    person.waits(lambda: "Not measured yet." not in person.said(within=MEASURED))
    person.does_not_see("Stop | End it at once")


def cell(person: Person, name: str, within: str = MEASURED) -> str:
    return person.find(name, within=within).said


def saves(person: Person, kind: str, path: Path) -> str:
    person.choose("Save", kind)
    person.saves_as(path)
    person.waits(path.exists)
    return path.read_text("utf-8")


def test_before_anything_was_copied_it_is_said_how_to_begin(open_program: OpenProgram) -> None:
    person = open_program(past=None)
    person.go_to("Copies")
    person.sees("Nothing has been copied yet", "Try X.cuda(1) in the lab")


@needs_torch
def test_a_copy_is_a_row_with_bytes_time_rate_and_way_that_is_sorted_and_found(
    open_program: OpenProgram,
) -> None:
    person = open_copies(open_program, X, ACROSS)
    headings = ["Cell", "What", "From, to", "Size", "Device ms", "Host ms", "GB/s"]
    assert person.columns(TABLE)[: len(headings)] == headings
    [row] = person.rows(TABLE)
    assert row[:7] == ("2", "Z", "0 to 1", "256 MiB", "5.844", "0.005", "45.9")
    person.sees("Z, 256 MiB, 0 to 1, NVLink x2", "it arrived as it was sent", "modelled")
    person.sees("6.31 ms of 5", " ms on, modelled", within="Timeline")
    person.choose("What fills the width", "All")
    person.sees(" ms, modelled", within="Timeline")
    person.does_not_see("from 500 ms", within="Timeline")
    person.choose("Choose columns", "Host ms")
    person.waits(lambda: "Host ms" not in person.columns(TABLE))
    person.closes()
    again = open_copies(open_program, X, ACROSS, "s = X[0, 0, 0].item()")
    assert "Device ms" in again.columns(TABLE)
    assert "Host ms" not in again.columns(TABLE)
    assert again.column(TABLE, "Cell") == ["3", "2"]
    again.click_heading(TABLE, "Cell")
    assert again.column(TABLE, "Cell") == ["2", "3"]
    again.type_into("Filter", "NVLink")
    again.waits(lambda: again.column(TABLE, "Cell") == ["2"])
    again.type_into("Filter", "nothing like it")
    again.sees("No copy matches")
    again.click("Show all copies")
    again.waits(lambda: len(again.rows(TABLE)) == 2)
    again.click("Implicit 1")
    assert again.column(TABLE, "What") == ["X[0, 0, 0].item()"]
    again.sees("Implicit: nobody asked for this copy.")
    again.click("Explicit 1")
    assert again.column(TABLE, "What") == ["Z"]


@needs_torch
@pytest.mark.long
def test_the_cure_shows_the_cell_as_it_could_be_and_runs_it(open_program: OpenProgram) -> None:
    loss = 'loss = torch.ones(1, device="cuda:0")'
    person = open_copies(open_program, loss, LOG)
    person.sees("loss.item() moved 4 B to the host 1000 times")
    assert person.column(TABLE, "Size") == ["3.91 KiB"]
    person.click("Show the cure")
    person.sees("As it was", LOOP, "As it could be", "log = torch.stack(log).tolist()")
    person.click("Run it in the lab")
    person.does_not_see("As it could be")
    person.waits(lambda: any(each.startswith("3:") for each in person.column(TABLE, "Cell")))


def test_the_matrix_has_measured_rates_beside_what_the_wires_promise(
    open_program: OpenProgram, tmp_path: Path
) -> None:
    person = open_page(open_program, "Matrix")
    person.sees(MEASURED, "Nothing is measured yet.")
    person.sees("9 pairs, 2 of them through host memory as well", "NVLink x2: 50.0")
    assert "50.0 GB/s one way: 2 NVLinks" in cell(person, "Card 0 to card 1", within=PROMISED)
    assert "15.8 GB/s one way: PCIe 3.0 x16" in cell(person, "Host to card 0", within=PROMISED)
    assert "Limit: it is not known" in cell(person, "Inside the host", within=PROMISED)
    person.click("Card 1 to card 0", within=MEASURED)
    person.click("Measure this one")
    person.waits(lambda: "45.9 GB/s" in cell(person, "Card 1 to card 0"))
    assert "Not measured yet." in cell(person, "Card 0 to card 1")
    measures_all(person)
    for pair, rate, limit, share in (
        ("Card 0 to card 1", "45.9", "50.0", "92"),
        ("Host to card 0", "12.3", "15.8", "78"),
    ):
        for said in (f"Median: {rate} GB/s one way", f"Limit: {limit} GB/s", f": {share} %"):
            assert said in cell(person, pair)
    assert "12.0 GB/s" in cell(person, "Inside the host")
    nothing = "Nothing stands out: every path is as fast as others of its kind."
    person.sees("9 pairs modelled", nothing)
    person.click("Card 0 to card 1", within=MEASURED)
    person.sees(
        "card 0, by NVLink x2 (50.0 GB/s one way) to card 1",
        "Samples: 7 of one copy each",
        "Modelled: no bytes were moved.",
    )
    table = saves(person, "Save copies between devices as CSV", tmp_path / "copies.csv")
    assert len(list(csv.reader(table.splitlines()))) == 1 + 11
    told = saves(person, "Save copies between devices as JSON", tmp_path / "copies.json")
    assert (json.loads(told)["simulated"], len(json.loads(told)["results"])) == (True, 11)


def test_a_copy_that_arrives_wrong_says_so_has_no_rate_and_what_to_do(
    open_program: OpenProgram,
) -> None:
    person = open_page(open_program, "Matrix", "8xA100", fault="wrong:6>1")
    measures_all(person)
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


@pytest.mark.long
def test_measuring_is_stopped_and_what_was_measured_stays(open_program: OpenProgram) -> None:
    person = open_page(open_program, "Matrix", "16xH100")
    person.click("Measure all")
    person.waits(lambda: "Median" in person.said(within=MEASURED))
    person.click("Stop")
    person.does_not_see("Stop | End it at once")
    said = person.said(within=MEASURED)
    assert "Median" in said
    assert "Not measured yet." in said


@pytest.mark.parametrize(
    "simulate", ["8xH100+nvlink", pytest.param("64xH100", marks=pytest.mark.long)]
)
def test_no_row_or_column_is_cut_off_in_a_small_window(
    open_program: OpenProgram, simulate: str
) -> None:
    person = open_page(open_program, "Matrix", simulate, size=(1366, 768))
    table = person.table(MEASURED)
    person.waits(lambda: table.model().rowCount() > 8)
    last = table.model().rowCount() - 1
    place = table.visualRect(table.model().index(last, last))
    assert table.viewport().rect().contains(place)
    assert not table.visibleRegion().isEmpty()
    if simulate == "64xH100":
        person.sees("Point at a cell for its figure")


def test_rates_over_size_have_figures_and_comparisons_end_in_sentences(
    open_program: OpenProgram,
) -> None:
    person = open_page(open_program, "Matrix")
    person.press("Ctrl+PgDown")
    assert person.is_on("Ways")
    person.waits(lambda: ("host to 0, pinned", "–") in [row[1:3] for row in person.rows(WAYS)])
    person.sees("Nothing has been measured yet.", "Pinned or pageable")
    person.click("Measure: One large or many small")
    person.sees("In 512 pieces the same bytes take 4.7 times as long")
    assert {row[1] for row in person.rows(PINNED)} == {"not measured yet"}
    measures(person, "Measure")
    figures = ("host to 0, pinned", "12.3", "78 %", "121 KiB", "10.0 µs")
    person.waits(lambda: figures in [row[1:6] for row in person.rows(WAYS)])
    measures(person, "Measure all")
    person.sees(
        "The faster way is pinned: 2.0 times the rate of pageable",
        "PyTorch's own copy: 5.3 times the rate of staged by hand",
        "A blocking copy adds 21.9 ms to the computation",
        "Both ways at once it keeps 74 %",
    )
    assert [row[0] for row in person.rows(PINNED)] == ["pinned", "pageable"]
    assert [row[-1] for row in person.rows(PINNED)] == ["12.3 GB/s", "6.00 GB/s"]
    person.click("Left and right go from size to size")
    person.press("End")
    person.sees(
        "1 GiB: ", "host to 0, pinned 12.3 GB/s, 87.4 ms", "0 to 1, NVLink x2 46.0 GB/s"
    )
    person.go_to("Lab")
    person.go_to("Copies")
    assert person.is_on("Ways")


def test_the_datasheet_of_a_card_says_what_is_promised_and_reached_beside_others(
    open_program: OpenProgram, tmp_path: Path
) -> None:
    person = open_page(open_program, "Datasheet")
    person.sees("Promised: 672 GB/s", "Peer link, one way to card 1", within=REACHED)
    person.sees("Promised: 50.0 GB/s", "Not reached: not measured yet.", within=REACHED)
    person.sees("86 of 86 cards")
    person.type_into("Name, maker, year", "4090")
    person.waits(lambda: len(person.rows(OTHERS)) < 10)
    person.click("Compare it with the card above", within=OTHERS)
    person.sees("A: GeForce RTX 4090", "A: 1008")
    person.click("A: GeForce RTX 4090. Take away")
    person.does_not_see("A: GeForce RTX 4090")
    measures(person, "Measure")
    person.sees(
        *("Reached: 590 GB/s", "Reached: 12.3 GB/s", "Reached: 45.9 GB/s"),
        *("88 %", "78 %", "92 %", "74 %", "Reached: 14.4 TFLOP/s", "Drawing 263 W"),
        "do not support TF32: that starts with compute capability 8.0, and this card has 7.5",
        within=REACHED,
    )
    told = saves(person, "Save datasheet as JSON", tmp_path / "sheet.json")
    assert json.loads(told)["simulated"] is True
    person.click("Card 1, NVIDIA TITAN RTX", within="Card to look at")
    person.sees("Peer link, one way to card 0", "not measured yet", within=REACHED)
