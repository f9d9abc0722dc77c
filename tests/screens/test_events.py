"""The screen of events: which are listed, and the way from one to its moment."""

from tests.screens.conftest import OpenProgram


def test_enter_shows_the_moment_on_the_plots_of_its_card(open_program: OpenProgram) -> None:
    person = open_program()
    person.go_to("Events")
    person.row_of("Events", "inference.py", "1")
    person.click_row("Events", "inference.py")
    person.press("Return")
    person.sees("Looking back", "Facts", "SIM-1")
    person.press("Ctrl+End")
    person.does_not_see("Looking back")


def test_a_fault_is_listed_with_its_number_and_its_meaning(open_program: OpenProgram) -> None:
    person = open_program(fault="lost:1@20s")
    person.go_to("Events")
    person.choose("Kind of event", "Faults")
    person.row_of("Events", "Xid 79", "fallen off the bus")
