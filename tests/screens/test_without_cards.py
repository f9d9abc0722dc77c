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
