"""The window around the screens: its list, its keys, its menu, and the time it shows."""

import pytest

from tests.screens.conftest import OpenProgram

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")

SCREENS = ("Overview", "Card", "Processes", "Topology", "Events", "Lab", "Copies")
# What a person needs the keyboard on, screen by screen.
STOPS = {
    "Overview": ("5 min", "Utilisation", "Plots", "All processes", "All events", "Card 0, "),
    "Card": ("5 min", "Plots", "Choose plots", "Search facts", "Copy all facts", "Facts"),
    "Processes": ("Filter", "Card", "List", "Columns", "Export", "Processes"),
    "Topology": ("Ask again", "Save picture", "Path", "Copy the matrix", "Which card reaches"),
    "Events": ("All", "Card", "Search events", "Copy", "Export", "Events"),
}
EVERYWHERE = ("Menu", "Stop simulating", "Search all commands")


def test_every_screen_says_that_the_cards_are_simulated(open_program: OpenProgram) -> None:
    person = open_program()
    for screen in SCREENS:
        person.go_to(screen)
        person.sees("SIMULATED", "No real card is read")
        assert person.title().startswith("SIMULATED")


def test_each_screen_opens_by_its_number(open_program: OpenProgram) -> None:
    person = open_program()
    for key, words in (
        ("2", "Search facts"),
        ("3", "Filter by command"),
        ("4", "Copy the matrix"),
        ("5", "Search events"),
        ("1", "All cards together"),
    ):
        person.press(key)
        person.sees(words)


def test_the_window_opens_where_it_was_left(open_program: OpenProgram) -> None:
    person = open_program()
    person.go_to("Card")
    person.press("Alt+1")
    person.closes()
    again = open_program()
    again.sees("Search facts")
    assert again.is_on("1 min")


def test_a_command_is_found_by_a_few_letters_and_run(open_program: OpenProgram) -> None:
    person = open_program()
    person.press("Ctrl+K")
    person.types("open card 1")
    person.sees("Open card 1, NVIDIA TITAN RTX")
    person.press("Return")
    person.waits(lambda: not person.dialogs())
    person.row_of("Facts", "UUID", "SIM-1")


def test_a_command_that_is_not_there_is_said_so(open_program: OpenProgram) -> None:
    person = open_program()
    person.press("Ctrl+K")
    person.types("quux")
    person.sees("is called “quux”")
    person.press("Escape")
    person.waits(lambda: not person.dialogs())


def test_one_key_lists_all_keys(open_program: OpenProgram) -> None:
    person = open_program()
    person.go_to("Processes")
    person.press("F1")
    person.waits(lambda: len(person.dialogs()) == 1)
    [keys] = person.dialogs()
    for each in ("Ctrl+K", "Ctrl+F", "F10", "Alt+Left", "Ctrl+S", "Esc"):
        assert each in keys
    person.press("Escape")
    person.waits(lambda: not person.dialogs())


def test_the_menu_opens_by_key_and_leads_to_the_settings(open_program: OpenProgram) -> None:
    person = open_program()
    person.press("F10")
    person.sees("Settings", "Keys", "About GPU Explorer", "Quit")
    person.click("Settings")
    person.sees("Interval", "Single readings")
    person.click("Look", within="Sections")
    person.sees("Theme")


def test_about_names_the_version_and_the_licence(open_program: OpenProgram) -> None:
    person = open_program()
    person.press("F10")
    person.click("About GPU Explorer")
    person.sees("Version 0.1.0", "MIT licence", "Qt 6.")
    person.press("Escape")
    person.does_not_see("MIT licence")


def test_another_span_of_time_is_chosen_by_mouse_and_by_key(open_program: OpenProgram) -> None:
    person = open_program()
    assert person.is_on("5 min")
    person.choose("Time span", "1 h")
    assert person.is_on("1 h")
    assert not person.is_on("5 min")
    person.go_to("Card")
    person.row_of("Facts", "Throttled in 1 h")
    person.press("Alt+1")
    person.row_of("Facts", "Throttled in 1 min")


def test_the_picture_stands_still_until_one_comes_back_to_now(
    open_program: OpenProgram,
) -> None:
    person = open_program()
    person.go_to("Card")
    person.row_of("Facts", "UUID")
    person.does_not_see("Looking back", " to ", within="Plots")
    person.press("Space")
    person.sees("Looking back")
    person.sees(" to ", within="Plots")
    person.click("Back to now")
    person.does_not_see("Looking back")


@pytest.mark.parametrize("screen", STOPS)
def test_the_tab_key_comes_to_all_and_all_have_a_name(
    open_program: OpenProgram, screen: str
) -> None:
    person = open_program()
    person.go_to(screen)
    for stop in STOPS[screen]:
        person.sees(stop)
    came_to = person.tab_round()
    assert all(came_to), came_to
    for stop in (*STOPS[screen], *EVERYWHERE):
        assert any(each.startswith(stop) for each in came_to), (stop, came_to)
