"""The past of a card as a chart gets it: an hour of every reading, a day in outline."""

import math
import threading
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from gpuexplorer.core import metrics as m
from gpuexplorer.core.cards import CardId, Sample
from gpuexplorer.core.metrics import MetricId
from gpuexplorer.telemetry.history import History

CARD = CardId("SIM-0")


def seen(at: float, metric: MetricId = m.POWER_DRAW, value: float = 1.0) -> Sample:
    return Sample(CARD, at, {metric: value})


def filled(
    history: History, times: Iterable[float], metric: MetricId = m.POWER_DRAW
) -> History:
    for at in times:
        history.append(seen(at, metric, at))
    return history


@pytest.fixture(scope="module")
def long_day() -> History:
    """Twenty-seven hours of a card that was asked once a second; the value is the time."""
    return filled(History(), map(float, range(27 * 3600)))


def test_a_card_nobody_heard_of_has_an_empty_past() -> None:
    history = filled(History(), [1.0])
    for trace in (
        history.trace(CardId("SIM-9"), m.POWER_DRAW, 0.0, 10.0),
        history.trace(CARD, m.TEMPERATURE, 0.0, 10.0),
        history.trace(CARD, m.FAN_SPEED, 0.0, 10.0),
        history.trace(CARD, m.POWER_DRAW, 2.0, 10.0),
        history.trace(CARD, m.POWER_DRAW, 0.0, 10.0, columns=0),
        history.trace(CARD, m.POWER_DRAW, 10.0, 0.0),
    ):
        assert len(trace) == 0
        assert trace.times.size == trace.means.size == trace.counts.size == 0


def test_the_last_hour_is_kept_reading_by_reading(long_day: History) -> None:
    end = 27 * 3600.0 - 1
    trace = long_day.trace(CARD, m.POWER_DRAW, end - 3600, end, columns=4000)
    assert trace.times.tolist() == list(np.arange(end - 3600, end + 1))
    assert set(trace.counts) == {1}


@pytest.mark.parametrize("beat", [0.1, 0.5, 2.4, 2.6, 7.0, 60.0])
def test_at_any_beat_there_is_an_hour_of_single_readings(beat: float) -> None:
    history = filled(History(beat), [beat * count for count in range(int(5400 / beat))])
    end = beat * (int(5400 / beat) - 1)
    trace = history.trace(CARD, m.POWER_DRAW, end - 3600, end, columns=40_000)
    assert set(trace.counts) == {1}
    assert len(trace) == pytest.approx(3600 / beat, abs=1)


def test_a_day_is_kept_in_outline_up_to_the_newest_reading(long_day: History) -> None:
    end = 27 * 3600.0 - 1
    start = end - 86399
    trace = long_day.trace(CARD, m.POWER_DRAW, start, end)
    assert 1400 <= len(trace) <= 1500
    assert trace.counts.sum() == 86400
    assert trace.minima[0] == start
    assert trace.maxima[-1] == end
    assert not np.isnan(trace.means).any()


def test_a_day_in_the_finest_columns_has_a_column_for_a_minute(long_day: History) -> None:
    end = 27 * 3600.0 - 1
    trace = long_day.trace(CARD, m.POWER_DRAW, end - 86399, end - 7200, columns=100_000)
    assert set(np.diff(trace.times)) == {60.0}
    assert trace.column_seconds == 60.0


def test_memory_stays_the_same_however_long_it_goes_on() -> None:
    history = History(full_seconds=50.0, day_seconds=500.0)
    filled(history, map(float, range(600)))
    after_a_day = history.memory_bytes()
    filled(history, map(float, range(600, 5000)))
    assert 0 < history.memory_bytes() < 1.5 * after_a_day


def test_far_too_many_samples_shorten_the_readings_and_not_the_memory() -> None:
    history = History(full_seconds=10.0, day_seconds=100.0)
    filled(history, np.arange(0.0, 10.0, 0.001))
    size = history.memory_bytes()
    filled(history, np.arange(10.0, 20.0, 0.001))
    assert history.memory_bytes() < 1.5 * size


def test_a_time_without_samples_is_one_open_column() -> None:
    trace = filled(History(), [1.0, 2.0, 3.0, 60.0, 61.0]).trace(CARD, m.POWER_DRAW, 0.0, 90.0)
    assert np.isnan(trace.means).tolist() == [False, False, False, True, False, False]
    assert 3.0 < trace.times[3] < 60.0
    assert trace.counts[3] == 0


def test_a_metric_that_appears_when_there_are_buckets_disturbs_no_other() -> None:
    history = History(full_seconds=20.0, day_seconds=1000.0)
    filled(history, map(float, range(200)))
    for at in range(200, 300):
        history.append(Sample(CARD, float(at), {m.POWER_DRAW: float(at), m.CLOCK_SM: 1e9}))
    assert history.trace(CARD, m.POWER_DRAW, 0.0, 300.0).counts.sum() == 300
    clock = history.trace(CARD, m.CLOCK_SM, 0.0, 300.0)
    assert clock.counts.sum() == 100
    assert clock.times[0] == 180.0  # the minute in which it appeared


def test_a_slower_beat_is_not_taken_for_gaps_for_long() -> None:
    times = [*range(100), *range(160, 1360, 60)]
    trace = filled(History(), map(float, times)).trace(CARD, m.POWER_DRAW, 0.0, 1360.0)
    gaps = trace.times[np.isnan(trace.means)]
    assert len(gaps) == 3
    assert gaps[-1] < 300


def test_columns_of_a_moving_window_stand_still() -> None:
    history = filled(History(), map(float, range(3600)))
    before = history.trace(CARD, m.POWER_DRAW, 100.0, 3500.0, columns=200)
    after = history.trace(CARD, m.POWER_DRAW, 100.4, 3500.4, columns=200)
    both = set(before.times[1:-1]) & set(after.times[1:-1])
    assert len(both) > 190


def test_a_young_history_fills_a_long_window_with_fine_columns() -> None:
    history = filled(History(), map(float, range(3000)))
    for start in (-80_000.0, -math.inf):
        trace = history.trace(CARD, m.POWER_DRAW, start, 3000.0, columns=500)
        assert 250 <= len(trace) <= 500
        assert trace.counts.sum() == 3000


def test_what_cannot_be_plotted_is_not_kept() -> None:
    history = filled(History(), [1.0, 2.0], m.POWER_LIMIT_MAX)
    assert len(history.trace(CARD, m.POWER_LIMIT_MAX, 0.0, 9.0)) == 0
    assert history.cards() == ()


def test_a_sample_of_several_rounds_is_kept_in_full() -> None:
    history = History()
    everything = {m.POWER_DRAW: 1.0, m.ENERGY: 2.0, m.FAN_SPEED: 0.5, m.PCIE_RECEIVE: 4.0}
    history.append(Sample(CARD, 1.0, everything))
    for metric, value in everything.items():
        assert history.trace(CARD, metric, 0.0, 9.0).means.tolist() == [value]


def test_a_value_that_is_not_a_number_is_a_gap() -> None:
    history = filled(History(), [1.0, 2.0])
    history.append(seen(3.0, value=math.nan))
    history.append(seen(4.0))
    assert history.trace(CARD, m.POWER_DRAW, 0.0, 9.0).counts.tolist() == [1, 1, 0, 1]


def test_after_a_day_of_silence_the_old_past_is_not_joined_to_the_new() -> None:
    history = History(full_seconds=20.0, day_seconds=200.0)
    filled(history, map(float, [*range(100), *range(1000, 1100)]))
    trace = history.trace(CARD, m.POWER_DRAW, 0.0, 1100.0)
    assert trace.counts[trace.times >= 1000].sum() == 100
    between = (trace.times > 100) & (trace.times < 1000)
    assert np.isnan(trace.means[between]).all()
    assert trace.minima[0] >= 1000 or between.any()


def test_a_card_silent_for_a_day_is_forgotten_when_a_new_one_comes() -> None:
    history = filled(History(day_seconds=100.0), [1.0])
    history.append(Sample(CardId("SIM-1"), 90.0, {m.POWER_DRAW: 1.0}))
    assert history.cards() == (CARD, CardId("SIM-1"))
    history.append(Sample(CardId("SIM-2"), 150.0, {m.POWER_DRAW: 1.0}))
    assert history.cards() == (CardId("SIM-1"), CardId("SIM-2"))


def test_clearing_forgets_every_card() -> None:
    history = filled(History(), [1.0])
    history.clear()
    assert history.cards() == ()
    assert history.memory_bytes() == 0
    filled(history, [2.0])
    assert history.trace(CARD, m.POWER_DRAW, 0.0, 9.0).times.tolist() == [2.0]


def test_three_rounds_may_append_while_a_chart_looks() -> None:
    history = History(full_seconds=20.0, day_seconds=100_000.0)
    rounds = {m.POWER_DRAW: 4000, m.FAN_SPEED: 3000, m.PCIE_RECEIVE: 3500}
    start = threading.Barrier(len(rounds) + 1)

    def append(metric: MetricId, samples: int) -> None:
        start.wait()
        filled(history, map(float, range(samples)), metric)

    with ThreadPoolExecutor(len(rounds)) as threads:
        appending = [threads.submit(append, *each) for each in rounds.items()]
        start.wait()
        for _ in range(200):
            trace = history.trace(CARD, m.POWER_DRAW, 0.0, 1e5)
            assert np.all(np.diff(trace.times) > 0)
            assert np.array_equal(np.isnan(trace.means), trace.counts == 0)
    for job in appending:
        job.result()
    for metric, samples in rounds.items():
        trace = history.trace(CARD, metric, 0.0, 1e5)
        assert trace.counts.sum() == samples
        assert trace.maxima[-1] == samples - 1


def test_three_threads_with_samples_of_one_kind_lose_none_between_them() -> None:
    history = History(full_seconds=20.0, day_seconds=100_000.0)
    with ThreadPoolExecutor(3) as threads:
        jobs = [threads.submit(filled, history, map(float, range(3000))) for _ in range(3)]
    for job in jobs:
        job.result()
    assert history.trace(CARD, m.POWER_DRAW, 0.0, 1e5).counts.sum() == 9000
