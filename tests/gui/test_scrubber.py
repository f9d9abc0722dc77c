"""A recording is moved through and played by mouse, wheel and keyboard, however long."""

from collections.abc import Iterator
from datetime import datetime
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QAccessible, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QComboBox, QLabel, QMainWindow, QToolButton
from pytestqt.qtbot import QtBot

from gpuexplorer.core.words import Message
from gpuexplorer.gui.recording_bar import ReplayBar, Scrubber
from gpuexplorer.gui.state.time_window import TimeWindow
from gpuexplorer.recording.recorded_session import RecordedSession, what_is_shown
from gpuexplorer.recording.recording import open_recording
from gpuexplorer.telemetry.happenings import Happening, Kind
from gpuexplorer.telemetry.trace import Trace
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
        self.recording, self.playhead = self.session.recording, self.session.playhead
        self.window = QMainWindow()
        time_window = TimeWindow(parent=self.window)
        time_window.show_past(self.session.past, self.session.clock)
        self.bar = ReplayBar(self.session, time_window)
        self.window.setCentralWidget(self.bar)
        self.window.resize(900, 80)
        qtbot.addWidget(self.window)
        with qtbot.waitActive(self.window):
            self.window.show()
            self.window.activateWindow()
        self.scrubber = the(Scrubber, self.bar)

    @property
    def second(self) -> float:
        return self.playhead.now() - self.recording.began

    def x(self, second: float) -> int:
        share = second / (self.recording.ended - self.recording.began)
        return round(8 + share * (self.scrubber.width() - 16))

    def click(self, name: str) -> None:
        QTest.mouseClick(called(QToolButton, self.bar, name), LEFT)

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
    shown.bar.stop()
    shown.session.stop()


def test_a_click_and_a_drag_move_the_playhead(shown: Shown) -> None:
    QTest.mouseClick(shown.scrubber, LEFT, pos=QPoint(shown.x(300), 12))
    assert shown.second == pytest.approx(300, abs=2)
    QTest.mousePress(shown.scrubber, LEFT, pos=QPoint(shown.x(300), 12))
    QTest.mouseMove(shown.scrubber, QPoint(shown.x(420), 12))
    assert shown.second == pytest.approx(420, abs=2)
    QTest.mouseMove(shown.scrubber, QPoint(-500, 12))
    assert shown.second == 0
    QTest.mouseRelease(shown.scrubber, LEFT, pos=QPoint(-500, 12))


def test_the_keys_of_a_slider_move_it_and_a_screen_reader_is_told(
    shown: Shown, qtbot: QtBot
) -> None:
    told = QAccessible.queryAccessibleInterface(shown.scrubber)
    assert told.role() is QAccessible.Role.Slider
    value = told.valueInterface()
    assert value.maximumValue() == pytest.approx(SECONDS * 10, abs=10)
    shown.press(Qt.Key.Key_Home)
    assert shown.second == value.currentValue() == value.minimumValue() == 0
    described = shown.scrubber.accessibleDescription()
    assert described.startswith("21 Sep 2026, ")
    shown.press(Qt.Key.Key_PageDown)  # as on the plots, page up leads back
    assert shown.second == pytest.approx(30, abs=1)
    assert value.currentValue() == pytest.approx(300, abs=10)
    qtbot.waitUntil(lambda: shown.scrubber.accessibleDescription() != described)
    shown.press(Qt.Key.Key_Right)
    assert shown.second == pytest.approx(31.2, abs=1)
    shown.press(Qt.Key.Key_Left, Qt.Key.Key_PageUp)
    assert shown.second == pytest.approx(0, abs=0.2)
    shown.press(Qt.Key.Key_End)
    assert shown.second == pytest.approx(SECONDS, abs=1)


def test_the_wheel_goes_on_in_time_as_it_scrolls_down(shown: Shown) -> None:
    shown.bar.seek(shown.recording.began + 300)
    at = QPointF(shown.scrubber.rect().center())
    none, keys = Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier
    where, inverted = shown.scrubber.mapToGlobal(at), False
    for turned in (-120, -120, 120):
        by = QPoint(0, turned)
        event = QWheelEvent(at, where, QPoint(), by, none, keys, Qt.ScrollPhase(0), inverted)
        QApplication.sendEvent(shown.scrubber, event)
    assert shown.second == pytest.approx(303.6, abs=0.5)


def test_a_mark_tells_what_happened_and_a_click_on_it_leads_there(
    shown: Shown, qtbot: QtBot
) -> None:
    x = shown.x(LOST_AT)
    qtbot.waitUntil(
        lambda: "fallen" in "".join(map(shown.scrubber.told_at, range(x - 8, x + 9)))
    )
    told = next(
        (told, x + by)
        for by in range(-8, 9)
        if "fallen off the bus" in (told := shown.scrubber.told_at(x + by))
    )
    lost = [datetime.fromtimestamp(BEGAN + LOST_AT + by).astimezone() for by in range(-1, 4)]
    assert told[0].splitlines()[0].endswith(tuple(f"{each:%H:%M:%S}" for each in lost))
    shown.bar.seek(shown.recording.ended)
    QTest.mouseClick(shown.scrubber, LEFT, pos=QPoint(told[1], 32))
    assert shown.second == pytest.approx(LOST_AT, abs=3)


def test_it_opens_at_its_end_plays_from_the_beginning_and_faster_gets_further(
    shown: Shown, qtbot: QtBot
) -> None:
    assert shown.second == pytest.approx(SECONDS, abs=1.0)
    assert any("2026" in each.text() for each in shown.bar.findChildren(QLabel))
    shown.click("Play")
    assert shown.second < 60
    before = shown.second
    qtbot.waitUntil(lambda: shown.second > before)
    shown.click("Pause")
    assert not shown.playhead.playing
    speed = the(QComboBox, shown.bar)
    speed.setCurrentText("100×")
    shown.bar.seek(shown.recording.ended - 20)
    shown.click("Play")
    qtbot.waitUntil(lambda: not shown.playhead.playing)
    assert shown.second == pytest.approx(SECONDS, abs=1)
    qtbot.waitUntil(lambda: called(QToolButton, shown.bar, "Play").isVisible())


def test_the_marks_are_stepped_through_one_after_the_other_and_back(shown: Shown) -> None:
    shown.bar.seek(shown.recording.began)
    places = []
    while shown.second < SECONDS - 1:
        shown.click("Next event")
        places.append(shown.second)
    assert len(places) > 3
    assert all(after > before for before, after in pairwise(places))
    assert any(place == pytest.approx(LOST_AT, abs=3) for place in places)
    back = []
    while shown.second > 0:
        shown.click("Event before")
        back.append(shown.second)
    assert back[0] == pytest.approx(places[-2], abs=1.0)
    assert back[-1] == 0


def test_of_many_events_on_one_spot_the_worst_is_told_first_and_how_many_more_there_are(
    shown: Shown,
) -> None:
    kinds = (Kind.PROCESS_APPEARED, Kind.XID, Kind.PROCESS_ENDED, Kind.THROTTLING_BEGAN)
    at = shown.recording.began + 300
    many = [
        Happening(at, at, kinds[number % 4], None, Message("{text}", text=number))
        for number in range(9_999)
    ]
    long = Happening(at, at, Kind.XID, None, Message("{text}", text="x" * 1000))
    shown.scrubber.happenings, shown.session.older_unread = [long, *many], True
    shown.scrubber.grab()
    told = shown.scrubber.told_at(shown.x(300)).splitlines()
    assert len(told[1]) <= 160
    assert told[2:4] == ["1", "5"]
    assert told[-1] == "and 9994 more"
    assert "only the newest are listed" in shown.scrubber.told_at(shown.x(100))


def test_a_time_without_figures_looks_different_from_an_idle_card(shown: Shown) -> None:
    busy = np.full(600, 0.5)
    busy[200:400] = np.nan
    times = shown.recording.began + np.arange(600.0)
    shown.scrubber.show_busy(Trace(times, busy, busy, busy, np.ones(600, np.int64), 1.0))
    picture = shown.scrubber.grab().toImage()
    read, gap = (picture.pixelColor(shown.x(at), 24) for at in (SECONDS / 6, SECONDS / 2))
    assert read != gap


@pytest.mark.parametrize("anonymous", [False, True])
def test_the_notice_names_computer_span_and_cards_and_what_was_left_out(
    tmp_path: Path, anonymous: bool
) -> None:
    path = make_recording(tmp_path / "a.gpurec", "1xH100", 60.0, anonymous=anonymous)
    recording = open_recording(path)
    words = what_is_shown(recording)
    recording.close()
    assert words.startswith("Recording of ")
    assert "21 Sep" in words
    assert "1 card; simulated cards: every figure is made up" in words
    assert ("a computer that is not named" in words) is anonymous
    assert ("without names, command lines and users" in words) is anonymous
