"""Copies that cells of the lab make: a row each, what they cost, and what would help."""

import pytest

from tests.lab.processes import needs_torch
from tests.screens.at_the_bench import open_lab
from tests.screens.conftest import OpenProgram
from tests.screens.person import Person

pytestmark = [needs_torch, pytest.mark.qt_log_ignore("This plugin does not support")]
TABLE = "Copies of the lab"
X = 'X = torch.ones(64, 1024, 1024, device="cuda:0")'
ACROSS = "Z = X.cuda(1)"
LOOP = "for i in range(1000): log += [loss.item()]"
LOG = f"log = []\n{LOOP}"


def open_copies(open_program: OpenProgram, *lines: str) -> Person:
    person = open_lab(open_program, *lines)
    person.go_to("Copies")
    person.sees(TABLE)
    return person


def test_a_copy_is_a_row_with_bytes_time_rate_and_way(open_program: OpenProgram) -> None:
    person = open_copies(open_program, X, ACROSS)
    headings = ["Cell", "What", "From, to", "Size", "Device ms", "Host ms", "GB/s"]
    assert person.columns(TABLE)[: len(headings)] == headings
    [row] = person.rows(TABLE)
    assert row[:7] == ("2", "Z", "0 to 1", "256 MiB", "5.844", "0.005", "45.9")
    person.sees("Z, 256 MiB, 0 to 1, NVLink x2", "it arrived as it was sent", "modelled")


def test_before_anything_was_copied_it_is_said_how_to_begin(open_program: OpenProgram) -> None:
    person = open_program(past=None)
    person.go_to("Copies")
    person.sees("Nothing has been copied yet", "Try X.cuda(1) in the lab")


def test_copies_are_sorted_found_by_words_and_those_nobody_asked_for_shown_alone(
    open_program: OpenProgram,
) -> None:
    person = open_copies(open_program, X, ACROSS, "s = X[0, 0, 0].item()")
    assert person.column(TABLE, "Cell") == ["3", "2"]
    person.click_heading(TABLE, "Cell")
    assert person.column(TABLE, "Cell") == ["2", "3"]
    person.type_into("Filter", "NVLink")
    person.waits(lambda: person.column(TABLE, "Cell") == ["2"])
    person.type_into("Filter", "nothing like it")
    person.sees("No copy matches")
    person.click("Show all copies")
    person.waits(lambda: len(person.rows(TABLE)) == 2)
    person.click("Implicit 1")
    assert person.column(TABLE, "What") == ["X[0, 0, 0].item()"]
    person.sees("Implicit: nobody asked for this copy.")
    person.click("Explicit 1")
    assert person.column(TABLE, "What") == ["Z"]


def test_a_column_is_put_away_and_stays_so_the_next_time(open_program: OpenProgram) -> None:
    person = open_copies(open_program, X, ACROSS)
    assert "Host ms" in person.columns(TABLE)
    person.choose("Choose columns", "Host ms")
    person.waits(lambda: "Host ms" not in person.columns(TABLE))
    person.window.close()
    person = open_program(past=None)
    person.go_to("Copies")
    person.click("Choose columns")
    assert person.is_on("Device ms")
    assert not person.is_on("Host ms")
    person.press("Escape")


def test_the_timeline_shows_the_cell_of_the_copy_or_the_whole_session(
    open_program: OpenProgram,
) -> None:
    person = open_copies(open_program, X, ACROSS)
    person.sees("6.31 ms of 5", " ms on, modelled", within="Timeline")
    person.choose("What fills the width", "All")
    person.sees(" ms, modelled", within="Timeline")
    person.does_not_see("from 500 ms", within="Timeline")


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
