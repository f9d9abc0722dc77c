"""The settings: what is chosen holds at once, on every screen, and at the next start."""

from pathlib import Path

import pytest
from PySide6.QtGui import QPalette

from tests.screens.conftest import OpenProgram, real_cards
from tests.screens.machines import TwoCards
from tests.screens.person import Person


def test_other_units_are_shown_at_once_and_at_the_next_start(open_program: OpenProgram) -> None:
    person = open_program(real=real_cards(TwoCards()))
    person.sees("19.5 of 24 GiB", "°C", within="Card 0, NVIDIA TITAN RTX")
    person.press("Ctrl+,")
    person.click("Units")
    person.choose("Memory", "GB")
    person.choose("Temperature", "°F")
    person.press("Escape")
    person.waits(lambda: not person.dialogs())
    person.sees("20.9 of 25.8 GB", "°F", within="Card 0, NVIDIA TITAN RTX")
    person.closes()
    again = open_program(real=real_cards(TwoCards()))
    again.sees("20.9 of 25.8 GB", "°F", within="Card 0, NVIDIA TITAN RTX")


def lightness(person: Person) -> int:
    return person.window.palette().color(QPalette.ColorRole.Window).lightness()


def test_a_theme_holds_at_once_and_at_the_next_start(open_program: OpenProgram) -> None:
    person = open_program()
    person.press("Ctrl+,")
    person.click("Look")
    person.choose("Theme", "Dark")
    assert lightness(person) < 60
    person.choose("Theme", "Light")
    assert lightness(person) > 200
    person.closes()
    again = open_program()
    assert lightness(again) > 200
    again.press("Ctrl+,")
    again.click("Look")
    assert again.is_on("Light")


def test_cards_are_read_as_often_as_was_chosen(open_program: OpenProgram) -> None:
    person = open_program()
    person.sees("Read every 1 s")
    person.press("Ctrl+,")
    person.type_into("Interval", "0.5")
    person.press("Return")
    person.sees("Read every 0.5 s")


def test_escape_closes_the_settings_and_the_keyboard_is_where_it_was(
    open_program: OpenProgram,
) -> None:
    person = open_program()
    person.tabs_to("Plots")
    person.press("Ctrl+,")
    person.waits(lambda: len(person.dialogs()) == 1)
    person.press("Escape")
    person.waits(lambda: not person.dialogs())
    assert person.keyboard_is_on().startswith("Plots")


def test_a_settings_file_that_cannot_be_read_is_said_in_a_sentence(
    open_program: OpenProgram, settings_file: Path
) -> None:
    settings_file.parent.mkdir(parents=True)
    settings_file.write_text("[choices]\nfahrenheit=true\nno line of such a file\n", "utf-8")
    person = open_program()
    person.sees("°F")
    person.press("Ctrl+,")
    person.sees(str(settings_file), "could not be read", "settings.ini.broken")


def test_settings_that_cannot_be_kept_hold_and_say_so(
    open_program: OpenProgram, settings_file: Path
) -> None:
    settings_file.parent.parent.mkdir(parents=True)
    settings_file.parent.write_text("in the way", "utf-8")
    person = open_program()
    person.press("Ctrl+,")
    person.click("Units")
    person.choose("Temperature", "°F")
    person.sees(str(settings_file), "until the program is closed")
    person.press("Escape")
    person.sees("°F", within="Card 0, NVIDIA TITAN RTX")


@pytest.fixture
def settings_file(tmp_path: Path) -> Path:
    """Where the program of this test keeps what was chosen."""
    return tmp_path / "settings" / "gpuexplorer" / "settings.ini"
