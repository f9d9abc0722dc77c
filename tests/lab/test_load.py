"""What simulated cards are told of the lab, and what their plots then show."""

import pytest

from gpuexplorer.core.catalogue import links
from gpuexplorer.core.metrics import MetricId
from gpuexplorer.lab.events import (
    Asked,
    Device,
    Failed,
    Finished,
    Hello,
    Memory,
    Transferred,
    Watched,
)
from gpuexplorer.lab.simulated_cards import Load
from gpuexplorer.simulation.figures import figures_of
from gpuexplorer.simulation.machine import Machine
from gpuexplorer.simulation.models import MIB
from gpuexplorer.simulation.specs import parse_machine

SENT = 1_000_000_000
LINE = Finished(1, 0.1)
CARDS = tuple(Device(f"cuda:{index}", "a card", uuid=f"SIM-{index}") for index in range(2))


class Lab:
    """Two cards at rest beside a lab that copies; time stands still until it is moved."""

    def __init__(self, spec: str, *, live: bool = False) -> None:
        self.machine = Machine(parse_machine(spec))
        self.now = 100.0
        self.load = Load(lambda: self.machine, lambda: self.now, live=live)
        self.load.apply(Hello(5, "3.11", "2.13", "CPU", simulated=True, devices=CARDS))

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


def test_what_a_cell_took_so_far_is_held_when_it_asks_how_the_machine_is() -> None:
    lab = Lab("2xTitanRTX+idle")
    taken = Memory("cuda:0", 512, 2 * MIB, context_bytes=917 * MIB)
    lab.load.apply(Asked(1, "nvidia-smi", "", (taken,)))
    assert lab.machine.reading(0, 100.0).memory_used == 925 * MIB
    lab.load.apply(Finished(1, 0.1, memory=(taken,)))
    assert lab.machine.reading(0, 101.0).memory_used == 925 * MIB


def seen(seconds: float, busy: float, sent: int = 0, *, over: bool = False) -> Watched:
    """All so far of a program on the first card, which copies in one line."""
    copies = (Transferred(1, "cpu", "cuda:0", sent, 0.1, row=7),) if sent else ()
    work = (("cuda:0", busy), ("cuda:1", 0.0))
    return Watched(1, seconds, seconds, busy=work, copies=copies, over=over)


def busy(lab: Lab, card: int, at: float) -> float:
    return lab.machine.reading(card, at).busy


def test_cards_are_busy_while_a_program_runs_by_its_own_time() -> None:
    lab = Lab("2xTitanRTX+idle", live=True)
    lab.load.apply(seen(4.0, 2.0))  # in half a second here
    assert busy(lab, 0, 100.4) == pytest.approx(0.5, abs=0.05)
    assert busy(lab, 1, 100.4) == 0
    lab.now += 0.5
    lab.load.apply(seen(8.0, 3.0))
    assert busy(lab, 0, 100.6) == pytest.approx(0.5, abs=0.05)
    assert busy(lab, 0, 101.0) == pytest.approx(0.25, abs=0.05)


def test_its_copies_are_traffic_as_fast_as_they_came() -> None:
    lab = Lab("2xTitanRTX+idle", live=True)
    lab.load.apply(seen(4.0, 2.0, SENT))
    assert lab.more(0, links.PCIE_RECEIVE, 100.4) == pytest.approx(SENT / 4)
    lab.now += 0.5
    lab.load.apply(seen(8.0, 3.0, 3 * SENT))
    assert lab.more(0, links.PCIE_RECEIVE, 101.0) == pytest.approx(SENT / 2)


def test_cards_are_at_rest_when_it_is_over_and_give_its_memory_back() -> None:
    lab = Lab("2xTitanRTX+idle", live=True)
    before = lab.machine.reading(0, 100.0).memory_used
    taken = Memory("cuda:0", 512, 2 * MIB, context_bytes=917 * MIB)
    lab.load.apply(Watched(1, 4.0, 4.0, busy=(("cuda:0", 4.0),), memory=(taken,), over=True))
    lab.load.apply(Finished(1, 4.0, memory=(taken,), busy=(("cuda:0", 4.0),)))
    assert busy(lab, 0, 100.4) == 1
    assert lab.machine.reading(0, 100.4).memory_used == before + 919 * MIB
    lab.now += 1.0
    lab.load.released()
    assert busy(lab, 0, lab.now) == 0
    assert lab.machine.reading(0, lab.now).memory_used == before


def test_what_is_seen_of_a_cell_is_not_counted_beside_its_own_events() -> None:
    lab, alone = Lab("2xTitanRTX+idle"), Lab("2xTitanRTX+idle")
    for each in (lab, alone):
        each.load.apply(Transferred(1, "cpu", "cuda:0", SENT, 0.1))
    lab.load.apply(seen(0.1, 0.1, SENT, over=True))
    for each in (lab, alone):
        each.load.apply(Finished(1, 0.1, busy=(("cuda:0", 0.1),)))
    assert lab.machine.reading(0, 100.2) == alone.machine.reading(0, 100.2)


def test_a_program_says_which_cards_it_has_once_it_has_imported_pytorch() -> None:
    lab = Lab("2xTitanRTX+idle", live=True)
    load = Load(lambda: lab.machine, lambda: lab.now, live=True)
    load.apply(Hello(5, "3.11", "2.13", "simulated cards", simulated=True))
    load.apply(Watched(1, 4.0, 4.0, busy=(("cuda:1", 2.0),), devices=CARDS))
    assert busy(lab, 1, 100.4) == pytest.approx(0.5, abs=0.05)


def test_another_program_counts_from_its_own_beginning() -> None:
    lab = Lab("2xTitanRTX+idle", live=True)
    lab.load.apply(seen(40.0, 20.0))
    lab.load.released()
    lab.now += 10.0
    assert busy(lab, 0, lab.now) == 0
    lab.load.apply(seen(4.0, 2.0))
    assert busy(lab, 0, lab.now + 0.4) == pytest.approx(0.5, abs=0.05)


def test_a_machine_that_began_anew_is_given_back_nothing_and_told_what_is_held_then() -> None:
    lab = Lab("2xH100")
    held = Finished(1, 0.1, memory=(Memory("cuda:0", 0, 100 * MIB),))
    lab.load.apply(held)
    lab.machine = Machine(lab.machine.spec)
    lab.load.released()
    lab.load.apply(held)
    alone = Machine(lab.machine.spec).reading(0, 101).memory_used
    assert lab.machine.reading(0, 101).memory_used - alone == 100 * MIB
