"""Simulated cards read through the same door as real ones, and the course of each fault."""

import threading
from collections.abc import Collection, Iterator
from functools import partial

import pytest

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import HOST_ID, CardId, CardState, Sample
from gpuexplorer.core.catalogue import clocks, health, heat_and_power, links, memory
from gpuexplorer.core.catalogue import utilization as use
from gpuexplorer.core.clock import ManualClock, SystemClock
from gpuexplorer.core.metrics import METRICS, Cadence, MetricId, metrics_of
from gpuexplorer.simulation.faults import parse_faults
from gpuexplorer.simulation.models import MODELS, CardModel
from gpuexplorer.simulation.occupied import Occupation
from gpuexplorer.simulation.specs import parse_machine
from gpuexplorer.telemetry.backends.simulated import SimulatedBackend
from gpuexplorer.telemetry.processes import ProcessFigure, ProcessUse
from gpuexplorer.telemetry.topology import Link, PathKind, pcie_rate
from tests.steps import steps

SIM_0, SIM_1 = CardId("SIM-0"), CardId("SIM-1")
ALL = frozenset(METRICS)


def backend(
    machine: str, faults: str = "", clock: ManualClock | None = None
) -> SimulatedBackend:
    spec = parse_machine(machine)
    ordered = parse_faults(faults, len(spec.cards))
    made = SimulatedBackend(spec, ordered, clock or ManualClock())
    made.open()
    return made


def link(of: SimulatedBackend, a: int, b: int) -> Link:
    found = of.topology().link(CardId(f"SIM-{a}"), CardId(f"SIM-{b}"))
    assert found is not None
    return found


def absence(model: str, metric: MetricId) -> Absence | None:
    return backend(f"2x{model}").read(SIM_0, ALL).missing.get(metric)


def test_the_source_says_that_it_is_simulated_and_what() -> None:
    source = backend("4xH100").source
    assert (source.name, source.simulated) == ("simulated", True)
    assert source.label == "Simulated: 4 x NVIDIA H100 80GB HBM3"
    assert source.driver_version is None


def test_cards_are_listed_with_all_that_never_changes() -> None:
    first, second = backend("2xTitanRTX").cards()
    assert (first.id, first.index, first.cuda_index) == (SIM_0, 0, 0)
    assert (second.id, second.index, second.cuda_index) == (SIM_1, 1, 1)
    assert (first.name, first.simulated) == ("NVIDIA TITAN RTX", True)
    assert (first.fans, first.nvlinks, first.compute_capability) == (1, 2, (7, 5))
    assert first.memory_bytes == 24 << 30
    assert first.bus_id != second.bus_id


@pytest.mark.parametrize("cadence", Cadence)
@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.key)
def test_every_model_answers_or_explains_every_metric(
    model: CardModel, cadence: Cadence
) -> None:
    clock = ManualClock()
    cards = backend(f"2x{model.key}", clock=clock)
    for _ in range(40):
        clock.advance(17.3)
        for card in cards.cards():
            asked = metrics_of(card, (cadence,))
            sample = cards.read(card.id, asked)
            assert sample.state is CardState.WORKING
            assert sample.at == clock.now()
            assert sample.values.keys() | sample.missing.keys() == asked
            assert not sample.values.keys() & sample.missing.keys()
            assert all(METRICS[metric].plausible(v) for metric, v in sample.values.items())
            assert all(type(value) is float for value in sample.values.values())
            assert set(sample.missing.values()) <= {Absence.NOT_SUPPORTED, Absence.NO_PART}


@pytest.mark.parametrize(
    ("model", "metric", "expected"),
    [
        ("RTX4090", heat_and_power.TEMPERATURE_MARGIN, Absence.NOT_SUPPORTED),
        ("L40S", heat_and_power.TEMPERATURE_MARGIN, None),
        ("H100", heat_and_power.TEMPERATURE_MARGIN, None),
        ("TitanRTX", heat_and_power.POWER_DRAW_AVERAGE, Absence.NOT_SUPPORTED),
        ("A100", heat_and_power.POWER_DRAW_AVERAGE, None),
        ("TitanRTX", heat_and_power.POWER_DRAW_INSTANT, None),
        ("L4", heat_and_power.MEMORY_TEMPERATURE, Absence.NOT_SUPPORTED),
        ("A100", heat_and_power.MEMORY_TEMPERATURE, None),
        ("A100", use.SM_ACTIVITY, Absence.NOT_SUPPORTED),
        ("H200", use.SM_ACTIVITY, None),
        ("T4", heat_and_power.FAN_SPEED, Absence.NO_PART),
        ("RTX3090", heat_and_power.fan_turns(1), None),
        ("RTX3090", heat_and_power.fan_turns(2), Absence.NO_PART),
        ("T4", links.NVLINK_RECEIVE, Absence.NO_PART),
        ("H100", links.nvlink_receive(17), None),
        ("A100", links.nvlink_receive(12), Absence.NO_PART),
        ("TitanRTX", health.ECC_MODE, Absence.NOT_SUPPORTED),
        ("A6000", health.ECC_CORRECTED, Absence.NOT_SUPPORTED),
        ("T4", health.ECC_CORRECTED, None),
        ("T4", health.RETIRED_PAGES_PENDING, None),
        ("H100", health.RETIRED_PAGES_PENDING, Absence.NOT_SUPPORTED),
        ("H100", health.MIG_MODE, None),
        ("RTX5090", health.MIG_MODE, Absence.NOT_SUPPORTED),
        ("H200", links.PCIE_GENERATION_SLOT, Absence.NOT_SUPPORTED),
        ("RTX4090", links.PCIE_GENERATION_SLOT, None),
        ("H100", use.CPU_UTILIZATION, Absence.NOT_SUPPORTED),
    ],
)
def test_each_model_lacks_what_the_real_one_lacks(
    model: str, metric: MetricId, expected: Absence | None
) -> None:
    assert absence(model, metric) is expected


def test_flags_and_links_agree_with_the_other_figures() -> None:
    clock = ManualClock()
    cards = backend("2xTitanRTX", clock=clock)
    idle_seen = limit_seen = False
    for _ in range(300):
        clock.advance(2.0)
        values = cards.read(SIM_0, ALL).values
        idle = values[clocks.throttle("gpu_idle")] == 1.0
        limited = values[clocks.throttle("sw_power_cap")] == 1.0
        assert idle == (values[use.GPU_UTILIZATION] == 0.0)
        assert (values[links.PCIE_GENERATION] == 1.0) == idle
        assert (values[clocks.PERFORMANCE_STATE] == 8.0) == idle
        assert limited == (values[heat_and_power.POWER_DRAW] > 0.98 * 280.0)
        each = [values[links.nvlink_receive(number)] for number in range(2)]
        assert sum(each) == pytest.approx(values[links.NVLINK_RECEIVE])
        idle_seen, limit_seen = idle_seen or idle, limit_seen or limited
    assert idle_seen
    assert limit_seen


def test_a_card_without_a_partner_has_links_that_are_down_and_carry_nothing() -> None:
    clock = ManualClock()
    cards = backend("1xTitanRTX", clock=clock)
    clock.advance(20.0)
    values = cards.read(SIM_0, ALL).values
    assert values[links.NVLINK_ACTIVE] == 0.0
    assert values[links.nvlink_state(1)] == 0.0
    assert values[links.NVLINK_TRANSMIT] == 0.0


def test_bytes_that_the_lab_moves_show_on_the_wires() -> None:
    clock = ManualClock()
    cards = backend("2xH100", clock=clock)
    before = cards.read(SIM_0, ALL).values[links.PCIE_TRANSMIT]
    now = cards.elapsed
    cards.machine.occupy(0, Occupation(now, now + 5.0, pcie_transmit=12e9))
    during = cards.read(SIM_0, ALL).values[links.PCIE_TRANSMIT]
    assert during - before == pytest.approx(12e9)


def test_processes_bring_their_own_names_and_figures() -> None:
    clock = ManualClock()
    cards = backend("2xTitanRTX", clock=clock)
    clock.advance(30.0)
    processes = cards.processes(SIM_0) or ()
    assert "python train.py --model gpt2-xl" in [p.simulated_command for p in processes]
    assert [p.use for p in processes if p.simulated_user == "root"] == [ProcessUse.GRAPHICS]
    for process in processes:
        assert process.card == SIM_0
        assert process.values.keys() == set(ProcessFigure)
    used = cards.read(SIM_0, ALL).values[memory.MEMORY_USED]
    assert 0 < used - sum(p.values[ProcessFigure.MEMORY] for p in processes) < 16 << 20


def test_a_lost_card_is_reported_once_and_comes_back_when_ordered() -> None:
    clock = ManualClock()
    cards = backend("2xT4", "lost:1@20s-40s", clock)
    assert cards.read(SIM_1, ALL).state is CardState.WORKING
    assert cards.wait_for_fault(5.0) == ()
    (fault,) = cards.wait_for_fault(60.0)
    assert cards.elapsed == pytest.approx(20.0)
    assert (fault.card, fault.code) == (SIM_1, 79)
    assert fault.sentence == "Xid 79: the card has fallen off the bus"
    clock.advance(0.5)
    assert cards.wait_for_fault(0.0) == ()
    _assert_silent(cards.read(SIM_1, ALL), CardState.LOST, Absence.LOST)
    assert cards.processes(SIM_1) is None
    assert cards.read(SIM_0, ALL).state is CardState.WORKING
    clock.advance(20.0)
    assert cards.read(SIM_1, ALL).state is CardState.WORKING


def test_cards_that_are_lost_together_are_reported_together() -> None:
    cards = backend("2xT4", "lost:1@5s,lost:0@5s")
    assert {fault.card for fault in cards.wait_for_fault(10.0)} == {SIM_0, SIM_1}


@pytest.mark.parametrize(
    ("fault", "state", "absence", "others"),
    [
        ("unlisted:1", CardState.UNLISTED, Absence.UNLISTED, CardState.WORKING),
        ("refused:1", CardState.REFUSED, Absence.NO_PERMISSION, CardState.WORKING),
        ("driver", CardState.NO_DRIVER, Absence.NO_DRIVER, CardState.NO_DRIVER),
    ],
)
def test_a_card_in_trouble_says_so_as_long_as_it_was_ordered(
    fault: str, state: CardState, absence: Absence, others: CardState
) -> None:
    clock = ManualClock()
    cards = backend("2xT4", f"{fault}@5s-9s", clock)
    assert cards.read(SIM_1, ALL).state is CardState.WORKING
    clock.advance(5.0)
    _assert_silent(cards.read(SIM_1, ALL), state, absence)
    assert cards.processes(SIM_1) is None
    assert cards.read(SIM_0, ALL).state is others
    clock.advance(4.0)
    assert cards.read(SIM_1, ALL).state is CardState.WORKING


def test_a_slow_card_takes_a_second_for_each_reading() -> None:
    clock = ManualClock()
    cards = backend("2xT4", "slow:0@10s", clock)
    clock.advance(10.0)
    before = clock.now()
    sample = cards.read(SIM_0, ALL)
    assert clock.now() - before == 1.0
    assert sample.at == clock.now()
    assert sample.state is CardState.WORKING
    cards.read(SIM_1, ALL)
    assert clock.now() - before == 1.0


def test_a_reading_that_hangs_returns_when_the_fault_ends() -> None:
    clock = ManualClock()
    cards = backend("2xT4", "hung:1@15s-2m", clock)
    clock.advance(16.0)
    assert cards.read(SIM_1, ALL).state is CardState.WORKING
    assert cards.elapsed == pytest.approx(120.0)


@pytest.fixture
def hanging() -> Iterator[SimulatedBackend]:
    spec = parse_machine("T4")
    cards = SimulatedBackend(spec, parse_faults("hung:0@0s", 1), SystemClock())
    cards.open()
    yield cards
    cards.close()


def test_closing_lets_go_of_a_reading_that_hangs(hanging: SimulatedBackend) -> None:
    samples: list[Sample] = []
    reader = threading.Thread(target=lambda: samples.append(hanging.read(SIM_0, ALL)))
    reader.start()
    reader.join(0.05)
    assert reader.is_alive()
    hanging.close()
    reader.join(10.0)
    assert not reader.is_alive()
    _assert_silent(samples[0], CardState.NO_ANSWER, Absence.NO_ANSWER)


def test_impossible_figures_come_out_as_such_and_gaps_stay_gaps() -> None:
    clock = ManualClock()
    cards = backend("2xT4", "garbage:1@15s-20s", clock)
    sane = cards.read(SIM_1, ALL)
    clock.advance(16.0)
    sample = cards.read(SIM_1, ALL)
    assert sample.state is CardState.WORKING
    assert sample.values == {}
    assert all(sample.missing[metric] is Absence.IMPOSSIBLE for metric in sane.values)
    assert all(sample.missing[metric] is reason for metric, reason in sane.missing.items())
    clock.advance(5.0)
    assert cards.read(SIM_1, ALL).values.keys() == sane.values.keys()


def test_the_notes_say_that_figures_are_made_up_and_which_faults_were_ordered() -> None:
    assert backend("2xT4", "lost:1@20s,driver@30s").notes() == (
        "These cards are simulated: every figure is made up.",
        "Card 1 is lost, as ordered. It begins at 20 s.",
        "The driver is gone, as ordered. It begins at 30 s and ends at 40 s.",
    )


def test_a_closed_machine_waits_for_nothing_and_can_be_opened_again() -> None:
    cards = backend("T4")
    cards.close()
    assert cards.wait_for_fault(5.0) == ()
    cards.open()
    assert cards.read(SIM_0, ALL).state is CardState.WORKING


def test_every_pair_and_every_way_to_the_host_is_in_the_topology() -> None:
    topology = backend("4xH100").topology()
    assert len(topology.links) == 6 + 4
    to_host = topology.link(SIM_0, HOST_ID)
    assert to_host is not None
    assert to_host.rate == pcie_rate(5, 16)
    assert set(topology.numa_nodes.values()) == {0, 1}


def test_nvlink_pairs_carry_what_all_their_links_carry() -> None:
    joined = link(backend("4xH100"), 0, 3)
    assert (joined.path, joined.nvlinks, joined.nvlink_generation) == (PathKind.NVLINK, 18, 4)
    assert joined.rate == 450e9
    assert joined.peer_to_peer is True
    assert joined.rate_reason == "18 NVLinks of generation 4"
    assert link(backend("2xRTX3090"), 0, 1).rate == pytest.approx(56.25e9)


def test_a_card_whose_driver_offers_no_peer_to_peer_says_so() -> None:
    pair = link(backend("2xRTX4090"), 0, 1)
    assert (pair.path, pair.peer_to_peer) == (PathKind.HOST_BRIDGE, False)
    assert pair.peer_reason == "the driver of this card does not offer it"
    assert pair.rate == pcie_rate(4, 16)
    assert pair.rate_reason == "PCIe 4.0 x16, through the computer's memory"


def test_cards_of_different_models_copy_no_faster_than_the_slower_one_and_not_directly() -> (
    None
):
    pair = link(backend("1xH100,1xT4"), 0, 1)
    assert pair.rate == pcie_rate(3, 16)
    assert pair.peer_reason == "the two cards are of different models"


def test_pcie_cards_in_a_server_are_the_further_apart_the_less_they_share() -> None:
    server = backend("8xL40S")
    paths = [link(server, 0, other).path for other in (1, 2, 4)]
    assert paths == [PathKind.SWITCH, PathKind.NODE, PathKind.SYSTEM]


def test_sixty_four_cards_are_eight_boards_without_nvlink_between_them() -> None:
    boards = backend("64xH200")
    topology = boards.topology()
    assert len(topology.links) == 64 * 63 // 2 + 64
    joined = [way for way in topology.links if way.path is PathKind.NVLINK]
    assert len(joined) == 8 * 28
    assert link(boards, 7, 8).path is PathKind.SYSTEM


def read_all(cards: SimulatedBackend, metrics: Collection[MetricId]) -> None:
    for each in cards.cards():
        cards.read(each.id, metrics)


def test_what_one_card_receives_over_nvlink_the_other_sends() -> None:
    clock = ManualClock()
    cards = backend("2xTitanRTX", clock=clock)
    receive, transmit = MetricId("nvlink_receive"), MetricId("nvlink_transmit")
    ways = frozenset({receive, transmit})
    seen = set()
    for _ in range(60):
        clock.advance(5.0)
        one, other = (cards.read(card.id, ways).values for card in cards.cards())
        assert one[receive] == other[transmit]
        seen.add(one[receive])
    assert len(seen) > 1


def test_reading_a_card_takes_the_same_among_sixty_four() -> None:
    for spec, count in (("1xH200", 1), ("64xH200", 64)):
        clock = ManualClock()
        cards = backend(spec, clock=clock)
        fast = metrics_of(cards.cards()[0], (Cadence.FAST,))
        clock.advance(1.0)
        taken = steps(partial(read_all, cards, fast))
        # A beat of one second has room for a thousand times that.
        assert taken / count < 600


def _assert_silent(sample: Sample, state: CardState, reason: Absence) -> None:
    assert sample.state is state
    assert sample.values == {}
    assert sample.missing == dict.fromkeys(ALL, reason)
