"""A sleeping card is not woken, and one that idles is left alone so that it can fall asleep."""

from dataclasses import dataclass
from pathlib import Path

import pytest

from gpuexplorer.core.cards import CardState
from gpuexplorer.telemetry.looked_for import PciBus
from tests.clocks import ManualClock
from tests.telemetry.conftest import Nvml, states

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
