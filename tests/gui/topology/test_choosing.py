"""What a person sees, clicks and is told on the topology screen."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from gpuexplorer.core.cards import HOST_ID
from gpuexplorer.gui.widgets.machine.layout import Kind, Part
from tests.gui.fakes import card, working
from tests.gui.hands import press, texts
from tests.gui.topology.conftest import OpenScreen, WiredBackend
from tests.gui.topology.screen_hands import (
    click_on,
    made_up,
    named,
    session_of,
    shown_fact,
    sim,
    told_of,
    wait_drawn,
    wait_for_words,
)


def test_before_anything_is_chosen_the_machine_is_summed_up(
    open_screen: OpenScreen, qtbot: QtBot
) -> None:
    screen = open_screen(made_up("8xH100"))
    wait_for_words(qtbot, screen, "8 cards")
    assert shown_fact(screen, "NV18") == "all 28 pairs, 450 GB/s each way"
    assert shown_fact(screen, "Processors") == "2 NUMA nodes"


def test_a_click_on_a_wire_tells_what_it_is_and_what_it_carries(
    open_screen: OpenScreen, qtbot: QtBot
) -> None:
    screen = open_screen(made_up("4xA6000"))
    drawing = wait_drawn(qtbot, screen)
    click_on(drawing, Part(Kind.LINK, sim(0), HOST_ID))
    assert "Card 0 to the host" in texts(screen.view)
    assert shown_fact(screen, "Kind") == "PHB: the PCIe host bridge of a processor"
    assert shown_fact(screen, "Each way").startswith("31.5 GB/s in theory")
    assert shown_fact(screen, "NUMA node") == "0"
    assert shown_fact(screen, "CPUs close by") == "0-31"
    qtbot.waitUntil(lambda: shown_fact(screen, "Link now") == "4.0 ×16")
    qtbot.waitUntil(lambda: "B/s" in shown_fact(screen, "PCIe in"))


def test_cards_that_may_not_read_each_other_say_why(
    open_screen: OpenScreen, qtbot: QtBot
) -> None:
    cards = [card(0), card(1)]
    backend = WiredBackend(dict.fromkeys(cards, working()), told_of(cards))
    screen = open_screen(session_of(backend))
    wait_drawn(qtbot, screen)
    cell = screen.matrix.model().index(1, 1)
    QTest.mouseClick(
        screen.matrix.viewport(),
        Qt.MouseButton.LeftButton,
        pos=screen.matrix.visualRect(cell).center(),
    )
    assert "Card 0 to card 1" in texts(screen.view)
    reason = "no: the chipset of the mainboard does not allow it"
    assert shown_fact(screen, "Peer to peer") == reason
    assert "Copies between the two go through the computer's memory." in texts(screen.view)


def test_drawing_and_matrix_choose_for_each_other(
    open_screen: OpenScreen, qtbot: QtBot
) -> None:
    screen = open_screen(made_up("8xL40S"))
    drawing = wait_drawn(qtbot, screen)
    model = screen.matrix.model()
    plain = drawing.grab().toImage()
    there = model.index(0, 8)  # the host, and then card 7
    QTest.mouseClick(
        screen.matrix.viewport(),
        Qt.MouseButton.LeftButton,
        pos=screen.matrix.visualRect(there).center(),
    )
    assert screen.matrix.is_chosen(there)
    assert screen.matrix.is_chosen(model.index(7, 1))
    assert drawing.grab().toImage() != plain
    click_on(drawing, Part(Kind.CARD, sim(2)))
    assert screen.matrix.is_chosen(model.index(2, 3))
    assert not screen.matrix.is_chosen(there)


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
    walked = []
    for _ in range(parts.count()):
        press(parts, Qt.Key.Key_Down)
        walked.append(parts.currentItem().text().partition(":")[0])
    assert {
        "Processor",
        "Link from card 0 to the host",
        "Card 0, NVIDIA TITAN RTX, cuda",
        "NVLink between card 0 and card 1",
        "Link from card 1 to the host",
    } <= set(walked)
    while not parts.currentItem().text().startswith("Card 0, "):
        press(parts, Qt.Key.Key_Up)
    assert "Card 0" in texts(screen.view)
    press(parts, Qt.Key.Key_Return)
    assert (screen.navigation.screen, screen.navigation.card) == ("card", sim(0))
    press(parts, Qt.Key.Key_Escape)
    assert "2 cards" in texts(screen.view)


def test_a_double_click_opens_the_card(open_screen: OpenScreen, qtbot: QtBot) -> None:
    screen = open_screen(made_up("2xTitanRTX"))
    drawing = wait_drawn(qtbot, screen)
    place = drawing.place_of(Part(Kind.CARD, sim(1))).center()
    QTest.mouseDClick(drawing.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert (screen.navigation.screen, screen.navigation.card) == ("card", sim(1))


def test_links_and_cards_say_themselves_to_a_reader_of_screens(
    open_screen: OpenScreen, qtbot: QtBot
) -> None:
    screen = open_screen(made_up("8xH100"))
    drawing = wait_drawn(qtbot, screen)
    wire = "Link from card 0 to the host"
    qtbot.waitUntil(lambda: "PCIe 5 ×16. 63.0 GB/s each way" in named(drawing, wire))
    qtbot.waitUntil(lambda: "Now in: " in named(drawing, wire))
    assert "NVLink 4 ×18. 450 GB/s each way" in named(drawing, "NVLinks of card 5")
    named(drawing, "NVSwitch of cards 0 to 7")
    named(drawing, "PCIe switch of cards 4 and 5")
    tips = [each.toolTip() for each in drawing.drawn.parts]
    assert any("PCIe switch of cards 4 and 5" in tip for tip in tips)


def test_the_matrix_is_a_proper_model(
    open_screen: OpenScreen, qtbot: QtBot, qtmodeltester: ModelTester
) -> None:
    screen = open_screen(made_up("8xH100"))
    wait_drawn(qtbot, screen)
    qtmodeltester.check(screen.matrix.model())  # type: ignore[no-untyped-call]  # pytest-qt's
    cell = screen.matrix.model().index(0, 2)
    assert cell.data() == "NV18"
    words = "Card 0 to card 1: 18 NVLinks that work together. 450 GB/s each way in theory."
    assert cell.data(Qt.ItemDataRole.ToolTipRole) == words


def test_a_matrix_that_is_wider_than_its_panel_says_how_far_it_goes(
    open_screen: OpenScreen, qtbot: QtBot
) -> None:
    screen = open_screen(made_up("64xT4"), 1158, 690)
    wait_for_words(qtbot, screen, "Scroll sideways to see the columns up to “NUMA node”.")
    narrow = open_screen(made_up("4xA6000"), 1158, 690)
    wait_drawn(qtbot, narrow)
    assert not any("Scroll sideways" in text for text in texts(narrow.view))


@pytest.mark.parametrize("spec", ["T4", "8xH100", "16xL40S"])
@pytest.mark.parametrize("width", [600, 1000, 1392])
def test_it_is_drawn_whole_at_every_size(
    open_screen: OpenScreen, qtbot: QtBot, spec: str, width: int
) -> None:
    screen = open_screen(made_up(spec), width, 700)
    drawing = wait_drawn(qtbot, screen)

    def is_whole() -> bool:
        drawn = drawing.mapFromScene(drawing.sceneRect()).boundingRect()
        return drawing.rect().adjusted(-2, -2, 2, 2).contains(drawn)

    qtbot.waitUntil(is_whole)
    # What it says can be read.
    assert drawing.transform().m11() > 0.8 or width < 1000


def test_of_very_many_cards_the_ends_of_what_is_chosen_are_drawn_alone(
    open_screen: OpenScreen, qtbot: QtBot
) -> None:
    screen = open_screen(made_up("64xT4"))
    wait_for_words(qtbot, screen, "64 cards are too many for one drawing.")
    cell = screen.matrix.model().index(0, 64)
    qtbot.waitUntil(screen.matrix.isVisible)
    screen.matrix.scrollTo(cell)
    place = screen.matrix.visualRect(cell).center()
    QTest.mouseClick(screen.matrix.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert set(screen.drawing.cards) == {sim(0), sim(63)}
    named(screen.drawing, "Link from card 63 to the host")
