"""A computer on which no card answers: what was looked for, and the ways on."""

from tests.screens.conftest import NO_DRIVER, Opened, OpenProgram, no_cards
from tests.screens.machines import TwoCards


def test_it_says_what_was_looked_for_and_what_to_do(open_program: OpenProgram) -> None:
    person = open_program(real=no_cards)
    person.sees("No graphics card answers on this computer")
    person.sees(NO_DRIVER.sentence, NO_DRIVER.hint, "What was looked for", "Driver library")
    assert "SIMULATED" not in person.title()


def test_simulated_cards_are_one_click_away(open_program: OpenProgram) -> None:
    person = open_program(real=no_cards)
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


def test_copies_without_a_card_lead_to_what_the_host_can_measure(
    open_program: OpenProgram,
) -> None:
    person = open_program(real=no_cards)
    person.go_to("Copies")
    person.sees("No card answers, so nothing is copied over a wire here.")
    person.does_not_see("Nothing can be copied")
    person.click("Measure copies within the host")
    person.sees("Measured", "Measure all")


def test_copies_without_a_card_lead_to_simulated_cards_too(open_program: OpenProgram) -> None:
    person = open_program(real=no_cards)
    person.go_to("Copies")
    person.click("Look around on simulated cards")
    person.sees("SIMULATED", "New copy")
    person.does_not_see("No card answers")
