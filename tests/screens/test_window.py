"""The window around the screens: its list, keys, menu and settings, the time it shows, what is
copied and saved, and a computer on which no card or no PyTorch answers.
"""

from pathlib import Path

import pytest
from PySide6.QtGui import QGuiApplication, QPalette

from tests.screens.at_the_bench import (
    NO_PYTHON,
    WITHOUT_TORCH,
    X_ON_0,
    enters,
    only_pythons,
    open_lab,
)
from tests.screens.conftest import (
    NO_DRIVER,
    Opened,
    OpenProgram,
    TwoCards,
    no_cards,
    real_cards,
)
from tests.screens.person import Person

SCREENS = ("Overview", "Card", "Processes", "Topology", "Events", "Lab", "Copies")
PAGES = ("Copies", "Matrix", "Ways", "Datasheet")
WAY_BACK = "Back to now"
BY_NUMBER = {
    "2": "Search facts",
    "3": "Filter by command",
    "4": "Copy the matrix",
    "5": "Search events",
    "1": "All cards together",
}


def test_every_screen_says_that_the_cards_are_simulated_and_opens_by_its_number(
    open_program: OpenProgram,
) -> None:
    person = open_program()
    for screen in SCREENS:
        person.go_to(screen)
        person.sees("SIMULATED", "No real card is read")
        assert person.title().startswith("SIMULATED")
    person.press("F6")
    for key, words in BY_NUMBER.items():
        person.press(key)
        person.sees(words)


def test_the_window_opens_where_it_was_left(open_program: OpenProgram) -> None:
    person = open_program()
    assert person.is_on("5 min")
    person.choose("Time span", "1 h")
    assert (person.is_on("1 h"), person.is_on("5 min")) == (True, False)
    person.go_to("Card")
    person.row_of("Facts", "Throttled in 1 h")
    person.press("Alt+1")
    person.row_of("Facts", "Throttled in 1 min")
    person.closes()
    again = open_program()
    again.sees("Search facts")
    assert again.is_on("1 min")


def test_keys_lead_to_commands_to_the_list_of_keys_and_to_the_menu(
    open_program: OpenProgram,
) -> None:
    person = open_program()
    person.go_to("Processes")
    person.press("F1")
    person.waits(lambda: len(person.dialogs()) == 1)
    [keys] = person.dialogs()
    for each in ("Ctrl+K", "Ctrl+F", "F10", "Alt+Left", "Ctrl+S", "Esc"):
        assert each in keys
    person.press("Escape")
    person.waits(lambda: not person.dialogs())
    person.press("Ctrl+K")
    person.types("quux")
    person.sees("is called “quux”")
    person.press("Ctrl+A")
    person.types("open card 1")
    person.sees("Open card 1, NVIDIA TITAN RTX")
    person.press("Return")
    person.waits(lambda: not person.dialogs())
    person.row_of("Facts", "UUID", "SIM-1")
    person.press("F10")
    person.sees("Settings", "Keys", "About GPU Explorer", "Quit")
    person.click("About GPU Explorer")
    person.sees("Version 0.1.0", "MIT licence", "Qt 6.")
    person.press("Escape")
    person.does_not_see("MIT licence")


def lightness(person: Person) -> int:
    return person.window.palette().color(QPalette.ColorRole.Window).lightness()


def test_what_is_chosen_holds_at_once_and_at_the_next_start(open_program: OpenProgram) -> None:
    first = "Card 0, NVIDIA TITAN RTX"
    person = open_program(real=real_cards(TwoCards()))
    person.sees("19.5 of 24 GiB", "°C", within=first)
    person.sees("Read every 1 s")
    person.tabs_to("Plots")
    person.press("Ctrl+,")
    person.waits(lambda: len(person.dialogs()) == 1)
    person.press("Escape")
    person.waits(lambda: not person.dialogs())
    assert person.keyboard_is_on().startswith("Plots")
    person.press("Ctrl+,")
    person.type_into("Interval", "0.5")
    person.press("Return")
    person.click("Units")
    person.choose("Memory", "GB")
    person.choose("Temperature", "°F")
    person.click("Look")
    person.choose("Theme", "Dark")
    assert lightness(person) < 60
    person.choose("Theme", "Light")
    assert lightness(person) > 200
    person.press("Escape")
    person.waits(lambda: not person.dialogs())
    person.sees("20.9 of 25.8 GB", "°F", within=first)
    person.sees("Read every 0.5 s")
    person.closes()
    again = open_program(real=real_cards(TwoCards()))
    again.sees("20.9 of 25.8 GB", "°F", within=first)
    assert lightness(again) > 200
    again.press("F10")
    again.click("Settings")
    again.sees("Interval", "Single readings")
    again.click("Look", within="Sections")
    assert again.is_on("Light")


@pytest.fixture
def settings_file(tmp_path: Path) -> Path:
    """Where the program of this test keeps what was chosen."""
    return tmp_path / "settings" / "gpuexplorer" / "settings.ini"


def test_a_settings_file_that_cannot_be_read_is_said_in_a_sentence(
    open_program: OpenProgram, settings_file: Path
) -> None:
    settings_file.parent.mkdir(parents=True)
    settings_file.write_text("[choices]\nfahrenheit=true\nno line of such a file\n", "utf-8")
    person = open_program(past=None)
    person.sees("°F")
    person.press("Ctrl+,")
    person.sees(str(settings_file), "could not be read", "settings.ini.broken")


def test_settings_that_cannot_be_kept_hold_and_say_so(
    open_program: OpenProgram, settings_file: Path
) -> None:
    settings_file.parent.parent.mkdir(parents=True)
    settings_file.parent.write_text("in the way", "utf-8")
    person = open_program(past=None)
    person.press("Ctrl+,")
    person.click("Units")
    person.choose("Temperature", "°F")
    person.sees(str(settings_file), "until the program is closed")
    person.press("Escape")
    person.sees("°F", within="Card 0, NVIDIA TITAN RTX")


def test_while_one_looks_back_what_shows_the_present_says_so(open_program: OpenProgram) -> None:
    person = open_program(past=330.0)
    person.sees("Devices")
    person.does_not_see("Now: ", "Looking back")
    person.press("Space")
    person.sees("Looking back", WAY_BACK)
    person.sees("now", within="All cards")
    person.sees("now", within="Processes")
    person.sees("Now: ")  # whichever card has a state to name just then
    person.sees("now", within="Screens and devices")
    person.press("Ctrl+B")  # devices without names
    person.sees("now", within="Screens and devices")
    person.go_to("Card")
    for part in ("Memory", "Facts"):
        person.sees("now", within=part)
    person.sees(" to ", within="Plots")
    assert not person.dialogs()
    person.click(WAY_BACK)
    person.does_not_see("Looking back", WAY_BACK)
    person.does_not_see("now", within="Screens and devices")
    person.go_to("Lab")
    person.click("Pause the plots")
    person.sees("now, except the curves below")


def test_the_way_back_is_in_sight_in_a_small_window(open_program: OpenProgram) -> None:
    person = open_program(size=(1000, 700))
    for screen in ("Overview", "Card", "Lab"):
        person.go_to(screen)
        person.click("Pause the plots")
        person.click(WAY_BACK)
        person.does_not_see(WAY_BACK)


def test_without_cards_it_is_said_what_was_looked_for_and_simulated_ones_are_a_click_away(
    open_program: OpenProgram,
) -> None:
    person = open_program(real=no_cards)
    person.sees("No graphics card answers on this computer")
    person.sees(NO_DRIVER.sentence, NO_DRIVER.hint, "What was looked for", "Driver library")
    assert "SIMULATED" not in person.title()
    person.click("Look around on simulated cards")
    person.sees("SIMULATED", "Card 0, ", "so these are 2 simulated cards")
    person.click("What was looked for")
    person.sees(NO_DRIVER.sentence)


def test_cards_that_came_meanwhile_are_found_by_looking_again(
    open_program: OpenProgram,
) -> None:
    answers: list[Opened] = [(None, [NO_DRIVER])]
    person = open_program(real=lambda: answers[-1])
    person.sees("No graphics card answers on this computer")
    answers.append((TwoCards(), []))
    person.click("Look again")
    person.sees("Card 1, NVIDIA TITAN RTX")
    person.does_not_see("No graphics card answers")


@pytest.mark.parametrize(
    ("way_on", "there", "gone"),
    [
        ("Measure copies within the host", ("Measured", "Measure all"), "Nothing can be"),
        ("Look around on simulated cards", ("SIMULATED", "New copy"), "No card answers"),
    ],
)
def test_copies_without_a_card_lead_to_what_can_be_measured(
    open_program: OpenProgram, way_on: str, there: tuple[str, ...], gone: str
) -> None:
    person = open_program(real=no_cards)
    person.go_to("Copies")
    person.sees("No card answers, so nothing is copied over a wire here.")
    person.click(way_on)
    person.sees(*there)
    person.does_not_see(gone)


def test_without_pytorch_a_cell_says_so_and_leads_to_the_way_out(
    open_program: OpenProgram, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    only_pythons(monkeypatch, tmp_path, {"bare": WITHOUT_TORCH, "odd": NO_PYTHON})
    person = open_lab(open_program)
    enters(person, X_ON_0)
    person.sees("None of the 2 Pythons that were found has PyTorch.", "Waiting for PyTorch")
    person.sees("Get PyTorch…")
    person.click("Choose a Python")
    person.sees(str(tmp_path / "bare"), "It has no PyTorch.")


def empty_clipboard() -> None:
    QGuiApplication.clipboard().setText("nothing")


def something_is_copied() -> bool:
    taken = QGuiApplication.clipboard().mimeData()
    return taken.hasImage() or taken.text() != "nothing"


@pytest.mark.long
def test_what_is_shown_is_copied_and_saved_while_the_keyboard_is_in_the_rail(
    open_program: OpenProgram, tmp_path: Path
) -> None:
    person = open_program()
    for place in (*SCREENS[:5], *PAGES):
        if place in PAGES:
            person.go_to("Copies")
            person.choose("Pages", place)
        else:
            person.go_to(place)
        if place == "Topology":
            person.sees("Connections")
        person.tabs_to("Devices")
        empty_clipboard()
        person.press("Ctrl+C")
        person.waits(something_is_copied)
        person.press("Ctrl+S")
        person.saves_as(tmp_path / f"{place}.txt")  # so that nothing is left open


def test_a_field_and_a_table_copy_what_is_selected_in_them_and_else_the_screen_does(
    open_program: OpenProgram,
) -> None:
    person = open_program()
    person.go_to("Events")
    person.type_into("Search events", "inference")
    person.press("Ctrl+A", "Ctrl+C")
    assert person.clipboard() == "inference"
    person.press("End", "Ctrl+C")
    assert "inference.py" in person.clipboard()
    person.go_to("Card")
    person.sees("Driver", within="Facts")
    empty_clipboard()
    person.press("Ctrl+C")
    assert QGuiApplication.clipboard().mimeData().hasImage()
    person.press("Ctrl+F", "Down", "Down", "Ctrl+C")
    assert "SIMULATED" in person.clipboard()
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
