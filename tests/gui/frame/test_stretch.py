"""The stretch that all plots show: how it grows after the start, where it ends, and of a
recording what is before and beyond its playhead.
"""

from collections.abc import Sequence

import pytest

from gpuexplorer.core.cards import CardId, Sample
from gpuexplorer.core.metrics import GPU_UTILIZATION, MetricId
from gpuexplorer.gui.state.time_window import DAY, HOUR, MINUTE, TimeWindow
from gpuexplorer.recording.recorded_session import Playhead
from gpuexplorer.telemetry.history import History
from gpuexplorer.telemetry.trace import Trace, empty_trace
from tests.clocks import ManualClock

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
