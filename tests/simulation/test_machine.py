"""The figures of simulated cards: the same for one seed, and hanging together at any time."""

import math
import threading
from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuexplorer.simulation.course import Occupation
from gpuexplorer.simulation.machine import LAB_PID, SCRAPS_BYTES, Machine, Reading
from gpuexplorer.simulation.models import MIB, MODELS
from gpuexplorer.simulation.specs import parse_machine

EVERY_MODEL = Machine(parse_machine(",".join(f"2x{model.key}" for model in MODELS)))
IDLE = Machine(parse_machine(",".join(f"2x{model.key}+idle" for model in MODELS)))
FOUR_TITANS = Machine(parse_machine("4xTitanRTX"))

cards = st.integers(0, 2 * len(MODELS) - 1)
seconds = st.floats(0.0, 100_000.0)


def course(machine: Machine, index: int, until: float = 2000.0) -> list[Reading]:
    return [machine.reading(index, t / 2) for t in range(int(until * 2))]


@given(cards, seconds)
@settings(deadline=None)
def test_the_same_seed_card_and_time_give_the_same_reading(index: int, t: float) -> None:
    again = Machine(EVERY_MODEL.spec)
    assert again.reading(index, t) == EVERY_MODEL.reading(index, t)
    assert again.processes(index, t) == EVERY_MODEL.processes(index, t)


@given(cards, seconds)
@settings(deadline=None)
def test_nobody_uses_an_idle_card_and_nobody_did(index: int, t: float) -> None:
    for at in (t, -t):
        reading, model = IDLE.reading(index, at), IDLE.spec.cards[index].model
        assert IDLE.processes(index, at) == []
        assert (reading.busy, reading.memory_busy, reading.level) == (0.0, 0.0, 0.0)
        assert reading.memory_used == SCRAPS_BYTES
        assert reading.state == model.idle_state
        assert reading.graphics_clock == model.clock_idle * 1e6
        assert reading.power == pytest.approx(model.power_idle, rel=0.02)
        assert 25.0 < reading.temperature < 45.0
        assert reading.seconds_at_limit == 0.0


@given(cards, seconds)
@settings(deadline=None)
def test_a_readings_figures_hang_together(index: int, t: float) -> None:
    reading = EVERY_MODEL.reading(index, t)
    model = EVERY_MODEL.spec.cards[index].model
    resting = reading.level == 0.0
    assert resting == (reading.busy == 0.0)
    assert resting == (reading.graphics_clock == model.clock_idle * 1e6)
    assert reading.state == model.idle_state or not resting
    assert reading.at_limit == (reading.power > 0.985 * model.power_limit)
    assert 0.98 * model.power_idle <= reading.power <= model.power_limit
    assert 0.98 * model.power_idle <= reading.average_power <= model.power_limit
    assert 25.0 < reading.temperature < model.heat_slowdown
    assert reading.warm == (reading.temperature >= model.heat_target)
    assert reading.graphics_clock <= model.clock_boost * 1e6
    if reading.at_limit:
        assert reading.graphics_clock < model.clock_boost * 1e6
    assert 0.0 <= reading.memory_busy <= reading.busy <= 1.0


@given(cards, seconds, st.floats(0.01, 5000.0))
@settings(deadline=None)
def test_counters_never_run_backwards(index: int, t: float, later: float) -> None:
    before, after = EVERY_MODEL.reading(index, t), EVERY_MODEL.reading(index, t + later)
    assert after.energy > before.energy
    assert after.seconds_at_limit >= before.seconds_at_limit - 1e-6
    assert after.seconds_warm >= before.seconds_warm - 1e-6
    assert after.seconds_at_limit - before.seconds_at_limit <= later + 1e-6
    assert after.seconds_warm - before.seconds_warm <= later + 1e-6


def test_work_of_the_lab_shows_in_every_figure_while_it_lasts() -> None:
    machine, index, start = _resting_card()
    before = machine.reading(index, start + 5.0)
    machine.occupy(
        index, Occupation(start, start + 10.0, busy=0.9, pcie_receive=5e9, nvlink_transmit=2e9)
    )
    during, after = machine.reading(index, start + 5.0), machine.reading(index, start + 11.0)
    assert before.busy == 0.0
    assert during.busy > 0.85
    assert during.power > before.power + 100.0
    assert during.temperature > before.temperature + 5.0
    assert during.graphics_clock > before.graphics_clock
    assert during.traffic == (5e9, 0.0, 0.0, 2e9)
    assert after.busy == 0.0
    assert after.temperature > before.temperature + 5.0
    assert after.traffic == (0.0, 0.0, 0.0, 0.0)


@given(
    st.lists(st.tuples(st.floats(0, 900), st.floats(0.01, 200), st.floats(0, 1.5)), max_size=6),
    st.lists(st.floats(0, 1200), min_size=2, max_size=30),
)
@settings(deadline=None)
def test_whatever_the_lab_adds_the_figures_still_hang_together(
    work: list[tuple[float, float, float]], times: list[float]
) -> None:
    machine = Machine(parse_machine("2xRTX3090"))
    for start, lasts, busy in work:
        machine.occupy(1, Occupation(start, start + lasts, busy=busy))
    readings = [machine.reading(1, t) for t in sorted(times)]
    model = machine.spec.cards[1].model
    for before, after in pairwise(readings):
        assert after.energy >= before.energy - 1e-3
        assert after.seconds_at_limit >= before.seconds_at_limit - 1e-6
    for reading in readings:
        assert reading.power <= model.power_limit
        assert reading.at_limit == (reading.power > 0.985 * model.power_limit)
        assert reading.temperature < model.heat_slowdown
        assert reading.warm == (reading.temperature >= model.heat_target)


@pytest.mark.parametrize("end", [5.0, 4.0, math.inf, math.nan])
def test_work_that_does_not_end_after_it_starts_is_a_mistake(end: float) -> None:
    with pytest.raises(ValueError, match="ends after it starts"):
        FOUR_TITANS.occupy(0, Occupation(5.0, end, busy=1.0))


def test_work_may_be_added_by_one_thread_while_another_reads() -> None:
    machine = Machine(parse_machine("T4"))
    readings: list[Reading] = []

    def add() -> None:
        for step in range(200):
            machine.occupy(0, Occupation(step * 0.5, step * 0.5 + 0.8, busy=0.3))
            machine.hold(0, step * 0.5, MIB)

    adder = threading.Thread(target=add)
    adder.start()
    while adder.is_alive():
        readings.append(machine.reading(0, 50.0))
    adder.join()
    twin = Machine(parse_machine("T4"))
    for step in range(200):
        twin.occupy(0, Occupation(step * 0.5, step * 0.5 + 0.8, busy=0.3))
        twin.hold(0, step * 0.5, MIB)
    assert machine.reading(0, 50.0) == twin.reading(0, 50.0)
    assert all(0.0 < reading.power <= 70.0 for reading in readings)


def _resting_card() -> tuple[Machine, int, float]:
    """A card of a fresh machine, and a time from which it rests for a while."""
    machine = Machine(parse_machine("4xTitanRTX"))
    for start in range(0, 2000, 5):
        if not any(machine.reading(1, start + t).level for t in range(15)):
            return machine, 1, float(start)
    raise AssertionError("the card never rests")


@given(cards, seconds)
@settings(deadline=None)
def test_the_processes_share_out_what_the_card_does_and_holds(index: int, t: float) -> None:
    processes, reading = EVERY_MODEL.processes(index, t), EVERY_MODEL.reading(index, t)
    used = SCRAPS_BYTES + sum(process.memory_bytes for process in processes)
    assert reading.memory_used == used
    assert used < 0.95 * EVERY_MODEL.spec.cards[index].model.usable_bytes
    assert len({process.pid for process in processes}) == len(processes)
    busy = sum(process.busy for process in processes)
    assert busy == pytest.approx(reading.busy, abs=0.005)


@pytest.mark.parametrize("work", [(), ((10, 90, 0.5), (300, 400, 1.0), (50, 320, 0.3))])
def test_energy_is_the_sum_of_power_over_time(work: Sequence[tuple[float, ...]]) -> None:
    machine, step = Machine(parse_machine("4xTitanRTX")), 0.05
    for start, end, busy in work:
        machine.occupy(0, Occupation(start, end, busy=busy))
    counted = machine.reading(0, 1000.0).energy - machine.reading(0, 0.0).energy
    summed = sum(machine.reading(0, step * (n + 0.5)).power for n in range(20_000)) * step
    assert counted == pytest.approx(summed, rel=1e-3)


def test_a_card_that_is_too_warm_is_slow_and_times_of_slowdown_grow_with_their_flags() -> None:
    machines = (Machine(parse_machine("2xTitanRTX", seed)) for seed in range(50))
    readings = next(
        each for each in (course(m, 1) for m in machines) if any(r.warm for r in each)
    )
    warm = [each for each in readings if each.warm]
    at_work = [each for each in warm if each.level > 0.5]
    assert not any(each.at_limit for each in at_work)
    assert max(each.graphics_clock for each in at_work) <= 0.85 * 1770e6
    limited = sum(each.at_limit for each in readings) / 2
    first, last = readings[0], readings[-1]
    assert last.seconds_at_limit - first.seconds_at_limit == pytest.approx(limited, abs=10)
    assert last.seconds_warm - first.seconds_warm == pytest.approx(len(warm) / 2, abs=10)


def test_a_working_day_has_work_rest_and_the_power_limit_in_it() -> None:
    readings = course(FOUR_TITANS, 0)
    assert readings[0].busy > 0.7
    assert any(reading.level == 0.0 for reading in readings)
    assert any(reading.at_limit for reading in readings)
    assert {reading.state for reading in readings} == {2, 5, 8}
    assert any(reading.fan > 0.6 for reading in readings)
    pairs = list(pairwise(readings))
    assert max(abs(b.power - a.power) for a, b in pairs) > 100.0
    assert max(abs(b.temperature - a.temperature) for a, b in pairs) < 1.5
    assert course(Machine(parse_machine("4xTitanRTX", seed=1)), 0, 60) != readings[:120]


def test_processes_come_and_go_and_only_the_card_with_the_display_draws() -> None:
    seen = [FOUR_TITANS.processes(0, t) for t in range(0, 3000, 5)]
    assert {len(each) for each in seen} == {2, 3, 4}
    runs = {p.pid for each in seen for p in each if p.command.startswith("python train.py")}
    assert len(runs) > 2
    draws = [any(p.graphics for p in FOUR_TITANS.processes(n, 1.0)) for n in range(4)]
    assert draws == [True, False, False, False]


def test_the_lab_is_a_process_until_it_gives_its_memory_back() -> None:
    machine = Machine(parse_machine("2xTitanRTX+idle"))
    machine.hold(0, 10.0, 919 * MIB)
    machine.hold(0, 30.0, -919 * MIB)
    machine.occupy(0, Occupation(10.0, 20.0, 0.9))
    assert machine.reading(0, 9.0).memory_used == 6 * MIB
    assert machine.reading(0, 15.0).memory_used == 925 * MIB
    assert machine.reading(0, 15.0).busy > 0.8
    [lab] = machine.processes(0, 15.0)
    assert (lab.pid, lab.command, lab.memory_bytes) == (
        LAB_PID,
        "gpuexplorer worker",
        919 * MIB,
    )
    assert machine.processes(0, 30.0) == []
    assert machine.reading(1, 15.0).busy == 0.0
    machine.hold(0, 40.0, 1 << 50)  # it gets no more than is left
    usable = machine.spec.cards[0].model.usable_bytes
    assert machine.reading(0, 41.0).memory_used == usable


def test_the_energy_and_the_memory_of_hours_stay_exact() -> None:
    worked, whole = (Machine(parse_machine("TitanRTX+idle"), seed=1) for _ in range(2))
    free = worked.reading(0, 0.0).memory_used
    for at in range(7200):  # each half second a program says that it works on
        worked.occupy(0, Occupation(at / 2, at / 2 + 0.5, 0.5, pcie_receive=1e9))
        worked.hold(0, at / 2, MIB if at % 2 == 0 else -MIB)
    whole.occupy(0, Occupation(0.0, 3600.0, 0.5, pcie_receive=1e9))
    for time in (3599.0, 3600.0, 3660.0):
        one, other = worked.reading(0, time), whole.reading(0, time)
        assert one.energy == pytest.approx(other.energy, rel=1e-9)
        assert one.temperature == pytest.approx(other.temperature)
    assert worked.reading(0, 3599.0).memory_used == free + MIB
    assert worked.reading(0, 3600.0).memory_used == free
