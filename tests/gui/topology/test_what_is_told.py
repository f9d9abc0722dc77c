"""A driver that hangs, refuses or tells nothing of its wires, and cards that come and go."""

from pathlib import Path

import pytest
from PySide6.QtCore import QEvent
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication, QFileDialog
from pytestqt.qtbot import QtBot

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import HOST_ID, CardState
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.gui.widgets.machine.layout import Kind, Part
from gpuexplorer.telemetry.topology import Topology
from tests.gui.fakes import Answer, card, working
from tests.gui.hands import texts
from tests.gui.topology.conftest import OpenScreen, Screen, WiredBackend
from tests.gui.topology.screen_hands import (
    click_on,
    made_up,
    named,
    place_of,
    press_button,
    session_of,
    told_of,
    wait_drawn,
    wait_for_words,
)

# The platform without a display says so of every dialog.
pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")


def test_a_driver_that_hangs_is_told_of_and_the_window_goes_on(
    open_screen: OpenScreen, qtbot: QtBot
) -> None:
    cards = [card(0), card(1)]
    backend = WiredBackend(dict.fromkeys(cards, working()), told_of(cards))
    backend.answers_now.clear()
    screen = open_screen(session_of(backend))
    wait_for_words(qtbot, screen, "The driver is asked how the cards are wired.")
    wait_for_words(qtbot, screen, "It is waited for; the rest of the window goes on")
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
    press_button(screen, "Ask again")
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


def test_a_lost_card_stays_where_it_was_and_says_so(
    open_screen: OpenScreen, qtbot: QtBot
) -> None:
    cards = [card(0), card(1)]
    answers = {cards[0]: working(), cards[1]: working()}
    backend = WiredBackend(answers, told_of(cards))
    screen = open_screen(session_of(backend))
    drawing = wait_drawn(qtbot, screen)
    place = place_of(drawing, Part(Kind.CARD, cards[1].id))
    backend.answers[cards[1].id] = Answer(otherwise=Absence.LOST, state=CardState.LOST)
    # A driver tells nothing of it any more; the list of cards is another one.
    backend.told = told_of(cards[:1])
    backend.listed = list(cards)
    wait_for_words(qtbot, screen, "Lost: card 1. Wires are drawn as they were.")
    qtbot.waitUntil(lambda: backend.asked == 2)
    qtbot.waitUntil(lambda: "Lost" in named(drawing, "Card 1"))
    assert place_of(drawing, Part(Kind.CARD, cards[1].id)) == place
    click_on(drawing, Part(Kind.LINK, cards[1].id, HOST_ID))
    assert "Lost: card 1. Nothing passes here." in texts(screen.view)


def test_the_drawing_is_written_as_svg_and_png_that_say_they_are_made_up(
    open_screen: OpenScreen, qtbot: QtBot, tmp_path: Path
) -> None:
    screen = open_screen(made_up("8xH100"))
    wait_drawn(qtbot, screen)
    for name in ("wiring.svg", "wiring.png"):
        save_as(screen, tmp_path / name)
        wait_for_words(qtbot, screen, f"Saved to {tmp_path / name}.")
    drawn = (tmp_path / "wiring.svg").read_text("utf-8")
    assert "<title>SIMULATED: " in drawn
    assert "NVSwitch" in drawn
    picture = QImage(str(tmp_path / "wiring.png"))
    assert picture.width() > 1600


def save_as(screen: Screen, path: Path) -> None:
    press_button(screen, "Save picture")
    [dialog] = screen.view.findChildren(QFileDialog)
    assert Path(dialog.selectedFiles()[0]).name.startswith("simulated-topology-")
    dialog.fileSelected.emit(str(path))
    dialog.reject()
    QApplication.sendPostedEvents(dialog, QEvent.Type.DeferredDelete)
