"""PCIe and NVLink traffic as it is, whatever the driver's counters do meanwhile."""

import sys
import threading
from pathlib import Path

import pytest

from gpuexplorer.core import metrics as m
from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import HOST_ID, Sample
from gpuexplorer.core.metrics import Cadence, MetricId, metrics_of
from gpuexplorer.telemetry.backends.nvml.backend import NvmlBackend
from gpuexplorer.telemetry.looked_for import PciBus
from gpuexplorer.telemetry.processes import CardProcess, ProcessFigure, ProcessUse
from gpuexplorer.telemetry.topology import Link, PathKind, pcie_rate, shape_of
from tests.clocks import ManualClock
from tests.nvml_stub.stub import Stub
from tests.telemetry.conftest import Nvml, until

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


def pair(backend: NvmlBackend) -> Link:
    """What joins the first two cards."""
    one, other, *_ = backend.cards()
    link = backend.topology().link(one.id, other.id)
    assert link is not None
    return link


def to_host(backend: NvmlBackend) -> Link:
    link = backend.topology().link(backend.cards()[0].id, HOST_ID)
    assert link is not None
    return link


@pytest.mark.parametrize(
    ("version", "speed", "generation", "rate"),
    [
        (1, 20_000, 1, 20e9),
        (2, 25_781, 2, 25e9),
        (4, 25_000, 3, 25e9),
        (4, 14_062.5, 3, 14.0625e9),  # what an RTX A6000 has
        (6, 26_562, 4, 25e9),
        (7, 53_125, 5, 50e9),
        (8, 100_000, 6, 100e9),  # not known here: the driver is believed
    ],
)
def test_the_usable_rate_is_that_of_the_datasheet_and_not_that_of_the_line(
    version: int, speed: float, generation: int, rate: float, nvml: Nvml
) -> None:
    backend = nvml.open(f"cards=2;nvlink_version={version};nvlink_speed={int(speed)}")
    link = pair(backend)
    assert link.nvlink_generation == generation
    assert link.rate == pytest.approx(18 * rate, rel=0.001)
    assert link.rate_reason == f"18 NVLinks of generation {generation}"


def test_wires_that_are_garbage_are_unknown_and_never_an_error(nvml: Nvml) -> None:
    backend = nvml.open(
        "cards=3;wiring=nonsense;nvlink_version=4294967295;nvlink_speed=4294967295;"
        "p2p=77;ancestor=61;pcie_gen_max=4294967295;pcie_width_max=4294967295"
    )
    link = pair(backend)
    assert (link.path, link.nvlinks, link.rate) == (PathKind.UNKNOWN, 0, None)
    assert link.peer_to_peer is None
    assert link.rate_reason == "not reported: the driver answered with an impossible figure"
    shape = shape_of(backend.topology(), backend.cards())
    assert (shape.hubs, shape.bridges, shape.junctions) == ((), (), ())
    nvml.set("wiring=switch")
    assert pair(backend).rate_reason == "18 NVLinks, of unknown speed"


def slot(root: Path, speed: str, lanes: int) -> PciBus:
    """A bus with the stand-in's first card in a slot that says this of itself."""
    port = root / "devices" / "pci0000:1a" / "0000:1a:01.0"
    card = port / "0000:1b:00.0"
    card.mkdir(parents=True)
    (port / "max_link_speed").write_text(f"{speed} GT/s PCIe\n")
    (port / "max_link_width").write_text(f"{lanes}\n")
    listed = root / "bus" / "pci" / "devices"
    listed.mkdir(parents=True)
    (listed / "0000:1b:00.0").symlink_to(card)
    return PciBus(root)


@pytest.mark.parametrize(("speed", "lanes"), [("2.5", 1), ("16.0", 32)])
def test_the_made_up_slot_of_a_virtual_machine_narrows_nothing(
    nvml: Nvml, tmp_path: Path, speed: str, lanes: int
) -> None:
    link = to_host(nvml.open("cards=1", bus=slot(tmp_path, speed, lanes)))
    assert link.rate == pcie_rate(5, 16)


def test_a_card_joined_to_its_processor_by_nvlink_c2c_is_as_fast_as_that(nvml: Nvml) -> None:
    backend = nvml.open("cards=1;kind=gh200")
    link = to_host(backend)
    assert (link.path, link.letters) == (PathKind.C2C, "C2C")
    assert link.rate == pytest.approx(447.12e9)
    assert link.rate_reason == "10 links of NVLink-C2C"
    nvml.set("c2c_speed=0")
    assert to_host(backend).path is PathKind.HOST_BRIDGE


NONE = 0xFFFFFFFF


def listed(backend: NvmlBackend) -> list[CardProcess]:
    """Who uses the first card."""
    rows = backend.processes(backend.cards()[0].id)
    assert rows is not None
    return list(rows)


def test_programs_are_listed_with_their_use_and_impossible_shares_are_left_out(
    nvml: Nvml,
) -> None:
    rows = listed(nvml.open("cards=1;pids=0:90b,1234,5678g;util=66"))
    uses = {row.pid: row.use for row in rows}
    assert uses == {90: ProcessUse.BOTH, 1234: ProcessUse.COMPUTE, 5678: ProcessUse.GRAPHICS}
    for row in rows:
        for figure in set(ProcessFigure) - {ProcessFigure.MEMORY}:
            assert figure in row.missing or 0 <= row.values[figure] <= 1
        assert row.values[ProcessFigure.SM] == 0.22  # and not the sample of tomorrow


@pytest.mark.parametrize("version", ["535.43.02", "535.54.03", "535.86.05", "535.98", "580.95"])
def test_every_program_is_itself_whatever_the_version_of_the_driver(
    nvml: Nvml, version: str
) -> None:
    rows = listed(nvml.open(f"cards=1;procs=0:32;driver_version={version}"))
    expected = [(4180000 + n, (n + 1) * 2**28) for n in range(32)]
    assert [(row.pid, row.values[ProcessFigure.MEMORY]) for row in rows] == expected


def test_a_list_of_nothing_but_garbage_says_nothing_about_who_uses_the_card(nvml: Nvml) -> None:
    backend = nvml.open("cards=1;pids=0:11")
    card = backend.cards()[0].id
    nvml.set(f"pids=0:{NONE},{NONE}g")
    assert backend.processes(card) is None
    nvml.set("procs=0:0")
    assert backend.processes(card) == []


@pytest.mark.skipif(sys.platform != "linux", reason="on Windows the reason is always that")
@pytest.mark.parametrize("windows", [True, False])
def test_memory_the_driver_does_not_know_is_explained_and_never_zero(
    nvml: Nvml, monkeypatch: pytest.MonkeyPatch, windows: bool
) -> None:
    """Its subsystem for Linux is told by a device."""
    monkeypatch.setattr(Path, "exists", lambda path: windows and path == Path("/dev/dxg"))
    [row] = listed(nvml.open("cards=1;wddm=0;pids=0:11"))
    expected = Absence.WINDOWS_KEEPS_IT if windows else Absence.NOT_AVAILABLE
    assert row.missing[ProcessFigure.MEMORY] is expected


AVERAGE = MetricId("power_draw_average")
PERSISTENCE = m.PERSISTENCE_MODE


def read_refusals(backend: NvmlBackend, *metrics: MetricId) -> Sample:
    card = backend.cards()[0]
    return backend.read(card.id, frozenset(metrics) or metrics_of(card))


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("not_supported", Absence.NOT_SUPPORTED),
        ("no_permission", Absence.NO_PERMISSION),
        ("unknown", Absence.REFUSED),
        ("timeout", Absence.NO_ANSWER),
    ],
)
def test_a_card_that_refuses_everything_says_why_and_is_whole_again_at_once(
    nvml: Nvml, code: str, reason: Absence
) -> None:
    backend = nvml.open("cards=1", ManualClock())
    whole = set(read_refusals(backend).values)
    nvml.set(f"refused=all;refuse_code={code}")
    assert read_refusals(backend).missing[m.POWER_DRAW] is reason
    nvml.set("refused=none")
    assert set(read_refusals(backend).values) >= whole


def test_a_refused_field_hides_none_of_its_neighbours(nvml: Nvml) -> None:
    backend = nvml.open("cards=1;refused=field185,field144")
    sample = read_refusals(backend)
    assert sample.missing[AVERAGE] is Absence.NOT_SUPPORTED
    assert sample.missing[MetricId("remapped_rows_pending")] is Absence.NOT_SUPPORTED
    assert sample.values[m.MEMORY_TEMPERATURE] == 50
    assert sample.values[MetricId("remapped_rows_failed")] == 0


def test_when_mig_is_switched_on_the_card_is_asked_anew(nvml: Nvml) -> None:
    clock = ManualClock()
    backend = nvml.open("cards=1;refused=nvmlDeviceGetPersistenceMode,field185", clock)
    assert read_refusals(backend).missing[PERSISTENCE] is Absence.NOT_SUPPORTED
    nvml.set("refused=none;mig=0:1")
    clock.advance(1)
    read_refusals(backend)  # this reading notices that MIG is on now
    until(lambda: len(backend.cards()) == 2)
    sample = read_refusals(backend)
    assert {PERSISTENCE, AVERAGE} <= set(sample.values)
    assert sample.missing[m.GPU_UTILIZATION] is Absence.MIG_ON


def test_what_a_card_never_had_is_asked_for_once_a_minute(nvml: Nvml) -> None:
    clock = ManualClock()
    backend = nvml.open("cards=1;refused=nvmlDeviceGetPersistenceMode,field185", clock)
    read_refusals(backend)
    nvml.reset_calls()
    clock.advance(50)
    assert read_refusals(backend).missing[PERSISTENCE] is Absence.NOT_SUPPORTED
    assert read_refusals(backend).missing[AVERAGE] is Absence.NOT_SUPPORTED
    assert not nvml.calls_of("nvmlDeviceGetPersistenceMode")
    assert not nvml.calls_of("field185")
    nvml.set("refused=none")
    clock.advance(11)
    assert {PERSISTENCE, AVERAGE} <= set(read_refusals(backend).values)


SLOW_FIELDS = ("field82", "field83", "field185")
TIMES = [
    MetricId("throttle_time_sw_thermal_slowdown"),
    MetricId("throttle_time_hw_thermal_slowdown"),
    MetricId("throttle_time_hw_power_brake_slowdown"),
]


def test_a_beat_asks_for_none_of_the_fields_that_take_milliseconds(nvml: Nvml) -> None:
    backend = nvml.open("cards=1")
    nvml.reset_calls()
    assert read(backend, 0, Cadence.FAST).values[m.POWER_DRAW_INSTANT] == 300.5
    assert nvml.calls_of("field186") == 1
    assert [nvml.calls_of(field) for field in SLOW_FIELDS] == [0, 0, 0]


@pytest.mark.parametrize(
    ("version", "asked"),
    [
        ("580.95.05", [269, 270, 271]),
        ("580.82.07", [269, 270, 271]),
        ("580.65.06", [251, 252, 253]),
        ("570.86.10", [251, 252, 253]),
        ("590.44", [269, 270, 271]),
    ],
)
def test_the_time_under_heat_is_asked_for_by_the_numbers_of_this_driver(
    nvml: Nvml, version: str, asked: list[int]
) -> None:
    backend = nvml.open(f"cards=1;clock=0;driver_version={version}")
    nvml.reset_calls()
    seen = read(backend, 0, Cadence.SLOW).values
    every = (251, 252, 253, 269, 270, 271)
    assert [field for field in every if nvml.calls_of(f"field{field}")] == asked
    assert [seen[metric] for metric in TIMES] == pytest.approx([9.0, 10.0, 11.0])
