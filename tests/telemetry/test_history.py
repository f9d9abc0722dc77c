"""The past of a card as a chart gets it: an hour of every reading, a day in outline."""

import sys
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


def test_a_day_is_kept_in_outline_up_to_the_newest_reading(long_day: History) -> None:
    end = 27 * 3600.0 - 1
    start = end - 86399
    trace = long_day.trace(CARD, m.POWER_DRAW, start, end)
    assert 1400 <= len(trace) <= 1500
    assert trace.counts.sum() == 86400
    assert trace.minima[0] == start
    assert trace.maxima[-1] == end
    assert not np.isnan(trace.means).any()


def test_memory_stays_the_same_however_long_it_goes_on() -> None:
    history = History(full_seconds=50.0, day_seconds=500.0)
    filled(history, map(float, range(600)))
    after_a_day = history.memory_bytes()
    filled(history, map(float, range(600, 5000)))
    assert 0 < history.memory_bytes() < 1.5 * after_a_day


def test_no_first_reading_is_lost_where_many_cards_begin_at_once() -> None:
    cards = [CardId(f"SIM-{number}") for number in range(8)]
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(len(cards)) as threads:
            for _ in range(200):
                history, start = History(), threading.Barrier(len(cards))

                def begin(card: CardId, history: History, start: threading.Barrier) -> None:
                    start.wait()
                    history.append(Sample(card, 1.0, {m.POWER_DRAW: 1.0}))

                for job in [threads.submit(begin, card, history, start) for card in cards]:
                    job.result()
                assert {*history.cards()} == {*cards}
    finally:
        sys.setswitchinterval(before)


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
