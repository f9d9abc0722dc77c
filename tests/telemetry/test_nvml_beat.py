"""What a beat asks of the driver, and what waits for the slower rounds."""

import pytest

from gpuexplorer.core import metrics as m
from gpuexplorer.core.metrics import Cadence, MetricId
from tests.telemetry.conftest import Nvml, read

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
