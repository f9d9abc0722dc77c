"""What simulated cards are told of the lab, and what their plots then show."""

import pytest

from gpuexplorer.core.catalogue import links
from gpuexplorer.core.metrics import MetricId
from gpuexplorer.lab.events import Device, Failed, Finished, Hello, Transferred
from gpuexplorer.lab.load import Load
from gpuexplorer.simulation.figures import figures_of
from gpuexplorer.simulation.machine import Machine
from gpuexplorer.simulation.specs import parse_machine

SENT = 1_000_000_000
LINE = Finished(1, 0.1)


class Lab:
    """Two cards at rest beside a lab that copies; time stands still until it is moved."""

    def __init__(self, spec: str) -> None:
        self.machine = Machine(parse_machine(spec))
        self.now = 100.0
        self.load = Load(self.machine, lambda: self.now)
        self.load.apply(
            Hello(
                5,
                "3.11",
                "2.13",
                "CPU",
                simulated=True,
                devices=tuple(
                    Device(f"cuda:{index}", "a card", uuid=f"SIM-{index}") for index in range(2)
                ),
            )
        )

    def more(self, card: int, metric: MetricId, at: float) -> float:
        """Than it would be had the lab done nothing."""
        figure = figures_of(self.machine, card, 30e9)[metric]
        alone = figures_of(Machine(self.machine.spec), card, 30e9)[metric]
        bare = Machine(self.machine.spec)
        return figure(self.machine.reading(card, at)) - alone(bare.reading(card, at))


def test_a_copy_from_the_host_is_traffic_into_its_card_over_pcie() -> None:
    lab = Lab("2xH100")
    lab.load.apply(Transferred(1, "cpu", "cuda:0", SENT, 0.1))
    lab.load.apply(LINE)
    assert lab.more(0, links.PCIE_RECEIVE, 100.5) == pytest.approx(SENT / 2)
    assert lab.more(0, links.PCIE_TRANSMIT, 100.5) == pytest.approx(0)
    assert lab.more(1, links.PCIE_RECEIVE, 100.5) == pytest.approx(0)
    assert lab.more(0, links.PCIE_RECEIVE, 102.5) == pytest.approx(0)


def test_a_copy_between_linked_cards_is_traffic_over_nvlink_at_both_ends() -> None:
    lab = Lab("2xH100+nvlink")
    lab.load.apply(Transferred(1, "cuda:0", "cuda:1", SENT, 0.1, direct=True))
    lab.load.apply(LINE)
    assert lab.more(0, links.NVLINK_TRANSMIT, 100.5) == pytest.approx(SENT / 2)
    assert lab.more(1, links.NVLINK_RECEIVE, 100.5) == pytest.approx(SENT / 2)
    assert lab.more(1, links.PCIE_RECEIVE, 100.5) == pytest.approx(0)


def test_a_staged_copy_goes_over_pcie_at_both_ends() -> None:
    lab = Lab("2xRTX4090+pcie")
    lab.load.apply(Transferred(1, "cuda:0", "cuda:1", SENT, 0.1, direct=False))
    lab.load.apply(LINE)
    assert lab.more(0, links.PCIE_TRANSMIT, 100.5) == pytest.approx(SENT / 2)
    assert lab.more(1, links.PCIE_RECEIVE, 100.5) == pytest.approx(SENT / 2)


def test_all_copies_of_a_line_are_one_stretch_even_where_it_fails() -> None:
    lab = Lab("2xH100")
    for _ in range(3):
        lab.load.apply(Transferred(1, "cuda:1", "cpu", SENT // 4, 0.1))
    lab.load.apply(Failed(1, "cancelled", "", ""))
    assert lab.more(1, links.PCIE_TRANSMIT, 100.5) == pytest.approx(3 * SENT // 8)


def test_what_is_already_there_moves_nothing() -> None:
    lab = Lab("2xH100")
    lab.load.apply(Transferred(1, "cuda:0", "cuda:0", SENT, 0.0))
    lab.load.apply(LINE)
    assert lab.more(0, links.PCIE_RECEIVE, 100.5) == pytest.approx(0)
