"""The screens of what is read just now: overview, card, computer, processes, wires, events, and
the strip of alerts.
"""

import sys
from pathlib import Path

import psutil
import pytest

from tests.gui.fakes import GIB
from tests.screens.conftest import OpenProgram, TwoCards, no_cards, real_cards, running
from tests.screens.person import Person

CARD = "Card 1, NVIDIA TITAN RTX"
ALERT = "Card 0: GPU utilisation above 95 %"


def test_every_card_says_how_it_is_and_all_of_them_what_they_come_to(
    open_program: OpenProgram,
) -> None:
    person = open_program(real=real_cards(TwoCards()))
    person.sees("97 %", "19.5 of 24 GiB", "of 280 W", within="Card 0, NVIDIA TITAN RTX")
    person.sees("25 %", "1.00 of 24 GiB", within=CARD)
    person.sees("61 %", "20.5 of 48 GiB", "card 0", within="All cards together")
    assert "SIMULATED" not in person.said()


def test_from_the_overview_lead_cards_programs_and_events(open_program: OpenProgram) -> None:
    person = open_program()
    person.double_click(CARD, within="Overview")
    person.sees("Facts", "SIM-1")
    person.go_to("Overview")
    person.tabs_to(CARD, within="Overview")
    person.press("Left", "Return")
    person.sees("Facts", "SIM-0")
    person.go_to("Overview")
    person.sees("ipykernel_launcher", within="Processes")
    person.sees("At its power limit", within="Events")
    person.click("All processes")
    person.sees("Filter by command")
    person.go_to("Overview")
    person.click("All events")
    person.sees("Search events")
    person.go_to("Overview")
    person.sees("Utilisation card 0: ", "Utilisation card 1: ")
    person.choose("What all cards are compared by", "Temperature")
    person.sees("Temperature card 0: ", "°C")
    person.does_not_see("Utilisation card 0: ")


@pytest.mark.long
def test_sixty_four_cards_are_a_map_and_a_list_of_what_is_worth_a_look(
    open_program: OpenProgram,
) -> None:
    person = open_program("64xH100", fault="lost:5@5s", past=15.0)
    person.sees("All cards over time", "Cards 0–7", "63 cards", "Card 63, NVIDIA H100")
    person.sees("card 5", "no longer answers", within="Worth a look")
    person.does_not_see("card 6", within="Worth a look")


def test_a_lost_card_says_why_it_has_no_figures_and_its_fault_is_an_event(
    open_program: OpenProgram,
) -> None:
    person = open_program(fault="lost:1@20s")
    person.sees("Lost", "no longer answers", "restart", within=CARD)
    person.does_not_see("of 24 GiB", within=CARD)
    person.go_to("Events")
    person.choose("Kind of event", "Faults")
    person.row_of("Events", "Xid 79", "fallen off the bus")


def test_facts_of_a_card_are_found_by_words_and_copied_as_text_that_says_it_is_made_up(
    open_program: OpenProgram,
) -> None:
    person = open_program("3xTitanRTX")
    person.go_to("Card")
    person.row_of("Facts", "UUID", "SIM-0")
    person.click("Copy all facts")
    lines = person.clipboard().splitlines()
    assert any("Model" in line and "NVIDIA TITAN RTX" in line for line in lines)
    assert any("SIMULATED" in line for line in lines)
    person.choose("Card to look at", "Card 2")
    person.row_of("Facts", "UUID", "SIM-2")
    person.row_of("Facts", "PCI address", "0000:")
    person.type_into("Search facts", "capability")
    person.row_of("Facts", "Compute capability", "7.5")
    person.does_not_see("PCI address", within="Facts")
    person.click("Choose plots")
    person.click("Utilisation")
    person.press("Right")
    person.sees("SM occupancy", "this card does not report it")


def test_other_plots_are_chosen_and_come_back_at_the_next_start(
    open_program: OpenProgram,
) -> None:
    person = open_program()
    person.go_to("Card")
    person.sees("Plots: Utilisation, Memory, Power")
    person.click("Choose plots")
    person.click("Fan turns")
    person.press("Right", "Return")
    person.sees("Fan turns", within="Plots")
    person.closes()
    again = open_program()
    again.go_to("Card")
    again.sees("Fan turns", within="Plots")
    again.sees("GiB used", "ipykernel_launcher", within="Memory")


def opened(person: Person) -> None:
    """The computer's own screen is there, and plots what was read."""
    person.sees("The computer, ", within="Screens and devices")
    person.sees("Plots: Utilisation, Memory", "processor")
    person.row_of("Facts", "Logical cores", str(psutil.cpu_count()))
    person.sees("GiB used", "by programs and the system", within="Memory")


def test_without_a_card_the_computer_opens_and_swap_that_is_not_there_is_no_zero(
    open_program: OpenProgram, monkeypatch: pytest.MonkeyPatch
) -> None:
    none = psutil.swap_memory()._replace(total=0, used=0, free=0)
    monkeypatch.setattr(psutil, "swap_memory", lambda: none)
    person = open_program(real=no_cards)
    person.click("See the computer's processor and memory")
    opened(person)
    person.does_not_see("No graphics card answers on this computer", "SIMULATED")
    person.row_of("Facts", "Swap: no swap space")
    person.does_not_see("Swap used", "Swap space", within="Facts")
    person.does_not_see("Swap", within="Plots")
    if sys.platform == "linux":
        person.click_row("Facts", "Swap: no swap space")
        person.waits(lambda: any("Turn swap on" in each for each in person.dialogs()))
        assert "sudo swapon /swapfile" in person.dialogs()[0]
        person.press("Escape")
    person.go_to("Overview")
    person.sees("No graphics card answers on this computer")


def test_among_simulated_cards_the_computer_is_real_and_opens_wherever_it_is_named(
    open_program: OpenProgram, tmp_path: Path
) -> None:
    person = open_program()
    person.click("The computer, ", within="Screens and devices")
    opened(person)
    person.go_to("Overview")
    person.runs("Open the host")
    opened(person)
    person.go_to("Topology")
    person.click("List the parts")
    person.click("Host memory", within="Parts of the machine")
    person.click("Open host")
    opened(person)
    person.sees("These figures are the computer's own and real; only the cards are simulated.")
    person.click("Copy all facts")
    assert "SIMULATED" not in person.clipboard()
    person.runs("Save visible data as CSV")
    person.saves_as(tmp_path / "host.csv")
    person.waits((tmp_path / "host.csv").exists)
    saved = (tmp_path / "host.csv").read_text(encoding="utf-8")
    assert ("memory_used" in saved, "SIMULATED" in saved) == (True, False)
    person.closes()
    again = open_program()
    opened(again)
    again.choose("Card to look at", "Card 0")
    again.row_of("Facts", "UUID", "SIM-0")


def test_swap_is_drawn_where_there_is_some(
    open_program: OpenProgram, monkeypatch: pytest.MonkeyPatch
) -> None:
    some = psutil.swap_memory()._replace(total=8 << 30, used=3 << 30, free=5 << 30)
    monkeypatch.setattr(psutil, "swap_memory", lambda: some)
    person = open_program(real=no_cards)
    person.go_to("Card")
    person.sees("Plots: Utilisation, Memory, Swap")
    person.row_of("Facts", "Swap used", "3.00 GiB")


def test_processes_are_sorted_by_a_heading_and_a_hidden_column_stays_hidden(
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
    assert "User" in person.columns("Processes")
    person.choose("Columns", "User")
    person.waits(lambda: "User" not in person.columns("Processes"))
    person.closes()
    again = open_program()
    again.go_to("Processes")
    assert "User" not in again.columns("Processes")
    again.choose("Columns", "User")
    again.waits(lambda: "User" in again.columns("Processes"))


def test_the_chosen_row_is_copied_and_saved_or_it_is_said_why_not(
    open_program: OpenProgram, tmp_path: Path
) -> None:
    person = open_program()
    person.go_to("Processes")
    person.click_row("Processes", "Xorg")
    person.press("Ctrl+C")
    copied = person.clipboard()
    assert all(each in copied for each in ("/usr/lib/xorg/Xorg :0", "PID", "SIMULATED"))
    assert "ipykernel" not in copied
    path = tmp_path / "processes.csv"
    person.press("Ctrl+S")
    person.saves_as(path)
    person.sees("Saved to", str(path))
    assert "/usr/lib/xorg/Xorg :0" in path.read_text("utf-8")
    if sys.platform == "linux":  # a folder in which nobody may write
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
        for told in (f"pid {program.pid}", "night_train", "3.00 GiB on card 0"):
            assert told in question
        person.press("Escape")
        person.waits(lambda: not person.dialogs())
        assert program.poll() is None
        person.click("End…", within="Processes")
        person.click("Ask it to end")
        person.waits(lambda: program.poll() is not None)
        person.sees("ended")


@pytest.mark.long
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


@pytest.mark.long
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


def test_wires_are_told_by_the_matrix_and_by_the_drawing(open_program: OpenProgram) -> None:
    person = open_program()
    person.go_to("Topology")
    person.sees("Card 0 to card 1")
    person.click("Copy the matrix")
    copied = person.clipboard()
    assert all(each in copied for each in ("NV2", "PHB", "SIMULATED"))
    person.click("Card 0 to card 1")
    person.sees("2 NVLinks", "50.0 GB/s", within="Facts")
    person.click("List the parts")
    listed = "Parts of the machine"
    person.sees("NVLink between card 0 and card 1", "NUMA node 0", within=listed)
    person.click(CARD, within=listed)
    person.sees("Card 1", "PCIe", within="Facts")
    person.does_not_see("2 cards", within="Facts")


def test_enter_shows_the_moment_of_an_event_on_the_plots_of_its_card(
    open_program: OpenProgram,
) -> None:
    person = open_program()
    person.go_to("Events")
    person.row_of("Events", "inference.py", "1")
    person.click_row("Events", "inference.py")
    person.press("Return")
    person.sees("Looking back", "Facts", "SIM-1")
    person.press("Ctrl+End")
    person.does_not_see("Looking back")


def busy_cards_are_worth_an_alert(person: Person) -> None:
    """As one asks for it: in the settings."""
    person.press("Ctrl+,")
    person.click("Alerts", within="Sections")
    person.click("Add an alert")
    person.type_into("For at least", "0")
    person.press("Return")
    person.sees("GPU utilisation above 95 %, on any card")
    person.press("Escape")


def test_an_alert_names_the_card_leads_to_it_and_is_silenced_for_an_hour(
    open_program: OpenProgram,
) -> None:
    person = open_program(real=real_cards(TwoCards()), interval=0.2)
    busy_cards_are_worth_an_alert(person)
    person.sees(ALERT)
    person.click("Silence for 1 hour")
    person.does_not_see(ALERT, "Silence for 1 hour")
    person.press("Ctrl+,")
    person.click("Alerts", within="Sections")
    person.click("Show alerts again")
    person.press("Escape")
    person.sees(ALERT)
    person.click("Open card 0")
    person.row_of("Facts", "UUID", "GPU-0")
