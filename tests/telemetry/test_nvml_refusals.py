"""What a driver refuses is asked again: soon where it answered before, and never each beat."""

import pytest

from gpuexplorer.core import metrics as m
from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import Sample
from gpuexplorer.core.metrics import MetricId, metrics_of
from gpuexplorer.telemetry.backends.nvml.backend import NvmlBackend
from tests.clocks import ManualClock
from tests.nvml_stub.stub import Stub
from tests.telemetry.conftest import Nvml, until

POWER = m.POWER_DRAW
AVERAGE = MetricId("power_draw_average")
PERSISTENCE = m.PERSISTENCE_MODE
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


@pytest.mark.parametrize("code", PASSING_AND_LASTING)
def test_what_was_answered_before_is_asked_again_after_ever_longer_pauses(
    nvml: Nvml, code: str
) -> None:
    clock = ManualClock()
    backend = nvml.open("cards=1", clock)
    assert POWER in read(backend).values
    nvml.set(f"refused=nvmlDeviceGetPowerUsage;refuse_code={code}")
    seconds = asked_at(backend, clock, nvml, POWER, "nvmlDeviceGetPowerUsage", 190)
    assert seconds == [0, 1, 3, 7, 15, 31, 63, 123, 183]


def test_what_a_card_never_supported_is_asked_once_a_minute(nvml: Nvml) -> None:
    clock = ManualClock()
    backend = nvml.open("cards=1;refused=nvmlDeviceGetPowerUsage", clock)
    seconds = asked_at(backend, clock, nvml, POWER, "nvmlDeviceGetPowerUsage", 150)
    assert seconds == [0, 60, 120]
    assert read(backend).missing[POWER] is Absence.NOT_SUPPORTED


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("no_permission", Absence.NO_PERMISSION),
        ("unknown", Absence.REFUSED),
        ("timeout", Absence.NO_ANSWER),
    ],
)
def test_what_never_answered_but_may_yet_is_asked_again_soon(
    nvml: Nvml, code: str, reason: Absence
) -> None:
    clock = ManualClock()
    backend = nvml.open(f"cards=1;refused=nvmlDeviceGetPowerUsage;refuse_code={code}", clock)
    seconds = asked_at(backend, clock, nvml, POWER, "nvmlDeviceGetPowerUsage", 16)
    assert seconds == [0, 1, 3, 7, 15]
    assert read(backend).missing[POWER] is reason
    nvml.set("refused=none")
    clock.advance(16)
    assert POWER in read(backend).values


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


def test_modes_that_change_end_every_pause(nvml: Nvml) -> None:
    clock = ManualClock()
    backend = nvml.open("cards=1;refused=nvmlDeviceGetPersistenceMode,field185", clock)
    assert read(backend).missing[PERSISTENCE] is Absence.NOT_SUPPORTED
    nvml.set("refused=none;mig=0:1")
    clock.advance(1)
    read(backend)  # this reading notices that MIG is on now
    until(lambda: len(backend.cards()) == 2)
    sample = read(backend)
    assert {PERSISTENCE, AVERAGE} <= set(sample.values)
    assert sample.missing[m.GPU_UTILIZATION] is Absence.MIG_ON
