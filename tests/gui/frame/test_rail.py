"""The rail at the left: screens, devices and how they are."""

from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import CardState
from gpuexplorer.core.catalogue import clocks
from gpuexplorer.gui.main_window import MainWindow
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.gui.view_list import VIEWS
from gpuexplorer.gui.widgets.rail.rail import NARROW, WIDE, Rail, RailEntry
from gpuexplorer.gui.widgets.rail.rail_board import RailBoard
from gpuexplorer.gui.widgets.rail.rail_device import RailDevice
from tests.gui.conftest import LOOKED_FOR, NO_DRIVER, OpenWindow
from tests.gui.fakes import Answer, card, session_of, working
from tests.gui.frame.steps import called, keys, press_with_mouse, simulated_cards
from tests.gui.hands import texts, the

Waiting = Callable[[MainWindow, str], RailDevice]


@pytest.fixture
def device_saying(qtbot: QtBot) -> Waiting:
    """Waits for the device in the rail that says this."""

    def wait_for(window: MainWindow, words: str) -> RailDevice:
        def saying() -> list[RailDevice]:
            return [
                each
                for each in window.findChildren(RailDevice)
                if each.isVisible()
                and words in f"{each.accessibleName()}. {each.accessibleDescription()}"
            ]

        qtbot.waitUntil(lambda: bool(saying()))
        return saying()[0]

    return wait_for


def test_every_screen_has_its_entry_and_the_shown_one_is_marked(
    open_window: OpenWindow,
) -> None:
    window = open_window(simulated_cards("1xT4"))
    titles = [entry.text() for entry in window.findChildren(RailEntry)]
    assert titles == [entry.title for entry in VIEWS]
    for entry in VIEWS:
        press_with_mouse(called(RailEntry, window, entry.title))
        assert window.navigation.screen == entry.name
        marked = [each.text() for each in window.findChildren(RailEntry) if each.isChecked()]
        assert marked == [entry.title]


def test_every_card_and_the_host_are_listed_with_how_busy_they_are(
    open_window: OpenWindow, device_saying: Waiting
) -> None:
    window = open_window(session_of({card(0): working(busy=0.97), card(1): working(busy=0)}))
    device_saying(window, "GPU busy 97 %")
    assert device_saying(window, "GPU busy 0 %").accessibleName().startswith("Card 1")
    device_saying(window, "This computer")


@pytest.mark.parametrize(
    ("state", "absence", "word"),
    [
        (CardState.LOST, Absence.LOST, "Lost"),
        (CardState.UNLISTED, Absence.UNLISTED, "Not listed"),
        (CardState.REFUSED, Absence.NO_PERMISSION, "No access"),
        (CardState.ASLEEP, Absence.ASLEEP, "Asleep"),
        (CardState.NO_DRIVER, Absence.NO_DRIVER, "No driver"),
    ],
)
def test_a_card_that_gives_no_figures_says_how_it_is(
    open_window: OpenWindow,
    device_saying: Waiting,
    state: CardState,
    absence: Absence,
    word: str,
) -> None:
    window = open_window(session_of({card(0): Answer(otherwise=absence, state=state)}))
    said = device_saying(window, word).accessibleDescription()
    assert "GPU busy" not in said


def test_a_card_that_hangs_and_one_that_is_slowed_look_different_from_one_that_works(
    open_window: OpenWindow, device_saying: Waiting, qtbot: QtBot
) -> None:
    slowed = working(**{clocks.throttle("hw_thermal_slowdown"): 1.0})
    window = open_window(
        session_of({card(0): working(), card(1): slowed, card(2): Answer(hangs=True)})
    )
    device_saying(window, "No answer")
    well = device_saying(window, "Card 0")
    warned = device_saying(window, "Card 1")
    qtbot.waitUntil(lambda: well.grab().toImage() != warned.grab().toImage())


def test_a_card_opens_its_screen_by_mouse_and_by_key(
    open_window: OpenWindow, device_saying: Waiting
) -> None:
    window = open_window(session_of({card(i): working() for i in range(3)}))
    press_with_mouse(device_saying(window, "Card 1"))
    assert (window.navigation.screen, window.navigation.card) == ("card", "GPU-1")
    assert device_saying(window, "Card 1").isChecked()
    device_saying(window, "Card 0").setFocus(Qt.FocusReason.TabFocusReason)
    keys(Qt.Key.Key_Down)
    keys(Qt.Key.Key_Down)
    keys(Qt.Key.Key_Return)
    assert window.navigation.card == "GPU-2"


def test_up_to_eight_cards_are_named_and_more_are_rows_of_eight(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    eight = open_window(session_of({card(i): working() for i in range(8)}))
    assert not eight.findChildren(RailBoard)
    many = open_window(session_of({card(i): working() for i in range(20)}))
    qtbot.waitUntil(lambda: len(many.findChildren(RailBoard)) == 3)
    assert [board.label for board in many.findChildren(RailBoard)] == ["0–7", "8–15", "16–19"]
    assert "20 cards" in texts(many)


def test_arrows_go_from_card_to_card_through_the_rows_of_eight(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    window = open_window(session_of({card(i): working() for i in range(20)}))
    qtbot.waitUntil(lambda: len(window.findChildren(RailBoard)) == 3)
    first = next(b for b in window.findChildren(RailBoard) if b.label == "0–7")
    first.setFocus(Qt.FocusReason.TabFocusReason)
    for key in (Qt.Key.Key_Right, Qt.Key.Key_Right, Qt.Key.Key_Down):
        keys(key)
    focused = QApplication.focusWidget()
    assert focused is not None
    assert focused.accessibleName().startswith("Card 10")


def test_the_mouse_opens_the_card_it_points_at(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(session_of({card(i): working() for i in range(16)}))
    qtbot.waitUntil(lambda: len(window.findChildren(RailBoard)) == 2)
    board = next(b for b in window.findChildren(RailBoard) if b.label == "8–15")
    with qtbot.waitSignal(board.card_chosen, check_params_cb=lambda chosen: chosen == "GPU-15"):
        place = board.rect().center()
        place.setX(board.width() - 24)
        QTest.mouseClick(board, Qt.MouseButton.LeftButton, pos=place)


def test_it_is_narrow_in_a_narrow_window_and_where_somebody_wants_it(
    open_window: OpenWindow,
) -> None:
    window = open_window(session_of({card(0): working()}))
    rail = the(Rail, window)
    assert rail.width() == WIDE
    window.resize(700, 600)
    assert rail.width() == NARROW
    window.resize(1000, 700)
    assert rail.width() == WIDE
    window.commands.fold.trigger()
    assert rail.width() == NARROW
    assert all(entry.isVisible() for entry in window.findChildren(RailEntry))


def test_the_chosen_width_is_remembered(open_window: OpenWindow) -> None:
    settings = Settings()
    before = open_window(session_of({card(0): working()}), settings=settings)
    before.commands.fold.trigger()
    after = open_window(session_of({card(0): working()}), settings=settings)
    assert the(Rail, after).width() == NARROW


def test_without_a_driver_it_lists_the_host_and_what_is_plugged_in(
    open_window: OpenWindow, device_saying: Waiting
) -> None:
    window = open_window(None, [NO_DRIVER], LOOKED_FOR)
    device_saying(window, "This computer")
    assert "1 card, no driver" in texts(window)


def test_its_devices_scroll_in_a_low_window(
    open_window: OpenWindow, device_saying: Waiting
) -> None:
    window = open_window(session_of({card(i): working() for i in range(8)}))
    window.resize(560, 420)
    device_saying(window, "Card 0").setFocus(Qt.FocusReason.TabFocusReason)
    last = device_saying(window, "This computer")
    assert last.visibleRegion().isEmpty()
    keys(Qt.Key.Key_End)
    assert last.hasFocus()
    assert not last.visibleRegion().isEmpty()


def test_the_numbers_of_more_than_a_hundred_cards_stand_whole_beside_their_row(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    window = open_window(session_of({card(i): working() for i in range(112)}))
    qtbot.waitUntil(lambda: len(window.findChildren(RailBoard)) == 14)
    boards = window.findChildren(RailBoard)
    last = next(board for board in boards if board.label == "104–111")
    room = last.label_width()
    assert room > last.look.letters.caption.width("104–111")
    assert {board.label_room for board in boards} == {room}
