"""A recording is moved through and played by mouse, wheel and keyboard, however long."""

import time
from collections.abc import Iterator
from datetime import datetime
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QAccessible, QPixmap, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QMainWindow, QMenu, QPushButton, QToolButton
from pytestqt.qtbot import QtBot

from gpuexplorer.core.cards import CardId
from gpuexplorer.core.words import Message
from gpuexplorer.gui.recording.outline import Outline
from gpuexplorer.gui.recording.replay_bar import ReplayBar
from gpuexplorer.gui.recording.scrubber import Scrubber
from gpuexplorer.gui.recording.scrubber_marks import Marks
from gpuexplorer.gui.state.replay_state import ReplayState
from gpuexplorer.gui.state.time_window import TimeWindow
from gpuexplorer.gui.widgets.controls.buttons import MenuButton
from gpuexplorer.recording.recorded_session import RecordedSession
from gpuexplorer.recording.recording import open_recording
from gpuexplorer.telemetry.happenings import Happening, Kind
from tests.gui.frame.steps import called
from tests.gui.hands import the
from tests.recording.made import BEGAN, make_recording

SECONDS = 600.0
LOST_AT = 200.0
LEFT = Qt.MouseButton.LeftButton


class Shown:
    """The bar of a recording, in a window of its own."""

    def __init__(self, path: Path, qtbot: QtBot) -> None:
        self.session = RecordedSession(open_recording(path))
        self.window = QMainWindow()
        self.replay = ReplayState(self.session, self.window)
        self.time_window = TimeWindow(parent=self.window)
        self.time_window.show_past(self.session.past, self.session.clock)
        self.bar = ReplayBar(self.replay, self.time_window)
        self.window.setCentralWidget(self.bar)
        self.window.resize(900, 80)
        qtbot.addWidget(self.window)
        with qtbot.waitActive(self.window):
            self.window.show()
            self.window.activateWindow()
        self.scrubber = the(Scrubber, self.bar)
        qtbot.waitUntil(lambda: self.scrubber.outlined)

    @property
    def second(self) -> float:
        return self.replay.at - self.replay.began

    def x(self, second: float) -> int:
        share = second / (self.replay.ended - self.replay.began)
        return round(8 + share * (self.scrubber.width() - 16))

    def said(self) -> str:
        return " ".join(each.text() for each in self.bar.findChildren(QLabel))

    def choose_speed(self, words: str) -> None:
        the(MenuButton, self.bar).about_to_open.emit(menu := QMenu(self.bar))
        next(each for each in menu.actions() if each.text() == words).trigger()

    def press(self, *keys: Qt.Key) -> None:
        for key in keys:
            QTest.keyClick(self.scrubber, key)


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("recorded") / "an-hour.gpurec"
    return make_recording(path, "2xH100", SECONDS, faults=f"lost:1@{LOST_AT:.0f}s")


@pytest.fixture
def shown(qtbot: QtBot, recorded: Path) -> Iterator[Shown]:
    shown = Shown(recorded, qtbot)
    yield shown
    shown.replay.stop()
    shown.session.stop()


def test_a_recording_opens_at_its_end_and_stands_still(shown: Shown) -> None:
    assert shown.second == pytest.approx(SECONDS, abs=1.0)
    assert not shown.replay.playing
    assert "2026" in shown.said()


def test_a_click_and_a_drag_move_the_playhead(shown: Shown) -> None:
    left = Qt.MouseButton.LeftButton
    QTest.mouseClick(shown.scrubber, left, pos=QPoint(shown.x(300), 12))
    assert shown.second == pytest.approx(300, abs=2)
    QTest.mousePress(shown.scrubber, left, pos=QPoint(shown.x(300), 12))
    QTest.mouseMove(shown.scrubber, QPoint(shown.x(420), 12))
    assert shown.second == pytest.approx(420, abs=2)
    QTest.mouseMove(shown.scrubber, QPoint(-500, 12))
    assert shown.second == 0
    QTest.mouseRelease(shown.scrubber, left, pos=QPoint(-500, 12))


def test_the_keys_of_a_slider_move_it_and_page_up_leads_back_as_on_the_plots(
    shown: Shown,
) -> None:
    shown.press(Qt.Key.Key_Home)
    assert shown.second == pytest.approx(0)
    shown.press(Qt.Key.Key_PageDown)
    assert shown.second == pytest.approx(30, abs=1)
    shown.press(Qt.Key.Key_Right)
    assert shown.second == pytest.approx(31.2, abs=1)
    shown.press(Qt.Key.Key_Left, Qt.Key.Key_PageUp)
    assert shown.second == pytest.approx(0, abs=0.2)
    shown.press(Qt.Key.Key_End)
    assert shown.second == pytest.approx(SECONDS, abs=1)


def test_the_wheel_goes_on_in_time_as_it_scrolls_down(shown: Shown) -> None:
    shown.replay.seek(shown.replay.began + 300)
    for turned in (-120, -120, 120):
        middle = QPointF(shown.scrubber.rect().center())
        event = QWheelEvent(
            middle,
            shown.scrubber.mapToGlobal(middle),
            QPoint(),
            QPoint(0, turned),
            Qt.MouseButton.NoButton,
            Qt.KeyboardModifier.NoModifier,
            Qt.ScrollPhase.NoScrollPhase,
            False,  # noqa: FBT003 - Qt takes no name here
        )
        QApplication.sendEvent(shown.scrubber, event)
    assert shown.second == pytest.approx(306, abs=1)


def test_a_screen_reader_is_told_of_a_slider_its_value_and_the_moment(
    shown: Shown, qtbot: QtBot
) -> None:
    shown.press(Qt.Key.Key_Home)
    told = QAccessible.queryAccessibleInterface(shown.scrubber)
    assert told.role() is QAccessible.Role.Slider
    value = told.valueInterface()
    assert value.currentValue() == value.minimumValue() == 0
    assert value.maximumValue() == pytest.approx(SECONDS * 10, abs=10)
    described = shown.scrubber.accessibleDescription()
    assert described.startswith("21 Sep 2026, ")
    shown.press(Qt.Key.Key_PageDown)
    assert value.currentValue() == pytest.approx(300, abs=10)
    qtbot.waitUntil(lambda: shown.scrubber.accessibleDescription() != described)


def test_it_plays_from_the_beginning_once_it_is_at_the_end_and_pauses(
    shown: Shown, qtbot: QtBot
) -> None:
    QTest.mouseClick(called(QToolButton, shown.bar, "Play"), LEFT)
    assert shown.replay.playing
    assert shown.second < 60
    before = shown.second
    qtbot.waitUntil(lambda: shown.second > before)
    QTest.mouseClick(called(QToolButton, shown.bar, "Pause"), LEFT)
    assert not shown.replay.playing


def test_a_faster_speed_gets_further_and_it_stops_at_the_end(
    shown: Shown, qtbot: QtBot
) -> None:
    shown.choose_speed("100×")
    assert called(QPushButton, shown.bar, "Speed: 100×").isVisible()
    shown.replay.seek(shown.replay.ended - 20)
    with qtbot.waitSignal(shown.replay.playing_changed):
        shown.replay.play()
    qtbot.waitUntil(lambda: not shown.replay.playing)
    assert shown.second == pytest.approx(SECONDS, abs=1)
    assert called(QToolButton, shown.bar, "Play").isVisible()


def test_the_marks_are_stepped_through_one_after_the_other_and_back(shown: Shown) -> None:
    shown.replay.seek(shown.replay.began)
    places = []
    while shown.second < SECONDS - 1:
        QTest.mouseClick(called(QToolButton, shown.bar, "Next event"), LEFT)
        places.append(shown.second)
    assert len(places) > 3
    assert all(after > before for before, after in pairwise(places))
    assert any(place == pytest.approx(LOST_AT, abs=3) for place in places)
    back = []
    while shown.second > 0:
        QTest.mouseClick(called(QToolButton, shown.bar, "Event before"), LEFT)
        back.append(shown.second)
    assert back[0] == pytest.approx(places[-2], abs=0.01)
    assert back[-1] == 0


def test_a_mark_tells_what_happened_and_a_click_on_it_leads_there(shown: Shown) -> None:
    x = shown.x(LOST_AT)
    told = next(
        (told, x + by)
        for by in range(-8, 9)
        if "fallen off the bus" in (told := shown.scrubber.told_at(x + by))
    )
    lost = [datetime.fromtimestamp(BEGAN + LOST_AT + by).astimezone() for by in range(-1, 4)]
    assert told[0].splitlines()[0].endswith(tuple(f"{each:%H:%M:%S}" for each in lost))
    shown.replay.seek(shown.replay.ended)
    QTest.mouseClick(shown.scrubber, LEFT, pos=QPoint(told[1], 32))
    assert shown.second == pytest.approx(LOST_AT, abs=3)


def many_happenings(began: float, seconds: float) -> list[Happening]:
    kinds = (Kind.PROCESS_APPEARED, Kind.PROCESS_ENDED, Kind.THROTTLING_BEGAN, Kind.XID)
    return [
        Happening(
            began + number * seconds / 10_000,
            0.0,
            kinds[number % 4],
            CardId("SIM-0"),
            Message("Number {number}", number=number),
        )
        for number in range(10_000)
    ]


def test_a_month_with_ten_thousand_events_is_drawn_in_no_time_and_says_how_many_there_are(
    shown: Shown,
) -> None:
    began, month = shown.replay.began, 30 * 86400.0
    shown.replay.ended = began + month
    marks = Marks(many_happenings(began, month))
    shown.scrubber.show_outline(Outline(np.linspace(0, 1, 600), marks))
    picture = QPixmap(shown.scrubber.size())
    shown.scrubber.render(picture)
    taken = []
    for _ in range(20):
        began_at = time.perf_counter()
        shown.scrubber.render(picture)
        taken.append(time.perf_counter() - began_at)
    assert sorted(taken)[10] < 0.004
    told = shown.scrubber.told_at(450).splitlines()
    assert told[1].startswith("Number")
    assert told[-1].endswith("more")


def test_a_time_without_figures_looks_different_from_an_idle_card(shown: Shown) -> None:
    busy = np.full(600, 0.5)
    busy[200:400] = np.nan
    shown.scrubber.show_outline(Outline(busy, Marks([])))
    picture = shown.scrubber.grab().toImage()
    read, gap = (picture.pixelColor(shown.x(at), 24) for at in (SECONDS / 6, SECONDS / 2))
    assert read != gap
