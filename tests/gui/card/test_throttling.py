"""When a card was slowed, for how long, and how much energy it used."""

from collections.abc import Mapping, Sequence

import pytest

from gpuexplorer.core.cards import CardId, Sample
from gpuexplorer.core.metrics import ENERGY, POWER_DRAW, MetricId, throttle
from gpuexplorer.gui.card.words import (
    energy_fact,
    energy_in,
    slowed_fact,
    spoken_time,
)
from gpuexplorer.gui.cards.throttling import (
    EnergyUsed,
    energy_used,
    ever_held,
    slowed_stretches,
    slowed_time,
)
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.telemetry.history import History
from gpuexplorer.telemetry.trace import Trace

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


def traces(past: History, end: float, columns: int = 600) -> dict[MetricId, Trace]:
    return {each: past.trace(CARD, each, 0.0, end, columns) for each in (HOT, CAPPED)}


@pytest.mark.parametrize(
    ("reason", "other", "word", "tone"),
    [(HOT, CAPPED, "Too hot", Tone.WARN), (CAPPED, HOT, "Power limit", Tone.QUIET)],
)
def test_a_stretch_of_throttling_has_a_beginning_an_end_and_a_word(
    reason: MetricId, other: MetricId, word: str, tone: Tone
) -> None:
    past = history(100, **{reason: range(20, 40), other: range(0)})
    (slowed,) = slowed_stretches(traces(past, 100.0), 100.0)
    assert [slowed.start, slowed.end] == pytest.approx([20.0, 40.0])
    assert (slowed.word, slowed.tone) == (word, tone)
    assert ever_held(past, CARD, 0.0, 100.0) == {reason}


def test_a_flicker_is_one_stretch_and_a_time_not_read_parts_it() -> None:
    past = History(1.0)
    for second in (*range(10), *range(40, 50)):
        past.append(Sample(CARD, float(second), {HOT: float(second % 2), CAPPED: 0.0}))
    stretches = slowed_stretches(traces(past, 60.0), 60.0)
    assert len(stretches) == 2
    assert stretches[0].end <= 11
    assert stretches[1].start >= 40


@pytest.mark.parametrize("columns", [600, 20])
def test_the_time_it_was_slowed_counts_two_reasons_at_once_once(columns: int) -> None:
    past = history(100, **{HOT: range(20, 40), CAPPED: range(30, 60)})
    slowed = slowed_time(traces(past, 100.0, columns))
    assert slowed is not None
    assert slowed.seconds == pytest.approx(40.0, abs=1.0)
    assert slowed.by_reason[HOT] == pytest.approx(20.0, abs=1.0)
    assert slowed.recorded == pytest.approx(100.0, abs=1.0)
    assert slowed.harmful


@pytest.mark.parametrize(
    ("seconds", "hot", "said"),
    [
        (0, 0, "nothing recorded in it"),
        (100, 15, "15 s of 1 min 40 s read"),
        (100, 0, "0 s of 1 min 40 s read"),
        (300, 0, "never"),
    ],
)
def test_how_long_it_was_slowed_and_how_much_was_read(
    seconds: int, hot: int, said: str
) -> None:
    past = history(seconds, **{HOT: range(hot), CAPPED: range(0)})
    fact = slowed_fact(slowed_time(traces(past, max(1.0, seconds))), 300.0)
    assert fact.line == f"Throttled in 5 min: {said}"
    assert fact.tone is (Tone.WARN if hot else Tone.TEXT)
    assert ("Much too hot: 15 s" in fact.hint) is bool(hot)


def used(
    values: Sequence[Mapping[MetricId, float]], start: float, end: float
) -> EnergyUsed | None:
    """Of a reading each second."""
    past = History(1.0)
    for second, each in enumerate(values):
        past.append(Sample(CARD, float(second), each))
    return energy_used(past, CARD, start, end)


@pytest.mark.parametrize(
    ("values", "joules", "counted"),
    [
        ([{ENERGY: 5e6 + 250.0 * second} for second in range(61)], 15_000.0, True),
        # A counter that began anew takes nothing back.
        ([{ENERGY: each} for each in (1000.0, 1100.0, 1200.0, 50.0, 150.0)], 300.0, True),
        # What was used since the counter was read is added up from the power.
        (
            [
                {POWER_DRAW: 250.0} | ({ENERGY: 250.0 * s} if s % 5 == 2 else {})
                for s in range(60)
            ],
            15_000.0,
            True,
        ),
        ([{POWER_DRAW: 120.0}] * 60, 7200.0, False),
    ],
)
def test_energy_is_counted_or_added_up(
    values: Sequence[Mapping[MetricId, float]], joules: float, counted: bool
) -> None:
    found = used(values, 0.0, 60.0)
    assert found is not None
    assert found.joules == pytest.approx(joules, rel=0.01)
    assert found.counted is counted
    how = "as it counts it itself" if counted else "does not count energy"
    assert how in energy_fact("energy", "Energy", found).hint


def test_energy_carries_the_time_it_covers() -> None:
    fact = energy_in(300.0, used([{POWER_DRAW: 120.0}] * 7, -293.0, 7.0))
    assert fact.line == "Energy in 7 s: 840 J"
    nothing = energy_fact("energy", "Energy", used([], 0.0, 60.0))
    assert nothing.line == "Energy: nothing recorded in it"


@pytest.mark.parametrize(
    ("seconds", "words"), [(0.04, "0.1 s"), (3.0, "3 s"), (75, "1 min 15 s"), (7200, "2 h")]
)
def test_times_are_said_as_people_say_them(seconds: float, words: str) -> None:
    assert spoken_time(seconds) == words
