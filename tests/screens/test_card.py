"""The screen of one card: its facts, its plots, and who holds its memory."""

from tests.screens.conftest import OpenProgram


def test_facts_are_found_by_words(open_program: OpenProgram) -> None:
    person = open_program()
    person.go_to("Card")
    person.row_of("Facts", "PCI address", "0000:17:00.0")
    person.type_into("Search facts", "capability")
    person.row_of("Facts", "Compute capability", "7.5")
    person.does_not_see("PCI address", within="Facts")


def test_all_facts_are_copied_as_text_that_says_it_is_made_up(
    open_program: OpenProgram,
) -> None:
    person = open_program()
    person.go_to("Card")
    person.row_of("Facts", "Model")
    person.click("Copy all facts")
    lines = person.clipboard().splitlines()
    assert any("Model" in line and "NVIDIA TITAN RTX" in line for line in lines)
    assert any("SIMULATED" in line for line in lines)


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


def test_a_figure_that_cannot_be_plotted_says_why(open_program: OpenProgram) -> None:
    person = open_program()
    person.go_to("Card")
    person.click("Choose plots")
    person.click("Utilisation")
    person.press("Right")
    person.sees("SM occupancy", "this card does not report it")


def test_memory_is_told_by_program(open_program: OpenProgram) -> None:
    person = open_program("1xH100")
    person.go_to("Card")
    person.sees("GiB used", "ipykernel_launcher", within="Memory")


def test_another_card_is_chosen_beside_its_name(open_program: OpenProgram) -> None:
    person = open_program("3xTitanRTX")
    person.go_to("Card")
    person.row_of("Facts", "UUID", "SIM-0")
    person.choose("Card to look at", "Card 2")
    person.row_of("Facts", "UUID", "SIM-2")
