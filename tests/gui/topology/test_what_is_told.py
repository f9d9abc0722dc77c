"""A driver that hangs, refuses or tells nothing of its wires, and cards that come and go."""

import pytest
from PySide6.QtCore import QEvent, QObject, QRect
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import HOST_ID, CardState
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.gui.widgets.machine.layout import Kind, Part
from gpuexplorer.telemetry.topology import Topology
from tests.gui.fakes import Answer, card, instance, working
from tests.gui.hands import click, texts
from tests.gui.topology.conftest import OpenScreen, WiredBackend
from tests.gui.topology.screen_hands import (
    click_on,
    named,
    session_of,
    told_of,
    wait_drawn,
    wait_for_words,
)


def test_a_driver_that_hangs_is_told_of_and_the_window_goes_on(
    open_screen: OpenScreen, qtbot: QtBot
) -> None:
    cards = [card(0), card(1)]
    backend = WiredBackend(dict.fromkeys(cards, working()), told_of(cards))
    backend.answers_now.clear()
    screen = open_screen(session_of(backend))
    wait_for_words(qtbot, screen, "The driver is asked how the cards are wired.")
    wait_for_words(qtbot, screen, "The driver has not answered for 3 s how")
    wait_for_words(qtbot, screen, "It is waited for; the rest of the window goes on.")
    assert backend.asked == 1
    backend.answers_now.set()
    drawing = wait_drawn(qtbot, screen)
    named(drawing, "Link from card 1 to the host")


def test_a_driver_that_refuses_says_why_and_can_be_asked_again(
    open_screen: OpenScreen, qtbot: QtBot
) -> None:
    cards = [card(0)]
    refused = Trouble("The driver is of another version.", "Restart the computer.")
    backend = WiredBackend(dict.fromkeys(cards, working()), refused)
    screen = open_screen(session_of(backend))
    wait_for_words(qtbot, screen, "The driver is of another version. Restart the computer.")
    backend.told = told_of(cards)
    click(screen.view, "Ask again")
    wait_drawn(qtbot, screen)


@pytest.mark.parametrize(
    ("state", "absence", "words"),
    [
        (CardState.ASLEEP, Absence.ASLEEP, "All cards sleep and are not woken to ask"),
        (CardState.NO_DRIVER, Absence.NO_DRIVER, "The driver is gone."),
        (CardState.WORKING, Absence.REFUSED, "The driver does not report how the cards are"),
    ],
)
def test_a_driver_that_tells_of_no_wire_is_explained(
    open_screen: OpenScreen, qtbot: QtBot, state: CardState, absence: Absence, words: str
) -> None:
    answer = Answer(otherwise=absence, state=state)
    backend = WiredBackend({card(0): answer}, Topology([card(0).id], [], {}))
    wait_for_words(qtbot, open_screen(session_of(backend)), words)


def test_where_only_instances_are_seen_nothing_is_drawn(
    open_screen: OpenScreen, qtbot: QtBot
) -> None:
    backend = WiredBackend({instance(card(0), 0): working()}, Topology([], [], {}))
    wait_for_words(qtbot, open_screen(session_of(backend)), "Only MIG instances are visible")


def test_a_lost_card_stays_where_it_was_and_says_so(
    open_screen: OpenScreen, qtbot: QtBot
) -> None:
    cards = [card(0), card(1)]
    answers = {cards[0]: working(), cards[1]: working()}
    backend = WiredBackend(answers, told_of(cards))
    screen = open_screen(session_of(backend))
    drawing = wait_drawn(qtbot, screen)
    place = drawing.place_of(Part(Kind.CARD, cards[1].id))
    backend.answers[cards[1].id] = Answer(otherwise=Absence.LOST, state=CardState.LOST)
    # A driver tells nothing of it any more; the list of cards is another one.
    backend.told = told_of(cards[:1])
    backend.listed = list(cards)
    wait_for_words(qtbot, screen, "Lost: card 1. Wires are drawn as they were.")
    qtbot.waitUntil(lambda: backend.asked == 2)
    qtbot.waitUntil(lambda: "Lost" in named(drawing, "Card 1"))
    assert drawing.place_of(Part(Kind.CARD, cards[1].id)) == place
    click_on(drawing, Part(Kind.LINK, cards[1].id, HOST_ID))
    assert "Lost: card 1. Nothing passes here." in texts(screen.view)


def test_a_card_of_which_the_driver_tells_nothing_stands_apart(
    open_screen: OpenScreen, qtbot: QtBot
) -> None:
    cards = [card(0), card(1)]
    backend = WiredBackend(dict.fromkeys(cards, working()), told_of(cards[:1]))
    screen = open_screen(session_of(backend))
    drawing = wait_drawn(qtbot, screen)
    wait_for_words(qtbot, screen, "How card 1 would be reached is not reported.")
    assert drawing.place_of(Part(Kind.LINK, cards[1].id, HOST_ID)).isEmpty()
    assert not drawing.place_of(Part(Kind.CARD, cards[1].id)).isEmpty()


def test_other_cards_are_drawn_as_soon_as_they_come(
    open_screen: OpenScreen, qtbot: QtBot
) -> None:
    cards = [card(0), card(1)]
    backend = WiredBackend(dict.fromkeys(cards, working()), told_of(cards[:1]))
    backend.listed = cards[:1]
    screen = open_screen(session_of(backend))
    wait_for_words(qtbot, screen, "One card")
    backend.told, backend.listed = told_of(cards), list(cards)
    wait_for_words(qtbot, screen, "2 cards")
    named(screen.drawing, "Link from card 1 to the host")


def test_nothing_is_painted_while_no_figure_changes(
    open_screen: OpenScreen, qtbot: QtBot
) -> None:
    cards = [card(0), card(1)]
    backend = WiredBackend(dict.fromkeys(cards, working()), told_of(cards))
    screen = open_screen(session_of(backend))
    drawing = wait_drawn(qtbot, screen)
    # The computer's own memory is a real figure, and may change.
    click_on(drawing, Part(Kind.CARD, cards[0].id))
    qtbot.waitUntil(lambda: screen.session.beats().taken > 10)
    painted = Painted(drawing.viewport())
    before = screen.session.beats().taken
    qtbot.waitUntil(lambda: screen.session.beats().taken > before + 10)
    tile = drawing.place_of(Part(Kind.CARD, cards[0].id))
    assert not [place for place in painted.places if place.contains(tile.center())]
    backend.answers[cards[0].id] = working(busy=0.4)
    qtbot.waitUntil(lambda: any(place.contains(tile.center()) for place in painted.places))


class Painted(QObject):
    """Where a widget was painted since."""

    def __init__(self, widget: QWidget) -> None:
        super().__init__(widget)
        self.places: list[QRect] = []
        widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        if isinstance(event, QPaintEvent):
            self.places.append(event.rect())
        return False
