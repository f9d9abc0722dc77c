"""PCIe and NVLink traffic as it is, whatever the driver's counters do meanwhile."""

import threading

import pytest

from gpuexplorer.core import metrics as m
from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import Sample
from gpuexplorer.core.metrics import Cadence, MetricId, metrics_of
from gpuexplorer.telemetry.backends.nvml.backend import NvmlBackend
from tests.clocks import ManualClock
from tests.nvml_stub.stub import Stub
from tests.telemetry.conftest import Nvml

IN, OUT = m.PCIE_RECEIVE, m.PCIE_TRANSMIT
NOT_WATCHED = "refused=nvmlDeviceGetPcieThroughput"


class CommonClock(ManualClock):
    """The program's clock and the driver's, which go together; some waits end too late."""

    def __init__(self, stub: Stub, *overslept: float) -> None:
        super().__init__()
        self._stub = stub
        self._overslept = list(overslept)

    def wait(self, event: threading.Event, seconds: float) -> bool:
        late = self._overslept.pop(0) if self._overslept else 0.0
        return super().wait(event, seconds + late)

    def advance(self, seconds: float) -> None:
        super().advance(seconds)
        self._stub.set(f"clock=+{seconds:.6f}")


def read(backend: NvmlBackend, card: int = 0, *cadences: Cadence) -> Sample:
    one = backend.cards()[card]
    return backend.read(one.id, metrics_of(one, cadences or (Cadence.ON_DEMAND,)))


@pytest.fixture
def clock(stub: Stub) -> CommonClock:
    return CommonClock(stub)


@pytest.mark.parametrize("bits", [32, 64])
@pytest.mark.parametrize("gigabytes", [0.02, 13, 25, 55])
def test_traffic_is_right_at_the_first_reading_and_at_every_other(
    nvml: Nvml, clock: CommonClock, gigabytes: float, bits: int
) -> None:
    rate, other = gigabytes * 1e9, gigabytes * 0.9e9
    config = f"cards=1;clock=7;pcie_bits={bits};pcie_rx={rate:.0f};pcie_tx={other:.0f}"
    backend = nvml.open(f"{config};{NOT_WATCHED}", clock)
    for beat in (1.0, 2.0, 0.1, 60.0):
        seen = read(backend).values
        assert seen[IN] == pytest.approx(rate, rel=0.001)
        assert seen[OUT] == pytest.approx(other, rel=0.001)
        clock.advance(beat)


def test_a_computer_too_busy_for_the_second_count_tries_again(nvml: Nvml) -> None:
    clock = CommonClock(nvml, 0.1, 0.3)
    backend = nvml.open(f"cards=1;clock=7;pcie_rx=55000000000;{NOT_WATCHED}", clock)
    assert read(backend).values[IN] == pytest.approx(55e9, rel=0.001)


def test_where_bytes_are_not_counted_the_driver_watches(nvml: Nvml, clock: CommonClock) -> None:
    backend = nvml.open("cards=1;clock=7;refused=field197,field198", clock)
    before = clock.now()
    assert read(backend).values[IN] == pytest.approx(20e6)
    assert clock.now() == before


@pytest.mark.parametrize("bits", [32, 64])
def test_more_than_the_link_can_carry_is_not_believed(
    nvml: Nvml, clock: CommonClock, bits: int
) -> None:
    config = f"cards=1;clock=7;pcie_bits={bits};pcie_gen=1;pcie_gen_max=3;pcie_gen_card=3"
    backend = nvml.open(f"{config};pcie_rx=40000000000;pcie_tx=15000000000", clock)
    read(backend, 0, Cadence.SLOW)
    sample = read(backend)
    assert sample.missing[IN] is Absence.IMPOSSIBLE
    assert sample.values[OUT] == pytest.approx(15e9, rel=0.001)


@pytest.mark.parametrize("unsaid", ["", ";pcie_gen_card=none"])
def test_a_link_that_slept_or_is_made_up_by_a_virtual_machine_carries_what_it_carries(
    nvml: Nvml, clock: CommonClock, unsaid: str
) -> None:
    link = f"pcie_gen=1;pcie_gen_max=1;pcie_width=1;pcie_width_max=1{unsaid}"
    backend = nvml.open(f"cards=1;clock=7;{link};pcie_rx=55000000000;{NOT_WATCHED}", clock)
    read(backend, 0, Cadence.SLOW)
    assert read(backend).values[IN] == pytest.approx(55e9, rel=0.001)


@pytest.mark.parametrize(("rate", "believed"), [(100e9, True), (300e9, False)])
def test_more_than_any_link_can_carry_is_not_believed(
    nvml: Nvml, clock: CommonClock, rate: float, believed: bool
) -> None:
    backend = nvml.open(f"cards=1;clock=7;nvlinks=1;nvlink_rate={rate:.0f}", clock)
    read(backend)
    clock.advance(2.0)
    for metric in ("nvlink_0_transmit", "nvlink_transmit"):
        assert (MetricId(metric) in read(backend).values) is believed
