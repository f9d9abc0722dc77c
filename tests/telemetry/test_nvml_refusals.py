"""What a driver refuses has a reason, and is asked for again."""

import pytest

from gpuexplorer.core import metrics as m
from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import Sample
from gpuexplorer.core.metrics import MetricId, metrics_of
from gpuexplorer.telemetry.backends.nvml.backend import NvmlBackend
from tests.clocks import ManualClock
from tests.telemetry.conftest import Nvml, until

AVERAGE = MetricId("power_draw_average")
PERSISTENCE = m.PERSISTENCE_MODE


def read(backend: NvmlBackend, *metrics: MetricId) -> Sample:
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
    whole = set(read(backend).values)
    nvml.set(f"refused=all;refuse_code={code}")
    assert read(backend).missing[m.POWER_DRAW] is reason
    nvml.set("refused=none")
    assert set(read(backend).values) >= whole


def test_a_refused_field_hides_none_of_its_neighbours(nvml: Nvml) -> None:
    backend = nvml.open("cards=1;refused=field185,field144")
    sample = read(backend)
    assert sample.missing[AVERAGE] is Absence.NOT_SUPPORTED
    assert sample.missing[MetricId("remapped_rows_pending")] is Absence.NOT_SUPPORTED
    assert sample.values[m.MEMORY_TEMPERATURE] == 50
    assert sample.values[MetricId("remapped_rows_failed")] == 0


def test_when_mig_is_switched_on_the_card_is_asked_anew(nvml: Nvml) -> None:
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


def test_what_a_card_never_had_is_asked_for_once_a_minute(nvml: Nvml) -> None:
    clock = ManualClock()
    backend = nvml.open("cards=1;refused=nvmlDeviceGetPersistenceMode,field185", clock)
    read(backend)
    nvml.reset_calls()
    clock.advance(50)
    assert read(backend).missing[PERSISTENCE] is Absence.NOT_SUPPORTED
    assert read(backend).missing[AVERAGE] is Absence.NOT_SUPPORTED
    assert not nvml.calls_of("nvmlDeviceGetPersistenceMode")
    assert not nvml.calls_of("field185")
    nvml.set("refused=none")
    clock.advance(11)
    assert {PERSISTENCE, AVERAGE} <= set(read(backend).values)
