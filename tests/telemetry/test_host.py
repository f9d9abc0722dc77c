"""The computer itself: how busy its processors are."""

import pytest

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.catalogue.utilization import CPU_UTILIZATION
from gpuexplorer.telemetry.backends import host
from gpuexplorer.telemetry.backends.host import HostReader
from gpuexplorer.telemetry.processor_time import ProcessorTime, processor_time

ASKED = frozenset({CPU_UTILIZATION})


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> list[ProcessorTime | None]:
    """What the system will say, one after another, on a computer with two processors."""
    coming: list[ProcessorTime | None] = []
    monkeypatch.setattr(host, "processor_time", lambda: coming.pop(0))
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    return coming


def test_a_look_before_gives_the_first_reading_a_figure(
    looks: list[ProcessorTime | None],
) -> None:
    looks.append(ProcessorTime(total=100.2, idle=50.15))
    reader = HostReader(looked_before=ProcessorTime(total=100.0, idle=50.0))
    assert reader.read(ASKED).values[CPU_UTILIZATION] == pytest.approx(0.25)


def test_looks_too_close_together_have_a_reason_and_no_figure(
    looks: list[ProcessorTime | None],
) -> None:
    looks += [ProcessorTime(100.08, 50.08), ProcessorTime(100.2, 50.1)]
    reader = HostReader(looked_before=ProcessorTime(total=100.0, idle=50.0))
    assert reader.read(ASKED).missing == {CPU_UTILIZATION: Absence.TOO_SOON}
    assert reader.read(ASKED).values[CPU_UTILIZATION] == pytest.approx(0.5)


def test_too_early_for_another_figure_the_last_one_stands(
    looks: list[ProcessorTime | None],
) -> None:
    looks += [ProcessorTime(0, 0), ProcessorTime(1, 0.5), ProcessorTime(1.01, 0.51)]
    reader = HostReader()
    assert reader.read(ASKED).missing == {CPU_UTILIZATION: Absence.NEEDS_TWO}
    figures = [reader.read(ASKED).values[CPU_UTILIZATION] for _ in range(2)]
    assert figures == [0.5, 0.5]


def test_a_system_that_keeps_it_from_us_is_a_reason(
    looks: list[ProcessorTime | None],
) -> None:
    looks.append(None)
    assert HostReader().read(ASKED).missing == {CPU_UTILIZATION: Absence.NO_PERMISSION}


def test_processors_work_and_idle_within_all_of_their_time() -> None:
    looked = processor_time()
    assert looked is not None
    assert 0 < looked.idle < looked.total
