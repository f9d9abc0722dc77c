"""In which order cards are shown, which are hidden, and that both are remembered."""

from collections.abc import Sequence

import pytest

from gpuexplorer.core.cards import CardId
from gpuexplorer.gui.cards.card_face import Shown, arrange
from gpuexplorer.gui.overview.view import Arrangement
from gpuexplorer.gui.state.settings import Settings
from tests.gui.fakes import card

FIRST, SECOND, THIRD, FOURTH = (CardId(f"GPU-{index}") for index in range(4))


def cards(*numbers: int) -> Sequence[Shown]:
    return arrange([card(number) for number in numbers])


def order(arrangement: Arrangement, *numbers: int) -> str:
    return "".join(each.number for each in arrangement.shown(cards(*numbers)))


def test_cards_stand_in_the_drivers_order_until_somebody_moves_one() -> None:
    arrangement = Arrangement(Settings(), "cards")
    assert order(arrangement, 0, 1, 2) == "012"
    arrangement.move(THIRD, FIRST, cards(0, 1, 2))
    assert order(arrangement, 0, 1, 2) == "201"
    arrangement.move(THIRD, SECOND, cards(0, 1, 2))
    assert order(arrangement, 0, 1, 2) == "012"


def test_hidden_cards_come_back_together_and_the_last_one_cannot_be_hidden() -> None:
    arrangement = Arrangement(Settings(), "cards")
    arrangement.hide(SECOND)
    arrangement.hide(THIRD)
    assert order(arrangement, 0, 1, 2, 3) == "03"
    assert order(arrangement, 1) == "1"
    arrangement.show_all()
    assert order(arrangement, 0, 1, 2, 3) == "0123"


def test_a_card_that_was_away_finds_its_place_again() -> None:
    arrangement = Arrangement(Settings(), "cards")
    arrangement.move(FOURTH, FIRST, cards(0, 1, 2, 3))
    arrangement.move(SECOND, FOURTH, cards(0, 1, 2, 3))
    assert [order(arrangement, 0, 1, 2, 3), order(arrangement, 0, 1, 2)] == ["1302", "102"]
    arrangement.move(THIRD, FIRST, cards(0, 1, 2))
    assert [order(arrangement, 0, 1, 2, 3), order(arrangement, 0, 1, 2)] == ["1320", "120"]


def test_a_new_card_stands_behind_the_one_before_it() -> None:
    arrangement = Arrangement(Settings(), "cards")
    arrangement.move(THIRD, FIRST, cards(0, 2))
    assert order(arrangement, 0, 1, 2) == "201"


def test_order_and_hidden_cards_are_remembered_machine_by_machine() -> None:
    settings = Settings()
    before = Arrangement(settings, "cards")
    before.move(THIRD, FIRST, cards(0, 1, 2))
    before.hide(SECOND)
    assert order(Arrangement(settings, "cards"), 0, 1, 2) == "20"
    assert order(Arrangement(settings, "Simulated: 3 x H100"), 0, 1, 2) == "012"


@pytest.mark.parametrize("text", ["no list", '{"a": 1}', "[3, null]"])
def test_what_was_remembered_and_cannot_be_read_harms_nobody(text: str) -> None:
    settings = Settings()
    settings.remember("overview/cards/order", text)
    settings.remember("overview/cards/hidden", text)
    assert order(Arrangement(settings, "cards"), 0, 1) == "01"
