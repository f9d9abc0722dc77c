"""Figures that cannot be are no figures; what is merely unlikely is shown."""

from collections.abc import Mapping

import pytest

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import Sample
from gpuexplorer.core.catalogue import (
    clocks,
    health,
    heat_and_power,
    links,
    memory,
    utilization,
)
from gpuexplorer.core.clock import ManualClock
from gpuexplorer.core.metrics import METRICS, Cadence, MetricId, metrics_of
from gpuexplorer.telemetry.backends.nvml.backend import NvmlBackend
from gpuexplorer.telemetry.happening_log import HappeningLog
from tests.telemetry.conftest import Nvml

# It has every part that a figure can be of, and all is well with it.
CARD = "cards=1;retired=0;retired_bad=0;retired_pending=0;fans=1;fan_speed=40"
MEMORY = {
    memory.MEMORY_USED,
    memory.MEMORY_FREE,
    memory.MEMORY_RESERVED,
    memory.MEMORY_TOTAL,
}
ACTIVITIES = {
    utilization.SM_ACTIVITY,
    utilization.SM_OCCUPANCY,
    utilization.TENSOR_ACTIVITY,
}
SIZES = (
    memory.MEMORY_TOTAL,
    memory.MEMORY_FREE,
    memory.MEMORY_USED,
    memory.MEMORY_RESERVED,
)
REASONS = {clocks.throttle(reason) for reason in clocks.THROTTLE_REASONS}


def read(backend: NvmlBackend, *cadences: Cadence) -> Sample:
    card = backend.cards()[0]
    return backend.read(card.id, metrics_of(card, cadences or tuple(Cadence)))


def impossible(sample: Sample) -> set[MetricId]:
    return {m for m, absence in sample.missing.items() if absence is Absence.IMPOSSIBLE}


@pytest.mark.parametrize(
    ("config", "metrics"),
    [
        ("replays=4294967295", {links.PCIE_REPLAYS}),
        ("remapped=4294967295", {health.REMAPPED_ROWS_CORRECTED}),
        ("remapped_bad=4294967295", {health.REMAPPED_ROWS_UNCORRECTED}),
        ("remapped_failed=7", {health.REMAPPED_ROWS_FAILED}),
        ("retired=4294967295", {health.RETIRED_PAGES_CORRECTED}),
        ("retired_pending=2", {health.RETIRED_PAGES_PENDING}),
        ("answer=field3:4294967295", {health.ECC_CORRECTED}),
        ("answer=field6:18446744073709551615", {health.ECC_UNCORRECTED_EVER}),
        ("answer=field83:18446744073709551615", {heat_and_power.ENERGY}),
        ("power_limit=0", {heat_and_power.POWER_LIMIT}),
        (
            "power_min=800000",
            {heat_and_power.POWER_LIMIT_MIN, heat_and_power.POWER_LIMIT_MAX},
        ),
        ("slowdown_temp=0", {heat_and_power.TEMPERATURE_SLOWDOWN}),
        (
            "slowdown_temp=99",
            {heat_and_power.TEMPERATURE_SLOWDOWN, heat_and_power.TEMPERATURE_SHUTDOWN},
        ),
        ("clock_sm=4294", {clocks.CLOCK_SM}),
        ("clock_memory=99999", {clocks.CLOCK_MEMORY}),
        ("max_sm=0", {clocks.CLOCK_SM_MAX}),
        ("pcie_width=3", {links.PCIE_WIDTH}),
        ("pcie_width_max=0", {links.PCIE_WIDTH_MAX}),
        ("pcie_gen=6", {links.PCIE_GENERATION}),
        ("pcie_gen_max=9", {links.PCIE_GENERATION_MAX}),
        ("util=101", {MetricId("gpu_utilization")}),
        ("fan_speed=250", {MetricId("fan_speed"), MetricId("fan_0_speed")}),
        ("pstate=16", {clocks.PERFORMANCE_STATE}),
        ("compute_mode=4", {health.COMPUTE_MODE}),
        ("ecc_mode=2", {health.ECC_MODE}),
        ("persistence=255", {health.PERSISTENCE_MODE}),
        ("virtualization=9", {health.VIRTUALIZATION_MODE}),
        ("display_active=3", {health.DISPLAY_ACTIVE}),
        ("answer=nvmlDeviceGetMigMode:7", {health.MIG_MODE}),
        ("answer=field165:9", {links.NVLINK_ACTIVE, *map(links.nvlink_state, range(18))}),
        ("answer=field186:nan", {heat_and_power.POWER_DRAW_INSTANT}),
        ("answer=field82:inf", {heat_and_power.MEMORY_TEMPERATURE}),
        ("bar1_used=999999999999999", {memory.BAR1_USED, memory.BAR1_TOTAL}),
        ("reasons=0x1ff", REASONS),
        ("reasons=0xfc", REASONS),
        ("reasons=0x10000", REASONS),
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
        ("power=1900000", heat_and_power.POWER_DRAW, 1900.0),
        ("temp=127", heat_and_power.TEMPERATURE, 127.0),
        ("clock_sm=3900", clocks.CLOCK_SM, 3.9e9),
        ("replays=3000000000", links.PCIE_REPLAYS, 3e9),
        ("ecc=1000000000", health.ECC_CORRECTED, 1e9),
        ("fan_speed=130", heat_and_power.FAN_SPEED, 1.3),
        ("pcie_gen=1", links.PCIE_GENERATION, 1.0),
        ("power_limit=200000", heat_and_power.POWER_LIMIT, 200.0),
        # A laptop on its battery, and one that borrows watts of its processor.
        ("power_limit=25000", heat_and_power.POWER_LIMIT, 25.0),
        ("power_limit=725000", heat_and_power.POWER_LIMIT, 725.0),
        ("reasons=0x9", clocks.throttle("hw_slowdown"), 1.0),
        (
            "reasons=-9223372036854775804",
            clocks.throttle("sw_power_cap"),
            1.0,
        ),
        ("answer=field165:3", links.nvlink_state(0), 3.0),
        ("answer=nvmlGpmMetricsGet:100.4", utilization.SM_ACTIVITY, 1.0),
    ],
)
def test_what_is_only_unlikely_is_shown(
    nvml: Nvml, config: str, metric: MetricId, figure: float
) -> None:
    backend = nvml.open(CARD)
    read(backend)
    nvml.set(config)
    sample = read(backend)
    assert sample.values[metric] == figure
    assert impossible(sample) == set()


def test_reasons_that_came_after_this_program_are_believed_where_the_driver_lists_them(
    nvml: Nvml,
) -> None:
    backend = nvml.open(CARD)
    nvml.set("reasons=0x1004;answer=nvmlDeviceGetSupportedClocksThrottleReasons:8191")
    assert read(backend).values[clocks.throttle("sw_power_cap")] == 1.0


def test_all_reasons_at_once_are_no_events(nvml: Nvml) -> None:
    happenings = HappeningLog(ManualClock())
    backend = nvml.open("cards=1;reasons=0x1ff")
    happenings.consider(read(backend, Cadence.FAST))
    assert happenings.log() == []


COUNTERS: Mapping[str, MetricId] = {
    "replays": links.PCIE_REPLAYS,
    "ecc": health.ECC_CORRECTED,
    "ecc_bad": health.ECC_UNCORRECTED,
    "remapped": health.REMAPPED_ROWS_CORRECTED,
    "retired_bad": health.RETIRED_PAGES_UNCORRECTED,
}


@pytest.mark.parametrize("key", COUNTERS)
def test_a_counter_that_flips_back_once_is_not_believed(nvml: Nvml, key: str) -> None:
    backend = nvml.open(f"{CARD};{key}=40")
    seen = []
    for count in (40, 3, 41, 42):
        nvml.set(f"{key}={count}")
        seen.append(read(backend, Cadence.SLOW).values.get(COUNTERS[key]))
    assert seen == [40, None, 41, 42]


@pytest.mark.parametrize("key", COUNTERS)
def test_a_counter_that_begins_anew_is_believed_from_its_second_reading_on(
    nvml: Nvml, key: str
) -> None:
    backend = nvml.open(f"{CARD};{key}=40")
    seen = []
    for count in (40, 3, 3, 5):
        nvml.set(f"{key}={count}")
        seen.append(read(backend, Cadence.SLOW).values.get(COUNTERS[key]))
    assert seen == [40, None, 3, 5]


def test_energy_that_runs_back_is_not_believed_once(nvml: Nvml) -> None:
    backend = nvml.open("cards=1;clock=100")
    read(backend)
    nvml.set("clock=50")
    assert read(backend).missing[heat_and_power.ENERGY] is Absence.IMPOSSIBLE
    nvml.set("clock=+5")
    assert read(backend).values[heat_and_power.ENERGY] == pytest.approx(300 * 1055)


def test_memory_of_another_size_is_believed_when_it_stays(nvml: Nvml) -> None:
    backend = nvml.open(CARD)
    read(backend)
    nvml.set(f"total={48 * 2**30}")
    assert impossible(read(backend)) == MEMORY
    assert read(backend).values[memory.MEMORY_TOTAL] == 48 * 2**30
    nvml.set(f"total={80 * 2**30}")
    assert impossible(read(backend)) == MEMORY


def test_memory_adds_up_whatever_its_parts_are(nvml: Nvml) -> None:
    backend = nvml.open("cards=1;mig=0:3")
    for card in backend.cards():
        seen = backend.read(card.id, frozenset(MEMORY)).values
        parts = sum(seen[part] for part in MEMORY - {memory.MEMORY_TOTAL})
        assert parts == pytest.approx(seen[memory.MEMORY_TOTAL], rel=0.01)


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


def test_a_performance_state_that_the_driver_does_not_know_is_no_fault_of_its(
    nvml: Nvml,
) -> None:
    sample = read(nvml.open("cards=1;pstate=32"))
    assert sample.missing[clocks.PERFORMANCE_STATE] is Absence.NOT_SUPPORTED


def test_reasons_that_came_after_this_program_are_believed_where_no_driver_lists_any(
    nvml: Nvml,
) -> None:
    list_of_them = "nvmlDeviceGetSupportedClocksThrottleReasons"
    sample = read(nvml.open(f"cards=1;reasons=0x1004;refused={list_of_them}"))
    assert sample.values[clocks.throttle("sw_power_cap")] == 1.0


def test_every_figure_of_the_catalogue_has_an_end() -> None:
    unbounded = [m.id for m in METRICS.values() if not -1e3 <= m.lowest < m.highest < 1e16]
    assert unbounded == []
