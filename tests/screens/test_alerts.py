"""The strip of alerts: what a person asked to be told of, while it lasts."""

from tests.screens.conftest import OpenProgram, real_cards
from tests.screens.machines import TwoCards
from tests.screens.person import Person


def busy_cards_are_worth_an_alert(person: Person) -> None:
    """As one asks for it: in the settings."""
    person.press("Ctrl+,")
    person.click("Alerts", within="Sections")
    person.click("Add an alert")
    person.type_into("For at least", "0")
    person.press("Return")
    person.sees("GPU utilisation above 95 %, on any card")
    person.press("Escape")


def test_an_alert_names_the_card_and_leads_to_it(open_program: OpenProgram) -> None:
    person = open_program(real=real_cards(TwoCards()), interval=0.2)
    busy_cards_are_worth_an_alert(person)
    person.sees("Card 0: GPU utilisation above 95 %")
    person.click("Open card 0")
    person.row_of("Facts", "UUID", "GPU-0")


def test_alerts_are_silenced_for_an_hour_and_speak_again(open_program: OpenProgram) -> None:
    person = open_program(real=real_cards(TwoCards()), interval=0.2)
    busy_cards_are_worth_an_alert(person)
    person.click("Silence for 1 hour")
    person.does_not_see("Card 0: GPU utilisation above 95 %", "Silence for 1 hour")
    person.press("Ctrl+,")
    person.click("Alerts", within="Sections")
    person.click("Show alerts again")
    person.press("Escape")
    person.sees("Card 0: GPU utilisation above 95 %")
