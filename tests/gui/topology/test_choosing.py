"""What a person sees, clicks and is told on the topology screen."""

import pytest
from PySide6.QtCore import QSize, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from gpuexplorer.core.cards import HOST_ID
from gpuexplorer.gui.widgets.machine.machine_things import OfCard, OfLink
from tests.gui.fakes import card, working
from tests.gui.hands import press, texts
from tests.gui.topology.conftest import OpenScreen, WiredBackend
from tests.gui.topology.screen_hands import (
    click_on,
    made_up,
    name_at_keyboard,
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
    click_on(drawing, OfLink(sim(0), HOST_ID))
    assert "Card 0 to the host" in texts(screen.view)
    assert shown_fact(screen, "Kind") == "PHB: the PCIe host bridge of a processor"
    assert shown_fact(screen, "Each way").startswith("31.5 GB/s in theory")
    assert shown_fact(screen, "NUMA node") == "0"
    assert shown_fact(screen, "CPUs close by") == "0-31"
    qtbot.waitUntil(lambda: shown_fact(screen, "Link now") == "4.0 ×16")
    qtbot.waitUntil(lambda: "B/s" in shown_fact(screen, "PCIe in"))


def test_a_click_on_a_bridge_tells_both_directions(
    open_screen: OpenScreen, qtbot: QtBot
) -> None:
    screen = open_screen(made_up("2xTitanRTX"))
    drawing = wait_drawn(qtbot, screen)
    click_on(drawing, OfLink(sim(0), sim(1)))
    assert shown_fact(screen, "Kind") == "NV2: 2 NVLinks that work together"
    assert shown_fact(screen, "Each way") == "50.0 GB/s in theory"
    assert shown_fact(screen, "Peer to peer") == "yes"
    assert shown_fact(screen, "Without NVLink") == "PHB: the PCIe host bridge of a processor"
    qtbot.waitUntil(lambda: "B/s" in shown_fact(screen, "0 to 1 now"))


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
    click_on(drawing, OfCard(sim(2)))
    assert screen.matrix.is_chosen(model.index(2, 3))
    assert not screen.matrix.is_chosen(there)


def test_everything_is_reached_and_chosen_by_keyboard(
    open_screen: OpenScreen, qtbot: QtBot
) -> None:
    screen = open_screen(made_up("2xTitanRTX"))
    drawing = wait_drawn(qtbot, screen)
    for _ in range(30):
        QTest.keyClick(QApplication.focusWidget() or screen.view, Qt.Key.Key_Tab)
        if drawing.hasFocus():
            break
    assert drawing.hasFocus()
    walked = {name_at_keyboard(drawing)}
    for key in [Qt.Key.Key_Down] * 6 + [Qt.Key.Key_Up] + [Qt.Key.Key_Right] * 3:
        press(focused(), key)
        walked.add(name_at_keyboard(drawing))
    for key in [Qt.Key.Key_Up] * 8 + [Qt.Key.Key_Left] * 3 + [Qt.Key.Key_Down] * 6:
        press(focused(), key)
        walked.add(name_at_keyboard(drawing))
    assert {
        "Host memory",
        "Processor",
        "Link from card 0 to the host",
        "Card 0, NVIDIA TITAN RTX, cuda:0",
        "NVLink between card 0 and card 1",
        "Link from card 1 to the host",
    } <= walked
    while name_at_keyboard(drawing) != "Card 0, NVIDIA TITAN RTX, cuda:0":
        before = name_at_keyboard(drawing)
        press(drawing, Qt.Key.Key_Up)
        assert name_at_keyboard(drawing) != before
    press(focused(), Qt.Key.Key_Return)
    assert "Card 0" in texts(screen.view)
    press(focused(), Qt.Key.Key_Return)
    assert screen.navigation.card == sim(0)
    assert screen.navigation.screen == "card"
    press(focused(), Qt.Key.Key_Escape)
    assert "2 cards" in texts(screen.view)


def focused() -> QWidget:
    widget = QApplication.focusWidget()
    assert widget is not None
    return widget


def test_cells_are_chosen_by_keyboard(open_screen: OpenScreen, qtbot: QtBot) -> None:
    screen = open_screen(made_up("4xA6000"))
    wait_drawn(qtbot, screen)
    screen.matrix.setFocus()
    screen.matrix.setCurrentIndex(screen.matrix.model().index(0, 1))
    press(screen.matrix, Qt.Key.Key_Right)
    press(screen.matrix, Qt.Key.Key_Return)
    assert "Card 0 to card 1" in texts(screen.view)


def test_a_double_click_opens_the_card(open_screen: OpenScreen, qtbot: QtBot) -> None:
    screen = open_screen(made_up("2xTitanRTX"))
    drawing = wait_drawn(qtbot, screen)
    place = drawing.place_of(OfCard(sim(1))).center()
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
    assert any("PCIe switch of cards 4 and 5" in hint for hint in drawing.hints())


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


@pytest.mark.parametrize("spec", ["8xH100", "8xL40S"])
def test_in_a_small_window_eight_cards_fill_their_panel_with_names_and_figures(
    open_screen: OpenScreen, qtbot: QtBot, spec: str
) -> None:
    screen = open_screen(made_up(spec), 1158, 690)  # what a window of 1366 x 768 leaves
    drawing = wait_drawn(qtbot, screen)
    qtbot.waitUntil(lambda: drawing.height() > 480)
    tiles = [drawing.place_of(OfCard(sim(number))) for number in range(8)]
    # Number, bar, name, memory and power stand below each other.
    assert min(tile.height() for tile in tiles) > 90
    assert min(tile.width() for tile in tiles) >= 60


def test_in_a_small_window_all_eight_cards_of_the_matrix_are_seen(
    open_screen: OpenScreen, qtbot: QtBot
) -> None:
    screen = open_screen(made_up("8xH100"), 1158, 690)
    wait_drawn(qtbot, screen)
    last = screen.matrix.visualRect(screen.matrix.model().index(7, 8))
    assert screen.matrix.viewport().rect().contains(last)


def test_a_matrix_that_is_wider_than_its_panel_says_how_far_it_goes(
    open_screen: OpenScreen, qtbot: QtBot
) -> None:
    screen = open_screen(made_up("64xT4"), 1158, 690)
    wait_drawn(qtbot, screen)
    wait_for_words(qtbot, screen, "Scroll sideways to see the columns up to “NUMA node”.")
    narrow = open_screen(made_up("4xA6000"), 1158, 690)
    wait_drawn(qtbot, narrow)
    assert not any("Scroll sideways" in text for text in texts(narrow.view))


def test_the_headings_of_a_large_matrix_stay_in_sight(
    open_screen: OpenScreen, qtbot: QtBot
) -> None:
    screen = open_screen(made_up("64xT4"))
    wait_drawn(qtbot, screen)
    matrix = screen.matrix
    last = matrix.model().index(63, 64)
    matrix.scrollTo(last)
    assert matrix.verticalHeader().isVisible()
    assert matrix.horizontalHeader().isVisible()
    assert matrix.viewport().rect().contains(matrix.visualRect(last).center())


@pytest.mark.parametrize("spec", ["T4", "2xTitanRTX", "8xH100", "16xL40S", "64xH200"])
@pytest.mark.parametrize("size", [QSize(600, 420), QSize(1000, 620), QSize(1392, 920)])
def test_it_is_drawn_at_every_size(
    open_screen: OpenScreen, qtbot: QtBot, spec: str, size: QSize
) -> None:
    screen = open_screen(made_up(spec), size.width(), size.height())
    drawing = wait_drawn(qtbot, screen)
    assert drawing.width() <= size.width()

    def is_whole() -> bool:
        layout = drawing.layout_shown()
        assert layout is not None
        room, needed = drawing.size(), layout.size.toSize()
        return needed.width() <= room.width() and needed.height() <= room.height()

    qtbot.waitUntil(is_whole)
