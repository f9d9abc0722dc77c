"""NVIDIA's driver at its worst; cards that change, sleep or get lost while they are read."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import Card, CardId, CardState, Sample
from gpuexplorer.core.metrics import Cadence, MetricId, metrics_of
from gpuexplorer.telemetry.backend import FASTEST_FIRST
from gpuexplorer.telemetry.backends.nvml.backend import NvmlBackend
from gpuexplorer.telemetry.backends.nvml.identity import Found, numbered
from gpuexplorer.telemetry.card_course import HappeningLog
from gpuexplorer.telemetry.happenings import Kind
from gpuexplorer.telemetry.looked_for import PciBus
from gpuexplorer.telemetry.session import Session, remembering, session_on
from tests.clocks import ManualClock
from tests.nvml_stub.stub import Stub
from tests.telemetry.conftest import Nvml, read, states, until


def absence(backend: NvmlBackend, metric: str, card: int = 0) -> Absence | None:
    return read(backend, place=card).missing.get(MetricId(metric))


def values(backend: NvmlBackend, card: int = 0) -> Mapping[MetricId, float]:
    return read(backend, place=card).values


def test_units_are_si_and_ratios_are_ratios(nvml: Nvml) -> None:
    backend = nvml.open("cards=1;util=0:55;power=0:301500;temp=0:61")
    seen = values(backend)
    assert seen[MetricId("gpu_utilization")] == 0.55
    assert seen[MetricId("power_draw")] == 301.5
    assert seen[MetricId("temperature")] == 61
    assert seen[MetricId("clock_memory")] == 2619e6
    assert seen[MetricId("pcie_width")] == 16


def test_a_card_lost_at_start_is_listed_and_no_number_claimed_behind_it(nvml: Nvml) -> None:
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


def test_with_mig_on_utilisation_says_where_to_look_and_instances_follow(nvml: Nvml) -> None:
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


@pytest.mark.parametrize(
    ("fault", "first", "told"),
    [
        pytest.param("hung=1", CardState.NO_ANSWER, None, marks=pytest.mark.long),
        ("lost=1", CardState.LOST, None),
        (
            "fault=nvmlDeviceGetHandleByIndex_v2@1:no_permission",
            CardState.REFUSED,
            "The driver gives no access to the card",
        ),
    ],
)
def test_a_card_that_is_away_at_the_start_is_taken_in_when_it_answers(
    nvml: Nvml, fault: str, first: CardState, told: str | None
) -> None:
    clock = ManualClock()
    backend = nvml.open(f"cards=2;{fault}", clock)
    happenings = HappeningLog(clock)
    happenings.consider(read(backend, place=1))
    assert states(backend) == [CardState.WORKING, first]
    nvml.set(f"{fault.partition('=')[0]}=none")
    nvml.release()
    clock.advance(11)
    read(backend, place=1)
    until(lambda: not backend.cards()[1].nameless)
    assert states(backend) == [CardState.WORKING] * 2
    assert backend.cards()[1].id.startswith("GPU-")
    assert [card.cuda_index for card in backend.cards()] == [0, 1]
    assert backend.notes() == []
    assert told is None or happenings.log()[0].sentence == told


@pytest.fixture
def on_stub(stub: Stub, tmp_path: Path) -> Callable[[str], Session]:
    def start(config: str) -> Session:
        stub.configure(config)
        backend = NvmlBackend(bus=PciBus(tmp_path), environment={})
        backend.open()
        session = remembering(session_on(backend, interval=0.1, patience=0.15))
        session.want()
        session.start()
        return session

    return start


@pytest.mark.long
def test_a_slow_card_is_not_silent(stub: Stub, on_stub: Callable[[str], Session]) -> None:
    """Each of its calls takes a fifth of the patience, and a round twenty of them."""
    session = on_stub("cards=2")
    slow, quick = (card.id for card in session.cards())
    taken: Counter[CardId] = Counter()
    session.attach(lambda fact: taken.update([fact.card]) if isinstance(fact, Sample) else None)
    stub.set("slow=0:0.03")
    until(lambda: taken[quick] > 30)
    assert taken[slow]
    assert not any(each.kind is Kind.NO_ANSWER for each in session.happenings())
    stub.set("slow=0:0")
    session.stop(5.0)


def reload_with(stub: Stub, backend: NvmlBackend, clock: ManualClock, config: str) -> None:
    """The driver goes while it is read, and comes back with this."""
    stub.set("driver=gone")
    states(backend)
    clock.advance(3)
    stub.set(f"driver=back;{config}")
    states(backend)


def test_cards_that_a_reload_lost_stay_and_say_so_until_they_are_listed(nvml: Nvml) -> None:
    clock = ManualClock()
    backend = nvml.open("cards=8", clock)
    before = backend.cards()
    reload_with(nvml, backend, clock, "cards=3")
    assert [card.id for card in backend.cards()] == [card.id for card in before]
    assert [card.index for card in backend.cards()] == list(range(8))
    assert states(backend) == ["working"] * 3 + ["not listed"] * 5
    last = read(backend, place=7)
    assert set(last.missing.values()) == {Absence.UNLISTED}
    assert not last.values
    assert backend.cards()[7].cuda_index is None
    assert "Cards 3, 4, 5, 6, 7: the driver no longer lists it." in backend.notes()
    assert any("look for it with `lspci`" in note for note in backend.notes())
    nvml.set("cards=8")
    states(backend)
    assert states(backend) == ["working"] * 8
    assert backend.cards() == before
    assert backend.notes() == []


FIRST, SECOND = "0000:1b:00.0", "0000:1c:00.0"


@dataclass
class Bus:
    """A /sys that a test writes."""

    root: Path

    def card(self, bus_id: str, status: str = "active", control: str = "auto") -> None:
        folder = self.root / "bus" / "pci" / "devices" / bus_id
        (folder / "power").mkdir(parents=True, exist_ok=True)
        (folder / "vendor").write_text("0x10de\n")
        (folder / "device").write_text("0x1e02\n")
        (folder / "class").write_text("0x030000\n")
        (folder / "power" / "runtime_status").write_text(f"{status}\n")
        (folder / "power" / "control").write_text(f"{control}\n")


@pytest.fixture
def bus(tmp_path: Path) -> Bus:
    return Bus(tmp_path / "sys")


def test_where_every_card_sleeps_the_driver_is_not_even_greeted(nvml: Nvml, bus: Bus) -> None:
    bus.card(FIRST, "suspended")
    nvml.reset_calls()
    backend = nvml.open("cards=1", bus=PciBus(bus.root))
    assert states(backend) == [CardState.ASLEEP]
    backend.wait_for_fault(0.0)
    assert nvml.calls() == 0
    assert any(FIRST in note for note in backend.notes())


def test_a_card_that_somebody_woke_is_read(nvml: Nvml, bus: Bus) -> None:
    bus.card(FIRST, "suspended")
    backend = nvml.open("cards=1", bus=PciBus(bus.root))
    assert states(backend) == [CardState.ASLEEP]
    bus.card(FIRST, "active")
    states(backend)
    assert states(backend) == [CardState.WORKING]
    assert backend.cards()[0].id.startswith("GPU-")


def test_an_idle_card_that_may_sleep_is_let_go(nvml: Nvml, bus: Bus) -> None:
    clock = ManualClock()
    bus.card(FIRST)
    backend = nvml.open("cards=1;util=0:0;idle=all", clock, PciBus(bus.root))
    for _ in range(40):
        states(backend)
        clock.advance(1.0)
    assert states(backend) == [CardState.ASLEEP]
    assert nvml.sessions() == 0, "the driver is held as long as NVML is not shut down"
    bus.card(FIRST, "suspended")
    clock.advance(1000)
    nvml.reset_calls()
    assert states(backend) == [CardState.ASLEEP]
    assert nvml.calls() == 0


A, B, C = (CardId(each) for each in ("GPU-aaaa-1", "GPU-bbbb-2", "GPU-aaab-3"))


def found(uuid: CardId, place: int, model: str = "TITAN RTX", *, mig: bool = False) -> Found:
    return Found(Card(uuid, place, model, 1, bus_id=f"0000:{place}"), object(), mig_on=mig)


ALIKE = [found(uuid, place) for place, uuid in enumerate((A, B, C))]
MIXED = [found(A, 0), found(B, 1, "T4")]
BY_BUS = {"CUDA_DEVICE_ORDER": "PCI_BUS_ID"}


def numbers(cards: list[Found], **environment: str) -> list[int | None]:
    told = [each.card for each in numbered(cards, environment)]
    assert all(card.cuda_index is not None or card.cuda_reason for card in told)
    return [card.cuda_index for card in told]


@pytest.mark.parametrize(
    ("cards", "visible", "expected"),
    [
        (ALIKE, "2,0", [1, None, 0]),
        (ALIKE, "", [None, None, None]),
        (ALIKE, "1,-1,0", [None, 0, None]),  # what follows an unknown one is ignored
        (ALIKE, "0,7,1", [0, None, None]),
        (ALIKE, "GPU-b", [None, 0, None]),
        (ALIKE, "GPU-aaa", [None, None, None]),  # which may be two
        (ALIKE, "0,0", [None, None, None]),  # twice, and CUDA sees none
        (ALIKE, " 1 , 2 ", [None, 0, 1]),
        (MIXED, "1", [None, None]),
        (MIXED, B, [None, 0]),
    ],
)
def test_cuda_numbers(cards: list[Found], visible: str, expected: list[int | None]) -> None:
    assert numbers(cards, CUDA_VISIBLE_DEVICES=visible) == expected


def test_different_models_have_a_sure_number_where_the_order_is_by_bus() -> None:
    assert numbers(ALIKE) == [0, 1, 2]
    assert numbers(MIXED) == [None, None]
    assert numbered(MIXED, {})[0].card.cuda_reason == FASTEST_FIRST
    assert numbers(MIXED, **BY_BUS) == [0, 1]
