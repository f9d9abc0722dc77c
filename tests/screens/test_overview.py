"""The overview: what every card says, and what all of them say together."""

from tests.screens.conftest import OpenProgram, real_cards
from tests.screens.machines import TwoCards

CARD = "Card 1, NVIDIA TITAN RTX"


def test_every_card_says_its_name_how_busy_it_is_and_its_memory(
    open_program: OpenProgram,
) -> None:
    person = open_program(real=real_cards(TwoCards()))
    person.sees("97 %", "19.5 of 24 GiB", "of 280 W", within="Card 0, NVIDIA TITAN RTX")
    person.sees("25 %", "1.00 of 24 GiB", within=CARD)
    assert "SIMULATED" not in person.said()


def test_a_double_click_on_a_card_opens_its_screen(open_program: OpenProgram) -> None:
    person = open_program()
    person.double_click(CARD, within="Overview")
    person.sees("Facts", "SIM-1")


def test_enter_on_a_card_opens_its_screen(open_program: OpenProgram) -> None:
    person = open_program()
    person.tabs_to("Card 0, NVIDIA TITAN RTX", within="Overview")
    person.press("Right", "Return")
    person.sees("Facts", "SIM-1")


def test_the_sums_of_all_cards_stand_above_them(open_program: OpenProgram) -> None:
    person = open_program(real=real_cards(TwoCards()))
    person.sees("61 %", "20.5 of 48 GiB", "card 0", within="All cards together")


def test_another_figure_of_all_cards_is_plotted_on_request(open_program: OpenProgram) -> None:
    person = open_program()
    person.sees("Utilisation card 0: ", "Utilisation card 1: ")
    person.choose("What all cards are compared by", "Temperature")
    person.sees("Temperature card 0: ", "°C")
    person.does_not_see("Utilisation card 0: ")


def test_programs_and_events_are_listed_and_lead_to_their_screens(
    open_program: OpenProgram,
) -> None:
    person = open_program()
    person.sees("ipykernel_launcher", within="Processes")
    person.sees("At its power limit", within="Events")
    person.click("All events")
    person.sees("Search events")
    person.go_to("Overview")
    person.click("All processes")
    person.sees("Filter by command")


def test_sixty_four_cards_are_a_map_and_a_list_of_what_is_worth_a_look(
    open_program: OpenProgram,
) -> None:
    person = open_program("64xH100", fault="lost:5@20s", past=60.0)
    person.sees("All cards over time", "Cards 0–7", "63 cards", "Card 63, NVIDIA H100")
    person.sees("card 5", "no longer answers", within="Worth a look")
    person.does_not_see("card 6", within="Worth a look")


def test_a_lost_card_says_why_it_has_no_figures(open_program: OpenProgram) -> None:
    person = open_program(fault="lost:1@20s")
    person.sees("Lost", "no longer answers", "restart", within=CARD)
    person.does_not_see("of 24 GiB", within=CARD)
