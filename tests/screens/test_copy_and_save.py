"""Ctrl+C and Ctrl+S act on the screen that is shown, whatever part of the window is used."""

from pathlib import Path

import pytest
from PySide6.QtGui import QGuiApplication

from tests.screens.at_the_bench import X_ON_0, open_lab
from tests.screens.conftest import OpenProgram
from tests.screens.person import Person

SCREENS = ("Overview", "Card", "Processes", "Events", "Topology", "Copies")
PAGES = ("Copies", "Matrix", "Ways", "Datasheet")


def empty_clipboard() -> None:
    QGuiApplication.clipboard().setText("nothing")


def something_is_copied() -> bool:
    taken = QGuiApplication.clipboard().mimeData()
    return taken.hasImage() or taken.text() != "nothing"


def asked_where(person: Person, tmp_path: Path) -> None:
    """Answered, so that nothing is left open."""
    person.press("Ctrl+S")
    person.saves_as(tmp_path / "what-was-asked")


@pytest.mark.parametrize("screen", SCREENS)
def test_while_the_keyboard_is_in_the_rail(
    open_program: OpenProgram, tmp_path: Path, screen: str
) -> None:
    person = open_program()
    person.go_to(screen)
    if screen == "Topology":
        person.sees("Connections")
    person.tabs_to("Devices")
    empty_clipboard()
    person.press("Ctrl+C")
    person.waits(something_is_copied)
    asked_where(person, tmp_path)


def test_the_lab_copies_and_saves_its_session(
    open_program: OpenProgram, tmp_path: Path
) -> None:
    person = open_lab(open_program, X_ON_0)
    person.click("1 min")
    person.press("Ctrl+C")
    person.waits(lambda: "X = torch.ones(2, 3, device=" in person.clipboard())
    asked_where(person, tmp_path)


@pytest.mark.parametrize("page", PAGES)
def test_on_each_page_of_copies(open_program: OpenProgram, tmp_path: Path, page: str) -> None:
    person = open_program()
    person.go_to("Copies")
    person.choose("Pages", page)
    person.tabs_to("Devices")
    empty_clipboard()
    person.press("Ctrl+C")
    person.waits(something_is_copied)
    asked_where(person, tmp_path)


def test_a_field_copies_what_is_selected_in_it_and_else_the_screen_does(
    open_program: OpenProgram,
) -> None:
    person = open_program()
    person.go_to("Events")
    person.type_into("Search events", "inference")
    person.press("Ctrl+A", "Ctrl+C")
    assert person.clipboard() == "inference"
    person.press("End", "Ctrl+C")
    assert "inference.py" in person.clipboard()


def test_facts_that_are_selected_are_copied_and_else_a_picture_of_the_plots(
    open_program: OpenProgram,
) -> None:
    person = open_program()
    person.go_to("Card")
    person.sees("Driver", within="Facts")
    empty_clipboard()
    person.press("Ctrl+C")
    assert QGuiApplication.clipboard().mimeData().hasImage()
    person.press("Ctrl+F", "Down", "Down", "Ctrl+C")
    assert "SIMULATED" in person.clipboard()


def test_where_nothing_can_be_copied_it_says_so(open_program: OpenProgram) -> None:
    person = open_program(past=None)
    person.go_to("Lab")
    person.press("Ctrl+S")
    person.sees("There is no cell yet that could be saved or copied.")
    person.go_to("Events")
    person.type_into("Search events", "zork")
    person.press("Ctrl+S")
    person.sees("There is no row to be copied or exported.")


def test_very_many_cards_are_copied_as_text_and_saved_as_readings(
    open_program: OpenProgram, tmp_path: Path
) -> None:
    person = open_program("16xH100")
    person.sees("Worth a look")
    person.click("1 min")
    person.press("Ctrl+C")
    said = person.clipboard().splitlines()
    assert said[0].startswith("SIMULATED")
    assert len(said) == 17
    assert all("GPU busy" in line for line in said[1:])
    person.press("Ctrl+S")
    person.saves_as(tmp_path / "cards.csv")
    person.waits((tmp_path / "cards.csv").exists)
    assert "SIM-15" in (tmp_path / "cards.csv").read_text("utf-8")
