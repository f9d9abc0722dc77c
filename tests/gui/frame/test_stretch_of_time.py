"""The stretch that all plots show: how it grows after the start, and where it ends."""

from collections.abc import Sequence

import pytest
from pytestqt.qtbot import QtBot

from gpuexplorer.core.cards import CardId, Sample
from gpuexplorer.core.metrics import GPU_UTILIZATION
from gpuexplorer.gui.state.time_window import DAY, HOUR, MINUTE, Marked, TimeWindow
from gpuexplorer.telemetry.history import History
from tests.clocks import ManualClock


class Running:
    """A program that reads one card, as long as a test lets it."""

    def __init__(self, seconds: float = 0.0) -> None:
        self.clock = ManualClock()
        self.past = History()
        self.window = TimeWindow(self.clock)
        self.window.show_past(self.past)
        self.goes_on(seconds)

    def goes_on(self, seconds: float) -> None:
        self.past.append(Sample(CardId("GPU-0"), self.clock.now(), {GPU_UTILIZATION: 0.5}, {}))
        self.clock.advance(seconds)
        self.past.append(Sample(CardId("GPU-0"), self.clock.now(), {GPU_UTILIZATION: 0.5}, {}))

    def ago(self, *seconds: float) -> Sequence[float]:
        return [self.clock.now() - each for each in seconds]

    @property
    def shown(self) -> tuple[float, float]:
        """How long ago it begins and ends."""
        start, end = self.window.stretch()
        return self.clock.now() - start, self.clock.now() - end


def test_after_the_start_what_is_shown_grows_with_the_past() -> None:
    running = Running()
    lengths = []
    for _ in range(400):
        running.goes_on(1.0)
        start, end = running.window.stretch()
        lengths.append(end - start)
        assert running.window.began <= start or end - start == 10.0  # nothing of it is empty
    assert sorted(set(lengths)) == [10.0, 20.0, 40.0, 80.0, 160.0, 300.0]
    assert running.window.span == 5 * MINUTE


def test_the_past_of_other_cards_begins_small_again() -> None:
    running = Running(600.0)
    running.window.choose_span(HOUR)
    running.window.show_past(History())
    assert running.shown == (10.0, 0.0)
    assert running.window.span == HOUR


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


def test_nobody_drags_a_plot_to_where_nothing_was_read() -> None:
    running = Running(600.0)
    running.window.look_at(*running.ago(4000.0, 3700.0))
    assert running.shown == (600.0, 300.0)


@pytest.mark.parametrize("around", [0.0, 0.5, 1.0])
def test_zooming_out_ends_where_half_of_what_is_shown_is_empty(around: float) -> None:
    running = Running(100.0)
    for _ in range(50):
        start, end = running.window.stretch()
        wider = 0.25 * (end - start)
        running.window.look_at(start - (1 - around) * wider, end + around * wider)
    assert running.shown == pytest.approx((200.0, 0.0))
    running.window.zoom(DAY)
    assert running.shown == pytest.approx((200.0, 0.0))


def test_zooming_into_an_empty_stretch_ends_at_the_first_reading() -> None:
    running = Running(100.0)
    running.window.choose_span(HOUR)
    running.window.look_at(*running.ago(3600.0, 3560.0))
    assert running.shown == (100.0, 60.0)


def test_the_moment_of_an_event_is_marked_until_one_goes_back_to_now(qtbot: QtBot) -> None:
    running = Running(600.0)
    at = running.clock.now() - 200.0
    with qtbot.waitSignal(running.window.marked_changed):
        running.window.centre_on(at)
        running.window.mark(at, "card lost")
    running.window.point_at(at + 5.0)
    running.window.point_at(None)
    assert running.window.marked == Marked(at, "card lost")
    with qtbot.waitSignal(running.window.marked_changed):
        running.window.back_to_now()
    assert running.window.marked is None
