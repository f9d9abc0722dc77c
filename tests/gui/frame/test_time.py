"""The stretch of time that all plots show, and how the top bar lets one choose it."""

from collections.abc import Sequence
from itertools import pairwise

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from gpuexplorer.core.cards import CardId, Sample
from gpuexplorer.core.metrics import GPU_UTILIZATION, MetricId
from gpuexplorer.gui.desk import VIEWS
from gpuexplorer.gui.state.time_window import DAY, HOUR, MINUTE, TimeWindow
from gpuexplorer.gui.widgets.bars.top_bar import SourceBadge, TimePill, TopBar
from gpuexplorer.gui.widgets.controls.segmented import Segmented
from gpuexplorer.recording.recorded_session import Playhead
from gpuexplorer.telemetry.history import History
from gpuexplorer.telemetry.trace import Trace, empty_trace
from tests.clocks import ManualClock
from tests.gui.conftest import OpenWindow
from tests.gui.fakes import SIMULATED, card, session_with_past, working
from tests.gui.frame.steps import CONTROL, keys, press_with_mouse
from tests.gui.hands import the

BEGAN = 1_790_000_000.0


class Running:
    """A program that reads one card, as long as a test lets it."""

    def __init__(self, seconds: float = 0.0) -> None:
        self.clock, self.past = ManualClock(), History()
        self.window = TimeWindow(self.clock)
        self.window.show_past(self.past)
        self.goes_on(seconds)

    def goes_on(self, seconds: float) -> None:
        for step in (seconds, 0.0):
            sample = Sample(CardId("GPU-0"), self.clock.now(), {GPU_UTILIZATION: 0.5}, {})
            self.past.append(sample)
            self.clock.advance(step)

    def ago(self, *seconds: float) -> Sequence[float]:
        return [self.clock.now() - each for each in seconds]

    @property
    def shown(self) -> tuple[float, float]:
        """How long ago it begins and ends."""
        start, end = self.window.stretch()
        return self.clock.now() - start, self.clock.now() - end


def test_after_the_start_what_is_shown_grows_with_the_past() -> None:
    running, lengths = Running(), []
    for _ in range(400):
        running.goes_on(1.0)
        start, end = running.window.stretch()
        lengths.append(end - start)
        assert running.window.began <= start or lengths[-1] == 10.0  # nothing of it is empty
    assert sorted(set(lengths)) == [10.0, 20.0, 40.0, 80.0, 160.0, 300.0]
    assert running.window.span == 5 * MINUTE


def test_holding_the_picture_changes_no_scale_and_chooses_no_span() -> None:
    running = Running(15.0)
    running.window.toggle_pause()
    assert running.shown == (10.0, 0.0)
    running.goes_on(60.0)
    assert running.shown == (70.0, 60.0)
    running.window.look_at(*running.ago(75.0, 65.0))
    running.window.back_to_now()
    assert running.shown == (40.0, 0.0)
    assert running.window.span == 5 * MINUTE


@pytest.mark.parametrize(
    ("past", "dragged", "shown"),
    [
        (600.0, (4000.0, 3700.0), (600.0, 300.0)),
        (2 * DAY, (2 * DAY, 2 * DAY - HOUR), (DAY, DAY - HOUR)),
        (15.0, (27.0, 7.0), (20.0, 0.0)),
    ],
)
def test_nobody_drags_a_plot_to_where_nothing_is_kept(
    past: float, dragged: tuple[float, float], shown: tuple[float, float]
) -> None:
    running = Running(past)
    running.window.look_at(*running.ago(*dragged))
    assert running.shown == shown


class Recorded:
    """Of an hour, of which nothing is drawn here."""

    began, ended = BEGAN, BEGAN + HOUR

    def trace(
        self, card: CardId, metric: MetricId, start: float, end: float, columns: int = 1500
    ) -> Trace:
        return empty_trace()


class Opened:
    def __init__(self) -> None:
        self.seconds = 0.0
        self.playhead = Playhead(BEGAN, BEGAN + HOUR, lambda at: at, lambda: self.seconds)
        self.window = TimeWindow(ManualClock())
        self.window.show_past(Recorded(), self.playhead)

    @property
    def shown(self) -> tuple[float, float]:
        """From when to when, in seconds of the recording."""
        start, end = self.window.stretch()
        return start - BEGAN, end - BEGAN


def test_all_of_a_recording_is_shown_and_one_reaches_what_lies_beyond_the_playhead() -> None:
    opened = Opened()
    assert opened.shown == (0.0, HOUR)
    assert not opened.window.looking_back
    opened.playhead.seek(BEGAN)
    opened.window.look_at(BEGAN + 1000.0, BEGAN + 1600.0)
    assert opened.shown == (1000.0, 1600.0)
    opened.window.centre_on(BEGAN + 3590.0)
    assert opened.shown == (3000.0, HOUR)


def test_a_playhead_that_plays_on_or_is_moved_is_always_seen() -> None:
    opened = Opened()
    opened.window.look_at(BEGAN + 1000.0, BEGAN + 1100.0)
    opened.playhead.seek(BEGAN + 1095.0)
    opened.window.follow_clock()
    assert opened.shown == (1000.0, 1100.0)
    opened.playhead.play(1.0)
    opened.seconds += 10.0
    opened.window.follow_clock()
    assert opened.shown == pytest.approx((1095.0, 1195.0))
    for at in (500.0, 3599.0, 0.0):
        opened.playhead.seek(BEGAN + at)
        opened.window.follow_clock()
        start, end = opened.shown
        assert start <= at <= end


def test_looking_back_is_said_and_one_gets_back(open_window: OpenWindow) -> None:
    window = open_window(session_with_past({card(0): working()}))
    pill = the(TimePill, window)
    assert not pill.isVisible()
    now = window.time_window.now()
    window.time_window.look_at(now - 400, now - 100)
    assert pill.isVisible()
    assert pill.accessibleName().startswith("Looking back: ends ")
    press_with_mouse(pill)
    assert window.time_window.following
    assert not pill.isVisible()
    window.time_window.look_at(now - 400, now - 100)
    keys(Qt.Key.Key_End, CONTROL)
    assert window.time_window.following


def test_time_is_chosen_only_beside_plots(open_window: OpenWindow) -> None:
    window = open_window(session_with_past({card(0): working()}))
    offered = []
    for entry in VIEWS:
        window.navigation.open_screen(entry.name)
        choices = the(TopBar, window).findChildren(Segmented)
        offered += [entry.name for each in choices if each.isVisible()]
    assert offered == ["overview", "card", "lab"]


@pytest.mark.parametrize("back", [False, True])
def test_nothing_is_cut_off_and_nothing_overlaps_at_any_width(
    open_window: OpenWindow, qtbot: QtBot, back: bool
) -> None:
    session = session_with_past({card(0): working()}, SIMULATED)
    window = open_window(session, look_again=lambda: None)
    bar, badge = the(TopBar, window), the(SourceBadge, window)
    if back:
        window.time_window.look_at(*(window.time_window.now() - each for each in (400, 100)))

    def fits() -> bool:
        parts = [each for each in bar.children() if isinstance(each, QWidget)]
        shown = sorted((e for e in parts if e.isVisible()), key=lambda each: each.x())
        places = [each.geometry() for each in shown]
        apart = all(one.right() < other.left() for one, other in pairwise(places))
        whole = badge.width() >= badge.sizeHint().width()
        return whole and apart and places[-1].right() < bar.width()

    for width in range(560, 1600, 40):
        window.resize(width, 600)
        qtbot.waitUntil(fits)
