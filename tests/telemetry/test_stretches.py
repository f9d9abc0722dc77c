"""What the past of a card comes to: how long it was slowed, and how much energy it used."""

import pytest

from gpuexplorer.core.cards import CardId, Sample
from gpuexplorer.core.metrics import ENERGY, POWER_DRAW, MetricId, throttle
from gpuexplorer.telemetry.history import History
from gpuexplorer.telemetry.stretches import course, energy_used, slowed

CARD = CardId("GPU-0")
HOT, CAPPED = throttle("hw_thermal_slowdown"), throttle("sw_power_cap")


def past_of(*told: tuple[float, dict[MetricId, float]]) -> History:
    past = History(1.0)
    for at, values in told:
        past.append(Sample(CARD, at, values))
    return past


def test_the_time_it_was_slowed_counts_two_reasons_at_once_once() -> None:
    past = past_of(
        *((at, {HOT: float(20 <= at < 40), CAPPED: float(30 <= at < 60)}) for at in range(100))
    )
    did = [course(past, CARD, each, 0.0, 100.0) for each in (HOT, CAPPED)]
    assert slowed(did) == pytest.approx((40.0, 100.0), abs=1.0)
    assert did[0].total == pytest.approx(20.0, abs=1.0)


def test_energy_is_what_the_counter_gained() -> None:
    past = past_of(*((at, {ENERGY: 5e6 + 250.0 * at}) for at in range(61)))
    used = energy_used(past, CARD, 0.0, 60.0)
    assert used is not None
    assert used.counted
    assert (used.joules, used.since) == pytest.approx((15_000.0, 0.0))


def test_a_counter_that_began_anew_takes_nothing_back() -> None:
    counted = [1000.0, 1100.0, 1200.0, 50.0, 150.0]
    past = past_of(*((at, {ENERGY: joules}) for at, joules in enumerate(counted)))
    used = energy_used(past, CARD, 0.0, 5.0)
    assert used is not None
    assert used.joules == pytest.approx(300.0)


def test_what_was_used_since_the_counter_was_read_is_added_up_from_the_power() -> None:
    past = History(1.0)
    for second in range(60):
        past.append(Sample(CARD, float(second), {POWER_DRAW: 250.0}))
        if second % 5 == 2:
            past.append(Sample(CARD, float(second), {ENERGY: 5e6 + 250.0 * second}))
    used = energy_used(past, CARD, 0.0, 60.0)
    assert used is not None
    assert used.counted
    assert (used.joules, used.seconds) == pytest.approx((15_000.0, 60.0), rel=0.01)


def test_a_time_in_which_nothing_was_read_is_left_out() -> None:
    times = (*range(20), *range(40, 61))
    past = past_of(*((at, {ENERGY: 5e6 + 250.0 * at}) for at in times))
    used = energy_used(past, CARD, 0.0, 60.0)
    assert used is not None
    assert (used.joules, used.seconds) == pytest.approx((39 * 250.0, 39.0), rel=0.05)


def test_without_a_counter_power_is_added_up() -> None:
    past = past_of(*((at, {POWER_DRAW: 120.0}) for at in range(60)))
    used = energy_used(past, CARD, 0.0, 60.0)
    assert used is not None
    assert not used.counted
    assert (used.joules, used.seconds) == pytest.approx((7200.0, 60.0))
    assert energy_used(past_of((0.0, {POWER_DRAW: 120.0})), CARD, 0.0, 0.2) is None
