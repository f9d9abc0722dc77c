"""Figures that cannot be are no figures; what is merely unlikely is shown."""

from collections.abc import Mapping

import pytest

from gpuexplorer.core import metrics as ids
from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import Sample
from gpuexplorer.core.metrics import Cadence, MetricId
from tests.telemetry.conftest import Nvml, read

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
def test_what_is_only_unlikely_is_shown(
    nvml: Nvml, config: str, metric: MetricId, figure: float
) -> None:
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
def test_a_counter_that_begins_anew_is_believed_from_its_second_reading_on(
    nvml: Nvml, key: str
) -> None:
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
