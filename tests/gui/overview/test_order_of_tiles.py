"""A person orders, hides and opens cards, and both order and hidden cards are remembered."""

from collections.abc import Sequence

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from gpuexplorer.core.cards import CardId
from gpuexplorer.gui.cards.card_face import Shown, arrange
from gpuexplorer.gui.overview.card_tile import CardTile
from gpuexplorer.gui.overview.view import Arrangement
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.telemetry.session import Session
from tests.gui.fakes import SIMULATED, card, session_of, working
from tests.gui.hands import click, press
from tests.gui.overview.conftest import OpenOverview, Screen

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")

LEFT = Qt.MouseButton.LeftButton


def four() -> Session:
    return session_of({card(index): working() for index in range(4)})


def shift(tile: CardTile, key: Qt.Key) -> None:
    modifier = Qt.KeyboardModifier
    QTest.keyClick(tile, key, modifier.ControlModifier | modifier.ShiftModifier)


@pytest.fixture
def screen(open_overview: OpenOverview) -> Screen:
    made = open_overview(four())
    made.wait_for_order("0 1 2 3")
    return made


def menu_of(screen: Screen, number: str) -> dict[str, bool]:
    """What it offers, and whether that can be done."""
    tile = screen.tile(number)
    middle = tile.rect().center()
    event = QContextMenuEvent(
        QContextMenuEvent.Reason.Keyboard, middle, tile.mapToGlobal(middle)
    )
    QApplication.sendEvent(tile, event)
    return {action.text(): action.isEnabled() for action in screen.menu().actions()}


def test_control_shift_and_arrows_move_a_card(screen: Screen) -> None:
    screen.tile("0").setFocus()
    for key, order in (
        (Qt.Key.Key_Right, "1 0 2 3"),
        (Qt.Key.Key_Right, "1 2 0 3"),
        (Qt.Key.Key_Left, "1 0 2 3"),
    ):
        shift(screen.tile("0"), key)
        screen.wait_for_order(order)
    assert screen.tile("0").hasFocus()


@pytest.mark.parametrize(("onto", "order"), [("1", "0 3 1 2"), ("3", "0 1 2 3")])
def test_a_tile_can_be_dragged_to_another_place(screen: Screen, onto: str, order: str) -> None:
    """In steps, so that it is a move and no click; let go on itself it stays."""
    taken, other = screen.tile("3"), screen.tile(onto)
    start = QPoint(20, 20)
    end = taken.mapFromGlobal(other.mapToGlobal(other.rect().center()))
    QTest.mousePress(taken, LEFT, pos=start)
    for share in (0.2, 0.6, 1.0):
        QTest.mouseMove(taken, start + (end - start) * share)
    QTest.mouseRelease(taken, LEFT, pos=end)
    screen.wait_for_order(order)
    assert screen.navigation.screen == ""


def test_a_drag_is_given_up_with_escape(screen: Screen) -> None:
    taken, other = screen.tile("3"), screen.tile("1")
    end = taken.mapFromGlobal(other.mapToGlobal(other.rect().center()))
    QTest.mousePress(taken, LEFT, pos=QPoint(20, 20))
    QTest.mouseMove(taken, end)
    press(taken, Qt.Key.Key_Escape)
    QTest.mouseRelease(taken, LEFT, pos=end)
    assert screen.order == "0 1 2 3"


def test_hidden_cards_are_counted_and_come_back(screen: Screen) -> None:
    for number in ("1", "2"):
        menu_of(screen, number)
        screen.choose("Hide this card")
    screen.wait_for_order("0 3")
    click(screen.window, "2 cards hidden: show all")
    screen.wait_for_order("0 1 2 3")


def test_the_menu_moves_a_card_and_greys_out_what_cannot_be(screen: Screen) -> None:
    assert not menu_of(screen, "0")["Move earlier"]
    screen.choose("Move later")
    screen.wait_for_order("1 0 2 3")


def test_name_and_uuid_can_be_copied_and_simulated_cards_say_so(
    open_overview: OpenOverview,
) -> None:
    made_up = card(1, simulated=True)
    screen = open_overview(session_of({card(0): working(), made_up: working()}, SIMULATED))
    screen.wait_for_order("0 1")
    for number, words in (("0", "Card 0: NVIDIA TITAN RTX, GPU-0"), ("1", "SIMULATED. Card 1")):
        menu_of(screen, number)
        screen.choose("Copy name and UUID")
        assert QApplication.clipboard().text().startswith(words)


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
