"""The lab's simulated cards are the telemetry's, and their plots answer to the lab."""

import pytest

from gpuexplorer.core import metrics as m
from gpuexplorer.core.metrics import MetricId
from gpuexplorer.lab.events import (
    Asked,
    Device,
    Event,
    Failed,
    Finished,
    Hello,
    Memory,
    Transferred,
    Watched,
)
from gpuexplorer.lab.simulated_cards import Load, simulated_cards
from gpuexplorer.simulation.faults import Fault, FaultKind
from gpuexplorer.simulation.machine import Machine
from gpuexplorer.simulation.models import MIB
from gpuexplorer.simulation.specs import parse_machine


def test_visible_cards_are_numbered_anew_in_their_order() -> None:
    machine = Machine(parse_machine("1xT4+idle,2xTitanRTX+idle"))
    machine.hold(2, 0.0, 5 << 30)
    wrong = Fault(FaultKind.WRONG, 2, 0.0, to=0)
    cards, links = simulated_cards(machine, [wrong], 1.0, (2, 0))
    assert [card["uuid"] for card in cards] == ["SIM-2", "SIM-0"]
    assert int(str(cards[0]["elsewhere_bytes"])) >> 30 == 5
    assert {(each["one"], each["other"]) for each in links} == {(-1, 0), (-1, 1), (0, 1)}
    assert links[-1]["wrong_to"] == [1]


SENT = 1_000_000_000
CARDS = tuple(Device(f"cuda:{index}", "a card", uuid=f"SIM-{index}") for index in range(2))
TAKEN = Memory("cuda:0", 512, 2 * MIB, context_bytes=917 * MIB)


class Lab:
    """Two cards at rest beside a lab that copies; time stands still until it is moved."""

    def __init__(self, spec: str = "2xTitanRTX+idle", *, live: bool = False) -> None:
        self.machine = Machine(parse_machine(spec))
        self.now = 100.0
        self.load = Load(lambda: self.machine, lambda: self.now, live=live)
        self.load.apply(Hello(0, "3.11", "2.13", "CPU", simulated=True, devices=CARDS))

    def more(self, card: int, metric: MetricId, at: float) -> float:
        """Than it would be had the lab done nothing."""
        alone = Machine(self.machine.spec).reading(card, at)
        return self.machine.reading(card, at)[metric] - alone[metric]

    def busy(self, card: int, at: float) -> float:
        return self.machine.reading(card, at)["gpu_utilization"]


IN, OUT = m.PCIE_RECEIVE, m.PCIE_TRANSMIT
NVLINK_IN, NVLINK_OUT = m.NVLINK_RECEIVE, m.NVLINK_TRANSMIT


@pytest.mark.parametrize(
    ("spec", "copies", "end", "traffic"),
    [
        (
            "2xH100",
            [Transferred(1, "cpu", "cuda:0", SENT, 0.1)],
            Finished(1, 0.1),
            {(0, IN): SENT / 2, (0, OUT): 0, (1, IN): 0},
        ),
        (
            "2xH100+nvlink",
            [Transferred(1, "cuda:0", "cuda:1", SENT, 0.1, direct=True)],
            Finished(1, 0.1),
            {(0, NVLINK_OUT): SENT / 2, (1, NVLINK_IN): SENT / 2, (1, IN): 0},
        ),
        (  # staged
            "2xRTX4090+pcie",
            [Transferred(1, "cuda:0", "cuda:1", SENT, 0.1, direct=False)],
            Finished(1, 0.1),
            {(0, OUT): SENT / 2, (1, IN): SENT / 2},
        ),
        (  # one stretch, even where the line fails
            "2xH100",
            [Transferred(1, "cuda:1", "cpu", SENT // 4, 0.1)] * 3,
            Failed(1, "cancelled", "", ""),
            {(1, OUT): 3 * SENT // 8},
        ),
    ],
)
def test_a_copy_is_traffic_over_its_wires_for_a_while(
    spec: str, copies: list[Transferred], end: Event, traffic: dict[tuple[int, MetricId], float]
) -> None:
    lab = Lab(spec)
    for each in (*copies, end):
        lab.load.apply(each)
    for (card, metric), rate in traffic.items():
        assert lab.more(card, metric, 100.5) == pytest.approx(rate)
        assert lab.more(card, metric, 102.5) == pytest.approx(0)


def seen(seconds: float, busy: float, sent: int = 0) -> Watched:
    """All so far of a program on the first card, which copies in one line."""
    copies = (Transferred(1, "cpu", "cuda:0", sent, 0.1, row=7),) if sent else ()
    work = (("cuda:0", busy), ("cuda:1", 0.0))
    return Watched(1, seconds, seconds, busy=work, copies=copies)


def test_cards_work_while_a_program_runs_by_its_own_time() -> None:
    lab = Lab(live=True)
    lab.load.apply(seen(4.0, 2.0, SENT))  # in half a second here
    assert lab.busy(0, 100.4) == pytest.approx(0.5, abs=0.05)
    assert lab.busy(1, 100.4) == 0
    assert lab.more(0, IN, 100.4) == pytest.approx(SENT / 4)
    lab.now += 0.5
    lab.load.apply(seen(8.0, 3.0, 3 * SENT))
    assert lab.busy(0, 100.6) == pytest.approx(0.5, abs=0.05)
    assert lab.busy(0, 101.0) == pytest.approx(0.25, abs=0.05)
    assert lab.more(0, IN, 101.0) == pytest.approx(SENT / 2)


def test_cards_are_at_rest_when_it_is_over_and_give_its_memory_back() -> None:
    lab = Lab(live=True)
    before = lab.machine.reading(0, 100.0)["memory_used"]
    lab.load.apply(Asked(1, "nvidia-smi", "", (TAKEN,)))
    assert lab.machine.reading(0, 100.0)["memory_used"] == before + 919 * MIB
    busy = (("cuda:0", 4.0),)
    lab.load.apply(Watched(1, 4.0, 4.0, busy=busy, memory=(TAKEN,), over=True))
    lab.load.apply(Finished(1, 4.0, memory=(TAKEN,), busy=busy))
    assert lab.busy(0, 100.4) == 1
    assert lab.machine.reading(0, 100.4)["memory_used"] == before + 919 * MIB
    lab.now += 1.0
    lab.load.released()
    assert lab.busy(0, lab.now) == 0
    assert lab.machine.reading(0, lab.now)["memory_used"] == before
