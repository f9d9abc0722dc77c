"""While one looks back: what shows the present says so, and the way back is in sight."""

import pytest

from tests.screens.conftest import OpenProgram
from tests.screens.person import Person

WAY_BACK = "Back to now"


def look_back(person: Person) -> None:
    person.press("Space")
    person.sees("Looking back", WAY_BACK)


def test_on_the_overview_figures_tiles_and_processes_say_that_they_are_of_now(
    open_program: OpenProgram,
) -> None:
    person = open_program(past=330.0)
    person.sees("Devices")
    person.does_not_see("Now: ")
    look_back(person)
    person.sees("now", within="All cards")
    person.sees("now", within="Processes")
    person.sees("Now: ")  # whichever card has a state to name just then
    person.sees("now", within="Screens and devices")
    person.click(WAY_BACK)
    person.does_not_see("Now: ")


def test_devices_without_names_are_of_now_too(open_program: OpenProgram) -> None:
    person = open_program(past=330.0)
    person.press("Ctrl+B")
    person.does_not_see("now", within="Screens and devices")
    look_back(person)
    person.sees("now", within="Screens and devices")


def test_on_the_screen_of_a_card_memory_and_facts_say_that_they_are_of_now(
    open_program: OpenProgram,
) -> None:
    person = open_program(past=330.0)
    person.go_to("Card")
    look_back(person)
    for part in ("Memory", "Facts"):
        person.sees("now", within=part)


def test_in_the_lab_all_but_the_curves_says_that_it_is_of_now(
    open_program: OpenProgram,
) -> None:
    person = open_program(past=330.0)
    person.go_to("Lab")
    person.click("Pause the plots")
    person.sees("now, except the curves below")


@pytest.mark.parametrize("screen", ["Overview", "Card", "Lab"])
@pytest.mark.parametrize("size", [(1000, 700), (1280, 860)])
def test_the_way_back_is_in_sight(
    open_program: OpenProgram, screen: str, size: tuple[int, int]
) -> None:
    person = open_program(past=330.0, size=size)
    person.go_to(screen)
    person.click("Pause the plots")
    person.click(WAY_BACK)
    person.does_not_see(WAY_BACK)


def test_a_screen_that_is_opened_only_then_says_so_too(open_program: OpenProgram) -> None:
    person = open_program(past=330.0)
    look_back(person)
    person.go_to("Card")
    person.sees("now", within="Memory")
    assert not person.dialogs()
