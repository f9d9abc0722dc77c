"""The screen of events: which are listed, and the way from one to its moment."""

from tests.screens.conftest import OpenProgram


def test_events_of_one_kind_are_listed_alone(open_program: OpenProgram) -> None:
    person = open_program()
    person.go_to("Events")
    everything = len(person.rows("Events"))
    person.choose("Kind of event", "Throttling")
    person.waits(lambda: 0 < len(person.rows("Events")) < everything)
    happened = person.column("Events", "What happened")
    assert all("power limit" in each for each in happened)


def test_events_are_found_by_words(open_program: OpenProgram) -> None:
    person = open_program(past=330.0)
    person.go_to("Events")
    person.row_of("Events", "evaluate.py")
    person.type_into("Search events", "inference")
    person.does_not_see("evaluate.py", within="Events")
    person.row_of("Events", "inference.py")
    assert all("inference.py" in each for each in person.column("Events", "What happened"))


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


def test_events_are_copied_as_text(open_program: OpenProgram) -> None:
    person = open_program()
    person.go_to("Events")
    person.row_of("Events", "power limit")
    person.click_row("Events", "inference.py")
    person.press("Ctrl+C")
    assert "inference.py" in person.clipboard()
    assert "power limit" not in person.clipboard()
    assert "SIMULATED" in person.clipboard()
