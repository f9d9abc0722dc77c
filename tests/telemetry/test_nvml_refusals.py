"""What a driver refuses is asked again: soon where it answered before, and never each beat."""

import pytest

from gpuexplorer.core import metrics as m
from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import Sample
from gpuexplorer.core.metrics import MetricId, metrics_of
from gpuexplorer.telemetry.backends.nvml.backend import NvmlBackend
from tests.clocks import ManualClock
from tests.nvml_stub.stub import Stub
from tests.telemetry.conftest import Nvml

POWER = m.POWER_DRAW
AVERAGE = MetricId("power_draw_average")
PASSING_AND_LASTING = ["no_permission", "unknown", "timeout", "not_supported"]


def read(backend: NvmlBackend, *metrics: MetricId) -> Sample:
    card = backend.cards()[0]
    return backend.read(card.id, frozenset(metrics) or metrics_of(card))


def asked_at(
    backend: NvmlBackend, clock: ManualClock, stub: Stub, metric: MetricId, call: str, span: int
) -> list[int]:
    """The seconds, beat by beat, at which the driver really got the call."""
    seconds = []
    for second in range(span):
        stub.reset_calls()
        read(backend, metric)
        if stub.calls_of(call):
            seconds.append(second)
        clock.advance(1.0)
    return seconds


def test_what_a_card_never_supported_is_asked_once_a_minute(nvml: Nvml) -> None:
    clock = ManualClock()
    backend = nvml.open("cards=1;refused=nvmlDeviceGetPowerUsage", clock)
    seconds = asked_at(backend, clock, nvml, POWER, "nvmlDeviceGetPowerUsage", 150)
    assert seconds == [0, 60, 120]
    assert read(backend).missing[POWER] is Absence.NOT_SUPPORTED


@pytest.mark.parametrize("code", PASSING_AND_LASTING)
def test_a_card_that_refuses_everything_for_eight_seconds_is_whole_again_at_once(
    nvml: Nvml, code: str
) -> None:
    clock = ManualClock()
    backend = nvml.open("cards=1", clock)
    read(backend)
    clock.advance(1)
    whole = set(read(backend).values)
    nvml.set(f"refused=all;refuse_code={code}")
    for _ in range(8):
        clock.advance(1)
        read(backend)
    nvml.set("refused=none")
    for _ in range(8):
        clock.advance(1)
        now = read(backend)
    assert set(now.values) >= whole


def test_a_refused_field_hides_none_of_its_neighbours(nvml: Nvml) -> None:
    backend = nvml.open("cards=1;refused=field185,field144")
    sample = read(backend)
    assert sample.missing[AVERAGE] is Absence.NOT_SUPPORTED
    assert sample.missing[MetricId("remapped_rows_pending")] is Absence.NOT_SUPPORTED
    assert sample.values[m.MEMORY_TEMPERATURE] == 50
    assert sample.values[MetricId("remapped_rows_failed")] == 0
