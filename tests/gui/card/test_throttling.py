"""When a card was slowed, for how long, and how much energy it used."""

import pytest

from gpuexplorer.core.cards import CardId, Sample
from gpuexplorer.core.metrics import ENERGY, POWER_DRAW, MetricId, throttle
from gpuexplorer.gui.card.fact_list import energy_fact, past_facts, slowed_fact, spoken_time
from gpuexplorer.gui.cards.throttling import energy_used, slowed_time
from gpuexplorer.gui.state.time_window import TimeWindow
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.telemetry.history import History
from tests.clocks import ManualClock

CARD = CardId("GPU-0")
HOT, CAPPED = throttle("hw_thermal_slowdown"), throttle("sw_power_cap")


def history(seconds: int, **flags: range) -> History:
    """A reading each second; each flag holds in its range of seconds."""
    past = History(1.0)
    for second in range(seconds):
        values = {
            MetricId(name): 1.0 if second in held else 0.0 for name, held in flags.items()
        }
        past.append(Sample(CARD, float(second), values))
    return past


def test_the_time_it_was_slowed_counts_two_reasons_at_once_once() -> None:
    past = history(100, **{HOT: range(20, 40), CAPPED: range(30, 60)})
    slowed = slowed_time(past, CARD, 0.0, 100.0)
    assert slowed is not None
    seconds, recorded, by_reason = slowed
    assert [seconds, recorded] == pytest.approx([40.0, 100.0], abs=1.0)
    assert by_reason[HOT] == pytest.approx(20.0, abs=1.0)


def test_a_time_that_was_not_recorded_is_not_called_never() -> None:
    fact = slowed_fact(History(1.0), CARD, 0.0, 300.0)
    assert fact.line == "Throttled in 5 min: nothing recorded in it"


def test_the_part_that_was_recorded_is_told_beside_it() -> None:
    past = history(100, **{HOT: range(15), CAPPED: range(0)})
    fact = slowed_fact(past, CARD, 0.0, 300.0)
    assert fact.line == "Throttled in 5 min: 15 s of 1 min 40 s read"
    assert fact.tone is Tone.WARN
    assert "Much too hot: 15 s" in fact.hint
    calm = history(100, **{HOT: range(0), CAPPED: range(0)})
    said = slowed_fact(calm, CARD, 0.0, 300.0).line
    assert said == "Throttled in 5 min: 0 s of 1 min 40 s read"


def test_a_card_that_was_never_slowed_says_so() -> None:
    past = history(300, **{HOT: range(0), CAPPED: range(0)})
    fact = slowed_fact(past, CARD, 0.0, 300.0)
    assert fact.line == "Throttled in 5 min: never"


def test_energy_is_what_the_counter_gained() -> None:
    past = History(1.0)
    for second in range(61):
        past.append(Sample(CARD, float(second), {ENERGY: 5e6 + 250.0 * second}))
    used = energy_used(past, CARD, 0.0, 60.0)
    fact = energy_fact("energy", "Energy", used)
    assert fact.line == "Energy: 4.17 Wh"
    assert "as it counts it itself" in fact.hint


def test_energy_carries_the_time_it_covers() -> None:
    past = History(1.0)
    for second in range(7):
        past.append(Sample(CARD, float(second), {POWER_DRAW: 120.0}))
    clock = ManualClock(7.0)
    window = TimeWindow(clock)
    window.show_past(past, clock)
    window.choose_span(300.0)
    slowed, used, _ = past_facts(past, window, CARD)
    assert slowed.line == "Throttled in 5 min: nothing recorded in it"
    assert used.line == "Energy in 7 s: 840 J"


def test_a_counter_that_began_anew_takes_nothing_back() -> None:
    past = History(1.0)
    counted = [1000.0, 1100.0, 1200.0, 50.0, 150.0]
    for second, joules in enumerate(counted):
        past.append(Sample(CARD, float(second), {ENERGY: joules}))
    used = energy_used(past, CARD, 0.0, 5.0)
    assert used is not None
    assert used.joules == pytest.approx(300.0)


def test_what_was_used_since_the_counter_was_read_is_added_up_from_the_power() -> None:
    past = History(1.0)
    for second in range(60):
        power = {POWER_DRAW: 250.0}
        past.append(Sample(CARD, float(second), power))
        if second % 5 == 2:
            past.append(Sample(CARD, float(second), {ENERGY: 5e6 + 250.0 * second}))
    used = energy_used(past, CARD, 0.0, 60.0)
    assert used is not None
    assert used.counted
    assert used.joules == pytest.approx(60 * 250.0, rel=0.01)


def test_without_a_counter_power_is_added_up_and_said_to_be() -> None:
    past = History(1.0)
    for second in range(60):
        past.append(Sample(CARD, float(second), {POWER_DRAW: 120.0}))
    fact = energy_fact("energy", "Energy", energy_used(past, CARD, 0.0, 60.0))
    assert fact.line == "Energy: 2.00 Wh"
    assert "does not count energy" in fact.hint


def test_energy_nobody_recorded_is_said_in_words() -> None:
    fact = energy_fact("energy", "Energy", energy_used(History(1.0), CARD, 0.0, 60.0))
    assert fact.line == "Energy: nothing recorded in it"


@pytest.mark.parametrize(
    ("seconds", "words"), [(0.04, "0.1 s"), (3.0, "3 s"), (75, "1 min 15 s"), (7200, "2 h")]
)
def test_times_are_said_as_people_say_them(seconds: float, words: str) -> None:
    assert spoken_time(seconds) == words
