"""What a person sees, clicks and is told on the topology screen: also of a driver that hangs,
refuses or tells nothing of its wires, and of cards that come and go.
"""

from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QPushButton
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import HOST_ID, CardState
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.gui.widgets.machine.layout import Kind, Part
from gpuexplorer.telemetry.topology import Topology
from tests.gui.fakes import Answer, card, working
from tests.gui.hands import press, texts
from tests.gui.topology.conftest import (
    OpenScreen,
    Screen,
    WiredBackend,
    click_cell,
    click_on,
    made_up,
    named,
    place_of,
    press_button,
    ringed,
    session_of,
    shown_fact,
    sim,
    told_of,
    wait_drawn,
    wait_for_words,
)


def test_cards_links_and_cells_say_themselves_to_a_reader_of_screens(
    open_screen: OpenScreen, qtbot: QtBot, qtmodeltester: ModelTester
) -> None:
    screen = open_screen(made_up("8xH100"))
    drawing, wire = wait_drawn(qtbot, screen), "Link from card 0 to the host"
    # Before anything is chosen the machine is summed up.
    assert "8 cards" in texts(screen.view)
    assert shown_fact(screen, "NV18") == "28 pairs, 450 GB/s each way"
    qtbot.waitUntil(lambda: "PCIe 5 ×16. 63.0 GB/s each way" in named(drawing, wire))
    qtbot.waitUntil(lambda: "Now in: " in named(drawing, wire))
    assert "NVLink 4 ×18. 450 GB/s each way" in named(drawing, "NVLinks of card 5")
    assert any("PCIe switch of cards 4 and 5" in each.toolTip() for each in drawing.parts)
    qtmodeltester.check(screen.matrix.model())  # type: ignore[no-untyped-call]  # pytest-qt's
    cell = screen.matrix.model().index(0, 2)
    words = "Card 0 to card 1: 18 NVLinks that work together.\nIn theory: 450 GB/s each way"
    assert (cell.data(), cell.data(Qt.ItemDataRole.ToolTipRole)) == ("NV18", words)


def test_drawing_and_matrix_choose_for_each_other(
    open_screen: OpenScreen, qtbot: QtBot
) -> None:
    screen = open_screen(made_up("8xL40S"))
    drawing, model = wait_drawn(qtbot, screen), screen.matrix.model()
    there = click_cell(screen, 0, 8)  # the host, and then card 7
    assert ringed(screen) == [there, model.index(7, 1)]
    click_on(drawing, Part(Kind.LINK, sim(0), HOST_ID))
    assert shown_fact(screen, "Path") == "PHB: the PCIe host bridge of a processor"
    assert shown_fact(screen, "In theory") == "31.5 GB/s each way"
    qtbot.waitUntil(lambda: shown_fact(screen, "Link now") == "4.0 ×16")
    assert any(each.startswith("Runs at full speed: 4.0 ×16.") for each in texts(screen.view))
    qtbot.waitUntil(lambda: "GB/s" in shown_fact(screen, "Now in"))
    click_on(drawing, Part(Kind.CARD, sim(2)))
    assert ringed(screen) == [model.index(2, 3)] * 2
    place = place_of(drawing, Part(Kind.CARD, sim(1))).center()
    QTest.mouseDClick(drawing.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert (screen.navigation.screen, screen.navigation.card) == ("card", sim(1))


def test_everything_is_reached_and_chosen_by_keyboard(
    open_screen: OpenScreen, qtbot: QtBot
) -> None:
    screen = open_screen(made_up("2xTitanRTX"))
    parts = wait_drawn(qtbot, screen).list
    for _ in range(30):
        QTest.keyClick(QApplication.focusWidget() or screen.view, Qt.Key.Key_Tab)
        focused = QApplication.focusWidget()
        if isinstance(focused, QPushButton) and focused.text() == "List the parts":
            press(focused, Qt.Key.Key_Space)
        if parts.hasFocus():
            break
    assert parts.hasFocus()
    assert "2 cards" in texts(screen.view)
    press(parts, Qt.Key.Key_Down)
    while not parts.currentItem().text().startswith("Card 0, "):
        press(parts, Qt.Key.Key_Down)
    assert any(each.startswith("Card 0, NVIDIA TITAN RTX") for each in texts(screen.view))
    press(parts, Qt.Key.Key_Return)
    assert (screen.navigation.screen, screen.navigation.card) == ("card", sim(0))
    press(parts, Qt.Key.Key_Escape)
    assert "2 cards" in texts(screen.view)


def test_of_very_many_cards_the_ends_of_what_is_chosen_are_drawn_alone(
    open_screen: OpenScreen, qtbot: QtBot
) -> None:
    screen = open_screen(made_up("64xT4"))
    wait_for_words(qtbot, screen, "64 cards are too many for one drawing.")
    qtbot.waitUntil(screen.matrix.isVisible)
    click_cell(screen, 0, 64)
    assert set(screen.drawing.cards) == {sim(0), sim(63)}
    named(screen.drawing, "Link from card 63 to the host")


# The platform without a display says so of every dialog.
pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")


def test_a_driver_that_hangs_is_told_of_and_the_window_goes_on(
    open_screen: OpenScreen, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gpuexplorer.gui.topology.view._LONG", 0.3)
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
