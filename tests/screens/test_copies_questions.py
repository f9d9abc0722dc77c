"""Rates over size, comparisons, and datasheets: measured on simulated cards, and concluded."""

import json
from pathlib import Path

import pytest

from tests.screens.at_the_bench import PATIENCE
from tests.screens.conftest import OpenProgram
from tests.screens.person import Person

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")
OTHERS = "Cards one could have"
WAYS, PINNED = "Ways that are compared", "Pinned or pageable"
REACHED = "Promised and reached"


def open_page(open_program: OpenProgram, page: str) -> Person:
    person = open_program(past=None, size=(1440, 900))
    person.patience = PATIENCE
    person.go_to("Copies")
    person.choose("Pages", page)
    return person


def measures(person: Person, button: str = "Measure") -> None:
    person.waits(lambda: not person.cannot_press(button))
    person.click(button)
    person.sees(f"{button} again")
    person.does_not_see("Stop | End it at once")


def test_rates_over_size_tell_the_best_half_of_it_and_the_floor(
    open_program: OpenProgram,
) -> None:
    person = open_page(open_program, "Ways")
    person.waits(lambda: ("host to 0, pinned", "–") in [row[1:3] for row in person.rows(WAYS)])
    measures(person)
    figures = ("host to 0, pinned", "12.3", "78 %", "121 KiB", "10.0 µs")
    person.waits(lambda: figures in [row[1:6] for row in person.rows(WAYS)])
    person.click("Left and right go from size to size")
    person.press("End")
    person.sees(
        "1 GiB: ", "host to 0, pinned 12.3 GB/s, 87.4 ms", "0 to 1, NVLink x2 46.0 GB/s"
    )


def test_comparisons_are_measured_and_each_ends_in_a_sentence(
    open_program: OpenProgram,
) -> None:
    person = open_page(open_program, "Ways")
    person.sees("Nothing has been measured yet.", "Pinned or pageable")
    measures(person, "Measure all")
    person.sees(
        "The faster way is pinned: 2.0 times the rate of pageable",
        "PyTorch's own copy: 5.3 times the rate of staged by hand",
        "A blocking copy adds 21.9 ms to the computation",
        "Both ways at once it keeps 74 %",
        "In 512 pieces the same bytes take 4.7 times as long",
    )
    assert [row[0] for row in person.rows(PINNED)] == ["pinned", "pageable"]
    assert [row[-1] for row in person.rows(PINNED)] == ["12.3 GB/s", "6.00 GB/s"]


def test_one_comparison_is_measured_by_itself(open_program: OpenProgram) -> None:
    person = open_page(open_program, "Ways")
    person.click("Measure: One large or many small")
    person.sees("In 512 pieces the same bytes take 4.7 times as long")
    assert {row[1] for row in person.rows(PINNED)} == {"not measured yet"}


def test_the_datasheet_of_a_card_says_what_is_promised_and_what_it_reached(
    open_program: OpenProgram,
) -> None:
    person = open_page(open_program, "Datasheet")
    person.sees("Promised: 672 GB/s", "Peer link, one way to card 1", within=REACHED)
    person.sees("Promised: 50.0 GB/s", "Not reached: not measured yet.", within=REACHED)
    measures(person)
    person.sees(
        *("Reached: 590 GB/s", "Reached: 12.3 GB/s", "Reached: 45.9 GB/s"),
        *("88 %", "78 %", "92 %", "74 %", "Reached: 14.4 TFLOP/s", "Drawing 263 W"),
        "do not support TF32: that starts with compute capability 8.0, and this card has 7.5",
        within=REACHED,
    )
    person.click("Card 1, NVIDIA TITAN RTX", within="Card to look at")
    person.sees("Peer link, one way to card 0", "not measured yet", within=REACHED)


def test_another_card_is_found_by_its_name_and_laid_beside(open_program: OpenProgram) -> None:
    person = open_page(open_program, "Datasheet")
    person.sees("86 of 86 cards")
    person.type_into("Name, maker, year", "4090")
    person.waits(lambda: len(person.rows(OTHERS)) < 10)
    person.click("Compare it with the card above", within=OTHERS)
    person.sees("A: GeForce RTX 4090", "A: 1008")
    person.click("A: GeForce RTX 4090. Take away")
    person.does_not_see("A: GeForce RTX 4090")


def test_a_datasheet_is_saved_with_its_sources(
    open_program: OpenProgram, tmp_path: Path
) -> None:
    person = open_page(open_program, "Datasheet")
    measures(person)
    person.choose("Save", "Save datasheet as JSON")
    person.saves_as(tmp_path / "sheet.json")
    person.waits((tmp_path / "sheet.json").exists)
    told = json.loads((tmp_path / "sheet.json").read_text("utf-8"))
    assert told["simulated"] is True


def test_pages_of_the_copies_are_turned_by_keys_and_the_last_is_shown_again(
    open_program: OpenProgram,
) -> None:
    person = open_page(open_program, "Matrix")
    person.press("Ctrl+PgDown")
    assert person.is_on("Ways")
    person.press("Ctrl+PgUp")
    assert person.is_on("Matrix")
    person.go_to("Lab")
    person.go_to("Copies")
    person.sees("Measured between every two devices")
