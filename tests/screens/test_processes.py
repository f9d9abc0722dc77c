"""The screen of processes: order, filter, columns, what can be taken along, and the end."""

import sys
from pathlib import Path

import pytest

from tests.gui.fakes import GIB
from tests.screens.conftest import OpenProgram, real_cards
from tests.screens.machines import TwoCards, running

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")


def test_a_click_on_a_heading_sorts_and_a_second_turns_it_round(
    open_program: OpenProgram,
) -> None:
    person = open_program("8xH100")
    person.go_to("Processes")
    person.click_heading("Processes", "PID")
    first = [int(pid) for pid in person.column("Processes", "PID")]
    person.click_heading("Processes", "PID")
    second = [int(pid) for pid in person.column("Processes", "PID")]
    assert len(first) > 4
    assert sorted([first, second]) == sorted([sorted(first), sorted(first, reverse=True)])


def test_a_hidden_column_stays_hidden_at_the_next_start(open_program: OpenProgram) -> None:
    person = open_program()
    person.go_to("Processes")
    assert "User" in person.columns("Processes")
    person.choose("Columns", "User")
    person.waits(lambda: "User" not in person.columns("Processes"))
    person.closes()
    again = open_program()
    again.go_to("Processes")
    assert "User" not in again.columns("Processes")
    again.choose("Columns", "User")
    again.waits(lambda: "User" in again.columns("Processes"))


def test_the_chosen_row_is_copied_with_its_headings(open_program: OpenProgram) -> None:
    person = open_program()
    person.go_to("Processes")
    person.click_row("Processes", "Xorg")
    person.press("Ctrl+C")
    copied = person.clipboard()
    assert "/usr/lib/xorg/Xorg :0" in copied
    assert "PID" in copied
    assert "SIMULATED" in copied
    assert "ipykernel" not in copied


def test_the_rows_are_saved_as_a_table(open_program: OpenProgram, tmp_path: Path) -> None:
    person = open_program()
    person.go_to("Processes")
    person.click_row("Processes", "Xorg")
    person.press("Ctrl+S")
    path = tmp_path / "processes.csv"
    person.saves_as(path)
    person.sees("Saved to", str(path))
    assert "/usr/lib/xorg/Xorg :0" in path.read_text("utf-8")


@pytest.mark.skipif(sys.platform != "linux", reason="a folder in which nobody may write")
def test_a_place_that_cannot_be_written_is_said_in_a_sentence(
    open_program: OpenProgram,
) -> None:
    person = open_program()
    person.go_to("Processes")
    person.click_row("Processes", "Xorg")
    person.press("Ctrl+S")
    person.saves_as(Path("/proc/processes.csv"))
    person.sees("processes.csv", "not saved")


def test_who_wants_to_end_a_process_is_asked_and_escape_leaves_it_alone(
    open_program: OpenProgram,
) -> None:
    machine = TwoCards()
    with running("night_train") as program:
        machine.memory[program.pid] = 3 * GIB
        person = open_program(real=real_cards(machine))
        person.go_to("Processes")
        person.sees("night_train")
        person.click_row("Processes", "night_train")
        person.click("End…", within="Processes")
        person.waits(lambda: len(person.dialogs()) == 1)
        [question] = person.dialogs()
        assert f"pid {program.pid}" in question
        assert "night_train" in question
        assert "3.00 GiB on card 0" in question
        person.press("Escape")
        person.waits(lambda: not person.dialogs())
        assert program.poll() is None


def test_a_process_that_is_asked_to_end_ends(open_program: OpenProgram) -> None:
    machine = TwoCards()
    with running("night_train") as program:
        machine.memory[program.pid] = 3 * GIB
        person = open_program(real=real_cards(machine))
        person.go_to("Processes")
        person.sees("night_train")
        person.click_row("Processes", "night_train")
        person.click("End…", within="Processes")
        person.click("Ask it to end")
        person.waits(lambda: program.poll() is not None)
        person.sees("ended")


def test_a_window_that_only_reads_offers_no_end_and_says_why(open_program: OpenProgram) -> None:
    machine = TwoCards()
    with running("night_train") as program:
        machine.memory[program.pid] = 3 * GIB
        person = open_program(real=real_cards(machine), read_only=True)
        person.go_to("Processes")
        person.sees("night_train")
        person.click_row("Processes", "night_train")
        person.sees("This window was started with --read-only")
        assert person.cannot_press("End…")


def test_a_simulated_process_ends_and_all_of_it_says_that_it_is_simulated(
    open_program: OpenProgram,
) -> None:
    person = open_program()
    person.go_to("Processes")
    person.click_row("Processes", "Xorg")
    person.sees("all made up", "Simulated: ending it takes it off the simulated card.")
    person.press("Delete")
    person.waits(lambda: len(person.dialogs()) == 1)
    assert "SIMULATED: nothing real is ended." in person.dialogs()[0]
    person.click("Ask it to end")
    person.sees("It has ended after")
    person.click("Close")
    person.waits(lambda: "has ended" in person.column("Processes", "Memory, GiB"))
    person.does_not_see("Xorg")
