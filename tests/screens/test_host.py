"""The computer itself, which opens as a card does: its processor, memory and swap over time."""

import sys
from pathlib import Path

import psutil
import pytest

from tests.screens.conftest import OpenProgram, no_cards
from tests.screens.person import Person


def opened(person: Person) -> None:
    """Its screen is there, and plots what was read."""
    person.sees("The computer, ", within="Screens and devices")
    person.sees("Plots: Utilisation, Memory", "processor")
    person.row_of("Facts", "Logical cores", str(psutil.cpu_count()))
    person.sees("GiB used", "by programs and the system", within="Memory")


def test_without_a_card_the_computer_opens_from_the_explanation(
    open_program: OpenProgram,
) -> None:
    person = open_program(real=no_cards)
    person.click("See the computer's processor and memory")
    opened(person)
    person.does_not_see("No graphics card answers on this computer", "SIMULATED")
    person.go_to("Overview")
    person.sees("No graphics card answers on this computer")


def test_it_opens_from_the_list_of_devices_and_by_the_palette(
    open_program: OpenProgram,
) -> None:
    person = open_program()
    person.click("The computer, ", within="Screens and devices")
    opened(person)
    person.go_to("Overview")
    person.runs("Open the host")
    opened(person)


def test_it_opens_beside_the_cards_and_from_the_drawing_of_the_machine(
    open_program: OpenProgram,
) -> None:
    person = open_program()
    person.go_to("Card")
    person.row_of("Facts", "UUID", "SIM-0")
    person.choose("Card to look at", "The computer, ")
    opened(person)
    person.go_to("Topology")
    person.click("List the parts")
    person.click("Host memory", within="Parts of the machine")
    person.click("Open host")
    opened(person)


def test_among_simulated_cards_it_says_that_its_figures_are_real(
    open_program: OpenProgram,
) -> None:
    person = open_program()
    person.click("The computer, ", within="Screens and devices")
    opened(person)
    person.sees("These figures are the computer's own and real; only the cards are simulated.")
    person.click("Copy all facts")
    assert "SIMULATED" not in person.clipboard()


def test_it_is_there_again_at_the_next_start(open_program: OpenProgram) -> None:
    person = open_program()
    person.click("The computer, ", within="Screens and devices")
    opened(person)
    person.closes()
    opened(open_program())


def test_its_plots_are_saved_as_those_of_cards_are(
    open_program: OpenProgram, tmp_path: Path
) -> None:
    person = open_program()
    person.click("The computer, ", within="Screens and devices")
    opened(person)
    person.runs("Save visible data as CSV")
    person.saves_as(tmp_path / "host.csv")
    person.waits((tmp_path / "host.csv").exists)
    saved = (tmp_path / "host.csv").read_text(encoding="utf-8")
    assert "memory_used" in saved
    assert "SIMULATED" not in saved


def test_swap_that_is_not_there_is_said_and_not_drawn_as_nothing(
    open_program: OpenProgram, monkeypatch: pytest.MonkeyPatch
) -> None:
    none = psutil.swap_memory()._replace(total=0, used=0, free=0)
    monkeypatch.setattr(psutil, "swap_memory", lambda: none)
    person = open_program(real=no_cards)
    person.go_to("Card")
    opened(person)
    person.row_of("Facts", "Swap: no swap space")
    person.does_not_see("Swap used", "Swap space", within="Facts")
    person.does_not_see("Swap", within="Plots")


@pytest.mark.skipif(sys.platform != "linux", reason="the commands are those of Linux")
def test_one_click_says_how_swap_is_turned_on(
    open_program: OpenProgram, monkeypatch: pytest.MonkeyPatch
) -> None:
    none = psutil.swap_memory()._replace(total=0, used=0, free=0)
    monkeypatch.setattr(psutil, "swap_memory", lambda: none)
    person = open_program(real=no_cards)
    person.go_to("Card")
    opened(person)
    person.click_row("Facts", "Swap: no swap space")
    person.waits(lambda: any("Turn swap on" in each for each in person.dialogs()))
    [sheet] = person.dialogs()
    assert "sudo swapon /swapfile" in sheet


def test_swap_is_drawn_where_there_is_some(
    open_program: OpenProgram, monkeypatch: pytest.MonkeyPatch
) -> None:
    some = psutil.swap_memory()._replace(total=8 << 30, used=3 << 30, free=5 << 30)
    monkeypatch.setattr(psutil, "swap_memory", lambda: some)
    person = open_program(real=no_cards)
    person.go_to("Card")
    person.sees("Plots: Utilisation, Memory, Swap")
    person.row_of("Facts", "Swap used", "3.00 GiB")
