"""The rail at the left: screens, devices and how they are."""

from collections.abc import Callable

import pytest
from PySide6.QtCore import QEvent, QModelIndex, QObject, QRect, Qt
from PySide6.QtGui import QPaintEvent, QRegion
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import CardState
from gpuexplorer.core.metrics import throttle
from gpuexplorer.gui.main_window import MainWindow
from gpuexplorer.gui.rail import NARROW, WIDE, DeviceListView, Rail
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.gui.widgets.controls.buttons import IconButton
from tests.gui.conftest import OpenWindow
from tests.gui.fakes import Answer, card, session_of, working
from tests.gui.frame.steps import called, keys
from tests.gui.hands import press, texts, the

Waiting = Callable[[MainWindow, str], QModelIndex]


@pytest.fixture
def device_saying(qtbot: QtBot) -> Waiting:
    """Waits for the device in the rail that says this."""

    def wait_for(window: MainWindow, words: str) -> QModelIndex:
        model, more = the(DeviceListView, window).model(), Qt.ItemDataRole
        found: list[QModelIndex] = []

        def saying() -> bool:
            there = (model.index(at, 0) for at in range(model.rowCount()))
            said = ((e, f"{e.data()}. {e.data(more.AccessibleDescriptionRole)}") for e in there)
            found[:] = [each for each, spoken in said if words in spoken]
            return bool(found)

        qtbot.waitUntil(saying)
        return found[0]

    return wait_for


def place_of(window: MainWindow, device: QModelIndex) -> QRect:
    """As much of it as can be seen."""
    devices = the(DeviceListView, window)
    return devices.visualRect(device).intersected(devices.viewport().rect())


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
    same = place_of(window, device_saying(window, "GPU busy 97 %"))
    device_saying(window, "GPU busy 50 %")
    settled = session.beats().taken + 2
    qtbot.waitUntil(lambda: session.beats().taken > settled)
    painted.regions.clear()
    changing.values = working(busy=0.12).values
    place = place_of(window, device_saying(window, "GPU busy 12 %"))
    qtbot.waitUntil(lambda: any(each.contains(place) for each in painted.regions))
    assert not [each for each in painted.regions if each.intersects(same)]


@pytest.mark.parametrize(
    ("answer", "word"),
    [
        (Answer(otherwise=Absence.LOST, state=CardState.LOST), "Lost"),
        (Answer(otherwise=Absence.NO_PERMISSION, state=CardState.REFUSED), "No access"),
        (Answer(otherwise=Absence.ASLEEP, state=CardState.ASLEEP), "Asleep"),
        (Answer(hangs=True), "No answer"),
        (working(**{throttle("hw_thermal_slowdown"): 1.0}), "Much too hot"),
        (working(busy=0.97), "GPU busy 97 %"),
    ],
)
def test_every_card_says_how_it_is_or_how_busy(
    open_window: OpenWindow, device_saying: Waiting, answer: Answer, word: str
) -> None:
    window = open_window(session_of({card(0): answer, card(1): working()}))
    assert device_saying(window, word).data().startswith("Card 0")
    device_saying(window, "The computer")


def test_a_card_opens_its_screen_by_mouse_and_by_key(
    open_window: OpenWindow, device_saying: Waiting
) -> None:
    window = open_window(session_of({card(i): working() for i in range(3)}))
    devices = the(DeviceListView, window)
    at = place_of(window, device_saying(window, "Card 1")).center()
    QTest.mouseClick(devices.viewport(), Qt.MouseButton.LeftButton, pos=at)
    assert (window.navigation.screen, window.navigation.card) == ("card", "GPU-1")
    devices.setFocus(Qt.FocusReason.TabFocusReason)
    devices.setCurrentIndex(device_saying(window, "Card 0"))
    for key in (Qt.Key.Key_Down, Qt.Key.Key_Down, Qt.Key.Key_Return):
        keys(key)
    assert window.navigation.card == "GPU-2"


def test_up_to_eight_cards_are_named_and_more_are_rows_of_eight_to_go_through(
    open_window: OpenWindow, device_saying: Waiting
) -> None:
    window = open_window(session_of({card(i): working() for i in range(8)}))
    devices = the(DeviceListView, window)
    tops = [devices.visualRect(device_saying(window, f"Card {at},")).top() for at in range(8)]
    assert len(set(tops)) == 8
    window = open_window(session_of({card(i): working() for i in range(20)}))
    devices = the(DeviceListView, window)
    tops = [devices.visualRect(device_saying(window, f"Card {at},")).top() for at in range(20)]
    assert [tops.count(each) for each in sorted(set(tops))] == [8, 8, 4]
    assert "20 cards" in texts(window)
    devices.setFocus(Qt.FocusReason.TabFocusReason)
    devices.setCurrentIndex(device_saying(window, "Card 0,"))
    for key in (Qt.Key.Key_Right, Qt.Key.Key_Right, Qt.Key.Key_Down):
        keys(key)
    assert devices.currentIndex().data().startswith("Card 10")


def test_it_is_narrow_in_a_narrow_window_and_where_somebody_wants_it(
    open_window: OpenWindow,
) -> None:
    settings = Settings()
    window = open_window(session_of({card(0): working()}), settings=settings)
    rail = the(Rail, window)
    assert rail.width() == WIDE
    window.resize(700, 600)
    assert rail.width() == NARROW
    window.resize(1000, 700)
    assert rail.width() == WIDE
    fold = called(IconButton, window, "Make the rail narrow")
    fold.setFocus()
    press(fold, Qt.Key.Key_Return)
    assert rail.width() == NARROW
    after = open_window(session_of({card(0): working()}), settings=settings)
    assert the(Rail, after).width() == NARROW


@pytest.mark.parametrize("size", [(560, 420), (911, 512), (1000, 600)])
def test_three_devices_have_room_in_a_low_window_and_the_others_are_scrolled_to(
    open_window: OpenWindow, device_saying: Waiting, qtbot: QtBot, size: tuple[int, int]
) -> None:
    window = open_window(session_of({card(i): working() for i in range(8)}))
    window.resize(*size)
    devices, last = the(DeviceListView, window), device_saying(window, "The computer")
    rows = [device_saying(window, f"Card {at},") for at in range(3)]
    qtbot.waitUntil(
        lambda: {place_of(window, each).height() for each in rows} == {devices.row_height}
    )
    assert place_of(window, last).isEmpty()
    devices.setFocus(Qt.FocusReason.TabFocusReason)
    keys(Qt.Key.Key_End)
    assert devices.currentIndex() == last
    assert not place_of(window, last).isEmpty()
