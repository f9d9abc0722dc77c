"""The figures of simulated cards: the same for one seed, and hanging together at any time."""

import math
from collections.abc import Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.simulation.course import Occupation
from gpuexplorer.simulation.faults import Fault, FaultKind, parse_faults
from gpuexplorer.simulation.machine import LAB_PID, Machine
from gpuexplorer.simulation.models import MIB, MODELS, CardModel, Wire
from gpuexplorer.simulation.specs import parse_machine

EVERY_MODEL = Machine(parse_machine(",".join(f"2x{model.key}" for model in MODELS)))

cards = st.integers(0, 2 * len(MODELS) - 1)
seconds = st.floats(0.0, 5_000.0)


def course(machine: Machine, index: int, until: float = 2000.0) -> list[Mapping[str, float]]:
    return [machine.reading(index, t / 2) for t in range(int(until * 2))]


@given(cards, seconds)
@settings(deadline=None)
def test_the_same_seed_card_and_time_give_the_same_reading(index: int, t: float) -> None:
    again = Machine(EVERY_MODEL.spec)
    assert again.reading(index, t) == EVERY_MODEL.reading(index, t)
    assert again.processes(index, t) == EVERY_MODEL.processes(index, t)


@given(cards, seconds)
@settings(deadline=None)
def test_a_readings_figures_hang_together(index: int, t: float) -> None:
    reading = EVERY_MODEL.reading(index, t)
    model = EVERY_MODEL.spec.cards[index].model
    resting = reading["throttle_gpu_idle"]
    assert resting == (reading["gpu_utilization"] == 0.0)
    assert resting == (reading["clock_graphics"] == model.clock_idle * 1e6)
    assert reading["performance_state"] == model.idle_state or not resting
    assert reading["throttle_sw_power_cap"] == (
        reading["power_draw"] > 0.985 * model.power_limit
    )
    assert 0.98 * model.power_idle <= reading["power_draw"] <= model.power_limit
    average = reading.get("power_draw_average", model.power_idle)
    assert 0.98 * model.power_idle <= average <= model.power_limit
    assert 25.0 < reading["temperature"] < model.heat_slowdown
    assert reading["throttle_sw_thermal_slowdown"] == (
        reading["temperature"] >= model.heat_target
    )
    assert reading["clock_graphics"] <= model.clock_boost * 1e6
    if reading["throttle_sw_power_cap"]:
        assert reading["clock_graphics"] < model.clock_boost * 1e6
    assert 0.0 <= reading["memory_utilization"] <= reading["gpu_utilization"] <= 1.0


@given(cards, seconds, st.floats(0.01, 5000.0))
@settings(deadline=None)
def test_counters_never_run_backwards(index: int, t: float, later: float) -> None:
    before, after = EVERY_MODEL.reading(index, t), EVERY_MODEL.reading(index, t + later)
    assert after["energy"] > before["energy"]
    assert after["throttle_time_sw_power_cap"] >= before["throttle_time_sw_power_cap"] - 1e-6
    assert (
        after["throttle_time_sw_thermal_slowdown"]
        >= before["throttle_time_sw_thermal_slowdown"] - 1e-6
    )
    assert (
        after["throttle_time_sw_power_cap"] - before["throttle_time_sw_power_cap"]
        <= later + 1e-6
    )
    assert (
        after["throttle_time_sw_thermal_slowdown"] - before["throttle_time_sw_thermal_slowdown"]
        <= later + 1e-6
    )


def test_work_of_the_lab_shows_in_every_figure_while_it_lasts() -> None:
    machine, index, start = _resting_card()
    before = machine.reading(index, start + 5.0)
    machine.occupy(
        index, Occupation(start, start + 10.0, busy=0.9, pcie_receive=5e9, nvlink_transmit=2e9)
    )
    during, after = machine.reading(index, start + 5.0), machine.reading(index, start + 11.0)
    assert before["gpu_utilization"] == 0.0
    assert during["gpu_utilization"] > 0.85
    assert during["power_draw"] > before["power_draw"] + 100.0
    assert during["temperature"] > before["temperature"] + 5.0
    assert during["clock_graphics"] > before["clock_graphics"]
    ways = ("pcie_receive", "pcie_transmit", "nvlink_receive", "nvlink_transmit")
    more = [during[way] - before[way] for way in ways]
    assert more == pytest.approx([5e9, 0.0, 0.0, 2e9])
    assert after["gpu_utilization"] == 0.0
    assert after["temperature"] > before["temperature"] + 5.0
    assert [after[way] for way in ways[:2]] == [0.0, 0.0]


def _resting_card() -> tuple[Machine, int, float]:
    """A card of a fresh machine, and a time from which it rests for a while."""
    machine = Machine(parse_machine("4xTitanRTX"))
    for start in range(0, 2000, 5):
        if all(machine.reading(1, start + t)["throttle_gpu_idle"] for t in range(15)):
            return machine, 1, float(start)
    raise AssertionError("the card never rests")


def test_a_card_that_is_too_warm_is_slow_and_times_of_slowdown_grow_with_their_flags() -> None:
    machines = (Machine(parse_machine("2xTitanRTX", seed)) for seed in range(50))
    readings = next(
        each
        for each in (course(m, 1) for m in machines)
        if any(r["throttle_sw_thermal_slowdown"] for r in each)
    )
    warm = [each for each in readings if each["throttle_sw_thermal_slowdown"]]
    at_work = [each for each in warm if each["gpu_utilization"] > 0.5]
    assert not any(each["throttle_sw_power_cap"] for each in at_work)
    assert max(each["clock_graphics"] for each in at_work) <= 0.85 * 1770e6
    limited = sum(each["throttle_sw_power_cap"] for each in readings) / 2
    first, last = readings[0], readings[-1]
    assert last["throttle_time_sw_power_cap"] - first[
        "throttle_time_sw_power_cap"
    ] == pytest.approx(limited, abs=10)
    assert last["throttle_time_sw_thermal_slowdown"] - first[
        "throttle_time_sw_thermal_slowdown"
    ] == pytest.approx(len(warm) / 2, abs=10)


def test_the_lab_is_a_process_until_it_gives_its_memory_back() -> None:
    machine = Machine(parse_machine("2xTitanRTX+idle"))
    machine.hold(0, 10.0, 919 * MIB)
    machine.hold(0, 30.0, -919 * MIB)
    machine.occupy(0, Occupation(10.0, 20.0, 0.9))
    assert machine.reading(0, 9.0)["memory_used"] == 6 * MIB
    assert machine.reading(0, 15.0)["memory_used"] == 925 * MIB
    assert machine.reading(0, 15.0)["gpu_utilization"] > 0.8
    [lab] = machine.processes(0, 15.0)
    assert (lab.pid, lab.command, lab.memory_bytes) == (
        LAB_PID,
        "gpuexplorer worker",
        919 * MIB,
    )
    assert machine.processes(0, 30.0) == []
    assert machine.reading(1, 15.0)["gpu_utilization"] == 0.0
    machine.hold(0, 40.0, 1 << 50)  # it gets no more than is left
    usable = machine.spec.cards[0].model.usable_bytes
    assert machine.reading(0, 41.0)["memory_used"] == usable


def test_the_energy_and_the_memory_of_hours_stay_exact() -> None:
    worked, whole = (Machine(parse_machine("TitanRTX+idle"), seed=1) for _ in range(2))
    free = worked.reading(0, 0.0)["memory_used"]
    for at in range(720):  # each half second a program says that it works on
        worked.occupy(0, Occupation(at / 2, at / 2 + 0.5, 0.5, pcie_receive=1e9))
        worked.hold(0, at / 2, MIB if at % 2 == 0 else -MIB)
    whole.occupy(0, Occupation(0.0, 360.0, 0.5, pcie_receive=1e9))
    for time in (359.0, 360.0, 420.0):
        one, other = worked.reading(0, time), whole.reading(0, time)
        assert one["energy"] == pytest.approx(other["energy"], rel=1e-9)
        assert one["temperature"] == pytest.approx(other["temperature"])
    assert worked.reading(0, 359.0)["memory_used"] == free + MIB
    assert worked.reading(0, 360.0)["memory_used"] == free


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("8XA100", ["A100"] * 8),
        ("t4", ["T4"]),
        ("titan rtx", ["TitanRTX"]),
        ("RTX A6000", ["A6000"]),
        ("4 x RTX-4090", ["RTX4090"] * 4),
        ("8xH100+nvlink", ["H100"] * 8),
        ("1xH100, 1xT4", ["H100", "T4"]),
        ("L4,2xL40S+pcie", ["L4", "L40S", "L40S"]),
    ],
)
def test_a_machine_can_be_asked_for_in_words(text: str, keys: list[str]) -> None:
    assert [card.model.key for card in parse_machine(text).cards] == keys


@pytest.mark.parametrize(
    ("text", "wrong", "hint"),
    [
        ("1xH100,,1xT4", "does not say which card.", "Known cards: "),
        ("4xH1000", "names a card that is not known: 'H1000'.", "Did you mean H100? Known"),
        ("4x", "does not say which card.", "Known cards: TitanRTX, T4, "),
        ("+idle", "does not say which card.", "Known cards: "),
        ("0xT4", "asks for 0 cards.", "From 1 to 64 cards"),
        ("65xT4", "asks for 65 cards.", "From 1 to 64 cards"),
        ("40xT4,40xL4", "asks for 80 cards.", "From 1 to 64 cards"),
        ("8xH100+fibre", "ends in a word that is not known: 'fibre'.", "+nvlink or +pcie"),
        ("2xT4+idel", "ends in a word that is not known: 'idel'.", "Did you mean idle? A "),
        (
            "4xRTX4090+nvlink",
            "asks for NVLink, which the RTX4090 does not have.",
            "choose a card that has it: TitanRTX, V100, A100, A6000, RTX3090, H100, H200, B200",
        ),
        ("lots:1@2s", "names a fault that is not known: 'lots'.", "Did you mean lost? Faults"),
        ("lost:4@1s", "names card 4, which is not there.", "The last card is number 3."),
        ("lost:1@40s-20s", "ends before it has begun.", "lost:1@20s-40s"),
        *(
            (text, "is not how this fault is written.", "Faults are ")
            for text in (
                *(
                    "lost:1@2s,",
                    "lost@20s",
                    "lost:x@20s",
                    "lost:1",
                    "lost:1@soon",
                    "lost:1>0@2s",
                ),
                *("driver:0@20s", "wrong:1", "wrong:1>1"),
            )
        ),
    ],
)
def test_a_wrong_text_is_answered_with_what_is_right(text: str, wrong: str, hint: str) -> None:
    fault = ":" in text or "@" in text
    with pytest.raises(Trouble) as refused:
        parse_faults(text, 4) if fault else parse_machine(text)
    assert refused.value.sentence == f"'{text}' {wrong}"
    assert hint in refused.value.hint


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.key)
def test_every_card_answers_to_its_name_and_its_figures_are_in_order(model: CardModel) -> None:
    has_nvlink = model.wire is not Wire.NONE
    for name in (model.key, model.key.upper(), model.key.lower()):
        card = parse_machine(f"3x{name}").cards[2]
        assert (card.model, card.nvlink) == (model, has_nvlink)
    assert not parse_machine(f"2x{model.key}+PCIe").cards[0].nvlink
    assert model.clock_idle < model.clock_base < model.clock_boost <= model.clock_most
    assert model.memory_clock_idle <= model.memory_clock
    assert model.power_idle < model.power_least <= model.power_limit <= model.power_most
    assert model.heat_full + 5 < model.heat_target < model.heat_slowdown < model.heat_shutdown
    assert 0 < model.reserved_bytes < model.memory_bytes / 20
    assert (model.nvlinks > 0) is has_nvlink


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("lost:1@20s", Fault(FaultKind.LOST, 1, 20.0, math.inf)),
        ("lost:1@20s-40s", Fault(FaultKind.LOST, 1, 20.0, 40.0)),
        ("Hung : 1 @ 1.5s - 2m", Fault(FaultKind.HUNG, 1, 1.5, 120.0)),
        ("driver@30s", Fault(FaultKind.DRIVER, None, 30.0, 40.0)),
        ("wrong:3>1", Fault(FaultKind.WRONG, 3, 0.0, to=1)),
        ("wrong: 3 > 1 @20s-40s", Fault(FaultKind.WRONG, 3, 20.0, 40.0, to=1)),
    ],
)
def test_a_fault_can_be_ordered_in_words(text: str, fault: Fault) -> None:
    assert parse_faults(text, 4) == (fault,)


def test_cards_with_a_switch_all_reach_each_other_on_a_board() -> None:
    machine = parse_machine("8xH100")
    assert machine.peers(3) == (0, 1, 2, 4, 5, 6, 7)
    assert machine.nvlinks_between(3, 7) == 18
