"""The stretch that plots show of an opened recording, before and beyond its playhead."""

import pytest

from gpuexplorer.core.cards import CardId
from gpuexplorer.core.metrics import MetricId
from gpuexplorer.gui.state.time_window import HOUR, MINUTE, TimeWindow
from gpuexplorer.recording.recorded_session import Playhead
from gpuexplorer.telemetry.history import History
from gpuexplorer.telemetry.trace import Trace, empty_trace
from tests.clocks import ManualClock

BEGAN = 1_790_000_000.0
STEP = 3600.0  # somebody set the clock in the middle


class Steady:
    seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


class Recorded:
    """Of so many seconds, of which nothing is drawn here."""

    def __init__(self, seconds: float) -> None:
        self.began, self.ended = BEGAN, BEGAN + seconds

    def trace(
        self, card: CardId, metric: MetricId, start: float, end: float, columns: int = 1500
    ) -> Trace:
        return empty_trace()


class Opened:
    def __init__(self, seconds: float = HOUR) -> None:
        self.past = Recorded(seconds)
        self.middle = BEGAN + seconds / 2
        self.steady = Steady()
        self.playhead = Playhead(BEGAN, self.past.ended, self.wall, self.steady)
        self.window = TimeWindow(ManualClock())
        self.window.show_past(self.past, self.playhead)

    def wall(self, at: float) -> float:
        return at if at < self.middle else at + STEP

    @property
    def shown(self) -> tuple[float, float]:
        """From when to when, in seconds of the recording."""
        start, end = self.window.stretch()
        return start - BEGAN, end - BEGAN


def test_all_of_it_is_shown_when_it_is_opened() -> None:
    opened = Opened()
    assert opened.shown == (0.0, HOUR)
    assert opened.window.span == HOUR
    assert opened.window.playhead == opened.past.ended
    assert not opened.window.looking_back


def test_one_reaches_what_lies_beyond_the_playhead() -> None:
    opened = Opened()
    opened.playhead.seek(BEGAN)
    opened.window.look_at(BEGAN + 1000.0, BEGAN + 1600.0)
    assert opened.shown == (1000.0, 1600.0)
    opened.window.centre_on(BEGAN + 3000.0)
    assert opened.shown == (2700.0, 3300.0)
    opened.window.centre_on(BEGAN + 3590.0)
    assert opened.shown == (3000.0, HOUR)
    assert not opened.window.following


def test_a_stretch_that_is_chosen_at_the_end_stands_there() -> None:
    opened = Opened()
    opened.window.choose_span(MINUTE)
    assert opened.shown == (HOUR / 2 - 30.0, HOUR / 2 + 30.0)
    opened.window.look_at(opened.past.ended - 10.0, opened.past.ended + 50.0)
    assert opened.shown == (HOUR - MINUTE, HOUR)
    assert opened.window.playhead == opened.past.ended


def test_a_playhead_that_plays_on_beyond_what_is_shown_takes_it_along() -> None:
    opened = Opened()
    opened.window.look_at(BEGAN + 1000.0, BEGAN + 1100.0)
    opened.playhead.seek(BEGAN + 1095.0)
    opened.window.follow_clock()
    assert opened.shown == (1000.0, 1100.0)
    opened.playhead.play(1.0)
    opened.steady.seconds += 10.0
    opened.window.follow_clock()
    assert opened.shown == pytest.approx((1095.0, 1195.0))


def test_a_playhead_that_is_moved_by_hand_is_always_seen() -> None:
    opened = Opened()
    opened.window.look_at(BEGAN + 2000.0, BEGAN + 2100.0)
    for at in (500.0, 3599.0, 0.0):
        opened.playhead.seek(BEGAN + at)
        opened.window.follow_clock()
        start, end = opened.shown
        assert start <= at <= end
        assert end - start == pytest.approx(100.0)


def test_the_time_of_day_is_that_of_the_recording_and_has_its_date() -> None:
    opened = Opened()
    opened.window.look_at(BEGAN + 100.0, BEGAN + 200.0)
    assert opened.window.wall(BEGAN + 100.0) == BEGAN + 100.0
    assert opened.window.moment(BEGAN + 100.0).startswith("2026-09-21 ")
    opened.window.look_at(BEGAN + 3000.0, BEGAN + 3100.0)
    assert opened.window.wall(BEGAN + 3000.0) == BEGAN + 3000.0 + STEP


def test_back_at_the_live_cards_it_moves_with_the_present_again() -> None:
    opened, clock = Opened(), ManualClock()
    opened.window.show_past(History(), clock)
    assert opened.window.following
    assert opened.window.stretch()[1] == clock.now()
    assert not opened.window.replaying
