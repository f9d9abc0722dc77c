"""PCIe and NVLink traffic as it is, whatever the driver's counters do meanwhile."""

import threading

import pytest

from gpuexplorer.core import metrics as m
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


def test_where_bytes_are_not_counted_the_driver_watches(nvml: Nvml, clock: CommonClock) -> None:
    backend = nvml.open("cards=1;clock=7;refused=field197,field198", clock)
    before = clock.now()
    assert read(backend).values[IN] == pytest.approx(20e6)
    assert clock.now() == before


@pytest.mark.parametrize(("rate", "believed"), [(100e9, True), (300e9, False)])
def test_more_than_any_link_can_carry_is_not_believed(
    nvml: Nvml, clock: CommonClock, rate: float, believed: bool
) -> None:
    backend = nvml.open(f"cards=1;clock=7;nvlinks=1;nvlink_rate={rate:.0f}", clock)
    read(backend)
    clock.advance(2.0)
    for metric in ("nvlink_0_transmit", "nvlink_transmit"):
        assert (MetricId(metric) in read(backend).values) is believed
