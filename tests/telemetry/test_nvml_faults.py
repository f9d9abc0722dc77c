"""NVIDIA's driver at its worst: what a person is told, and that nothing is thrown."""

from collections.abc import Mapping

import pytest

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import CardState
from gpuexplorer.core.metrics import Cadence, MetricId, metrics_of
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.telemetry.backends.nvml.backend import NvmlBackend
from tests.clocks import ManualClock
from tests.telemetry.conftest import Nvml, read, states


def absence(backend: NvmlBackend, metric: str, card: int = 0) -> Absence | None:
    return read(backend, place=card).missing.get(MetricId(metric))


def values(backend: NvmlBackend, card: int = 0) -> Mapping[MetricId, float]:
    return read(backend, place=card).values


@pytest.mark.parametrize(
    ("config", "words"),
    [
        ("init=library", "is not installed"),
        ("init=not_loaded", "not running"),
        ("init=version_mismatch", "updated while it runs"),
        ("init=no_permission", "may not talk"),
        ("init=unknown", "does not answer"),
        ("cards=0", "has no card"),
        ("driver=gone", "not running"),
    ],
)
def test_a_driver_that_cannot_be_used_says_why_and_what_to_do(
    nvml: Nvml, config: str, words: str
) -> None:
    with pytest.raises(Trouble) as trouble:
        nvml.open(config)
    assert words in trouble.value.sentence
    assert trouble.value.hint


def test_units_are_si_and_ratios_are_ratios(nvml: Nvml) -> None:
    backend = nvml.open("cards=1;util=0:55;power=0:301500;temp=0:61")
    seen = values(backend)
    assert seen[MetricId("gpu_utilization")] == 0.55
    assert seen[MetricId("power_draw")] == 301.5
    assert seen[MetricId("temperature")] == 61
    assert seen[MetricId("clock_memory")] == 2619e6
    assert seen[MetricId("pcie_width")] == 16


def test_one_lost_card_does_not_take_the_others_down(nvml: Nvml) -> None:
    backend = nvml.open("cards=3")
    nvml.set("lost=1")
    assert states(backend) == [CardState.WORKING, CardState.LOST, CardState.WORKING]
    assert absence(backend, "temperature", card=1) is Absence.LOST


def test_a_card_lost_at_start_is_listed_and_no_number_of_cuda_is_claimed_behind_it(
    nvml: Nvml,
) -> None:
    backend = nvml.open("cards=3;lost=1")
    assert [card.index for card in backend.cards()] == [0, 1, 2]
    assert [card.cuda_index for card in backend.cards()] == [0, None, None]
    assert backend.cards()[2].cuda_reason.endswith("lost card before it is not known")
    assert any("Card 1" in note for note in backend.notes())


def test_a_driver_that_goes_and_comes_back_needs_no_restart(nvml: Nvml) -> None:
    clock = ManualClock()
    backend = nvml.open("cards=2", clock)
    card = backend.cards()[0]
    nvml.set("driver=gone")
    gone = backend.read(card.id, metrics_of(card))
    assert gone.state is CardState.NO_DRIVER
    assert set(gone.missing.values()) == {Absence.NO_DRIVER}
    clock.advance(3)
    assert backend.read(card.id, metrics_of(card)).state is CardState.NO_DRIVER
    assert any("looked for again" in note for note in backend.notes())
    nvml.set("driver=back")
    clock.advance(3)
    assert backend.read(card.id, metrics_of(card)).state is CardState.WORKING
    assert backend.generation == 2
    assert backend.notes() == []


def test_with_mig_on_utilisation_says_where_to_look_and_instances_stand_under_their_card(
    nvml: Nvml,
) -> None:
    backend = nvml.open("cards=2;mig=0:3;procs=0:3")
    whole, *instances, other = backend.cards()
    assert absence(backend, "gpu_utilization") is Absence.MIG_ON
    assert MetricId("power_draw") in values(backend)
    assert [instance.parent for instance in instances] == [whole.id] * 3
    assert MetricId("memory_used") in values(backend, card=1)
    assert absence(backend, "power_draw", card=1) is Absence.IN_INSTANCE
    assert other.parent is None
    assert {process.card for process in backend.processes(whole.id) or ()} <= {
        instance.id for instance in instances
    }


def test_a_card_that_shares_the_computers_memory_says_so(nvml: Nvml) -> None:
    backend = nvml.open("cards=1;kind=gb10")
    assert absence(backend, "memory_used") is Absence.SHARED_MEMORY
    assert absence(backend, "pcie_width") is Absence.NOT_SUPPORTED


def test_rates_need_two_readings_and_are_right_then(nvml: Nvml) -> None:
    backend = nvml.open("cards=1;clock=100")
    card = backend.cards()[0]
    wanted = metrics_of(card, [Cadence.ON_DEMAND])
    first = backend.read(card.id, wanted)
    assert first.missing[MetricId("nvlink_receive")] is Absence.NEEDS_TWO
    nvml.set("clock=+2")
    second = backend.read(card.id, wanted)
    assert second.values[MetricId("pcie_receive")] == pytest.approx(20e6, rel=0.01)
    assert second.values[MetricId("nvlink_0_transmit")] == pytest.approx(100 * 2**20, rel=0.01)
    links = [second.values[MetricId(f"nvlink_{link}_transmit")] for link in range(card.nvlinks)]
    assert second.values[MetricId("nvlink_transmit")] == pytest.approx(sum(links))


def test_an_xid_is_told_once_with_its_meaning(nvml: Nvml) -> None:
    backend = nvml.open("cards=2")
    backend.wait_for_fault(0.01)
    nvml.set("xid=1:79")
    [fault] = backend.wait_for_fault(1.0)
    assert fault.code == 79
    assert fault.card == backend.cards()[1].id
    assert "fallen off the bus" in fault.sentence
    assert backend.wait_for_fault(0.01) == []
