"""What a person sees, clicks and is told on the topology screen."""

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from gpuexplorer.core.cards import HOST_ID
from gpuexplorer.gui.widgets.machine.layout import Kind, Part
from tests.gui.hands import press, texts
from tests.gui.topology.conftest import OpenScreen
from tests.gui.topology.screen_hands import (
    click_cell,
    click_on,
    made_up,
    named,
    place_of,
    ringed,
    shown_fact,
    sim,
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
