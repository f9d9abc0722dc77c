"""Figures of NVIDIA's driver: traffic, wires, programs, refusals, and what cannot be."""

import sys
import threading
from collections.abc import Mapping
from pathlib import Path

import pytest

from gpuexplorer.core import metrics as ids
from gpuexplorer.core import metrics as m
from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import HOST_ID, Sample
from gpuexplorer.core.metrics import Cadence, MetricId, metrics_of
from gpuexplorer.telemetry.backends.nvml.backend import NvmlBackend
from gpuexplorer.telemetry.looked_for import PciBus
from gpuexplorer.telemetry.processes import CardProcess, ProcessFigure, ProcessUse
from gpuexplorer.telemetry.topology import Link, PathKind, shape_of
from tests.clocks import ManualClock
from tests.nvml_stub.stub import Stub
from tests.telemetry.conftest import Nvml, read, until

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


def traffic(backend: NvmlBackend) -> Sample:
    return read(backend, Cadence.ON_DEMAND)


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
        seen = traffic(backend).values
        assert seen[IN] == pytest.approx(rate, rel=0.001)
        assert seen[OUT] == pytest.approx(other, rel=0.001)
        clock.advance(beat)
    backend.count_ahead(backend.cards()[0].id, {IN})
    clock.advance(0.02)
    at = clock.now()
    assert traffic(backend).values[IN] == pytest.approx(rate, rel=0.001)
    assert clock.now() == at, "nothing is left to be waited for"


@pytest.mark.parametrize(("rate", "believed"), [(100e9, True), (300e9, False)])
def test_more_than_any_link_can_carry_is_not_believed(
    nvml: Nvml, clock: CommonClock, rate: float, believed: bool
) -> None:
    backend = nvml.open(f"cards=1;clock=7;nvlinks=1;nvlink_rate={rate:.0f}", clock)
    traffic(backend)
    clock.advance(2.0)
    for metric in ("nvlink_0_transmit", "nvlink_transmit"):
        assert (MetricId(metric) in traffic(backend).values) is believed


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


def test_a_card_joined_to_its_processor_by_nvlink_c2c_is_as_fast_as_that(nvml: Nvml) -> None:
    backend = nvml.open("cards=1;kind=gh200")
    link = to_host(backend)
    assert (link.path, link.letters) == (PathKind.C2C, "C2C")
    assert link.rate == pytest.approx(447.12e9)
    assert link.rate_reason == "10 links of NVLink-C2C"
    nvml.set("c2c_speed=0")
    assert to_host(backend).path is PathKind.HOST_BRIDGE


def listed(backend: NvmlBackend) -> list[CardProcess]:
    """Who uses the first card."""
    rows = backend.processes(backend.cards()[0].id)
    assert rows is not None
    return list(rows)


def test_programs_are_listed_with_their_use_and_no_impossible_share(nvml: Nvml) -> None:
    rows = listed(nvml.open("cards=1;pids=0:90b,1234,5678g;util=66"))
    uses = {row.pid: row.use for row in rows}
    assert uses == {90: ProcessUse.BOTH, 1234: ProcessUse.COMPUTE, 5678: ProcessUse.GRAPHICS}
    for row in rows:
        for figure in set(ProcessFigure) - {ProcessFigure.MEMORY}:
            assert figure in row.missing or 0 <= row.values[figure] <= 1
        assert row.values[ProcessFigure.SM] == 0.22  # and not the sample of tomorrow


@pytest.mark.parametrize("version", ["535.43.02", "535.54.03", "535.86.05", "535.98", "580.95"])
def test_every_program_is_itself_with_any_driver(nvml: Nvml, version: str) -> None:
    rows = listed(nvml.open(f"cards=1;procs=0:32;driver_version={version}"))
    expected = [(4180000 + n, (n + 1) * 2**28) for n in range(32)]
    assert [(row.pid, row.values[ProcessFigure.MEMORY]) for row in rows] == expected


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
    assert read(backend, Cadence.FAST).values[m.POWER_DRAW_INSTANT] == 300.5
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
    seen = read(backend, Cadence.SLOW).values
    every = (251, 252, 253, 269, 270, 271)
    assert [field for field in every if nvml.calls_of(f"field{field}")] == asked
    assert [seen[metric] for metric in TIMES] == pytest.approx([9.0, 10.0, 11.0])


# It has every part that a figure can be of, and all is well with it.
CARD = "cards=1;retired=0;retired_bad=0;retired_pending=0;fans=1;fan_speed=40"
MEMORY = {ids.MEMORY_USED, ids.MEMORY_FREE, ids.MEMORY_RESERVED, ids.MEMORY_TOTAL}
ACTIVITIES = {MetricId("sm_activity"), MetricId("sm_occupancy"), MetricId("tensor_activity")}
SIZES = (ids.MEMORY_TOTAL, ids.MEMORY_FREE, ids.MEMORY_USED, ids.MEMORY_RESERVED)
REASONS = set(ids.THROTTLES)


def impossible(sample: Sample) -> set[MetricId]:
    return {m for m, absence in sample.missing.items() if absence is Absence.IMPOSSIBLE}


@pytest.mark.parametrize(
    ("config", "metrics"),
    [
        ("replays=4294967295", {MetricId("pcie_replays")}),
        ("remapped=4294967295", {MetricId("remapped_rows_corrected")}),
        ("remapped_bad=4294967295", {MetricId("remapped_rows_uncorrected")}),
        ("remapped_failed=7", {MetricId("remapped_rows_failed")}),
        ("retired=4294967295", {MetricId("retired_pages_corrected")}),
        ("retired_pending=2", {MetricId("retired_pages_pending")}),
        ("answer=field3:4294967295", {MetricId("ecc_corrected")}),
        ("answer=field6:18446744073709551615", {MetricId("ecc_uncorrected_ever")}),
        ("answer=field83:18446744073709551615", {ids.ENERGY}),
        ("power_limit=0", {ids.POWER_LIMIT}),
        ("power_min=800000", {ids.POWER_LIMIT_MIN, ids.POWER_LIMIT_MAX}),
        ("slowdown_temp=0", {ids.TEMPERATURE_SLOWDOWN}),
        ("slowdown_temp=99", {ids.TEMPERATURE_SLOWDOWN, ids.TEMPERATURE_SHUTDOWN}),
        ("clock_sm=4294", {ids.CLOCK_SM}),
        ("clock_memory=99999", {ids.CLOCK_MEMORY}),
        ("max_sm=0", {ids.CLOCK_SM_MAX}),
        ("pcie_width=3", {ids.PCIE_WIDTH}),
        ("pcie_width_max=0", {ids.PCIE_WIDTH_MAX}),
        ("pcie_gen=6", {ids.PCIE_GENERATION}),
        ("pcie_gen_max=9", {ids.PCIE_GENERATION_MAX}),
        ("util=101", {MetricId("gpu_utilization")}),
        ("fan_speed=250", {MetricId("fan_speed"), MetricId("fan_0_speed")}),
        ("pstate=16", {ids.PERFORMANCE_STATE}),
        ("compute_mode=4", {ids.COMPUTE_MODE}),
        ("ecc_mode=2", {MetricId("ecc_mode")}),
        ("persistence=255", {ids.PERSISTENCE_MODE}),
        ("virtualization=9", {ids.VIRTUALIZATION_MODE}),
        ("display_active=3", {ids.DISPLAY_ACTIVE}),
        ("answer=nvmlDeviceGetMigMode:7", {ids.MIG_MODE}),
        (
            "answer=field165:9",
            {ids.NVLINK_ACTIVE, *(MetricId(f"nvlink_{link}_state") for link in range(18))},
        ),
        ("answer=field186:nan", {ids.POWER_DRAW_INSTANT}),
        ("answer=field82:inf", {ids.MEMORY_TEMPERATURE}),
        ("bar1_used=999999999999999", {ids.BAR1_USED, ids.BAR1_TOTAL}),
        ("reasons=0x1ff", REASONS),
        ("reasons=0xfc", REASONS),
        ("reasons=-1", REASONS),
        ("answer=nvmlDeviceGetMemoryInfo_v2:_,_,*1000,_", MEMORY),
        ("answer=nvmlDeviceGetMemoryInfo_v2:_,_,_,*1000", MEMORY),
        ("answer=nvmlGpmMetricsGet:129", ACTIVITIES),
    ],
)
def test_what_cannot_be_is_no_figure_and_takes_nothing_else_with_it(
    nvml: Nvml, config: str, metrics: set[MetricId]
) -> None:
    backend = nvml.open(CARD)
    read(backend)
    nvml.set(config)
    assert impossible(read(backend)) == metrics


@pytest.mark.parametrize(
    ("config", "metric", "figure"),
    [
        ("power=1900000", ids.POWER_DRAW, 1900.0),
        ("temp=127", ids.TEMPERATURE, 127.0),
        ("clock_sm=3900", ids.CLOCK_SM, 3.9e9),
        ("replays=3000000000", MetricId("pcie_replays"), 3e9),
        ("ecc=1000000000", MetricId("ecc_corrected"), 1e9),
        ("fan_speed=130", ids.FAN_SPEED, 1.3),
        ("pcie_gen=1", ids.PCIE_GENERATION, 1.0),
        ("power_limit=200000", ids.POWER_LIMIT, 200.0),
        # A laptop on its battery, and one that borrows watts of its processor.
        ("power_limit=25000", ids.POWER_LIMIT, 25.0),
        ("power_limit=725000", ids.POWER_LIMIT, 725.0),
        ("reasons=0x9", ids.throttle("hw_slowdown"), 1.0),
        ("reasons=-9223372036854775804", ids.throttle("sw_power_cap"), 1.0),
        ("answer=field165:3", MetricId("nvlink_0_state"), 3.0),
        ("answer=nvmlGpmMetricsGet:100.4", MetricId("sm_activity"), 1.0),
    ],
)
def test_odd_ones_are_shown(nvml: Nvml, config: str, metric: MetricId, figure: float) -> None:
    backend = nvml.open(CARD)
    read(backend)
    nvml.set(config)
    sample = read(backend)
    assert sample.values[metric] == figure
    assert impossible(sample) == set()


COUNTERS: Mapping[str, MetricId] = {
    "replays": MetricId("pcie_replays"),
    "ecc": MetricId("ecc_corrected"),
    "ecc_bad": ids.ECC_UNCORRECTED,
    "remapped": MetricId("remapped_rows_corrected"),
    "retired_bad": MetricId("retired_pages_uncorrected"),
}


@pytest.mark.parametrize("key", COUNTERS)
def test_a_counter_that_begins_anew_is_believed_the_second_time(nvml: Nvml, key: str) -> None:
    backend = nvml.open(f"{CARD};{key}=40")
    seen = []
    for count in (40, 3, 3, 5):
        nvml.set(f"{key}={count}")
        seen.append(read(backend, Cadence.SLOW).values.get(COUNTERS[key]))
    assert seen == [40, None, 3, 5]


@pytest.mark.parametrize(
    ("total", "free", "used", "reserved"),
    [
        # Some programs that share cards out say the limit of one container as the total, and
        # leave what the whole card keeps for itself as it is.
        (3 << 30, 2 << 30, 1 << 30, Absence.IMPOSSIBLE),
        # Or they say only what this container uses, of a card that others use too.
        (80 << 30, 9 << 30, 1 << 30, 600 << 20),
    ],
)
def test_memory_as_a_container_is_told_of_it_is_believed(
    nvml: Nvml, total: int, free: int, used: int, reserved: int | Absence
) -> None:
    answers = f"{total},{600 << 20},{used},{free}"
    backend = nvml.open(f"{CARD};total={total};answer=nvmlDeviceGetMemoryInfo_v2:{answers}")
    sample = read(backend)
    told = [sample.values.get(metric, sample.missing.get(metric)) for metric in SIZES]
    assert told == [total, free, used, reserved]
