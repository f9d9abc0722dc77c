"""The rail at the left: screens, devices and how they are."""

from collections.abc import Callable

import pytest
from PySide6.QtCore import QEvent, QModelIndex, QObject, QRect, Qt
from PySide6.QtGui import QImage, QPaintEvent, QRegion
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import CardState
from gpuexplorer.core.metrics import throttle
from gpuexplorer.gui.main_window import MainWindow
from gpuexplorer.gui.rail.rail import NARROW, WIDE, Rail, RailEntry
from gpuexplorer.gui.rail.rail_devices import DeviceListView
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.gui.view_list import VIEWS
from gpuexplorer.gui.widgets.controls.buttons import IconButton
from gpuexplorer.gui.window_commands import Do
from tests.gui.conftest import LOOKED_FOR, NO_DRIVER, OpenWindow
from tests.gui.fakes import Answer, card, session_of, working
from tests.gui.frame.steps import called, keys, press_with_mouse, simulated_cards
from tests.gui.hands import press, texts, the

Waiting = Callable[[MainWindow, str], QModelIndex]
# What is about several machines is left out.
ONE_MACHINE = [entry for entry in VIEWS if not entry.several]


def said(index: QModelIndex) -> str:
    role = Qt.ItemDataRole
    return f"{index.data()}. {index.data(role.AccessibleDescriptionRole)}"


@pytest.fixture
def device_saying(qtbot: QtBot) -> Waiting:
    """Waits for the device in the rail that says this."""

    def wait_for(window: MainWindow, words: str) -> QModelIndex:
        model = the(DeviceListView, window).model()

        def saying() -> list[QModelIndex]:
            indexes = [model.index(at, 0) for at in range(model.rowCount())]
            return [each for each in indexes if words in said(each)]

        qtbot.waitUntil(lambda: bool(saying()))
        return saying()[0]

    return wait_for


def click_on(window: MainWindow, device: QModelIndex) -> None:
    devices = the(DeviceListView, window)
    place = devices.visualRect(device).center()
    QTest.mouseClick(devices.viewport(), Qt.MouseButton.LeftButton, pos=place)


def top(window: MainWindow, device: QModelIndex) -> int:
    return the(DeviceListView, window).visualRect(device).top()


def seen(window: MainWindow, device: QModelIndex) -> QRect:
    devices = the(DeviceListView, window)
    return devices.visualRect(device).intersected(devices.viewport().rect())


def test_every_screen_has_its_entry_and_the_shown_one_is_marked(
    open_window: OpenWindow,
) -> None:
    window = open_window(simulated_cards("1xT4"))
    titles = [entry.text() for entry in window.findChildren(RailEntry)]
    assert titles == [entry.title for entry in VIEWS]
    for entry in ONE_MACHINE:
        press_with_mouse(called(RailEntry, window, entry.title))
        assert window.navigation.screen == entry.name
        marked = [each.text() for each in window.findChildren(RailEntry) if each.isChecked()]
        assert marked == [entry.title]


def test_every_card_and_the_host_are_listed_with_how_busy_they_are(
    open_window: OpenWindow, device_saying: Waiting
) -> None:
    window = open_window(session_of({card(0): working(busy=0.97), card(1): working(busy=0)}))
    device_saying(window, "GPU busy 97 %")
    assert device_saying(window, "GPU busy 0 %").data().startswith("Card 1")
    device_saying(window, "The computer")


class Painted(QObject):
    """What of a widget was drawn anew."""

    def __init__(self, widget: QWidget) -> None:
        super().__init__(widget)
        self.regions: list[QRegion] = []
        widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt's own
        if isinstance(event, QPaintEvent):
            self.regions.append(event.region())
        return False


def test_only_the_card_that_looks_different_is_drawn_again(
    open_window: OpenWindow, device_saying: Waiting, qtbot: QtBot
) -> None:
    changing = working(busy=0.5)
    session = session_of({card(0): working(busy=0.97), card(1): changing})
    window = open_window(session)
    painted = Painted(the(DeviceListView, window).viewport())
    same = seen(window, device_saying(window, "GPU busy 97 %"))
    device_saying(window, "GPU busy 50 %")
    settled = session.beats().taken + 2
    qtbot.waitUntil(lambda: session.beats().taken > settled)
    painted.regions.clear()
    changing.values = working(busy=0.12).values
    place = seen(window, device_saying(window, "GPU busy 12 %"))
    qtbot.waitUntil(lambda: any(each.contains(place) for each in painted.regions))
    assert not [each for each in painted.regions if each.intersects(same)]


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
    assert "GPU busy" not in said(device_saying(window, word))


def test_a_card_that_hangs_and_one_that_is_slowed_look_different_from_one_that_works(
    open_window: OpenWindow, device_saying: Waiting, qtbot: QtBot
) -> None:
    slowed = working(**{throttle("hw_thermal_slowdown"): 1.0})
    window = open_window(
        session_of({card(0): working(), card(1): slowed, card(2): Answer(hangs=True)})
    )
    device_saying(window, "No answer")
    well = device_saying(window, "Card 0")
    warned = device_saying(window, "Card 1")
    devices = the(DeviceListView, window).viewport()

    def picture(device: QModelIndex) -> QImage:
        place = seen(window, device).adjusted(44, 0, 0, -12)  # without its chip and its bar
        return devices.grab(place).toImage()

    qtbot.waitUntil(lambda: picture(well) != picture(warned))


def test_a_card_opens_its_screen_by_mouse_and_by_key(
    open_window: OpenWindow, device_saying: Waiting
) -> None:
    window = open_window(session_of({card(i): working() for i in range(3)}))
    click_on(window, device_saying(window, "Card 1"))
    assert (window.navigation.screen, window.navigation.card) == ("card", "GPU-1")
    devices = the(DeviceListView, window)
    devices.setFocus(Qt.FocusReason.TabFocusReason)
    devices.setCurrentIndex(device_saying(window, "Card 0"))
    keys(Qt.Key.Key_Down)
    keys(Qt.Key.Key_Down)
    keys(Qt.Key.Key_Return)
    assert window.navigation.card == "GPU-2"


def test_up_to_eight_cards_are_named_and_more_are_rows_of_eight(
    open_window: OpenWindow, device_saying: Waiting
) -> None:
    eight = open_window(session_of({card(i): working() for i in range(8)}))
    assert len({top(eight, device_saying(eight, f"Card {at},")) for at in range(8)}) == 8
    many = open_window(session_of({card(i): working() for i in range(20)}))
    rows = [top(many, device_saying(many, f"Card {at},")) for at in range(20)]
    assert [rows.count(each) for each in sorted(set(rows))] == [8, 8, 4]
    devices = the(DeviceListView, many)
    assert [devices.label(at) for at in (0, 8, 16)] == ["0–7", "8–15", "16–19"]
    assert "20 cards" in texts(many)


def test_arrows_go_from_card_to_card_through_the_rows_of_eight(
    open_window: OpenWindow, device_saying: Waiting
) -> None:
    window = open_window(session_of({card(i): working() for i in range(20)}))
    devices = the(DeviceListView, window)
    first = device_saying(window, "Card 0,")
    devices.setFocus(Qt.FocusReason.TabFocusReason)
    devices.setCurrentIndex(first)
    for key in (Qt.Key.Key_Right, Qt.Key.Key_Right, Qt.Key.Key_Down):
        keys(key)
    assert devices.currentIndex().data().startswith("Card 10")


def test_the_mouse_opens_the_card_it_points_at(
    open_window: OpenWindow, device_saying: Waiting
) -> None:
    window = open_window(session_of({card(i): working() for i in range(16)}))
    click_on(window, device_saying(window, "Card 15"))
    assert window.navigation.card == "GPU-15"


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
    window.commands[Do.FOLD].trigger()
    assert rail.width() == NARROW
    shown = [each.text() for each in window.findChildren(RailEntry) if each.isVisible()]
    assert shown == [entry.title for entry in ONE_MACHINE]


def test_the_chosen_width_is_remembered(open_window: OpenWindow) -> None:
    settings = Settings()
    before = open_window(session_of({card(0): working()}), settings=settings)
    fold = called(IconButton, before, "Make the rail narrow")
    fold.setFocus()
    press(fold, Qt.Key.Key_Return)
    after = open_window(session_of({card(0): working()}), settings=settings)
    assert the(Rail, after).width() == NARROW


def test_without_a_driver_it_lists_the_host_and_what_is_plugged_in(
    open_window: OpenWindow, device_saying: Waiting
) -> None:
    window = open_window(None, [NO_DRIVER], LOOKED_FOR)
    device_saying(window, "The computer")
    assert "1 card, no driver" in texts(window)


def test_its_devices_scroll_in_a_low_window(
    open_window: OpenWindow, device_saying: Waiting
) -> None:
    window = open_window(session_of({card(i): working() for i in range(8)}))
    window.resize(560, 420)
    devices = the(DeviceListView, window)
    last = device_saying(window, "The computer")
    assert seen(window, last).isEmpty()
    devices.setFocus(Qt.FocusReason.TabFocusReason)
    keys(Qt.Key.Key_End)
    assert devices.currentIndex() == last
    assert not seen(window, last).isEmpty()


def test_the_numbers_of_more_than_a_hundred_cards_stand_whole_beside_their_row(
    open_window: OpenWindow, device_saying: Waiting
) -> None:
    window = open_window(session_of({card(i): working() for i in range(112)}))
    device_saying(window, "Card 111")
    devices = the(DeviceListView, window)
    left, _ = devices.board
    assert devices.label(104) == "104–111"
    assert left > 20 + devices.look.letters.caption.width("104–111")
