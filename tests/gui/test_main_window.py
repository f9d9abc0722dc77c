"""The frame around the screens, and the small window above all others."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QAbstractItemModelTester, QTest
from PySide6.QtWidgets import QApplication, QListView, QSystemTrayIcon
from pytestqt.qtbot import QtBot

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import CardState
from gpuexplorer.core.metrics import GPU_UTILIZATION
from gpuexplorer.gui.main_window import MainWindow
from gpuexplorer.gui.small_window import SmallWindow
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.gui.widgets.bars.top_bar import SourceBadge
from gpuexplorer.gui.window_commands import Do
from tests.gui.conftest import OpenWindow, TileSaying
from tests.gui.fakes import SIMULATED, Answer, card, session_of, working
from tests.gui.frame.steps import CONTROL, SHIFT, simulated_cards
from tests.gui.hands import the


def test_a_hidden_window_pulls_nothing_and_a_shown_one_catches_up(
    open_window: OpenWindow, tile_saying: TileSaying, qtbot: QtBot
) -> None:
    answer = working(busy=0.25)
    window = open_window(session_of({card(0): answer}))
    tile = tile_saying(window, "GPU busy 25 %")
    window.hide()
    assert not window.frame_clock.running
    answer.values = working(busy=0.75).values
    window.show()
    tile_saying(window, "GPU busy 75 %")
    window.showMinimized()
    qtbot.waitUntil(lambda: not window.frame_clock.running)
    assert tile.accessibleDescription()


def test_closing_does_not_wait_for_a_card_that_hangs(
    open_window: OpenWindow, tile_saying: TileSaying
) -> None:
    session = session_of({card(0): Answer(hangs=True)})
    window = open_window(session)
    tile_saying(window, "No answer")
    began = session.clock.now()
    window.close()
    assert session.clock.now() - began < 0.2


@pytest.mark.parametrize("width", [560, 1000, 1600])
def test_the_window_can_be_small_and_large(
    open_window: OpenWindow, tile_saying: TileSaying, width: int
) -> None:
    long = "NVIDIA RTX PRO 6000 Blackwell Max-Q Workstation Edition, engineering sample"
    window = open_window(session_of({card(i, long): working() for i in range(3)}))
    window.resize(width, 700)
    tile = tile_saying(window, "GPU busy 97 %")
    assert tile.mapTo(window, tile.rect().topRight()).x() < width


def small_windows() -> Sequence[SmallWindow]:
    return [
        each
        for each in QApplication.topLevelWidgets()
        if isinstance(each, SmallWindow) and each.isVisible()
    ]


def open_small(window: MainWindow) -> SmallWindow:
    QTest.keyClick(window, Qt.Key.Key_M, CONTROL | SHIFT)
    [small] = small_windows()
    return small


def said(small: SmallWindow) -> list[str]:
    """What a screen reader says of each card."""
    model = the(QListView, small).model()
    roles = Qt.ItemDataRole.AccessibleTextRole, Qt.ItemDataRole.AccessibleDescriptionRole
    return [
        " ".join(str(model.index(row, 0).data(role)) for role in roles)
        for row in range(model.rowCount())
    ]


@pytest.mark.parametrize("count", [1, 2, 8, 64])
def test_every_card_is_there_whole_with_its_figures(
    open_window: OpenWindow, qtbot: QtBot, count: int
) -> None:
    small = open_small(open_window(simulated_cards(f"{count}xT4")))
    qtbot.waitUntil(lambda: len(said(small)) == count)
    qtbot.waitUntil(lambda: all(" %" in each for each in said(small)))
    view = the(QListView, small)

    def whole() -> bool:
        places = (view.visualRect(view.model().index(row, 0)) for row in range(count))
        return all(view.viewport().rect().contains(place) for place in places)

    qtbot.waitUntil(whole)
    assert small.windowFlags() & Qt.WindowType.WindowStaysOnTopHint
    assert small.windowTitle().startswith("SIMULATED – All cards – ")
    assert the(SourceBadge, small).accessibleName() == "SIMULATED"
    QAbstractItemModelTester(view.model(), QAbstractItemModelTester.FailureReportingMode.Fatal)


def test_what_is_missing_has_its_reason_in_words(open_window: OpenWindow, qtbot: QtBot) -> None:
    silent = Answer(missing={GPU_UTILIZATION: Absence.NO_PERMISSION})
    gone = Answer(state=CardState.LOST)
    small = open_small(open_window(session_of({card(0): silent, card(1): gone})))
    qtbot.waitUntil(lambda: "permission" in said(small)[0])
    qtbot.waitUntil(lambda: "Lost" in said(small)[1])
    assert not small.grab().isNull()


def test_a_click_opens_the_card_in_the_window(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(session_of({card(0): working(), card(1): working()}))
    window.showMinimized()
    window.commands[Do.SMALL_WINDOW].trigger()
    [small] = small_windows()
    qtbot.waitUntil(lambda: len(said(small)) == 2)
    view = the(QListView, small)
    place = view.visualRect(view.model().index(1, 0)).center()
    QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert (window.navigation.screen, window.navigation.card) == ("card", "GPU-1")
    assert not window.isMinimized()


def test_the_same_key_closes_it_and_so_does_its_own_button(open_window: OpenWindow) -> None:
    window = open_window(session_of({card(0): working()}))
    small = open_small(window)
    QTest.keyClick(small, Qt.Key.Key_M, CONTROL | SHIFT)
    assert not small_windows()
    small = open_small(window)
    small.close()
    assert not window.commands[Do.SMALL_WINDOW].isChecked()


def test_it_comes_back_where_it_was_left_and_goes_with_the_window(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    settings = Settings()
    before = open_window(session_of({card(0): working()}), settings=settings)
    small = open_small(before)
    qtbot.waitUntil(lambda: len(said(small)) == 1)
    small.move(120, 90)
    place = small.geometry().topLeft()
    before.close()
    assert not small_windows()
    after = open_window(session_of({card(0): working()}), settings=settings)
    after.companions.restore()
    [small] = small_windows()
    assert small.geometry().topLeft() == place


def test_without_a_card_it_shows_the_computer(open_window: OpenWindow, qtbot: QtBot) -> None:
    small = open_small(open_window())
    qtbot.waitUntil(lambda: len(said(small)) == 1)
    assert said(small)[0].startswith("The computer")
    assert the(SourceBadge, small).accessibleName() == "No card"


@pytest.mark.qt_log_ignore("systemTrayWindowChanged", "does not support")
def test_the_icon_beside_the_clock_says_what_the_busiest_card_does_and_can_stay_alone(
    open_window: OpenWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(QSystemTrayIcon, "isSystemTrayAvailable", lambda: True)
    cards = {card(0): working(gpu_utilization=0.12), card(1): working(gpu_utilization=0.97)}
    window = open_window(session_of(cards, SIMULATED))
    icon = the(QSystemTrayIcon, window)
    qtbot.waitUntil(lambda: "97 %" in icon.toolTip())
    assert icon.toolTip().startswith("SIMULATED")
    assert "Card 1, NVIDIA TITAN RTX" in icon.toolTip()
    menu = icon.contextMenu()
    assert menu is not None
    show, _, leave = actions = menu.actions()
    words = [each.text() for each in actions]
    assert words == ["Show the window", "Small window above all others", "Quit"]
    window.settings.choose(replace(window.settings.choices, keep_running=True))
    window.close()
    assert window.isHidden()
    show.trigger()
    assert window.isVisible()
    leave.trigger()
    assert window.isHidden()
    assert not window.frame_clock.running
